"""wetgeo in QGIS: a Processing provider that calls wetgeo in a Python environment of its own."""


def classFactory(iface):
    """Make the plugin; QGIS calls it, with None where it has no window."""
    from .plugin import WetgeoPlugin

    return WetgeoPlugin(iface)
