"""Which CRS a site is measured in, and how layers come into it."""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import pytest
import shapely
from drawn import UTM, X, Y, box
from pyproj import CRS

from wetgeo.errors import CrsError, ProjectError
from wetgeo.inputs import crs as systems

pytest_plugins = ["site_fixtures"]


def test_the_wetlands_own_crs_is_taken_where_it_is_fit(write, read) -> None:
    done = read(wetlands=write("wetlands.gpkg", [box(0, 0, 60, 40)]))
    assert done.site.crs.to_epsg() == 26915
    assert done.site.unit_m == 1.0
    # closed form: UTM's scale at its point 45 km west of the central meridian, 0.9996 (1 + x^2 / 2 R^2)
    expected = 0.9996 * (1 + (X + 30 - 500_000) ** 2 / (2 * 6_378_000**2))
    ((_, _, message),) = done.told("crs-working")
    assert f"grid scale at the site is {expected:.5f}" in message
    assert "that of layer wetlands" in message
    assert not done.told("crs-reprojected")


def test_state_plane_keeps_its_survey_feet(write, read) -> None:
    square = shapely.box(2_800_000, 318_000, 2_800_300, 318_200)
    done = read(wetlands=write("wetlands.gpkg", [square], crs="EPSG:26850"))
    assert done.site.unit_m == pytest.approx(1200 / 3937, rel=1e-15)
    assert done.site.resources.area[0] == pytest.approx(60_000, rel=1e-12)


@pytest.mark.parametrize(("crs", "why"), [("EPSG:4269", "geographic"), ("EPSG:3857", "1.41"), ("EPSG:5070", "0.1 %")])
def test_an_unfit_crs_of_the_wetlands_stops_with_the_line_to_write(write, read, tmp_path, crs: str, why: str) -> None:
    gpd.GeoSeries([box(0, 0, 60, 40)], crs=UTM).to_crs(crs).to_file(tmp_path / "wetlands.gpkg")
    with pytest.raises(CrsError, match='crs = "EPSG:26915"  # NAD83 / UTM zone 15N') as caught:
        read(wetlands=tmp_path / "wetlands.gpkg")
    assert "layer wetlands" in str(caught.value)
    assert "wetlands.gpkg" in str(caught.value)
    assert why in str(caught.value)


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:3857", "EPSG:26912", "EPSG:99999", "nonsense"])
def test_an_unfit_stated_crs_is_a_fault_of_the_project_file(write, read, crs: str) -> None:
    with pytest.raises(ProjectError, match=r"\[project\] crs"):
        read(wetlands=write("wetlands.gpkg", [box(0, 0, 60, 40)]), crs=crs)


def test_auto_takes_the_zone_of_the_site_and_says_so(write, read, tmp_path) -> None:
    gpd.GeoSeries([box(0, 0, 60, 40)], crs=UTM).to_crs(4326).to_file(tmp_path / "wetlands.geojson")
    done = read(wetlands=tmp_path / "wetlands.geojson", crs="auto")
    assert done.site.crs.to_epsg() == 26915
    assert done.told("crs-auto")
    assert done.site.resources.area[0] == pytest.approx(2400, rel=1e-6)


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ((-93.3, 45.0), 26915),
        ((-157.9, 21.3), 26904),
        ((-149.9, 61.2), 26906),
        ((10.0, 50.0), 32632),
        ((151, -33), 32756),
    ],
)
def test_utm_zone_by_the_formula(place: tuple[float, float], code: int) -> None:
    assert systems.utm(*place).to_epsg() == code


@pytest.mark.parametrize("wkt", ["esri", "epsg", "compound"])
def test_one_crs_in_several_spellings_is_one(wkt: str) -> None:
    spelled = {
        "esri": CRS(CRS(UTM).to_wkt("WKT1_ESRI")),
        "epsg": CRS.from_user_input("epsg:26915"),
        "compound": systems.horizontal(CRS("EPSG:26915+5703")),
    }[wkt]
    assert systems.same(CRS(UTM), spelled)
    assert not systems.same(CRS("EPSG:26916"), spelled)
    assert not systems.same(CRS("EPSG:32615"), spelled)


class TestLayersWithoutCrs:
    """A CRS is never guessed; what it could be is told."""

    def test_it_stops_and_proposes_the_crs_of_a_layer_in_the_same_place(self, write, read) -> None:
        wetlands = write("wetlands.shp", [box(0, 0, 60, 40)], crs=None)
        with pytest.raises(CrsError, match=r"layer wetlands .*wetlands\.shp\) has no CRS") as caught:
            read(wetlands=wetlands, parcels=write("parcels.gpkg", [box(-50, -50, 200, 200)], PIN=["1"]))
        assert 'crs = "EPSG:26915"' in str(caught.value)
        assert "[layers.wetlands]" in str(caught.value)

    def test_a_container_has_no_prj_to_restore(self, write, read) -> None:
        with pytest.raises(CrsError, match=r"layer wetlands .*wetlands\.gpkg\) has no CRS") as caught:
            read(
                wetlands=write("wetlands.gpkg", [box(0, 0, 60, 40)], crs=None),
                parcels=write("parcels.gpkg", [box(-50, -50, 200, 200)], PIN=["1"]),
            )
        assert ".prj" not in str(caught.value)
        assert "ogr2ogr -a_srs EPSG:26915 wetlands-with-crs.gpkg wetlands.gpkg" in str(caught.value)

    def test_coordinates_that_look_like_degrees(self, write, read) -> None:
        with pytest.raises(CrsError, match='crs = "EPSG:4326"'):
            read(wetlands=write("wetlands.shp", [shapely.box(-93.1, 45, -93, 45.1)], crs=None))

    def test_a_stated_crs_is_used_and_told(self, write, read) -> None:
        wetlands = write("wetlands.shp", [box(0, 0, 60, 40)], crs=None)
        done = read(wetlands={"path": wetlands, "crs": UTM})
        assert done.site.crs.to_epsg() == 26915
        assert done.told("crs-stated")

    def test_a_stated_crs_that_differs_from_the_files_is_an_error(self, write, read) -> None:
        wetlands = write("wetlands.gpkg", [box(0, 0, 60, 40)])
        with pytest.raises(CrsError, match="states EPSG:26916"):
            read(wetlands={"path": wetlands, "crs": "EPSG:26916"})
        assert not read(wetlands={"path": wetlands, "crs": UTM}).told("crs-stated")


def test_coordinates_that_the_crs_cannot_have(write, read) -> None:
    wetlands = write("wetlands.gpkg", [box(0, 0, 60, 40)], crs="EPSG:4326", id=["W1"])
    with pytest.raises(CrsError, match=r"layer wetlands .*EPSG:4326.*W1.*out of that range, such as \(455060"):
        read(wetlands=wetlands, crs=UTM)


def test_a_layer_is_reprojected_vertex_by_vertex(write, read, tmp_path) -> None:
    gpd.GeoDataFrame({"PIN": ["1"]}, geometry=[box(-500, -500, 2000, 2000)], crs=UTM).to_crs("EPSG:26850").to_file(
        tmp_path / "parcels.gpkg"
    )
    done = read(wetlands=write("wetlands.gpkg", [box(0, 0, 60, 40)]), parcels=tmp_path / "parcels.gpkg")
    ((severity, _, message),) = done.told("crs-reprojected")
    assert severity == "info"
    assert "EPSG:26850" in message
    parcel = done.site.layers["parcels"].geometry[0]
    assert shapely.get_num_points(parcel.exterior) == 5
    assert np.allclose(parcel.bounds, (X - 500, Y - 500, X + 1500, Y + 1500), atol=1e-5)


def test_an_unknown_shift_between_datums_is_a_warning(write, read, tmp_path) -> None:
    shifted = gpd.GeoDataFrame({"PIN": ["1"]}, geometry=[box(0, 0, 100, 100)], crs="EPSG:26715")
    shifted.to_file(tmp_path / "parcels.gpkg")
    done = read(wetlands=write("wetlands.gpkg", [box(0, 0, 60, 40)]), parcels=tmp_path / "parcels.gpkg")
    ((severity, _, message),) = done.told("crs-reprojected")
    assert severity == "warning"
    assert "no grid" in message


def test_far_and_empty_layers_are_warned_of(write, read) -> None:
    done = read(
        wetlands=write("wetlands.gpkg", [box(0, 0, 60, 40)]),
        parcels=write("parcels.gpkg", [box(9000, 0, 10, 10)], PIN=["1"]),
        public_land=write("park.gpkg", [box(8000, 0, 10, 10)]),
        trails={"path": write("trails.gpkg", [shapely.LineString([(X, Y), (X + 9, Y)])], W=[1]), "where": "W > 1"},
    )
    # 9000 m less the wetland's 60 m are 5.56 miles; 8000 m are 4.93
    ((severity, _, message),) = done.told("layer-far")
    assert severity == "warning"
    assert "5.6 miles" in message
    assert done.told("layer-empty") == [("warning", "", "trails.gpkg holds no features that meet the filter 'W > 1'")]
    assert done.site.layers["trails"].empty


class TestCoordinatesThatTheirCrsCannotHave:
    """A file's CRS that its coordinates contradict stops the run, and what they look like is told."""

    @staticmethod
    def scaled(times: float):
        return shapely.transform(box(0, 0, 60, 40), lambda xy: xy * times)

    @pytest.mark.parametrize("crs", [None, "auto", UTM])
    @pytest.mark.parametrize(
        ("times", "unit", "back"),
        [(100, "centimetres", "0.01"), (1000, "millimetres", "0.001"), (1 / 0.3048, "feet", "0.3048")],
    )
    def test_another_unit(self, write, read, crs, times: float, unit: str, back: str) -> None:
        with pytest.raises(CrsError, match=f"they look like {unit}: times {back} ") as caught:
            read(wetlands=write("wetlands.gpkg", [self.scaled(times)]), crs=crs)
        assert "layer wetlands" in str(caught.value)
        assert "EPSG:26915" in str(caught.value)
        assert "the file's CRS is wrong" in caught.value.mend
        assert "crs = " not in str(caught.value)  # no zone elsewhere on earth is advised

    @pytest.mark.parametrize("crs", [None, "auto"])
    @pytest.mark.parametrize("label", ["EPSG:26915", "EPSG:3857", "EPSG:26851", "EPSG:5070"])
    def test_degrees_labelled_as_a_grid(self, write, read, crs, label: str) -> None:
        degrees = shapely.box(-93.57, 44.97, -93.56, 44.98)
        with pytest.raises(CrsError, match="they look like longitude and latitude") as caught:
            read(wetlands=write("wetlands.gpkg", [degrees], crs=label), crs=crs)
        assert "assign EPSG:4326" in caught.value.mend
        assert "EPSG:32" not in str(caught.value)

    @pytest.mark.parametrize("crs", [None, "auto"])
    def test_state_plane_labelled_as_utm(self, write, read, crs) -> None:
        """Minneapolis in feet of Minnesota South, labelled as UTM: as such it lies south of the Sahara's latitude."""
        square = shapely.box(2_800_000, 318_000, 2_800_300, 318_200)
        with pytest.raises(CrsError, match="it lies at longitude") as caught:
            read(wetlands=write("wetlands.gpkg", [square]), crs=crs)
        assert caught.value.mend == "the file's CRS is wrong: assign the one that its coordinates are in"

    def test_one_feature_beyond_what_the_crs_can_hold_is_named(self, write, read) -> None:
        shapes = [box(0, 0, 60, 40), shapely.transform(box(0, 0, 60, 40), lambda xy: xy * 100)]
        with pytest.raises(CrsError, match="the coordinates of wetlands-2, such as"):
            read(wetlands=write("wetlands.gpkg", shapes))

    def test_a_neighbouring_zone_is_still_advised(self, write, read) -> None:
        """Two degrees east of the zone the data may well be kept in it; only the working CRS is another."""
        square = shapely.box(900_000, 4_980_000, 900_100, 4_980_100)
        with pytest.raises(CrsError, match='crs = "EPSG:26916"'):
            read(wetlands=write("wetlands.gpkg", [square]))
        done = read(wetlands=write("wetlands.gpkg", [square]), crs="auto")
        ((severity, _, message),) = done.told("crs-area")
        assert severity == "warning"
        assert "it is in EPSG:26915" in message
        assert "lies at longitude -87.9" in message

    def test_a_place_without_numbers_has_no_zone(self) -> None:
        with pytest.raises(CrsError, match="no UTM zone"):
            systems.utm(float("nan"), float("inf"))
