"""Value of information from a table of sampled models."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any, Iterable, Sequence

from . import _core
from ._cluster import workers_of
from ._inputs import Sources, TableLike, real, seed_of, text, threads_of
from ._progress import Progress, Report
from ._result import Result
from .errors import InvalidArgument


class ValueOfInformation(Result):
    """What perfect information, information about some parameters, and the data of experiments are worth.
    ``to_frame()`` has one row per group of columns that was asked about."""

    __slots__ = ()

    @property
    def best(self) -> str:
        """The plan of the highest mean worth."""
        return str(self._core.best)

    @property
    def evpi(self) -> float:
        """What perfect information about everything is worth."""
        return float(self._core.evpi)

    @property
    def evpi_se(self) -> float:
        """Its standard error."""
        return float(self._core.evpi_se)

    @property
    def evppi(self) -> list[dict[str, Any]]:
        """For each group of ``about``, in its order: ``about``, ``cross_fitted``, ``plug_in``, ``se``, ..."""
        found: list[dict[str, Any]] = self.to_dict()["evppi"]
        return found

    @property
    def evsi(self) -> list[dict[str, Any]]:
        """The same for each experiment of ``data``."""
        found: list[dict[str, Any]] = self.to_dict()["evsi"]
        return found

    @property
    def enbs(self) -> list[dict[str, Any]]:
        """The expected net benefit of each experiment, scale x EVSI - cost; empty without ``cost``."""
        found: list[dict[str, Any]] = self.to_dict().get("enbs", [])
        return found

    def _table(self) -> _core.Table:
        """kind (evppi or evsi), about, cross_fitted, se, lower, upper, plug_in, model, enbs."""
        table: _core.Table = self._core._parts()
        return table


def _names(what: str, value: Any) -> list[str]:
    """Names of columns, or one text with commas between them."""
    if isinstance(value, str):
        return [name.strip() for name in value.split(",")]
    if not isinstance(value, Iterable):
        raise InvalidArgument(f"{what} must be names of columns, but is {value!r}")
    return [text(f"{what}: the name of a column", name) for name in value]


def _groups(what: str, value: Any) -> list[list[str]]:
    """Groups of columns; a list of texts is a group for each, as on the command line."""
    if value is None:
        return []
    if isinstance(value, str):
        return [_names(what, value)]
    if not isinstance(value, Iterable):
        raise InvalidArgument(f"{what} must be groups of columns, but is {value!r}")
    return [_names(what, group) for group in value]


def voi(
    frame: TableLike,
    *,
    plans: str | Sequence[str],
    about: str | Sequence[str | Sequence[str]] | None = None,
    data: str | Sequence[str | Sequence[str]] | None = None,
    scale: float = 1,
    cost: float | Sequence[float] | None = None,
    seed: int = 42,
    threads: int = 0,
    executor: Executor | None = None,
    progress: bool | Report | None = None,
) -> ValueOfInformation:
    """What is it worth to know more before choosing a plan, by a table of sampled models?

    :param frame: one row per sampled model: parameters, the worth of each plan, and what experiments would have shown;
        a pandas DataFrame, an Arrow table, a dict of columns or the path of a CSV file.
    :param plans: columns with the worth of each plan; at least two.
    :param about: groups of parameters: what is it worth to know each group (EVPPI)? ``["x,y", "z"]`` and
        ``[["x", "y"], ["z"]]`` are two groups.
    :param data: groups of columns with what an experiment would have shown: what is it worth (EVSI)?
    :param scale: how many units, steps or years the decision covers: net benefit is scale x EVSI - cost.
    :param cost: of the experiment, in the unit of worth: one number, or one for each of ``data``.
    :param executor: other processes that share the work: any ``concurrent.futures.Executor``. The groups of ``about`` and ``data``
        are shared. The result has
        the same bits. ``threads`` is then of each worker, 1 unless said.
    """
    workers = workers_of(executor, "voi", locals())
    costs = [] if cost is None else list(cost) if isinstance(cost, Iterable) else [cost]
    sources = Sources()
    with sources.named(), Progress(progress) as report:
        source = sources.take(frame, "frame")
        if source is None:
            raise InvalidArgument("frame must be a table of sampled models, but is None")
        core = _core.voi(
            source,
            _names("plans", plans),
            _groups("about", about),
            _groups("data", data),
            scale=real("scale", scale),
            cost=[real("cost", one) for one in costs],
            seed=seed_of(seed),
            threads=threads_of(threads),
            progress=report,
            workers=workers,
        )
    return ValueOfInformation(core)
