#!/usr/bin/env python3
"""Draw what provisions add to the buffers of a finished run, over the hillshade of its DEM.

    python scripts/draw_extensions.py PICTURE.png OUT DEM [--at X Y] [--feet WIDTH] [--contours FEET]

The docs' picture: wetgeo run data_samples/cmscwd.toml -o OUT, then
python scripts/draw_extensions.py docs/images/extensions.png OUT data_samples/dem.tif --at 512150 4994250 --feet 1500

The DEM is in the run's working CRS. Needs matplotlib (pip install -e ".[docs]").
"""

from __future__ import annotations

import argparse
import io
from pathlib import Path

import geopandas as gpd
import matplotlib as mpl
import numpy as np
import pyogrio
import rasterio
import shapely
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import LightSource
from matplotlib.patches import Patch
from PIL import Image
from rasterio.windows import from_bounds

mpl.use("Agg")
import matplotlib.pyplot as plt

KINDS = {
    "floodplain": ("#5e92c9", "#1f4e8c", "added: floodplain"),
    "natural_community": ("#7cb342", "#33691e", "added: natural community"),
    "steep_slope": ("#ef8a3c", "#a03c00", "added: steep slope"),
    "drainageway": ("#ab47bc", "#6a1b9a", "added: drainageway"),
}
RATIO = 0.75
#: more resources than this stand in a picture without their names
MOST_NAMES = 30


def view(out: Path, at: tuple[float, float] | None, feet: float | None) -> tuple[float, float, float, float]:
    """Return the bounds to draw: around a point, or around all resources."""
    frame = pyogrio.read_dataframe(out / "buffers.gpkg", layer="buffers")
    left, bottom, right, top = frame.total_bounds
    x, y = at or ((left + right) / 2, (bottom + top) / 2)
    unit = 0.3048 / frame.crs.axis_info[0].unit_conversion_factor
    width = feet * unit if feet else 1.04 * max(right - left, (top - bottom) / RATIO)
    return x - width / 2, y - RATIO * width / 2, x + width / 2, y + RATIO * width / 2


def ground(axes: Axes, dem: Path, bounds: tuple[float, float, float, float], interval: float) -> None:
    with rasterio.open(dem) as file:
        window = from_bounds(*bounds, file.transform).round_offsets().round_lengths()
        z = file.read(1, window=window, boundless=True, masked=True).astype(float).filled(np.nan)
        left, top = file.window_transform(window).c, file.window_transform(window).f
        dx, dy = file.transform.a, -file.transform.e
    extent = (left, left + z.shape[1] * dx, top - z.shape[0] * dy, top)
    shade = LightSource(315, 40).hillshade(np.nan_to_num(z, nan=float(np.nanmean(z))), vert_exag=2, dx=dx, dy=dy)
    axes.imshow(shade, cmap="gray", extent=extent, vmin=-0.6, vmax=1.0, interpolation="bilinear")
    if interval:
        levels = np.arange(np.floor(np.nanmin(z) / interval) * interval, np.nanmax(z), interval)
        centres = left + (np.arange(z.shape[1]) + 0.5) * dx, top - (np.arange(z.shape[0]) + 0.5) * dy
        axes.contour(*centres, z, levels=levels, colors="#6d4c41", linewidths=0.35, alpha=0.7)
    axes.set_xlim(bounds[0], bounds[2])
    axes.set_ylim(bounds[1], bounds[3])


def fill(axes: Axes, frame: gpd.GeoDataFrame, style: tuple[str, str, str], opacity: float) -> list[Artist]:
    if frame.empty:
        return []
    inside, edge, name = style
    frame.plot(ax=axes, facecolor=inside, edgecolor="none", alpha=opacity, aspect=None)
    frame.boundary.plot(ax=axes, color=edge, linewidth=0.9, aspect=None)
    return [Patch(facecolor=inside, edgecolor=edge, label=name)]


def scale_bar(axes: Axes, unit: float) -> None:
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    wide = (right - left) / unit / 6
    feet = int(wide // 10 ** int(np.log10(wide)) * 10 ** int(np.log10(wide)))
    x, y = left + (right - left) / 40, bottom + (top - bottom) / 30
    axes.plot([x, x + feet * unit], [y, y], color="black", linewidth=3, solid_capstyle="butt")
    axes.text(x, y + (top - bottom) / 80, f"{feet:,} ft", fontsize=8)


def draw(words: argparse.Namespace) -> None:
    bounds = view(words.out, words.at, words.feet)
    layers = {
        name: pyogrio.read_dataframe(words.out / "buffers.gpkg", layer=name, bbox=bounds)
        for name in ("buffers", "extensions", "resources")
    }
    figure, axes = plt.subplots(figsize=(11, 11 * RATIO), dpi=110)
    ground(axes, words.dem, bounds, words.contours)
    box = shapely.box(*bounds)
    plain = layers["buffers"].dissolve().clip(box)
    legend = fill(axes, plain, ("#cddc39", "#827717", "required buffer"), 0.35)
    for kind, style in KINDS.items():
        chosen = layers["extensions"][layers["extensions"]["kind"] == kind]
        legend += fill(axes, chosen.dissolve().clip(box), style, 0.55)
    legend += fill(axes, layers["resources"].dissolve().clip(box), ("#7fc3d8", "#21708a", "lake, stream, wetland"), 0.9)
    named = layers["resources"].clip(box)
    for row in named.itertuples() if len(named) <= MOST_NAMES else ():
        point = row.geometry.representative_point()
        axes.annotate(row.resource_id, (point.x, point.y), ha="center", va="center", fontsize=7, clip_on=True)
    scale_bar(axes, 0.3048 / layers["buffers"].crs.axis_info[0].unit_conversion_factor)
    axes.legend(handles=legend, loc="lower right", fontsize=8, framealpha=0.9)
    axes.set_axis_off()
    drawn = io.BytesIO()
    figure.savefig(drawn, bbox_inches="tight", pad_inches=0.05)
    # a palette makes a third of the file
    Image.open(drawn).convert("RGB").quantize(200, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
        words.picture, optimize=True
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("dem", type=Path)
    parser.add_argument("--at", type=float, nargs=2, metavar=("X", "Y"), help="middle of the picture, working CRS")
    parser.add_argument("--feet", type=float, help="width of the picture")
    parser.add_argument("--contours", type=float, default=1.0, help="interval, unit of the DEM; 0 draws none")
    draw(parser.parse_args())
