"""Make a landscape to run benchmarks on: wetlands, parcels, soils and a DEM at the density of a whole state.

100,000 wetlands stand on 30 x 30 km with 225,000 parcels, 20,000 soil polygons and 10,000 x 10,000 cells of 3 m; fewer
wetlands get ground, parcels, soils and cells in proportion. The same number and seed give the same landscape.

    python benchmarks/make_landscape.py OUT --wetlands 10000
    wetgeo run OUT

OUT gets ``landscape.gpkg`` (layers wetlands, parcels, soils), ``dem.tif`` (metres) and a ``wetgeo.toml``.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

import geopandas as gpd
import numpy as np
import rasterio
import shapely

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

CRS = "EPSG:26915"
LEFT, BOTTOM = 450_000.0, 4_970_000.0
CELL = 3.0
#: ground of one wetland, square metres, and what else stands on it
GROUND = 9_000.0
PARCELS, SOILS = 2.25, 0.2
#: no wetland is nearer to the DEM's edge, metres
MARGIN = 36.0
#: density of wetlands goes up and down over this distance, metres, by this part of the mean
WAVE, SWING = 1_500.0, 0.7
#: corners of a wetland's outline and the share of wetlands that have as many, the smaller wetlands the fewer
CORNERS = {16: 0.10, 24: 0.20, 40: 0.25, 64: 0.20, 96: 0.15, 160: 0.07, 320: 0.03}
CLASSES = {"Preserve": 0.15, "Manage 1": 0.25, "Manage 2": 0.35, "Manage 3": 0.25}
GROUPS = {"A": 0.12, "B": 0.3, "C": 0.14, "D": 0.12, "A/D": 0.1, "B/D": 0.12, "C/D": 0.06, None: 0.04}
#: lots of a block, side by side and one behind the other, and the street around it, metres
LOTS, STREET = (5, 3), 15.0
#: rows of the DEM that are made at a time
ROWS = 512

PROJECT = """\
[project]
name = "Landscape with {count} wetlands"
rule = "mcwd-2024"
crs = "{crs}"
date = 2026-06-01
output = "out"

[layers.wetlands]
path = "landscape.gpkg"
layer = "wetlands"
fields = {{ id = "WET_ID", class = "MGMT_CLASS" }}

[layers.parcels]
path = "landscape.gpkg"
layer = "parcels"
fields = {{ id = "PIN" }}

[layers.soils]
path = "landscape.gpkg"
layer = "soils"
fields = {{ hsg = "HYDGRP", mukey = "MUKEY" }}

[dem]
path = "dem.tif"
z_unit = "m"

[outputs]
formats = ["gpkg"]
"""


def main() -> None:
    """Make one landscape."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder; made where there is none")
    parser.add_argument("--wetlands", type=int, default=10_000, help="how many (default 10000)")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    make_landscape(given.out, given.wetlands, given.seed)


def make_landscape(out: Path, count: int, seed: int = 1) -> None:
    """Write a landscape with `count` wetlands into a folder; files of the same names are replaced."""
    out.mkdir(parents=True, exist_ok=True)
    side = math.ceil(math.sqrt(count * GROUND) / CELL) * CELL
    vectors = out / "landscape.gpkg"
    vectors.unlink(missing_ok=True)
    streams = np.random.default_rng(seed).spawn(4)
    wetlands(count, side, streams[0]).to_file(vectors, layer="wetlands", engine="pyogrio")
    parcels(round(count * PARCELS), side, streams[1]).to_file(vectors, layer="parcels", engine="pyogrio")
    soils(round(count * SOILS), side, streams[2]).to_file(vectors, layer="soils", engine="pyogrio")
    write_dem(out / "dem.tif", round(side / CELL), streams[3])
    (out / "wetgeo.toml").write_text(PROJECT.format(count=f"{count:,}", crs=CRS), encoding="utf-8")


def wetlands(count: int, side: float, rng: np.random.Generator) -> gpd.GeoDataFrame:
    """Draw lobed outlines, one in each cell of a mesh that is narrow here and wide there; some have islands."""
    across = math.ceil(math.sqrt(count))
    cell = np.sort(rng.choice(across * across, count, replace=False))
    size = np.clip(rng.lognormal(math.log(0.22), 0.45, count), 0.05, 0.44)
    order = np.argsort(size * rng.lognormal(0, 0.3, count))
    bounds = np.round(np.cumsum(list(CORNERS.values())) * count).astype(int)
    shapes = np.empty(count, dtype=object)
    for corners, chosen in zip(CORNERS, np.split(order, bounds[:-1]), strict=True):
        rings = _lobed(size[chosen], corners, rng)
        least, most = rings.min(axis=1), rings.max(axis=1)
        centre = -least + (1 - (most - least)) * rng.uniform(0.03, 0.97, (len(chosen), 2))
        origin = np.column_stack([cell[chosen] % across, cell[chosen] // across]) + centre
        island = rng.random(len(chosen)) < (0.08 if corners >= 64 else 0.0)
        drawn = np.asarray(shapely.polygons(_placed(origin[:, None] + rings, across, side)), dtype=object)
        hole = shapely.polygons(_placed((origin[:, None] + 0.25 * rings)[island, ::4], across, side))
        drawn[island] = shapely.difference(drawn[island], hole)
        shapes[chosen] = drawn
    return gpd.GeoDataFrame(
        {
            "WET_ID": [f"W-{number:07d}" for number in range(1, count + 1)],
            "MGMT_CLASS": rng.choice(list(CLASSES), count, p=list(CLASSES.values())),
        },
        geometry=shapes,
        crs=CRS,
    )


def _lobed(size: Array, corners: int, rng: np.random.Generator) -> Array:
    """Closed outlines around the origin within a cell of 1 by 1, shape (n, corners, 2)."""
    angle = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    lobes = np.arange(1, 8)
    strength = rng.normal(0, 0.22, (len(size), len(lobes))) / np.sqrt(lobes)
    phase = rng.uniform(0, 2 * np.pi, (len(size), len(lobes)))
    swell = sum(strength[:, k, None] * np.cos(lobes[k] * angle + phase[:, k, None]) for k in range(len(lobes)))
    radius = size[:, None] * np.exp(swell + rng.normal(0, 0.02, (len(size), corners)))
    rings = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=2)
    span = (rings.max(axis=1) - rings.min(axis=1)).max(axis=1)
    return np.asarray(rings * np.minimum(1.0, 0.94 / span)[:, None, None])


def _placed(cells: Array, across: int, side: float) -> Array:
    """Mesh coordinates to ground coordinates."""
    waves = max(1, round(side / WAVE))
    share = cells / across
    share = share + SWING * np.sin(2 * np.pi * waves * share) / (2 * np.pi * waves)
    return np.asarray(np.array([LEFT, BOTTOM]) + MARGIN + share * (side - 2 * MARGIN))


def parcels(count: int, side: float, rng: np.random.Generator) -> gpd.GeoDataFrame:
    """Lay out blocks of irregular lots between streets."""
    lots, behind = LOTS
    blocks = count / (lots * behind)
    east = math.ceil(math.sqrt(blocks / 1.5))
    north = math.ceil(blocks / east)
    step = np.array([side / east, side / north])
    inner = step - STREET
    x = np.arange(east)[:, None] * step[0] + STREET / 2 + np.linspace(0, inner[0], lots + 1)
    y = np.arange(north)[:, None] * step[1] + STREET / 2 + np.linspace(0, inner[1], behind + 1)
    nodes = np.stack(np.broadcast_arrays(x[None, None], y[:, :, None, None]), axis=-1)  # block, lot line, block, line
    nodes = nodes + rng.uniform(-0.12, 0.12, nodes.shape) * inner / LOTS
    # streets that wind
    nodes = nodes + 20.0 * np.sin(nodes[..., ::-1] / 400.0)
    mesh = [_lots(nodes[:, :, block], rng) for block in range(east)]
    shapes = shapely.polygons(np.concatenate(mesh) + np.array([LEFT, BOTTOM]))[:count]
    return gpd.GeoDataFrame({"PIN": [f"{n:010d}" for n in range(1, len(shapes) + 1)]}, geometry=shapes, crs=CRS)


def _lots(nodes: Array, rng: np.random.Generator) -> Array:
    """Outlines of the lots of a column of blocks; neighbours share their corners, shape (n, 8, 2)."""
    front = (nodes[:, :, :-1] + nodes[:, :, 1:]) / 2
    front = front + rng.normal(0, 0.6, front.shape)
    flank = (nodes[:, :-1] + nodes[:, 1:]) / 2
    flank = flank + rng.normal(0, 0.6, flank.shape)
    outline = [
        nodes[:, :-1, :-1],
        front[:, :-1],
        nodes[:, :-1, 1:],
        flank[:, :, 1:],
        nodes[:, 1:, 1:],
        front[:, 1:],
        nodes[:, 1:, :-1],
        flank[:, :, :-1],
    ]
    return np.stack(outline, axis=3).reshape(-1, len(outline), 2)


def soils(count: int, side: float, rng: np.random.Generator, bends: int = 12) -> gpd.GeoDataFrame:
    """Tile the ground, and a margin around it, with soil polygons whose boundaries wind."""
    across = math.ceil(math.sqrt(count))
    size = (side + 2 * MARGIN) / across
    index = np.arange(across + 1) * size - MARGIN
    nodes = np.stack(np.meshgrid(index, index), axis=-1)
    nodes[1:-1, 1:-1] += rng.uniform(-0.25, 0.25, (across - 1, across - 1, 2)) * size
    rows, columns = _winding(nodes[:, :-1], nodes[:, 1:], bends, rng), _winding(nodes[:-1], nodes[1:], bends, rng)
    shapes = _cells(rows, columns)
    while not (valid := shapely.is_valid(shapes)).all():
        # boundaries that wind across each other, or through a corner, wind half as far
        for row, column in np.argwhere(~valid.reshape(across, across)):
            _straighten(rows[row : row + 2, column])
            _straighten(columns[row, column : column + 2])
        shapes = _cells(rows, columns)
    groups = np.array(list(GROUPS), dtype=object)
    return gpd.GeoDataFrame(
        {
            "MUKEY": [str(400_000 + n) for n in range(len(shapes))],
            "HYDGRP": rng.choice(groups, len(shapes), p=list(GROUPS.values())),
        },
        geometry=shapes,
        crs=CRS,
    )


def _cells(rows: Array, columns: Array) -> NDArray[np.object_]:
    """Polygons of the cells between lines that `_winding` drew, row by row."""
    sides = rows[:-1, :, :-1], columns[:, 1:, :-1], rows[1:, :, :0:-1], columns[:, :-1, :0:-1]
    rings = np.concatenate(sides, axis=2).reshape(rows.shape[1] * columns.shape[0], -1, 2)
    return np.asarray(shapely.polygons(rings + np.array([LEFT, BOTTOM])), dtype=object)


def _straighten(lines: Array) -> None:
    """Let lines wind half as far, shape (n, bends + 2, 2), in place."""
    t = np.linspace(0, 1, lines.shape[1])[:, None]
    lines += lines[:, :1] + t * (lines[:, -1:] - lines[:, :1])
    lines /= 2


def _winding(start: Array, end: Array, bends: int, rng: np.random.Generator) -> Array:
    """Lines from start to end with bends between, shape (..., bends + 2, 2)."""
    t = np.linspace(0, 1, bends + 2)
    run = end - start
    wave = rng.normal(0, 0.03, (*run.shape[:-1], 3, 1)) * np.sin(np.pi * np.arange(1, 4)[:, None] * t)
    aside = wave.sum(axis=-2)[..., None] * np.stack([-run[..., 1], run[..., 0]], axis=-1)[..., None, :]
    return np.asarray(start[..., None, :] + t[:, None] * run[..., None, :] + aside)


def write_dem(path: Path, cells: int, rng: np.random.Generator, waves: int = 40) -> None:
    """Write rolling ground, some of it over 20 % steep, and a roughness of centimetres, some rows at a time."""
    length = np.exp(rng.uniform(math.log(60), math.log(3_000), waves))
    heading, phase = rng.uniform(0, 2 * np.pi, (2, waves))
    number = 2 * np.pi / length
    height = rng.uniform(0.01, 0.04, waves) / number
    place = (np.arange(cells) + 0.5) * CELL
    along_x = np.outer(number * np.cos(heading), place)
    east = np.concatenate([np.sin(along_x), np.cos(along_x)]).astype(np.float32)
    profile = {
        "driver": "GTiff",
        "dtype": "float32",
        "count": 1,
        "width": cells,
        "height": cells,
        "crs": CRS,
        "transform": rasterio.transform.from_origin(LEFT, BOTTOM + cells * CELL, CELL, CELL),
        "nodata": -9999.0,
        "tiled": True,
        "blockxsize": 256,
        "blockysize": 256,
        "compress": "deflate",
        "zlevel": 1,
        "predictor": 3,
        "num_threads": 2,
    }
    with rasterio.open(path, "w", **profile) as file:
        for first in range(0, cells, ROWS):
            y = (cells - np.arange(first, min(first + ROWS, cells)) - 0.5) * CELL
            along_y = np.outer(y, number * np.sin(heading)) + phase
            north = np.concatenate([height * np.cos(along_y), height * np.sin(along_y)], axis=1).astype(np.float32)
            z = 300 + north @ east + 0.01 * rng.standard_normal((len(y), cells), dtype=np.float32)
            file.write(np.round(z, 2), 1, window=((first, first + len(y)), (0, cells)))


if __name__ == "__main__":
    main()
