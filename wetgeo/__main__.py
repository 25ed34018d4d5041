"""``python -m wetgeo``: the same as the command ``wetgeo``."""

from wetgeo.cli import main

if __name__ == "__main__":
    main()
