"""Jobs that have no peer side by side: averaging checks, scaling, cold start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .side import Side

SOLO: dict[str, Callable[[Side, int, int], dict[str, Any]]] = {}
