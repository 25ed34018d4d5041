"""A finished run as its files tell it, and what the check says of one quantity."""

from __future__ import annotations

import hashlib
import json
import sys
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pyogrio
import shapely
from pyproj import CRS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: metres in an international foot, exactly
FOOT = 0.3048
#: a point so near to a line (feet) is taken to lie on it: what a buffer's edge may stray, and the drawing of arcs
LINE_FT = 0.06

Array = np.ndarray
Shape = Any  # a shapely geometry, and a row of a layer: neither has types
Row = Any


class NothingToCheckError(Exception):
    """The folder holds no outputs that can be checked."""


@dataclass(frozen=True)
class Verdict:
    """What was found of one quantity; ``agrees`` is None where it could not be checked."""

    quantity: str
    agrees: bool | None
    words: str

    def __str__(self) -> str:
        mark = {True: "agree     ", False: "DISAGREE  ", None: "unchecked "}[self.agrees]
        return f"{mark} {self.quantity}: {self.words}"


def within(quantity: str, errors: object, allowed: float, unit: str, names: Iterable[str] | None = None) -> Verdict:
    """Compare absolute errors with what is allowed; the worst is named."""
    errors = np.asarray(errors, dtype=float)
    if not errors.size:
        return Verdict(quantity, None, "no rows")
    worst = int(np.argmax(np.where(np.isnan(errors), np.inf, errors)))
    bad = int((~(errors <= allowed)).sum())
    who = "" if names is None else f" ({list(names)[worst]})"
    words = f"greatest difference {errors[worst]:.6g} {unit}{who}, allowed {allowed:g}; "
    return Verdict(quantity, bad == 0, words + f"{errors.size - bad:,} of {errors.size:,} agree")


@dataclass(frozen=True)
class Run:
    """A finished run: the layers of buffers.gpkg, what made it, and inputs that bound the buffers, in its CRS."""

    folder: Path
    layers: Mapping[str, Any]
    provenance: Mapping[str, Any]
    project: Mapping[str, Any]
    crs: CRS
    inputs: Mapping[str, gpd.GeoDataFrame] = field(default_factory=dict)

    @property
    def ft(self) -> float:
        """Units of the CRS in a foot."""
        return FOOT / float(self.crs.axis_info[0].unit_conversion_factor)

    @classmethod
    def read(cls, folder: Path) -> Run:
        """Read a run. Raises NothingToCheckError."""
        package, told = folder / "buffers.gpkg", folder / "provenance.json"
        if not package.is_file() or not told.is_file():
            raise NothingToCheckError("buffers.gpkg and provenance.json are needed, and are not both there")
        provenance = json.loads(told.read_text(encoding="utf-8"))
        names = [str(row[0]) for row in pyogrio.list_layers(package)]
        layers = {name: pyogrio.read_dataframe(package, layer=name) for name in names if name != "layer_styles"}
        path = Path(provenance["project"]["path"])
        project = tomllib.loads(path.read_text(encoding="utf-8-sig")) if path.is_file() else {}
        crs = CRS.from_wkt(provenance["crs"]["wkt"])
        inputs = {
            name: _input(path.parent, table, crs)
            for name, table in project.get("layers", {}).items()
            if name in ("tract", "parcels", "existing_impervious", "trails", "access", "structures")
        }
        return cls(folder, layers, provenance, project, crs, inputs)

    @cached_property
    def provisions(self) -> list[Mapping[str, Any]]:
        """The provisions of the rule, from its pack; none where it is not there."""
        path = Path(self.provenance["rule"]["path"])
        if not path.is_file():
            return []
        return list(tomllib.loads(path.read_text(encoding="utf-8")).get("provision", []))

    def provision(self, kind: str) -> Mapping[str, Any] | None:
        """The first provision of a kind."""
        return next((each for each in self.provisions if each.get("kind") == kind), None)

    @cached_property
    def in_part(self) -> bool:
        """Whether the option `trigger` makes only the part of an edge subject that water from new surface reaches."""
        trigger, provision = self.provenance["options"].get("trigger"), self.provision("subject_edge")
        return trigger is not None and provision is not None and trigger not in provision["whole"]

    def given(self, layer: str, role: str) -> list[Any]:
        """What a layer of the project says of each feature under a role, as the project file has it read."""
        table = self.project["layers"][layer]
        frame, default = self.inputs[layer], table.get("defaults", {}).get(role)
        column = table.get("fields", {}).get(role)
        told = [None] * len(frame) if column is None else frame[column].where(frame[column].notna(), None).tolist()
        means = table.get("values", {}).get(role, {})
        return [default if each is None else means.get(str(each), each) for each in told]

    def drawn(self, layer: str) -> tuple[Array, Array]:
        """The shapes of a layer, lines as wide as they are said to be, and the width that is said of each, in feet."""
        if layer not in self.inputs:
            return np.empty(0, dtype=object), np.empty(0)
        shapes = self.inputs[layer].geometry.to_numpy()
        widths = np.array([float(width or 0) for width in self.given(layer, "width_ft")])
        drawn = shapely.buffer(shapes, widths * self.ft / 2, quad_segs=32, cap_style="flat")
        return np.where(shapely.get_dimensions(shapes) == 1, drawn, shapes), widths

    @cached_property
    def uncounted(self) -> Array:
        """Surfaces that do not count as buffer, or not to its width."""
        return np.concatenate([self.drawn(name)[0] for name in ("existing_impervious", "trails")])

    @cached_property
    def crossed(self) -> Array:
        """Surfaces over which the rule does not count width: those of its layers, and the trails that do not count."""
        rule = self.provision("vegetated_distance")
        if rule is None:
            return np.empty(0, dtype=object)
        trails, widths = self.drawn("trails")
        trails = trails[(widths > feet(rule["trail_most"])) | (not rule["trail_counts"])]
        found = np.concatenate([*(self.drawn(name)[0] for name in rule.get("layers", ())), trails])
        return found[~shapely.is_empty(found)]

    @cached_property
    def bare(self) -> Array:
        """All ground that may be no buffer for what lies on it."""
        return np.concatenate([self.uncounted, self.drawn("access")[0]])

    @cached_property
    def zoned(self) -> set[str]:
        """Resources with zones."""
        return set(self.layers["zones"]["resource_id"])

    @cached_property
    def _rows(self) -> Mapping[str, Shape]:
        frame = self.layers["resources"]
        return dict(zip(frame["resource_id"], frame.geometry, strict=True))

    def resource(self, resource_id: str) -> Shape:
        """The outline of a resource."""
        return self._rows[resource_id]

    @cached_property
    def _trees(self) -> tuple[shapely.STRtree, shapely.STRtree]:
        tract = self.inputs["tract"].geometry.to_numpy() if "tract" in self.inputs else np.empty(0, dtype=object)
        return shapely.STRtree(self.layers["resources"].geometry.to_numpy()), shapely.STRtree(tract)

    def close(self, shape: Shape, distance: float) -> tuple[Array, Array]:
        """Waters, and pieces of the tract, whose bounds are within a distance of those of a shape."""
        left, bottom, right, top = shape.bounds
        box = shapely.box(left - distance, bottom - distance, right + distance, top + distance)
        waters, tract = (tree.geometries[np.sort(tree.query(box))] for tree in self._trees)
        return waters, tract

    def off_tract(self, points: Array, tract: Array) -> Array:
        """Tell which points lie off the tract, of which `tract` are the pieces nearby; none where there is no tract."""
        if "tract" not in self.inputs:
            return np.zeros(len(points), dtype=bool)
        pieces = np.array([any(shapely.intersects_xy(tract, x, y)) for x, y in points], dtype=bool)
        return ~pieces

    @cached_property
    def _added(self) -> Mapping[str, Array]:
        return {str(name): rows.geometry.to_numpy() for name, rows in self.layers["extensions"].groupby("resource_id")}

    def added(self, resource_id: str) -> Array:
        """Ground that provisions add to the plain buffer of a resource."""
        return self._added.get(resource_id, np.empty(0, dtype=object))

    @cached_property
    def uplands(self) -> Mapping[str, Shape]:
        """The upland edge of each resource, its pieces joined where they meet."""
        pieces = self.layers["edges"].query("kind == 'upland'").groupby("resource_id").geometry
        return {str(name): shapely.line_merge(shapely.union_all(mine.to_numpy())) for name, mine in pieces}

    @cached_property
    def united(self) -> Array:
        """The parts of the ground that the rows of `buffers` cover, each ground once, however many overlap there."""
        return np.asarray(shapely.get_parts(shapely.union_all(self.layers["buffers"].geometry.to_numpy())))

    def limited(self) -> set[str]:
        """Resources whose width existing structures cut off on some parcel."""
        reasons = self.layers["reasons"]
        return set(reasons["resource_id"][reasons["provision"] == "existing_structure"])

    def unchanged(self) -> Verdict:
        """Tell whether the inputs are still those that the run read."""
        base = Path(self.provenance["project"]["path"]).parent
        changed = [each["path"] for each in self.provenance["inputs"] if each["sha256"] and _hash(base, each) is False]
        words = f"{len(self.provenance['inputs'])} files have the size and SHA-256 of provenance.json"
        return Verdict("inputs unchanged", not changed, words if not changed else "changed: " + ", ".join(changed))

    def counted(self) -> Verdict:
        """Tell whether the layers have the rows that the provenance counts."""
        told = self.provenance["layers"]
        wrong = [
            f"{name}: {len(self.layers[name])}, not {rows}"
            for name, rows in told.items()
            if name in self.layers and len(self.layers[name]) != rows
        ]
        missing = [name for name in told if name not in self.layers]
        words = "; ".join(wrong + [f"{name} is missing" for name in missing])
        return Verdict("rows of the layers", not words, words or f"{len(told)} layers as counted in provenance.json")


def feet(text: str) -> float:
    """A length of a pack in feet."""
    number, unit = text.split()
    return float(number) * {"ft": 1.0, "m": 1 / FOOT}[unit]


def _hash(base: Path, each: Mapping[str, Any]) -> bool | None:
    path = base / each["path"]
    if not path.is_file():
        return None
    return path.stat().st_size == each["size"] and hashlib.sha256(path.read_bytes()).hexdigest() == each["sha256"]


def _input(folder: Path, table: Mapping[str, Any], crs: CRS) -> gpd.GeoDataFrame:
    path = folder / table["path"]
    source: Any = f"/vsizip/{path}" if path.suffix.lower() == ".zip" else path
    how = {key: table[key] for key in ("layer", "where") if key in table}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # heights and measures do not matter here
        frame = pyogrio.read_dataframe(source, force_2d=True, **how)
    if frame.crs is None:
        frame = frame.set_crs(table.get("crs"))
    frame = frame[~frame.geometry.isna()].to_crs(crs)
    shapes = frame.geometry.to_numpy()
    frame.geometry = np.where(shapely.is_valid(shapes), shapes, shapely.make_valid(shapes, method="structure"))
    return frame


def lots(run: Run) -> Array:
    """The parcels of the project; those of one number are one lot."""
    frame = run.inputs["parcels"]
    number = run.project["layers"]["parcels"].get("fields", {}).get("id")
    if number is None:
        return frame.geometry.to_numpy()
    numbered = frame[number].notna()
    whole = frame[numbered].groupby(frame[number][numbered].astype(str)).geometry
    return np.concatenate(
        [
            [shapely.union_all(pieces.to_numpy()) if len(pieces) > 1 else pieces.iloc[0] for _, pieces in whole],
            frame.geometry[~numbered].to_numpy(),
        ]
    )
