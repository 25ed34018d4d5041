"""The small site of the command line's tests serves here too."""

from __future__ import annotations

import json
import sys

import pytest
from places import ROOT

sys.path.append(str(ROOT / "tests" / "cli"))


@pytest.fixture
def doctor(run_wetgeo):
    """Run ``wetgeo doctor --json``; the document, with the exit status as ``code``."""

    def run(path):
        result = run_wetgeo("doctor", path, "--json")
        assert "in a way it should not" not in result.err
        document = json.loads(result.out)
        return {**document, "code": result.code}

    return run
