"""The Processing provider ``wetgeo``."""

from pathlib import Path

from processing.core.ProcessingConfig import ProcessingConfig, Setting
from qgis.core import QgsProcessingProvider
from qgis.PyQt.QtGui import QIcon

from . import program
from .commands import (
    CheckAveraging,
    DesignAveraging,
    Impacts,
    PlaceMonuments,
    RequiredBuffers,
    Screen,
)
from .doctor import Doctor
from .write_project import WriteProject

_SETTING = "WETGEO_PYTHON"


class WetgeoProvider(QgsProcessingProvider):
    """All algorithms, and the setting that says where wetgeo is."""

    def id(self):
        """Its id, which begins the ids of its algorithms."""
        return "wetgeo"

    def name(self):
        """Its name in the toolbox."""
        return "wetgeo"

    def longName(self):
        """What it does."""
        return self.tr("wetgeo: vegetated buffers under watershed districts' rules")

    def icon(self):
        """Its icon."""
        return QIcon(str(Path(__file__).with_name("icon.svg")))

    def load(self):
        """Add the setting and the algorithms."""
        setting = Setting(
            self.name(),
            _SETTING,
            self.tr("Python that wetgeo is installed in, or its program wetgeo (empty: looked for)"),
            "",
            valuetype=Setting.FILE,
        )
        setting.qname = program.SETTING
        ProcessingConfig.settingIcons[self.name()] = self.icon()
        ProcessingConfig.addSetting(setting)
        ProcessingConfig.readSettings()
        self.refreshAlgorithms()
        return True

    def unload(self):
        """Take the setting away."""
        ProcessingConfig.removeSetting(_SETTING)

    def loadAlgorithms(self):
        """Add the algorithms."""
        for algorithm in (
            RequiredBuffers,
            CheckAveraging,
            DesignAveraging,
            PlaceMonuments,
            Impacts,
            Screen,
            Doctor,
            WriteProject,
        ):
            self.addAlgorithm(algorithm())
