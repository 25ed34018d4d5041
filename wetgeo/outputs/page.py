"""What all HTML pages share: templates that escape, the files of this package, and the hash that a policy names."""

from __future__ import annotations

import base64
import functools
import hashlib
from pathlib import Path

import jinja2

_HERE = Path(__file__).parent


@functools.cache
def templates() -> jinja2.Environment:
    """Return the environment of the templates; all that is filled in is escaped."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def static(name: str) -> str:
    """Return a style sheet or script of this package."""
    return (_HERE / "static" / name).read_text(encoding="utf-8")


def hashed(text: str) -> str:
    """Return the hash by which a content security policy lets a style or script pass."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
