"""Where things are: the checkout, and the real data and worked cases that may lie beside it."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("WETGEO_SHARED", ROOT.parent / "shared"))
