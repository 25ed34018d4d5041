"""A project in tiles: read once, laid out tile by tile, surveyed group by group, merged. What is done stays done."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from wetgeo.batch.grouping import Groups
from wetgeo.batch.laying import TileTask, lay_tile, leave_tile
from wetgeo.batch.manifest import MANIFEST, fingerprint, ground_rules, read_json, same, write_json
from wetgeo.batch.merging import Results, merged
from wetgeo.batch.prepared import Prepared, opened, prepare_site, site_state
from wetgeo.batch.surveying import UnitTask, leave_unit, survey_unit
from wetgeo.batch.workers import Workers, do_all, hired
from wetgeo.delineation import Delineation
from wetgeo.pipeline import Progress
from wetgeo.project import Project
from wetgeo.units import FOOT_M

Task = TypeVar("Task", TileTask, UnitTask)

#: resources of a tile at most: enough that what lies around it is little beside it, few enough for small memory
TILE_MOST = 1000
#: tiles for each worker at least, so that none idles at the end; squares hold half of what they may, or less
_SHARE = 2
_LEAST = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class _Folders:
    """Where the parts of the work lie, below one folder."""

    top: Path

    @property
    def site(self) -> Path:
        return self.top / "site"

    @property
    def tiles(self) -> Path:
        return self.top / "tiles"

    @property
    def merged(self) -> Path:
        return self.top / "merged"

    @property
    def groups(self) -> Path:
        return self.top / "groups"


def is_begun(folder: Path) -> bool:
    """Tell whether a work folder holds anything that a later run could go on from: at least the site, read."""
    return bool(site_state(_Folders(top=folder).site))


def tile_size(resources: int, workers: int) -> int:
    """Say how many resources a tile holds at most, so that each worker gets several tiles."""
    return int(min(TILE_MOST, max(_LEAST, resources // (_SHARE * max(workers, 1)))))


def delineate_in_tiles(
    project: Project,
    folder: Path,
    *,
    workers: int,
    scheduler: str | None = None,
    most: int = TILE_MOST,
    progress: Progress = lambda _fraction, _message: None,
) -> Delineation:
    """Delineate the required buffers of a project of any size.

    The results are the same as those of `wetgeo.pipeline.delineate`, to the bit, whatever the tiles and workers.

    Parameters
    ----------
    project
        A project file as read.
    folder
        Takes what is done. Where a run that was interrupted left it, the work goes on; what an input, the rule or the
        code has changed is done anew. The layers of what is returned lie in it; whoever calls removes it in the end.
    workers
        Processes; 0 works in this one.
    scheduler
        Address of a running Dask scheduler, whose workers see all files at the same paths; `workers` says nothing then.
    most
        Resources of a tile at most; a run that goes on keeps to what it began with.
    progress
        Called with a fraction of 1 and what is being done.

    Raises
    ------
    WetgeoError
        As `wetgeo.pipeline.delineate`; the scheduler does not answer.
    """
    folder.mkdir(parents=True, exist_ok=True)
    at = _Folders(top=folder)
    with hired(workers, scheduler, folder) as crew:
        rules = _prepare(project, at, crew, most=most, progress=progress)
        prepared = opened(str(at.site), site_state(at.site))
        tiles = _lay(prepared, at, crew, rules, progress)
        groups = _survey(prepared, at, crew, rules, tiles, progress)
        progress(0.9, "putting the tiles together")
        results = Results(tiles=[at.tiles / name for name in tiles], groups=[at.groups / name for name in groups])
        found = merged(prepared, site_state(at.site), results, crew, at.merged)
    return replace(found, project=project, inputs=list(project.files))


def _prepare(project: Project, at: _Folders, crew: Workers, *, most: int, progress: Progress) -> str:
    """Read the site, unless it was read before and nothing has changed; return the hash of what all tiles depend on."""
    manifest = read_json(at.top / MANIFEST)
    known = manifest.get("fingerprint", {})
    progress(0.02, "looking at the inputs")
    now = fingerprint(project, known)
    if not same(now, known) or not site_state(at.site):
        write_json(at.top / MANIFEST, {"fingerprint": {**now, "code": None}, "most": most})
        progress(0.05, "reading the layers")
        crew.submit(prepare_site, project, at.site, int(manifest.get("most", most))).result()
        now = fingerprint(project, {**now, "found": read_json(at.site / "site.json")["files"]})
    write_json(at.top / MANIFEST, {"fingerprint": now, "most": manifest.get("most", most)})
    return ground_rules(now, project)


def _lay(prepared: Prepared, at: _Folders, crew: Workers, rules: str, progress: Progress) -> list[str]:
    state = site_state(at.site)
    tasks = [
        TileTask(site=str(at.site), state=state, ground_rules=rules, results=str(at.tiles), name=name, rows=tuple(rows))
        for name, rows in prepared.tiles.items()
    ]
    told = _Counted(len(tasks), 0.3, 0.4, "laying out the buffers", progress)
    return _work(crew, lay_tile, tasks, of="rows", give_up=leave_tile, folder=at.tiles, told=told)


def _survey(
    prepared: Prepared, at: _Folders, crew: Workers, rules: str, tiles: Sequence[str], progress: Progress
) -> list[str]:
    state = site_state(at.site)
    progress(0.7, "finding what meets over the borders of tiles")
    path = at.top / "groups.npz"
    groups = Groups.of(at.tiles, tiles, prepared.common.crs, FOOT_M / prepared.common.unit_m)
    groups.save(path)
    tasks = [
        UnitTask(
            site=str(at.site),
            state=state,
            ground_rules=rules,
            tiles=str(at.tiles),
            groups=str(path),
            results=str(at.groups),
            name=name,
            members=tuple(map(tuple, members)),
        )
        for name, members in groups.units().items()
    ]
    told = _Counted(len(tasks), 0.7, 0.2, "laying out edges and monuments", progress)
    return _work(crew, survey_unit, tasks, of="members", give_up=leave_unit, folder=at.groups, told=told)


def _work(
    crew: Workers,
    work: Callable[[Task], str],
    tasks: Sequence[Task],
    *,
    of: str,
    give_up: Callable[[Task], str],
    folder: Path,
    told: _Counted,
) -> list[str]:
    """Do what is not done yet, and name the results; a task that kills its worker is halved by its attribute `of`."""

    def halves(task: Task) -> list[Task]:
        whole = getattr(task, of)
        middle = len(whole) // 2
        parts = [whole[:middle], whole[middle:]] if middle else []
        return [replace(task, **{"name": f"{task.name}.{number}", of: part}) for number, part in enumerate(parts)]

    names = _done(folder, tasks, told)
    left = [task for task in tasks if task.name not in names]
    names |= set(do_all(crew, work, left, halves=halves, give_up=give_up, done=told.one))
    _tidy(folder, names)
    return sorted(names)


class _Counted:
    """Tells how many pieces of work are done."""

    def __init__(self, total: int, start: float, span: float, what: str, progress: Progress) -> None:
        self.done, self.total = 0, max(total, 1)
        self._tell: Callable[[], None] = lambda: progress(
            start + span * self.done / self.total, f"{what} ({self.done:,} of {self.total:,} tiles)"
        )

    def one(self) -> None:
        """Count one more."""
        self.done += 1
        self._tell()


def _done(folder: Path, tasks: Sequence[TileTask | UnitTask], told: _Counted) -> set[str]:
    """Find the results that stand already and are of the site as it is now."""
    found = {task.name for task in tasks if read_json(folder / task.name / MANIFEST).get("state") == task.state}
    for _ in found:
        told.one()
    return found


def _tidy(folder: Path, names: set[str]) -> None:
    """Remove what an earlier, other run left."""
    for path in folder.iterdir() if folder.exists() else ():
        if path.name not in names:
            shutil.rmtree(path, ignore_errors=True)
