#!/usr/bin/env python3
"""Draw the sample site over its hillshade, with the outputs of a run where a folder is given.

    python scripts/draw_sample_map.py PICTURE.png [OUT]

Needs matplotlib (pip install -e ".[docs]").
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

import geopandas as gpd
import matplotlib as mpl
import numpy as np
import pyogrio
import rasterio
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import LightSource
from matplotlib.patches import Patch
from PIL import Image

mpl.use("Agg")
import matplotlib.pyplot as plt

SAMPLES = Path(__file__).resolve().parents[1] / "data_samples"
#: layers of a run, from the bottom up: fill, edge and what the legend calls them
OUTPUTS = {
    "buffers": ("#66a61e", "#33691e", "required buffer"),
    "extensions": ("#e6ab02", "#a67c00", "of it, what provisions add: steep slope,\nfloodplain, woods, drainageway"),
}
#: layers of the site in the same way
INPUTS = {
    "existing_impervious": ("#8d6e63", "#5d4037", "existing drive and house"),
    "new_impervious": ("#757575", "#424242", "planned street, houses and drives"),
    "infiltration": ("#80deea", "#00838f", "infiltration basin"),
    "lakes": ("#4f8fc0", "#1f5582", "lake"),
    "wetlands": ("#7fc3d8", "#21708a", "wetland"),
}


def _ground(axes: Axes) -> None:
    with rasterio.open(SAMPLES / "dem.tif") as file:
        z, bounds = file.read(1), file.bounds
    extent = (bounds.left, bounds.right, bounds.bottom, bounds.top)
    cell = (bounds.right - bounds.left) / z.shape[1]
    shade = LightSource(315, 40).hillshade(z, vert_exag=3, dx=cell, dy=cell)
    axes.imshow(shade, cmap="gray", extent=extent, vmin=-0.6, vmax=1.0, interpolation="bilinear")
    levels = np.arange(np.floor(z.min()), z.max(), 2)
    axes.contour(z[::-1], levels=levels, extent=extent, colors="#6d4c41", linewidths=0.35, alpha=0.6)
    axes.set_xlim(bounds.left, bounds.right)
    axes.set_ylim(bounds.bottom, bounds.top)


def _fill(axes: Axes, frame: gpd.GeoDataFrame, style: tuple[str, str, str], opacity: float) -> list[Artist]:
    if frame.empty:
        return []
    fill, edge, name = style
    frame.plot(ax=axes, facecolor=fill, edgecolor="none", alpha=opacity, aspect=None)
    frame.boundary.plot(ax=axes, color=edge, linewidth=0.8, aspect=None)
    return [Patch(facecolor=fill, edgecolor=edge, label=name)]


def _scale(axes: Axes, feet: int) -> None:
    left, bottom = axes.get_xlim()[0] + 25, axes.get_ylim()[0] + 25
    axes.plot([left, left + feet * 0.3048], [bottom, bottom], color="black", linewidth=3, solid_capstyle="butt")
    axes.text(left, bottom + 9, f"{feet} ft", fontsize=8)


def draw(picture: Path, out: Path | None) -> None:
    site = {name: pyogrio.read_dataframe(SAMPLES / "site.gpkg", layer=name) for name in _names()}
    figure, axes = plt.subplots(figsize=(11, 8.25), dpi=110)
    _ground(axes)
    legend: list[Artist] = []
    if out is not None:
        for name, style in OUTPUTS.items():
            whole = pyogrio.read_dataframe(out / "buffers.gpkg", layer=name).dissolve()
            legend += _fill(axes, whole, style, 0.6)
    for name, style in INPUTS.items():
        frame = site[name]
        legend += _fill(axes, frame[frame.STATUS == "delineated"] if "STATUS" in frame else frame, style, 0.9)
    site["streams"].plot(ax=axes, color="#1f5582", linewidth=1.6, aspect=None)
    site["drainageways"].plot(ax=axes, color="#1f5582", linewidth=1, linestyle=":", aspect=None)
    site["trails"].plot(ax=axes, color="#bf360c", linewidth=1, linestyle="--", aspect=None)
    site["parcels"].boundary.plot(ax=axes, color="#303030", linewidth=0.6, aspect=None)
    site["tract"].boundary.plot(ax=axes, color="#7b1fa2", linewidth=1.8, linestyle="-.", aspect=None)
    if out is not None:
        monuments = pyogrio.read_dataframe(out / "buffers.gpkg", layer="monuments")
        legend += [
            axes.scatter(monuments.geometry.x, monuments.geometry.y, s=7, color="black", zorder=5, label="monument")
        ]
    for row in site["wetlands"].itertuples():
        at = row.geometry.representative_point()
        axes.annotate(row.WET_ID, (at.x, at.y), ha="center", va="center", fontsize=7)
    _scale(axes, 500)
    axes.legend(handles=legend, loc="lower right", fontsize=7, framealpha=0.9)
    axes.set_axis_off()
    drawn = io.BytesIO()
    figure.savefig(drawn, bbox_inches="tight", pad_inches=0.05)
    # a palette makes a third of the file
    Image.open(drawn).convert("RGB").quantize(200, dither=Image.Dither.NONE).save(picture, optimize=True)


def _names() -> list[str]:
    return [str(name) for name, _ in pyogrio.list_layers(SAMPLES / "site.gpkg")]


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    draw(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) == 3 else None)
