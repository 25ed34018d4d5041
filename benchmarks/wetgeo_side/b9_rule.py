"""B9 by wetgeo: the whole rule, by its command."""

import sys

if __name__ == "__main__":  # worker processes import this script again
    from wetgeo.cli import main

    data, out = sys.argv[1:3]
    sys.argv = ["wetgeo", "run", data, "-o", out, "--overwrite", "-q"]
    main()
