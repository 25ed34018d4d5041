"""B10 by wetgeo: 1,000 averaging checks, by its command."""

import sys

from files import DATA, OUT

from wetgeo.cli import main

proposed = f"{DATA / 'inputs.gpkg'}|proposed"
sys.argv = ["wetgeo", "check", str(DATA), "--proposed", proposed, "-o", str(OUT), "--overwrite", "-q"]
try:
    main()
except SystemExit as ended:
    # 3: done, and some do not comply
    sys.exit(0 if ended.code in (0, 3, None) else ended.code)
