"""Whole sites on disk, moved, turned, shuffled or reprojected, and what a run makes of them."""

from __future__ import annotations

import dataclasses
import itertools
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
import pyogrio
import rasterio
import shapely
from places import ROOT

from wetgeo.kernels.grid import Grid
from wetgeo.outputs.read import read_layer
from wetgeo.testing import fractal, write_dem

SAMPLES = ROOT / "data_samples"
UTM = "EPSG:26915"
#: layers of a run whose geometries are ground
GROUND = ("resources", "buffers", "zones", "extensions", "buffer_union")


@dataclasses.dataclass(frozen=True)
class World:
    """The layers and elevations of a site in EPSG:26915, and the lines of its project file below [project]."""

    layers: Mapping[str, gpd.GeoDataFrame]
    dem: Grid
    tables: str
    rule: str

    def map(self, change: Callable[[gpd.GeoDataFrame], gpd.GeoDataFrame], dem: Grid | None = None) -> World:
        """Change every layer."""
        layers = {name: change(frame) for name, frame in self.layers.items()}
        return dataclasses.replace(self, layers=layers, dem=dem or self.dem)

    def with_layer(self, name: str, frame: gpd.GeoDataFrame) -> World:
        return dataclasses.replace(self, layers={**self.layers, name: frame})

    def moved(self, x: float, y: float) -> World:
        grid = dataclasses.replace(self.dem, left=self.dem.left + x, top=self.dem.top + y)
        return self.map(lambda frame: frame.set_geometry(frame.translate(x, y)), grid)

    def turned(self) -> World:
        """Turn everything by 90 degrees to the left around the lower left corner of the elevations' whole metres."""
        left, bottom, _, _ = self.dem.bounds
        rows, columns = self.dem.z.shape
        grid = Grid(
            z=np.rot90(self.dem.z), left=left - rows * self.dem.dy, top=bottom + columns * self.dem.dx,
            dx=self.dem.dy, dy=self.dem.dx,
        )  # fmt: skip

        def turn(xy):
            return np.column_stack([left - (xy[:, 1] - bottom), bottom + (xy[:, 0] - left)])

        return self.map(lambda frame: frame.set_geometry(shapely.transform(frame.geometry.to_numpy(), turn)), grid)

    def shuffled(self, seed: int) -> World:
        return self.map(lambda frame: frame.sample(frac=1, random_state=seed).reset_index(drop=True))

    def write(self, folder: Path, *, crs: str = UTM, end: str = "gpkg", extra: str = "") -> Path:
        """Write layers (one file each) and elevations, and the project file; returns its path."""
        folder.mkdir(parents=True, exist_ok=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # GDAL's own, on null geometries and on short field names
            for name, frame in self.layers.items():
                pyogrio.write_dataframe(frame, folder / f"{name}.{end}", layer=name)
        write_dem(folder / "dem.tif", self.dem, crs=UTM, unit="metre")
        text = f'[project]\nrule = "{self.rule}"\ncrs = "{crs}"\ndate = 2026-06-01\noutput = "out"\n'
        path = folder / "wetgeo.toml"
        path.write_text(f'{text}\n{self.tables.replace("{end}", end)}\n[outputs]\nformats = ["gpkg"]\n{extra}')
        return path


def sample(district: str) -> World:
    """The sample site, each layer that the district's project file names in a file of its own."""
    text = (SAMPLES / f"{district}.toml").read_text(encoding="utf-8")
    names = [name for name, _ in pyogrio.list_layers(SAMPLES / "site.gpkg") if f"[layers.{name}]" in text]
    layers = {name: pyogrio.read_dataframe(SAMPLES / "site.gpkg", layer=name) for name in names}
    head, _, tables = text.partition("[layers.wetlands]")
    lines = ["[layers.wetlands]", *(line for line in tables.splitlines() if not line.startswith("layer ="))]
    for number, line in enumerate(lines):
        if line.startswith("[layers."):
            name = line.split("]")[0].removeprefix("[layers.")
        if line.startswith('path = "site.gpkg"'):
            lines[number] = f'path = "{name}.{{end}}"'
    with rasterio.open(SAMPLES / "dem.tif") as file:
        z = file.read(1).astype(float)
        left, top = file.transform.c, file.transform.f
        grid = Grid(z=z, left=left, top=top, dx=file.transform.a, dy=-file.transform.e)
    rule = head.partition('rule = "')[2].partition('"')[0]
    return World(layers=layers, dem=grid, tables="\n".join(lines), rule=rule)


def blob(rng: np.random.Generator, x: float, y: float, size: float) -> shapely.Polygon:
    """A rough round outline."""
    angles = np.linspace(0, 2 * np.pi, int(rng.integers(12, 80)), endpoint=False)
    waves = sum(rng.normal() * np.cos(k * angles + rng.uniform(0, 6)) / k**1.5 for k in range(1, 8))
    radius = size * np.exp(0.25 * waves)
    shape = shapely.Polygon(np.round(np.column_stack([x + radius * np.cos(angles), y + radius * np.sin(angles)]), 2))
    return max(shapely.get_parts(shapely.make_valid(shape)), key=shapely.area)


def random_world(seed: int) -> World:
    """Wetlands at random on fractal ground with soils, lots and a tract, under the mcwd's rule."""
    rng = np.random.default_rng(seed)
    left, bottom, size, cell = 455_000.0, 4_980_000.0, 900.0, 3.0
    cells = round(size / cell)
    z = 300 + 4 * fractal((cells, cells), cell, seed=seed, exponent=3.4, smallest=20)
    grid = Grid(z=np.round(z, 2).astype(np.float32).astype(float), left=left, top=bottom + size, dx=cell, dy=cell)
    spots = rng.uniform([left + 150, bottom + 150], [left + size - 150, bottom + size - 150], (14, 2))
    shapes = [blob(rng, *spot, rng.uniform(8, 45)) for spot in spots]
    apart: list[shapely.Polygon] = []
    for shape in shapes:  # neighbours touch here and there, none overlaps
        rest = shapely.difference(shape, shapely.union_all(apart)) if apart else shape
        parts = [part for part in shapely.get_parts(rest) if part.geom_type == "Polygon" and part.area > 50]
        apart += parts[:1]
    classes = rng.choice(["Preserve", "Manage 1", "Manage 2", "Manage 3"], len(apart))
    wetlands = gpd.GeoDataFrame(
        {"ID": [f"W-{number}" for number in range(1, len(apart) + 1)], "CLASS": classes}, geometry=apart, crs=UTM
    )
    frame = shapely.box(left, bottom, left + size, bottom + size)
    seeds = shapely.multipoints(rng.uniform([left, bottom], [left + size, bottom + size], (25, 2)))
    cellular = shapely.get_parts(shapely.voronoi_polygons(seeds, extend_to=frame))
    groups = rng.choice(np.array(["A", "B", "C", "D", "A/D", "C/D", None], dtype=object), len(cellular))
    soils = gpd.GeoDataFrame({"MU": [f"M{i}" for i in range(len(cellular))], "HSG": groups}, geometry=cellular, crs=UTM)
    spans = list(itertools.pairwise(np.linspace(0, size, 7)))
    lots = [shapely.box(left + a, bottom + c, left + b, bottom + d) for a, b in spans for c, d in spans]
    parcels = gpd.GeoDataFrame({"PIN": [f"P-{i}" for i in range(len(lots))]}, geometry=lots, crs=UTM)
    tract = gpd.GeoDataFrame({"ID": ["T"]}, geometry=[shapely.buffer(frame, -110, join_style="mitre")], crs=UTM)
    tables = """
[layers.wetlands]
path = "wetlands.{end}"
fields = { id = "ID", class = "CLASS" }
[layers.soils]
path = "soils.{end}"
fields = { id = "MU", hsg = "HSG" }
[layers.parcels]
path = "parcels.{end}"
fields = { id = "PIN" }
[layers.tract]
path = "tract.{end}"
fields = { id = "ID" }
[dem]
path = "dem.tif"
"""
    layers = {"wetlands": wetlands, "soils": soils, "parcels": parcels, "tract": tract}
    return World(layers=layers, dem=grid, tables=tables, rule="mcwd-2024")


def outputs(run_wetgeo, project: Path) -> dict[str, pd.DataFrame]:
    """Run a project and read what it wrote, layer by layer."""
    result = run_wetgeo("run", project, "-q")
    assert result.code == 0, result.err
    package = project.parent / "out" / "buffers.gpkg"
    return {
        name: read_layer(package.parent, name) for name, _ in pyogrio.list_layers(package) if name != "layer_styles"
    }
