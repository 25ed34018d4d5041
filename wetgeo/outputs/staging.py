"""Writing as a whole or not at all: the lock on an output folder, the temporary folder in it, and the exchange.

New files are written into ``.wetgeo-*/new`` inside the output folder. The exchange moves the earlier files into
``.wetgeo-*/old`` and the new ones into place; until all stand, what stands where tells how to go back. So a run that
fails or is interrupted leaves the earlier outputs, and one that is killed amid the exchange is undone by the next.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from wetgeo import interrupts
from wetgeo.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LOCK = ".wetgeo.lock"
_PREFIX = ".wetgeo-"
_JOURNAL = "exchange.json"
#: refusals that may have to do with what is there now, not with the place
_PASSING = frozenset({errno.EACCES, errno.EPERM, errno.EBUSY, errno.ENOSPC, errno.EIO, errno.EAGAIN})
#: a lock that is a link would be written through, into whatever file it leads to
_NOT_THROUGH_LINKS = getattr(os, "O_NOFOLLOW", 0)

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        os.lseek(handle, 2**30, os.SEEK_SET)  # a byte far behind what is written, so that the file can be read
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextlib.contextmanager
def claim(folder: Path) -> Iterator[None]:
    """Hold an output folder against other runs; make it where there is none, and undo what a killed run left.

    The lock is the operating system's own on a file in the folder: it ends with the process, however that ends.

    Raises
    ------
    OutputError
        Another run holds the folder, or it cannot be made or written.
    """
    with contextlib.ExitStack() as held:
        with told(folder), interrupts.held_back():  # an interrupt amid this would leave the lock's file behind
            is_new = not folder.exists()
            folder.mkdir(parents=True, exist_ok=True)
            held.callback(_release, folder, _take(folder / LOCK), is_new=is_new)
        with told(folder):
            recover(folder)
        yield


def _release(folder: Path, handle: int, *, is_new: bool) -> None:
    with contextlib.suppress(OSError):  # a lock file that stays behind locks nothing
        if sys.platform == "win32":
            os.close(handle)
            (folder / LOCK).unlink()
        else:
            (folder / LOCK).unlink()
            os.close(handle)
    if is_new:
        with contextlib.suppress(OSError):  # not empty: the run was done
            folder.rmdir()


def is_claimed(folder: Path) -> bool:
    """Tell whether another run holds the folder now."""
    try:
        handle = os.open(folder / LOCK, os.O_RDWR)
    except OSError:
        return False
    try:
        return not _locked(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def staging(folder: Path) -> Iterator[Path]:
    """Make a temporary folder in `folder`, with an empty folder ``new`` in it; it is gone afterwards."""
    with told(folder):
        stage = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=folder))
        (stage / "new").mkdir()
    try:
        yield stage
    finally:
        if not (stage / _JOURNAL).exists():  # it holds earlier outputs that could not be put back
            shutil.rmtree(stage, ignore_errors=True)


def exchange(stage: Path, folder: Path, earlier: Sequence[str]) -> None:
    """Move the files of ``stage/new`` into `folder`, and the `earlier` ones out of it; all or none.

    Parameters
    ----------
    stage, folder
        As from `staging`.
    earlier
        Files in `folder` that go, relative to it, besides those of the new files' names; those that are not there are
        passed over.

    Raises
    ------
    OutputError
        A file cannot be moved, as when another program holds it open; the earlier files are then as they were.
    KeyboardInterrupt
        There was an interrupt before, even one that a library swallowed.
    """
    interrupts.check()
    new = files_in(stage / "new")
    gone = sorted({*earlier, *new})
    (stage / "journal").write_text(json.dumps(new), encoding="utf-8")
    (stage / "journal").replace(stage / _JOURNAL)  # it stands as a whole or not at all
    try:
        for name in gone:
            if os.path.lexists(folder / name):
                _move(folder / name, stage / "old" / name)
        for name in new:
            _move(stage / "new" / name, folder / name)
    except BaseException:
        _undo(stage, folder)
        raise
    (stage / _JOURNAL).unlink()
    _drop_empty(folder, gone)


def recover(folder: Path) -> None:
    """Undo exchanges that were killed half-way, and remove the temporary folders of dead runs; needs the claim."""
    for stage in folder.glob(f"{_PREFIX}*"):
        if stage.is_dir():
            if (stage / _JOURNAL).exists():
                _undo(stage, folder)
            shutil.rmtree(stage, ignore_errors=True)


def killed(folder: Path) -> bool:
    """Tell whether an exchange was killed half-way, so that what stands where says little before `recover`."""
    return any(folder.glob(f"{_PREFIX}*/{_JOURNAL}"))


def files_in(folder: Path) -> list[str]:
    """All files below a folder, relative to it, sorted."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@contextlib.contextmanager
def told(folder: Path) -> Iterator[None]:
    """Turn the operating system's refusal into an OutputError about `folder` or the file in question."""
    try:
        yield
    except OSError as fault:
        path = fault.filename or folder
        words = fault.strerror or str(fault)
        raise OutputError(
            f"the output folder {folder} cannot be used: {words} ({path})",
            mend="close programs that have its files open, free space on the disk, or name another folder with -o"
            if fault.errno in _PASSING
            else "name another folder with -o",
        ) from fault


def _journal(stage: Path) -> list[str]:
    """Read the names of a journal. Raises OutputError where they are none, or lead out of the output folder."""
    try:
        names = json.loads((stage / _JOURNAL).read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        names = None
    if not isinstance(names, list) or not all(isinstance(name, str) and _is_inside(name) for name in names):
        raise OutputError(
            f"{stage} holds earlier outputs of a run that was killed, and its {_JOURNAL} cannot be understood",
            mend="move what you need out of it, and remove it",
        )
    return names


def _is_inside(name: str) -> bool:
    path = PurePath(name)
    return bool(name) and not path.is_absolute() and ".." not in path.parts


def _undo(stage: Path, folder: Path) -> None:
    """Put everything back; where each file stands tells how far the exchange had come."""
    new = _journal(stage)
    for name in new:
        if not (stage / "new" / name).exists() and (folder / name).exists():
            _move(folder / name, stage / "new" / name)
    for name in files_in(stage / "old") if (stage / "old").exists() else ():
        _move(stage / "old" / name, folder / name)
    (stage / _JOURNAL).unlink()
    _drop_empty(folder, new)


def _drop_empty(folder: Path, names: Sequence[str]) -> None:
    for inner in {(folder / name).parent for name in names} - {folder}:
        with contextlib.suppress(OSError):  # not empty, or not there
            inner.rmdir()


def _move(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    source.replace(target)


def _locked(handle: int) -> bool:
    try:
        _lock(handle)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True  # a file system without locks
    return True


def _take(path: Path) -> int:
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | _NOT_THROUGH_LINKS, 0o644)
        if not _locked(handle):
            owner = os.read(handle, 80).decode(errors="replace").strip()
            os.close(handle)
            raise OutputError(
                f"another run of wetgeo{f' ({owner})' if owner else ''} is writing into {path.parent}",
                mend="wait until it is done, or name another folder with -o",
            )
        if _is_same(handle, path):
            try:
                os.ftruncate(handle, 0)
                os.write(handle, f"process {os.getpid()}\n".encode())
            except OSError:  # no room on the disk
                path.unlink(missing_ok=True)
                os.close(handle)
                raise
            return handle
        os.close(handle)  # its holder removed it between our opening and our locking


def _is_same(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
