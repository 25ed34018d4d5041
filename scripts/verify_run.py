"""Check the outputs of a finished run by other means than those that made them.

It reads buffers.gpkg and provenance.json of an output folder, and the tract, the parcels and the surfaces that the
project file names. Nothing of wetgeo is imported: areas are reckoned by the shoelace formula and on the ellipsoid,
widths by distances of points and of the outlines themselves and by a distance transform, monuments by stations along
the edge. What could not be checked is printed as unchecked.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import verify_ground
import verify_monuments
import verify_subject
import verify_surfaces
import verify_widths
from verify_read import NothingToCheckError, Run, Verdict


def verify(folder: Path) -> Iterator[Verdict]:
    """Check one output folder, quantity by quantity. Raises NothingToCheckError."""
    run = Run.read(folder)
    for checks in (verify_ground, verify_widths, verify_surfaces, verify_subject, verify_monuments):
        yield from checks.verdicts(run)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", nargs="+", type=Path, help="output folder of a finished run")
    status = 0
    for folder in parser.parse_args().out:
        found = []
        print(f"{folder}:", flush=True)
        try:
            for verdict in verify(folder):
                print(f"  {verdict}", flush=True)
                found.append(verdict)
        except NothingToCheckError as fault:
            print(f"{folder}: {fault}", file=sys.stderr)
            status = max(status, 2)
            continue
        wrong = sum(verdict.agrees is False for verdict in found)
        print(f"  {'all agrees' if not wrong else f'{wrong} of {len(found)} quantities do not agree'}")
        status = max(status, 1 if wrong else 0)
    return status


if __name__ == "__main__":
    sys.exit(main())
