"""B9 by wetgeo: the whole rule, by its command."""

import sys

from files import DATA, OUT

from wetgeo.cli import main

sys.argv = ["wetgeo", "run", str(DATA), "-o", str(OUT), "--overwrite", "-q"]
main()
