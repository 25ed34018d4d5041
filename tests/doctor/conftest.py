"""The small site of the command line's tests serves here too."""

from __future__ import annotations

import sys

from places import ROOT

sys.path.append(str(ROOT / "tests" / "cli"))
