"""The same tiles through a Dask cluster, one of whose workers is killed on the way."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest
from tiled import assert_same, in_tiles, whole
from worlds import sample

from wetgeo.batch.manifest import MANIFEST
from wetgeo.errors import UsageError

distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def cluster():
    """Two worker processes on this machine, started anew when they die."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as local:
        yield local


def test_a_worker_that_is_killed_loses_nothing(tmp_path, cluster):
    project = sample("rcwd").write(tmp_path)
    work, killed = tmp_path / "work", []

    def kill_one() -> None:
        give_up = time.monotonic() + 120
        while time.monotonic() < give_up:
            if any(work.glob(f"tiles/*/{MANIFEST}")):
                process = next(iter(cluster.workers.values())).process.pid
                os.kill(process, signal.SIGKILL)
                killed.append(process)
                return
            time.sleep(0.005)

    killer = threading.Thread(target=kill_one)
    killer.start()
    found = in_tiles(project, work, most=1, scheduler=cluster.scheduler_address)
    killer.join()
    assert killed
    assert_same(whole(project), found)


def test_no_scheduler_is_told(tmp_path):
    project = sample("rcwd").write(tmp_path)
    with pytest.raises(UsageError, match="no Dask scheduler answers at"):
        in_tiles(project, tmp_path / "work", scheduler="tcp://127.0.0.1:9")
