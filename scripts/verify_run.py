"""Check the outputs of a finished run by other means than those that made them.

It reads buffers.gpkg and provenance.json of an output folder, and the tract, the parcels and the surfaces that the
project file names. Nothing of wetgeo is imported: areas are reckoned by the shoelace formula and on the ellipsoid,
widths by distances from a lattice of points and by a distance transform, monuments by stations along the edge.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import verify_ground
import verify_monuments
from verify_read import NothingToCheckError, Run, Verdict


def verify(folder: Path) -> list[Verdict]:
    """Check one output folder. Raises NothingToCheckError."""
    run = Run.read(folder)
    return [*verify_ground.verdicts(run), *verify_monuments.verdicts(run)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", nargs="+", type=Path, help="output folder of a finished run")
    status = 0
    for folder in parser.parse_args().out:
        try:
            found = verify(folder)
        except NothingToCheckError as fault:
            print(f"{folder}: {fault}", file=sys.stderr)
            status = max(status, 2)
            continue
        print(f"{folder}:")
        for verdict in found:
            print(f"  {verdict}")
        wrong = sum(verdict.agrees is False for verdict in found)
        print(f"  {'all agrees' if not wrong else f'{wrong} of {len(found)} quantities do not agree'}")
        status = max(status, 1 if wrong else 0)
    return status


if __name__ == "__main__":
    sys.exit(main())
