"""A throw-away PostgreSQL cluster in a temporary folder, by a user who is not root."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PORT = "54329"
#: what an analyst sets on a machine of two cores and 16 GB for a job of this kind
SETTINGS = {
    "shared_buffers": "1GB",
    "work_mem": "128MB",
    "maintenance_work_mem": "512MB",
    "max_parallel_workers_per_gather": "2",
    "max_parallel_workers": "2",
    "parallel_setup_cost": "100",
    "parallel_tuple_cost": "0.01",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_wal_size": "4GB",
    "jit": "off",
    "listen_addresses": "''",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A running cluster: the process id of its server, and the environment of clients."""

    pid: int
    env: dict[str, str]


def tools() -> Path | None:
    """Find the folder of the newest server's programs; None where there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parents[1].name))
    return found[-1].parent if found else None


@contextmanager
def cluster() -> Iterator[Cluster]:
    """Make a cluster, start it, and remove it at the end.

    Raises
    ------
    FileNotFoundError
        Where PostgreSQL's server is not installed.
    """
    binaries = tools()
    if binaries is None:
        raise FileNotFoundError("no PostgreSQL server; benchmarks/setup_peers.sh installs it")
    folder = Path(tempfile.mkdtemp(prefix="wetgeo-pg-"))
    user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    if os.geteuid() == 0:
        shutil.chown(folder, user)
    data = folder / "data"
    settings = " ".join(f"-c {name}={value}" for name, value in SETTINGS.items())
    try:
        _as(user, [str(binaries / "initdb"), "-D", str(data), "-A", "trust", "-U", user, "-E", "UTF8"])
        options = f"-p {PORT} -k {folder} {settings}"
        _as(user, [str(binaries / "pg_ctl"), "-D", str(data), "-w", "-l", str(folder / "log"), "-o", options, "start"])
        try:
            pid = int((data / "postmaster.pid").read_text().split()[0])
            env = {"PGHOST": str(folder), "PGPORT": PORT, "PGUSER": user, "PGDATABASE": "postgres"}
            yield Cluster(pid=pid, env={**os.environ, **env})
        finally:
            _as(user, [str(binaries / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _as(user: str, command: list[str]) -> None:
    """Run a command as a user."""
    taken = {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/", **taken)  # type: ignore[call-overload]
