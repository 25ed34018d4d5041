"""Geometries on disk: added a block at a time, and taken by position in any order."""

from __future__ import annotations

import contextlib
import itertools
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray
from pyproj import CRS

Ints = NDArray[np.intp]
Shapes = NDArray[np.object_]
NewHeap = Callable[[str], "Heap"]


class Heap:
    """Geometries in one file as well-known binary; only where each begins is in memory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("w+b")
        self._starts = [np.zeros(1, dtype=np.int64)]

    def add(self, shapes: Shapes) -> None:
        """Add geometries, none of them missing, behind those that are there."""
        if not len(shapes):
            return
        binary = shapely.to_wkb(shapes)
        self._file.seek(0, 2)
        self._file.write(b"".join(binary))
        self._starts.append(self._starts[-1][-1] + np.cumsum([len(each) for each in binary], dtype=np.int64))

    def take(self, rows: Ints) -> Shapes:
        """Give the geometries at some positions, in that order."""
        self._starts = [np.concatenate(self._starts)]
        starts, found = self._starts[0], np.empty(len(rows), dtype=object)
        order = np.argsort(rows, kind="stable")
        for run in np.split(order, np.flatnonzero(np.diff(rows[order]) != 1) + 1) if len(order) else []:
            first, end = int(rows[run[0]]), int(rows[run[-1]]) + 1
            self._file.seek(int(starts[first]))
            block = self._file.read(int(starts[end] - starts[first]))
            cuts = (starts[first : end + 1] - starts[first]).tolist()
            found[run] = [block[one:two] for one, two in itertools.pairwise(cuts)]
        return np.asarray(shapely.from_wkb(found), dtype=object)

    def __len__(self) -> int:
        """Count them."""
        return sum(map(len, self._starts)) - 1

    def close(self) -> None:
        """Remove the file."""
        self._file.close()
        self.path.unlink(missing_ok=True)


@contextlib.contextmanager
def heaps(folder: Path) -> Iterator[NewHeap]:
    """Give what makes heaps, each with a name of its own, in `folder`: it is made anew, and removed in the end."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    made: list[Heap] = []

    def new(name: str) -> Heap:
        made.append(Heap(folder / name))
        return made[-1]

    try:
        yield new
    finally:
        for heap in made:
            heap.close()
        shutil.rmtree(folder, ignore_errors=True)


class Held:
    """Geometries in memory, as a heap gives them."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes

    def take(self, rows: Ints) -> Shapes:
        """Give the geometries at some positions, in that order."""
        return self._shapes[rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """The features of a layer, their geometries apart.

    Attributes
    ----------
    frame
        Their columns, without geometry.
    heap, places
        Where the geometries are, and the position of each feature's there, shape (n,).
    bounds
        Shape (n, 4).
    """

    frame: pd.DataFrame
    heap: Heap | Held
    places: Ints
    bounds: NDArray[np.float64]

    @classmethod
    def of(cls, frame: gpd.GeoDataFrame) -> Features:
        """Take a frame."""
        shapes = np.asarray(frame.geometry.to_numpy(), dtype=object)
        bounds = shapely.bounds(shapes).reshape(-1, 4)
        plain = pd.DataFrame(frame.drop(columns="geometry"))
        return cls(frame=plain, heap=Held(shapes), places=np.arange(len(shapes)), bounds=bounds)

    def __len__(self) -> int:
        """Count them."""
        return len(self.places)

    def shapes(self, rows: Ints) -> Shapes:
        """Give the geometries of some features, in that order."""
        return self.heap.take(self.places[rows])

    def whole(self, crs: CRS) -> gpd.GeoDataFrame:
        """Give them with their geometries."""
        return gpd.GeoDataFrame(self.frame, geometry=self.heap.take(self.places), crs=crs)

    def bare(self, crs: CRS) -> gpd.GeoDataFrame:
        """Give them without geometries: all are missing."""
        return gpd.GeoDataFrame(self.frame, geometry=np.full(len(self), None, dtype=object), crs=crs)
