"""A small delineation for the writers' tests: three wetlands with awkward attributes, all else empty."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from pathlib import Path

import geopandas as gpd
import pandas as pd
import shapely
from pyproj import CRS

from wetgeo.delineation import Delineation
from wetgeo.findings import Findings
from wetgeo.project import Project

UTM = CRS("EPSG:26915")
AWKWARD = 'O\'Brien "x"; DROP TABLE buffers; -- <script>\nŁódź – “Mnisota”'
LONG = "ź" * 120 + "xxxxxxxxxxxxx" + "–" * 20 + " tail"  # byte 254 falls inside a dash
PIN = 2711723410012345678


@dataclass(frozen=True)
class Pack:
    id: str = "mcwd-2024"
    title: str = "Wetland Protection Rule"
    version: str = "1"
    sha256: str = "0" * 64
    path: Path = Path("pack.toml")
    effective: datetime.date = datetime.date(2024, 4, 29)

    def classes(self, resource_type: str) -> tuple[str, ...]:
        return ("Preserve", "Manage 1", "Manage 2", "Manage 3") if resource_type == "wetland" else ()


def project(folder: Path, **changes: object) -> Project:
    path = folder / "wetgeo.toml"
    if not path.exists():
        path.write_text("[project]\n", encoding="utf-8")
    values = {"path": path, "name": "Łąka", "rule": "mcwd-2024", "crs": None, "date": datetime.date(2026, 6, 1)}
    values |= {"output": folder / "out", "layers": {}}
    return Project(**(values | changes))


def resources() -> gpd.GeoDataFrame:
    east = [500000.0, 500100.0, 500200.0]
    frame = pd.DataFrame(
        {
            "resource_id": ["W10", "W2", LONG],
            "resource_type": "wetland",
            "class": ["Preserve", None, AWKWARD],
            "gdnr": pd.array([True, None, False], dtype="boolean"),
            "area_sqft": [1e8 / 3, 1.5, 7.0],
            "edge_ft": [1.0, 2.0, float("nan")],
            "central": False,
            "src_WETLAND_IDENTIFIER_CURRENT": ["C-17", None, "C-18"],
            "src_WETLAND_IDENTIFIER_OLD": ["O-4", "", "O-5"],
            "src_PIN64": pd.array([PIN, None, 3694063473], dtype="Int64"),
            "src_VISITS": pd.array([3, None, -4], dtype="Int64"),
            "src_APPROVED": pd.Series([True, None, False], dtype=object),
            "src_DATE": pd.Series([datetime.date(2020, 1, 2), None, datetime.date(1899, 12, 31)], dtype=object),
            "src_SEEN": pd.Series(["2020-01-02T03:04:05.123", None, "2021-01-01"]).map(
                lambda t: pd.Timestamp(t) if t else pd.NaT
            ),
            "src_ZIP": ["05501", "55391", None],
            "src_Note": [AWKWARD, LONG, None],
            "src_NOTE": ["a", "b", "c"],
            "src_p": [1e-20, 0.25, None],
            "src_list": pd.Series([[1, 2], None, {"a": "ż"}], dtype=object),
        }
    )
    return gpd.GeoDataFrame(frame, geometry=[shapely.box(x, 0, x + 10, 10) for x in east], crs=UTM)


def buffers(source: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    frame = pd.DataFrame({"resource_id": source["resource_id"], "resource_type": "wetland", "class": source["class"]})
    frame["rule"] = "mcwd-2024"
    for name in ("base_ft", "slope_cut_ft", "soil_cut_ft", "floor_ft", "width_ft", "minimum_ft", "average_ft"):
        frame[name] = 75.0
    frame = frame.assign(slope_pct=float("nan"), hsg=None, hsg_share=float("nan"), area_sqft=1.0, area_ac=1 / 43560)
    frame["citation"] = "5(a)"
    return gpd.GeoDataFrame(frame, geometry=source.geometry.buffer(22.86, quad_segs=32).difference(source.geometry))


def delineation(folder: Path, **changes: object) -> Delineation:
    source = resources()
    findings = Findings()
    findings.info("crs-working", f"NAD83, {AWKWARD}")
    values = {
        "project": project(folder),
        "pack": Pack(),
        "options": {"reductions": "both", "since": datetime.date(2024, 4, 29)},
        "crs": UTM,
        "layers": {"resources": source, "buffers": buffers(source)},
        "findings": findings,
        "inputs": (),
        "command": "run",
    }
    return Delineation(**(values | changes))
