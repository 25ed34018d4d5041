"""Whether a path leads to something that can be read at all, and if not, why."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from wetgeo.paths import misread

NOT_THERE = "it is not there"
#: characters of a path that a message shows at most
_MOST_SHOWN = 300


def shortened(path: Path) -> str:
    """Write a path for a message, the middle of a very long one left out."""
    text = repr(str(path))[1:-1]
    return text if len(text) <= _MOST_SHOWN else f"{text[:120]}...{text[-60:]}"


def unreachable(path: Path) -> str | None:
    """Say why a path leads to no readable file or folder; None where it does.

    Devices and pipes are refused: reading them may never end. So are names that GDAL would not find again.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return f"it is a link to {path.readlink()}, which is not there" if path.is_symlink() else NOT_THERE
    except NotADirectoryError:
        return "it is not there: a part of its path is a file"
    except (OSError, ValueError) as error:
        return f"it cannot be reached: {getattr(error, 'strerror', None) or error}"
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        return "it is a device or a pipe, not a file"
    if mark := misread(path):
        return f"its path holds {mark}, with which GDAL does not find it; name the file or folder otherwise"
    return None if os.access(path, os.R_OK) else "there is no permission to read it"
