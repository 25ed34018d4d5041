#!/usr/bin/env python3
"""Compare wetgeo's terrain with other programs': slopes with GDAL and exactextract, flow with GRASS GIS.

    python benchmarks/compare_terrain.py [--city FOLDER]

The programs are called as programs (Debian: gdal-bin, grass-core); what is not installed is skipped. FOLDER holds the
Bangor data (stateplane_ft/Wetland.shp and derived/*.tif); left out, ../shared/data/bangor-me is taken where it exists.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyogrio
import rasterio
import shapely
from numpy.typing import NDArray

from wetgeo.kernels.coverage import covered_fraction, mean_slope
from wetgeo.kernels.flow import accumulation, drains_to, quiet, routing, trace_down
from wetgeo.kernels.grid import Grid
from wetgeo.kernels.slope import gradient

ROOT = Path(__file__).resolve().parents[1]
FOOT_M = 0.3048
BASE_FT = 75.0
#: r.watershed's directions 1 to 8 run counter-clockwise from the north-east: rows and columns
GRASS_STEPS = {1: (-1, 1), 2: (-1, 0), 3: (-1, -1), 4: (0, -1), 5: (1, -1), 6: (1, 0), 7: (1, 1), 8: (0, 1)}


@dataclass(frozen=True)
class Ground:
    """A DEM whose elevations and cells have one unit, and the resources on it."""

    name: str
    path: Path
    grid: Grid
    ft: float
    resources: NDArray[np.object_]


def read_ground(name: str, dem: Path, z_ft: float, layers: list[tuple[Path, str | None]]) -> Ground:
    """Read elevations (`z_ft`: feet in one of their units) and polygons."""
    with rasterio.open(dem) as file:
        ft = FOOT_M / file.crs.linear_units_factor[1]
        z = file.read(1, masked=True).astype(float).filled(np.nan) * z_ft * ft
        matrix = file.transform
    polygons = np.concatenate([pyogrio.read_dataframe(path, layer=layer).geometry.values for path, layer in layers])
    grid = Grid(z=z, left=matrix.c, top=matrix.f, dx=matrix.a, dy=-matrix.e)
    return Ground(name, dem, grid, ft, shapely.make_valid(polygons))


def interior(ground: Ground, polygon: shapely.Geometry) -> bool:
    """Tell whether a polygon, with two cells around it, lies on elevations only."""
    grid = ground.grid
    left, bottom, right, top = polygon.bounds
    r0, r1 = int((grid.top - top) / grid.dy) - 2, int((grid.top - bottom) / grid.dy) + 3
    c0, c1 = int((left - grid.left) / grid.dx) - 2, int((right - grid.left) / grid.dx) + 3
    rows, columns = grid.z.shape
    return min(r0, c0) >= 0 and r1 <= rows and c1 <= columns and bool(np.isfinite(grid.z[r0:r1, c0:c1]).all())


def compare_slopes(ground: Ground, folder: Path) -> None:
    """Compare mean slopes within the base width, percent."""
    import geopandas as gpd
    from exactextract import exact_extract

    rings = shapely.difference(shapely.buffer(ground.resources, BASE_FT * ground.ft, quad_segs=56), ground.resources)
    rings = [ring for ring in rings if not ring.is_empty and interior(ground, ring)]
    elevations, slopes = folder / "z.tif", folder / "slope.tif"
    with rasterio.open(ground.path) as file:
        profile = {**file.profile, "dtype": "float64", "nodata": -9999.0, "predictor": 1}
        crs = file.crs
    with rasterio.open(elevations, "w", **profile) as file:
        file.write(np.nan_to_num(ground.grid.z, nan=-9999.0), 1)
    subprocess.run(["gdaldem", "slope", "-p", "-q", str(elevations), str(slopes)], check=True)
    frame = gpd.GeoDataFrame(geometry=rings, crs=crs)
    theirs = exact_extract(str(slopes), frame, ["mean"], output="pandas")["mean"].to_numpy(dtype=float)
    ours = np.array([mean_slope(ground.grid, ring)[0] for ring in rings])
    off = np.abs(ours - theirs)
    print(
        f"{ground.name}: mean slope within {BASE_FT:g} ft of {len(rings)} resources, {ours.min():.2f} to "
        f"{ours.max():.2f} %: differs from gdaldem + exactextract by {off.max():.2g} % at most "
        f"(median {np.median(off):.1g})"
    )


def grass(ground: Ground, folder: Path, starts: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Let GRASS compute contributing cells, drainage directions, and paths from points (as one raster each)."""
    steps = [
        f"r.in.gdal -o --quiet input={ground.path} output=dem",
        "g.region raster=dem",
        "r.watershed -s -a --quiet elevation=dem accumulation=acc drainage=dir",
        f"r.out.gdal --quiet -c input=acc output={folder}/acc.tif type=Float64",
        f"r.out.gdal --quiet -c -f input=dir output={folder}/dir.tif type=Int16",
        "r.fill.dir --quiet input=dem output=filled direction=fdir",
    ]
    for number, (x, y) in enumerate(starts):
        steps += [
            f"r.drain --quiet -n input=filled output=p{number} start_coordinates={x},{y}",
            f"r.out.gdal --quiet -c -f input=p{number} output={folder}/p{number}.tif type=Float64 nodata=-1",
        ]
    script = folder / "steps.sh"
    script.write_text("set -e\n" + "\n".join(steps) + "\n", encoding="utf-8")
    command = ["grass", "--tmp-location", str(ground.path), "--exec", "bash", str(script)]
    subprocess.run(command, check=True, capture_output=True)
    found = {}
    for path in folder.glob("*.tif"):
        with rasterio.open(path) as file:
            found[path.stem] = file.read(1).astype(float)
    return found


def follow_directions(directions: NDArray[np.float64], target: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the cells whose directions lead to the target."""
    rows, columns = directions.shape
    row, column = np.mgrid[:rows, :columns]
    ahead = np.arange(rows * columns).reshape(rows, columns)
    for code, (down, right) in GRASS_STEPS.items():
        r, c = row + down, column + right
        there = (directions == code) & (r >= 0) & (r < rows) & (c >= 0) & (c < columns)
        ahead[there] = (r * columns + c)[there]
    ahead[target] = np.arange(rows * columns).reshape(rows, columns)[target]
    ahead = ahead.ravel()
    for _ in range(int(np.ceil(np.log2(rows * columns)))):  # each round doubles the distance looked ahead
        ahead = ahead[ahead]
    return target.ravel()[ahead].reshape(rows, columns)


def compare_accumulation(ground: Ground, theirs: NDArray[np.float64], acres: float) -> None:
    """Compare where at least so many acres run together, on slopes of 2 % and more: over flats there is no one way."""
    from scipy.ndimage import distance_transform_edt

    grid = ground.grid
    cell_acres = grid.dx * grid.dy / ground.ft**2 / 43560
    ours = accumulation(grid) / (grid.dx * grid.dy)
    sloping = (np.hypot(*gradient(grid)) > 0.02) & ~(covered_fraction(grid, shapely.union_all(ground.resources)) > 0)
    one, other = ours * cell_acres >= acres, theirs * cell_acres >= acres
    near = [(distance_transform_edt(~b)[a & sloping] <= 2).mean() for a, b in ((one, other), (other, one))]
    print(
        f"{ground.name}: of {(one & sloping).sum()} cells on slopes that {acres:g} acres or more drain through, "
        f"{near[0]:.1%} lie within two cells of such a cell of r.watershed; of its {(other & sloping).sum()}, "
        f"{near[1]:.1%} of one of ours"
    )


def compare_drains_to(ground: Ground, directions: NDArray[np.float64], *, smoothing: float) -> None:
    """Compare the ground that drains to each resource, within 500 ft of it."""
    shares = []
    for resource in ground.resources:
        near = covered_fraction(ground.grid, shapely.buffer(resource, 500 * ground.ft)) > 0
        target = covered_fraction(ground.grid, resource) > 0
        if not target.any():
            continue
        ours = drains_to(ground.grid, target, smoothing=smoothing) & near & ~target
        theirs = follow_directions(directions, target) & near & ~target
        shares.append((ours & theirs).sum() / max((ours | theirs).sum(), 1))
    print(
        f"{ground.name}: ground within 500 ft that drains to each of {len(shares)} resources, smoothed over "
        f"{smoothing:.1f}: {np.median(shares):.1%} in common with r.watershed (median; {min(shares):.1%} to "
        f"{max(shares):.1%})"
    )


def hillside(ground: Ground, count: int) -> NDArray[np.float64]:
    """Choose cells on slopes of 8 % and more within 300 ft of a resource, outside all of them."""
    grid = ground.grid
    every = shapely.union_all(ground.resources)
    near = covered_fraction(grid, shapely.buffer(every, 300 * ground.ft)) > 0.5
    water = covered_fraction(grid, every) > 0
    steep = np.hypot(*gradient(grid)) > 0.08
    cells = np.argwhere(near & ~water & steep)
    row, column = cells[np.linspace(0, len(cells) - 1, count).astype(int)].T
    return np.column_stack([grid.left + (column + 0.5) * grid.dx, grid.top - (row + 0.5) * grid.dy])


def compare_paths(ground: Ground, starts: NDArray[np.float64], found: dict[str, NDArray[np.float64]]) -> None:
    """Compare where flow paths enter the first resource."""
    grid = ground.grid
    water = covered_fraction(grid, shapely.union_all(ground.resources)) > 0
    ways = routing(grid, water, smoothing=quiet(grid))
    apart, both, one = [], 0, 0
    for number, path in enumerate(trace_down(ways, starts[:, 0], starts[:, 1])):
        cells = found[f"p{number}"]
        there = np.argwhere((cells > 0) & water)
        reached = path is not None and path.end == "target"
        both += reached and len(there) > 0
        one += reached != (len(there) > 0)
        if path is not None and reached and len(there):
            row, column = there[np.argmin(cells[tuple(there.T)])]
            place = grid.left + (column + 0.5) * grid.dx, grid.top - (row + 0.5) * grid.dy
            apart.append(np.hypot(path.x[-1] - place[0], path.y[-1] - place[1]) / grid.dx)
    print(
        f"{ground.name}: of {len(starts)} flow paths from hillsides, {both} reach a resource by r.drain too, {one} by "
        f"one only; where they enter it they are {np.median(apart):.1f} cells apart (median; 90 % under "
        f"{np.percentile(apart, 90):.1f})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--city", type=Path, default=ROOT.parent / "shared" / "data" / "bangor-me")
    city = parser.parse_args().city
    site = ROOT / "data_samples" / "site.gpkg"
    sample = read_ground("sample", ROOT / "data_samples" / "dem.tif", 1 / FOOT_M, [(site, "wetlands"), (site, "lakes")])
    grounds = [sample]
    if city.is_dir():
        dem = next((city / "derived").glob("*.tif"))
        grounds.append(read_ground("Bangor", dem, 1.0, [(city / "stateplane_ft" / "Wetland.shp", None)]))
    else:
        print(f"Bangor is skipped: there is no {city}")
    with tempfile.TemporaryDirectory() as folder:
        for ground in grounds:
            if shutil.which("gdaldem") is None:
                print(f"{ground.name}: slopes are not compared: gdaldem is not installed (apt install gdal-bin)")
            else:
                compare_slopes(ground, Path(folder))
    if shutil.which("grass") is None:
        print("Flow is not compared: GRASS GIS is not installed (apt install grass-core)")
        return
    with tempfile.TemporaryDirectory() as folder:
        starts = hillside(sample, 60)
        found = grass(sample, Path(folder), starts)
        for acres in (1.0, 5.0):
            compare_accumulation(sample, found["acc"], acres)
        for smoothing in (0.0, quiet(sample.grid)):
            compare_drains_to(sample, found["dir"], smoothing=smoothing)
        compare_paths(sample, starts, found)


if __name__ == "__main__":
    main()
