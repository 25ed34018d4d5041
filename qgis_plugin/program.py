"""Finding wetgeo and running it: always as a program of its own, never inside QGIS's Python."""

import json
import os
import re
import shutil
import signal
import sys
from pathlib import Path
from typing import NamedTuple

from qgis.core import QgsSettings
from qgis.PyQt.QtCore import QProcess, QProcessEnvironment

#: the setting that names the Python, or the program wetgeo, or the folder of the environment
SETTING = "wetgeo/python"
#: the same as an environment variable, for qgis_process
VARIABLE = "WETGEO_PYTHON"

#: what QGIS sets for itself, and what would lead another Python and its libraries astray
_QGIS_OWN = re.compile(r"^(PROJ_|GDAL_|OGR_|GEOTIFF_|PYTHON|QT_|QGIS_|VIRTUAL_ENV$|LD_LIBRARY_PATH$|DYLD_)")
_ENVIRONMENTS = (
    ".venv",
    "venv",
    "wetgeo/.venv",
    "wetgeo",
    ".virtualenvs/wetgeo",
    ".local/share/pipx/venvs/wetgeo",
    ".local/pipx/venvs/wetgeo",
    "pipx/venvs/wetgeo",
    *(f"{name}/envs/wetgeo" for name in ("miniforge3", "miniconda3", "mambaforge", "anaconda3", ".conda")),
    ".local",
)
_WINDOWS = sys.platform == "win32"
_FOLDER, _END = ("Scripts", ".exe") if _WINDOWS else ("bin", "")
_START_MS, _SHORT_MS, _STEP_MS, _STOP_MS = 30_000, 60_000, 200, 20_000
_PROGRESS = re.compile(r"^\[ *(\d+)%\] (.*)$")

INSTALL = (
    "wetgeo itself was not found. It is installed apart from QGIS, in a Python (3.10 to 3.13) of its own:\n"
    "  python3 -m venv ~/.venv\n"
    "  ~/.venv/bin/pip install PATH_OR_URL_OF_WETGEO\n"
    "(on Windows: py -m venv, and Scripts in place of bin)\n"
    "It is looked for on the PATH, in ~/.venv and in pipx and conda environments named wetgeo. Elsewhere: name its "
    "Python under Settings, Options, Processing, Providers, wetgeo."
)


class ProgramError(Exception):
    """wetgeo is not there, or does not start."""


class Program(NamedTuple):
    """How wetgeo is called, and the rule packs that it has: each with id, title, authority and more."""

    words: tuple
    packs: tuple


class Ended(NamedTuple):
    """How a call ended: exit status (None where it was cancelled), standard output, and messages but for progress."""

    code: object
    out: str
    messages: tuple


_known = {}


def find():
    """Find wetgeo.

    Raises
    ------
    ProgramError
        It is nowhere, or what the setting names is not wetgeo; says how to install it.
    """
    named = os.environ.get(VARIABLE) or QgsSettings().value(SETTING, "") or ""
    if named not in _known:
        _known[named] = _ask_named(Path(named).expanduser()) if named else _look_around()
    return _known[named]


def packs():
    """List the rule packs; none where wetgeo is not found."""
    try:
        return find().packs
    except ProgramError:
        return ()


def _ask_named(path):
    if not path.exists():
        raise ProgramError(f"{path}, which the settings name as wetgeo's Python, is not there.\n{INSTALL}")
    for words in _calls(path):
        found = _ask(words)
        if found is not None:
            return found
    raise ProgramError(f"{path}, which the settings name, does not run wetgeo: it is not installed there.\n{INSTALL}")


def _look_around():
    on_path = shutil.which("wetgeo")
    places = [Path(on_path)] if on_path else []
    places += [Path.home() / folder / _FOLDER / f"wetgeo{_END}" for folder in _ENVIRONMENTS]
    for place in places:
        found = _ask((str(place),)) if place.is_file() else None
        if found is not None:
            return found
    raise ProgramError(INSTALL)


def _calls(path):
    """Ways to call wetgeo where a Python, the program or an environment's folder is named."""
    if path.is_dir():
        yield (str(path / _FOLDER / f"wetgeo{_END}"),)
        path = path / _FOLDER / f"python{_END}"
    elif path.stem.lower().startswith("wetgeo"):
        yield (str(path),)
        return
    yield (str(path), "-m", "wetgeo")


def _ask(words):
    process = _start(words, ("rules", "list", "--json"))
    if process is None or not process.waitForFinished(_SHORT_MS):
        return None
    try:
        listed = json.loads(bytes(process.readAllStandardOutput()).decode("utf-8"))
        return Program(tuple(words), tuple(pack for pack in listed if pack["id"]))
    except (ValueError, KeyError, TypeError):
        return None


def clean_environment():
    """Return QGIS's environment without what is QGIS's own."""
    environment = QProcessEnvironment.systemEnvironment()
    for name in environment.keys():  # noqa: SIM118 -- not a dict
        if _QGIS_OWN.match(name):
            environment.remove(name)
    environment.insert("PYTHONIOENCODING", "utf-8")
    environment.insert("WETGEO_PROGRESS", "lines")
    return environment


def _start(words, arguments):
    process = QProcess()
    process.setProcessEnvironment(clean_environment())
    process.setWorkingDirectory(str(Path.home()))
    process.start(words[0], [*words[1:], *map(str, arguments)])
    return process if process.waitForStarted(_START_MS) else None


def run(arguments, feedback):
    """Run wetgeo with arguments; progress and messages go to `feedback`, which may cancel.

    Raises
    ------
    ProgramError
        It is not found, or does not start.
    """
    found = find()
    process = _start(found.words, arguments)
    if process is None:
        raise ProgramError(f"{found.words[0]} could not be started")
    lines = _Lines(feedback)
    out = bytearray()
    while process.state() != QProcess.ProcessState.NotRunning:
        process.waitForFinished(_STEP_MS)
        out += bytes(process.readAllStandardOutput())
        lines.take(bytes(process.readAllStandardError()))
        if feedback.isCanceled():
            _stop(process)
            return Ended(None, "", tuple(lines.messages))
    lines.take(b"\n")
    crashed = process.exitStatus() == QProcess.ExitStatus.CrashExit
    return Ended(-1 if crashed else process.exitCode(), out.decode("utf-8", "replace"), tuple(lines.messages))


class _Lines:
    """Takes what wetgeo says on standard error, line by line."""

    def __init__(self, feedback):
        self.feedback = feedback
        self.rest = b""
        self.messages = []
        self.percent = 0

    def take(self, data):
        *whole, self.rest = (self.rest + data).split(b"\n")
        for line in whole:
            self._tell(line.decode("utf-8", "replace").rstrip())

    def _tell(self, line):
        progress = _PROGRESS.match(line)
        if progress:
            self.percent = max(self.percent, int(progress.group(1)))
            self.feedback.setProgress(self.percent)
            self.feedback.setProgressText(progress.group(2))
            return
        if not line:
            return
        self.messages.append(line)
        if line.startswith(("  warning:", "  error:")):
            self.feedback.pushWarning(line.strip())
        else:
            self.feedback.pushInfo(line)


def _stop(process):
    """Interrupt wetgeo, so that it takes back what it began; what is killed, its next run takes back."""
    if not _WINDOWS:
        os.kill(int(process.processId()), signal.SIGINT)
        if process.waitForFinished(_STOP_MS):
            return
    process.kill()
    process.waitForFinished(_STOP_MS)
