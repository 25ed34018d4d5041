"""wetgeo: vegetated buffers as watershed-district rules require them.

The command line is ``wetgeo``; `wetgeo.pipeline` holds the same steps as functions. Nothing heavy is
imported here: ``import wetgeo`` and ``wetgeo --help`` answer at once.
"""

__version__ = "0.1.0"

__all__ = ["__version__"]
