"""Sorting more rows than memory holds: first into files by the range that their key lies in, then file by file."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from wetgeo.batch.tables import Ints

_PACKED = pa.ipc.IpcWriteOptions(compression="lz4")


class Buckets:
    """Rows in files, one a bucket; `bucketed` makes one."""

    def __init__(self, folder: Path, schema: pa.Schema, files: contextlib.ExitStack) -> None:
        self.folder, self.schema, self._open = folder, schema, files
        self._writers: dict[int, pa.RecordBatchWriter] = {}

    def add(self, table: pa.Table, numbers: Ints) -> None:
        """Add rows, each to the bucket of its number, shape of the table."""
        order = np.argsort(numbers, kind="stable")
        starts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
        for places in np.split(order, starts[1:]) if len(order) else []:
            self._writer(int(numbers[places[0]])).write_table(table.take(pa.array(places)))

    def _writer(self, number: int) -> pa.RecordBatchWriter:
        if number not in self._writers:
            file = self._open.enter_context(pa.OSFile(str(self._path(number)), "wb"))
            writer = pa.ipc.new_stream(file, self.schema, options=_PACKED)
            self._writers[number] = self._open.enter_context(writer)
        return self._writers[number]

    def _path(self, number: int) -> Path:
        return self.folder / str(number)

    def read(self) -> Iterator[pa.Table]:
        """Give the rows of each bucket that has any, by ascending number; no row can be added then."""
        self._open.close()
        for number in sorted(self._writers):
            with pa.OSFile(str(self._path(number)), "rb") as file, pa.ipc.open_stream(file) as reader:
                table = reader.read_all()
            self._path(number).unlink()
            yield table


@contextlib.contextmanager
def bucketed(folder: Path, schema: pa.Schema) -> Iterator[Buckets]:
    """Give buckets for rows of a schema, whose files lie in `folder`; it is made, and removed in the end."""
    folder.mkdir(parents=True)
    with contextlib.ExitStack() as files:
        yield Buckets(folder, schema, files)
    shutil.rmtree(folder)
