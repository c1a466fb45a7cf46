"""The paper's tables and figures, published value beside ours."""

from __future__ import annotations

import os
from concurrent.futures import Executor
from typing import Any

from . import _core
from ._cluster import workers_of
from ._inputs import path_of, seed_of, text, threads_of, whole
from ._progress import Progress, Report
from ._result import Result


class Reproduction(Result):
    """One table or figure of the paper: published numbers beside ours, and claims checked on ours."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return str(self._core.name)

    @property
    def title(self) -> str:
        """What it is, and where in the paper."""
        return str(self._core.title)

    def _table(self) -> _core.Table:
        table: _core.Table = self._core._lines()
        return table

    def to_dict(self) -> dict[str, Any]:
        """Everything that there is to say, as plain data: the one object in the command line's list."""
        return super().to_dict()

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Writes the data behind the figures as CSV and the tables as Markdown (tables.md) into a folder."""
        self._core._write(path_of("folder", folder))

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes a page with pictures: one HTML file that opens offline. All or nothing."""
        _core.write_text(path_of("path", path), self._core._html())


def artefacts() -> dict[str, str]:
    """Everything that can be reproduced, and what it is."""
    return dict(_core.artefacts())


def reproduce(
    name: str,
    *,
    trials: int | None = None,
    seed: int = 42,
    threads: int = 0,
    executor: Executor | None = None,
    progress: bool | Report | None = None,
) -> Reproduction:
    """A table or figure of the paper. For several, call it for each; their names are in :func:`artefacts`.

    :param name: one of :func:`artefacts`.
    :param trials: how many; without: as many as the paper.
    :param threads: 0: all cores. The result does not depend on it.
    :param executor: other processes that share the work: any ``concurrent.futures.Executor``. Trials are shared. The result has
        the same bits. ``threads`` is then of each worker, 1 unless said.
    """
    workers = workers_of(executor, "reproduce", locals())
    name, seed, threads = text("name", name), seed_of(seed), threads_of(threads)
    trials = None if trials is None else whole("trials", trials, 2, 1_000_000_000)
    with Progress(progress) as report:
        return Reproduction(_core.reproduce(name, trials, seed, threads, report, workers))
