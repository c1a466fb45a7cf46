"""Planners on a known truth, on the same trials."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, worlds
from . import planners as _planners
from ._cluster import Workers, workers_of
from ._ensemble import Ensemble
from ._inputs import path_of, text, whole
from ._progress import Progress, Report
from ._replay import check_replay
from ._result import Result, frame_of, tell
from ._solve import ModelLike, as_model, programs
from .errors import InvalidArgument, WorldError

if TYPE_CHECKING:
    import pandas

    from .programs import Simulator

#: What is known to be best in a world written in Python.
OracleLike = Union[_core.Mdp, "Simulator", ArrayLike, _planners.PlannerFactory]


@dataclass(frozen=True)
class CaseOption:
    """An option that a case has beside those that every case has."""

    name: str  #: as a keyword of :func:`compare`
    meaning: str
    default: str
    choices: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """Something built in that planners can be compared on."""

    name: str
    description: str
    options: tuple[CaseOption, ...]

    @property
    def planners(self) -> dict[str, str]:
        """Those there are in this case, and what each does."""
        return dict(_core.planners_of_case(self.name))


def cases() -> list[Case]:
    """Every case that is built in."""
    return [
        Case(
            name,
            description,
            tuple(
                CaseOption(option.replace("-", "_"), meaning, default, tuple(choices))
                for option, meaning, default, choices in options
            ),
        )
        for name, description, options in _core.cases()
    ]


@dataclass(frozen=True)
class Failure:
    """A trial that was left out because the world raised an exception in it."""

    trial: int
    planner: str  #: that was acting
    unit: int
    step: int  #: -1: at the beginning
    seed: int  #: that the unit was reset with
    message: str
    traceback: str  #: "" where the world raised nothing but gave what it may not

    def __str__(self) -> str:
        when = "at its beginning" if self.step < 0 else f"at step {self.step}"
        who = f"trial {self.trial}, planner {self.planner}, unit {self.unit} (seed {self.seed})"
        return f"{who} {when}: {self.message}"


class Comparison(Result):
    """Planners on the same trials: means, shares of the oracle's, differences to the reference."""

    __slots__ = ("_failures",)

    def __init__(self, core: _core.Comparison) -> None:
        super().__init__(core)
        self._failures = [Failure(*row) for row in core.failures]

    def __str__(self) -> str:
        text = str(self._core)
        for failure in self._failures:
            text += f"\nleft out: {failure}"
        return text

    def to_dict(self) -> dict[str, Any]:
        found = super().to_dict()
        if self._failures:
            found["failures"] = [vars(failure) for failure in self._failures]
        return found

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes a page to hand over: one HTML file that opens offline. All or nothing."""
        _core.write_text(path_of("path", path), self._core._html())

    @property
    def planners(self) -> list[str]:
        """All that were run: those asked for, the oracle and the reference."""
        return list(self._core.planners)

    @property
    def horizons(self) -> list[int]:
        return list(self._core.horizons)

    @property
    def trials(self) -> list[int]:
        """Their numbers; those that failed are not among them."""
        return list(self._core.trials)

    @property
    def value(self) -> NDArray[np.float64]:
        """What was gathered, [trial, planner, horizon]."""
        flat: NDArray[np.float64] = self._core.value
        return flat.reshape(len(self.trials), len(self.planners), len(self.horizons))

    @property
    def failures(self) -> list[Failure]:
        """Trials in which the world raised an exception, and how; no planner is judged by them."""
        return list(self._failures)

    @property
    def results(self) -> pandas.DataFrame:
        """trial, planner, horizon, value: one row each, everything that was run."""
        return frame_of(self._core._results())

    def _table(self) -> _core.Table:
        table: _core.Table = self._core._rows()
        return table

    def to_frame(self) -> pandas.DataFrame:
        """One row per horizon and planner: means, shares of the oracle's, differences to the reference, p
        values; differences in percentage points of oracle and, as mean_difference, as values are."""
        return super().to_frame()


def compare(
    case: str | os.PathLike[str] | None = None,
    *,
    world: Any = None,
    simulator: ModelLike | None = None,
    planners: Sequence[_planners.PlannerLike] | Mapping[str, _planners.PlannerLike] | None = None,
    oracle: OracleLike | None = None,
    horizons: int | Sequence[int] | None = None,
    trials: int | None = None,
    first_trial: int = 0,
    units: int | None = None,
    reference: str = "asop",
    seed: int = 42,
    threads: int = 0,
    out: str | os.PathLike[str] | None = None,
    shard: tuple[int, int] = (1, 1),
    executor: Executor | None = None,
    progress: bool | Report | None = None,
    **options: Any,
) -> Comparison:
    """Runs planners on a known truth: the same worlds and common random numbers for all of them.

    The truth is a case by its name (:func:`cases`), a world folder by its path, or, as ``world=``, your own
    code (see :mod:`mindgap.worlds`), of which ``simulator`` is the model that planners believe in at first.

    :param world: a class or function that makes a world or a Gymnasium environment. Of an environment itself,
        others are made from its spec by ``gymnasium.make``; where those would not be the same it is refused. Its
        states are the simulator's: of a program, the corners of its grid, as of ``simulator.model(theta).to_env``.
    :param simulator: the model that planners are given, with its prior or coverage and the variance of one
        reward. Needed with ``world``; a world folder has one of its own otherwise.
    :param planners: names of ours, plans as :func:`decide` names them (``"pilot-4x10"``, ``"adaptive-8x10"``,
        ``"beb-2"``: pilots are designed in every trial, on what planners are told at first), a
        :class:`Decision`, whose recommended plan is followed with its very routes, your own factories (see
        :mod:`mindgap.planners`), or any of these by name in a dict. Without: all there are. Cases with planners
        of a kind of their own (lock, fork, hiv, vending) take no others.
    :param oracle: for ``world``: what is known to be best: a model whose optimal policy is followed, the
        action of each state, or a planner's factory. Without one there are no shares of it.
    :param horizons: when to look; without: the case's own (``world``: after 100 steps).
    :param trials: how many; without: as many as the case says (``world``: 20).
    :param units: how many act at a time; without: as many as the case says (``world``: 20).
    :param reference: the planner that others are compared with.
    :param threads: 0: all cores. The result does not depend on it.
    :param out: a folder that keeps the results as they come, so that a run that was stopped goes on. Not for
        code of your own, which no folder knows.
    :param executor: other processes that share the work: any ``concurrent.futures.Executor``. Trials are
        shared. The result has
        the same bits. ``threads`` is then of each worker, 1 unless said.
    :param shard: (i, n) runs only the i-th of n parts of the trials; see :func:`merge`.
    :param options: of the case, such as ``truth="prior"`` of treasure.
    :raises WorldError: where a world of yours raised an exception in every trial.
    """
    workers = workers_of(executor, "compare", locals())
    trials = None if trials is None else whole("compare: trials", trials, 1)
    units = None if units is None else whole("compare: units", units, 1)
    first_trial = whole("compare: first_trial", first_trial, 0)
    looks = [] if horizons is None else [whole("compare: horizons", at) for at in np.atleast_1d(horizons)]
    seed, threads = whole("compare: seed", seed, 0, 2**64 - 1), whole("compare: threads", threads, 0, 4096)
    reference = text("compare: reference", reference)
    part, parts = _shard_of(shard)
    names, own = _planners.split(planners)
    if (world is not None or own) and out is not None:
        raise InvalidArgument(
            "out: a folder of results cannot tell whether code of yours has changed; keep .results"
        )
    asked = _core.Asked(
        planners=names,
        horizons=looks,
        first_trial=first_trial,
        trials=trials or 0,
        reference=reference,
        seed=seed,
        threads=threads,
        out="" if out is None else path_of("out", out),
        shard=part,
        shards=parts,
    )
    with Progress(progress) as report:
        if world is not None:
            if case is not None or options:
                given = f"case {case!r}" if case is not None else f"option '{next(iter(options))}'"
                raise InvalidArgument(f"world: is a truth of your own, and takes no {given}")
            found = _in_own_world(
                world, simulator, units, own, oracle, asked, (max(looks, default=100), seed), report, workers
            )
        else:
            found = _in_case(case, simulator, units, own, oracle, asked, options, report, workers)
    tell(found.warnings)
    comparison = Comparison(found) if not found.empty else None
    if comparison is None:
        first = Failure(*found.failures[0])
        raise WorldError(
            f"the world failed in all {len(found.failures)} trials; the first: {first}\n{first.traceback}"
        )
    for failure in comparison.failures:
        warnings.warn(f"left out of the comparison: {failure}\n{failure.traceback}", stacklevel=2)
    return comparison


def _shard_of(shard: Any) -> tuple[int, int]:
    if not isinstance(shard, (tuple, list)) or len(shard) != 2:
        raise InvalidArgument(f"shard: expected (i, n), the i-th of n parts, but got {shard!r}")
    parts = whole("shard: the number of parts", shard[1], 1)
    return whole("shard: the part", shard[0], 1, parts), parts


def _in_case(
    case: str | os.PathLike[str] | None,
    simulator: ModelLike | None,
    units: int | None,
    own: list[tuple[str, Any, bool]],
    oracle: OracleLike | None,
    asked: _core.Asked,
    options: Mapping[str, Any],
    report: Report | None,
    workers: Workers | None,
) -> _core.Comparison:
    if case is None:
        raise InvalidArgument("compare: name a case or a world folder, or give a world of your own")
    if oracle is not None:
        raise InvalidArgument("oracle: this truth knows its own")
    name = path_of("case", case)
    texts = {key.replace("_", "-"): _text_of(value) for key, value in options.items()}
    model = None
    if simulator is not None:
        if isinstance(simulator, (_core.Mdp, Ensemble, programs())):
            if any(name == known.name for known in cases()):
                raise InvalidArgument(f"simulator: case '{name}' brings its own")
            model = as_model(simulator)
        else:
            texts["simulator"] = path_of("simulator", simulator)
    return _core.compare_case(name, model, units, texts, own, asked, report, workers)


def _in_own_world(
    world: Any,
    simulator: ModelLike | None,
    units: int | None,
    own: list[tuple[str, Any, bool]],
    oracle: OracleLike | None,
    asked: _core.Asked,
    horizon_and_seed: tuple[int, int],
    report: Report | None,
    workers: Workers | None,
) -> _core.Comparison:
    if simulator is None:
        raise InvalidArgument("simulator: a world of your own needs the model that planners are given")
    model = as_model(simulator)
    if oracle is not None and any(name == "oracle" for name, _, _ in own):
        raise InvalidArgument("oracle: there is one among the planners already")
    best: _core.Mdp | NDArray[np.int32] | None = None
    if isinstance(oracle, _core.Mdp):
        best = oracle
    elif isinstance(oracle, programs()):
        if oracle.parameters:
            raise InvalidArgument("oracle: the program has parameters that are not known: give simulator.model(theta)")
        best = as_model(oracle)
    elif callable(oracle):
        own = [*own, ("oracle", oracle, bool(getattr(oracle, "uses_horizon", False)))]
    elif oracle is not None:
        best = _planners._whole(cast("ArrayLike", oracle), "oracle")
    truth = worlds.as_truth(world, model)
    try:
        check_replay(truth, model, 20 if units is None else units, *horizon_and_seed)
        return _core.compare_world(truth.name, truth, model, units, own, best, asked, report, workers)
    finally:
        truth.close()


def _text_of(value: Any) -> str:
    """An option's value as the command line would have it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(_text_of(part) for part in value)
    if isinstance(value, (int, float, np.integer, np.floating)):
        return repr(value.item() if isinstance(value, np.generic) else value)
    return str(value)


def merge(
    folders: Sequence[str | os.PathLike[str]], *, out: str | os.PathLike[str] | None = None
) -> Comparison:
    """Joins the results of all shards of a comparison.

    :param folders: the ``out`` folders of all shards.
    :param out: a folder to write them to, together.
    """
    if isinstance(folders, (str, bytes, os.PathLike)) or not isinstance(folders, Iterable):
        raise InvalidArgument(f"folders: expected a list of the folders of all shards, but got {folders!r}")
    parts = [path_of("folders: each", folder) for folder in folders]
    return Comparison(_core.merge(parts, "" if out is None else path_of("out", out)))
