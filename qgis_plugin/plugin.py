"""The plugin: nothing but its provider."""

from qgis.core import QgsApplication

from .provider import WetgeoProvider


class WetgeoPlugin:
    """Registers the provider while the plugin is on; works without a window."""

    def __init__(self, _iface):
        self.provider = None

    def initProcessing(self):
        """Register the provider; qgis_process calls this alone."""
        self.provider = WetgeoProvider()
        QgsApplication.processingRegistry().addProvider(self.provider)

    def initGui(self):
        """Register the provider in a QGIS with a window."""
        self.initProcessing()

    def unload(self):
        """Take the provider away."""
        if self.provider is not None:
            QgsApplication.processingRegistry().removeProvider(self.provider)
            self.provider = None
