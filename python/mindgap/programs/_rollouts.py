"""Plans followed in a program for many draws of its parameters: where no table can be made."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._inputs import path_of, seed_of, text, whole
from .._progress import Progress, Report
from ..errors import InvalidArgument, StoreError
from ._calls import results_of
from ._parameters import Parameters, ParametersLike

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import pandas

Simulate = Callable[[Mapping[str, float], Any, np.random.Generator], Any]

_CHUNKS = 64  # tasks for an executor
_WANTED = "the plan's worth, or (worth, data) with data a dict of numbers"


class Rollouts:
    """What plans were worth in sampled models, one row per sampled model."""

    def __init__(
        self,
        parameters: dict[str, NDArray[np.float64]],
        plans: Sequence[str],
        values: NDArray[np.float64],
        data: dict[str, NDArray[np.float64]],
    ) -> None:
        self._parameters, self._plans, self._values, self._data = parameters, list(plans), values, data

    @property
    def plans(self) -> list[str]:
        """Their names."""
        return list(self._plans)

    @property
    def values(self) -> NDArray[np.float64]:
        """What each plan was worth: [sampled model, plan]."""
        return self._values

    @property
    def parameters(self) -> dict[str, NDArray[np.float64]]:
        """The parameters of each sampled model, by name."""
        return dict(self._parameters)

    @property
    def data(self) -> dict[str, NDArray[np.float64]]:
        """What an experiment would have shown in each sampled model, by ``plan.name``."""
        return dict(self._data)

    @property
    def best(self) -> str:
        """The plan with the highest mean."""
        return self._plans[int(self._values.mean(axis=0).argmax())]

    @property
    def columns(self) -> dict[str, NDArray[np.float64]]:
        """All of it as a table: parameters, the worth of each plan, data."""
        worth = {name: self._values[:, i] for i, name in enumerate(self._plans)}
        return {**self._parameters, **worth, **self._data}

    def to_frame(self) -> pandas.DataFrame:
        """The table as a DataFrame."""
        import pandas

        return pandas.DataFrame(self.columns)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the table as CSV, whole or not at all."""
        target = path_of("path", path)
        columns = self.columns
        lines = [",".join(_quoted(name) for name in columns)]
        lines += [",".join(repr(float(number)) for number in row) for row in zip(*columns.values())]
        partial = f"{target}.partial"
        try:
            with open(partial, "w", encoding="utf-8", newline="") as file:
                file.write("\n".join(lines) + "\n")
            os.replace(partial, target)
        except OSError as error:
            if os.path.exists(partial):
                os.unlink(partial)
            raise StoreError(f"{target}: cannot write: {error.strerror}") from error

    def __len__(self) -> int:
        return len(self._values)

    def __str__(self) -> str:
        best = self._plans.index(self.best)
        width = max(len("plan"), *(len(name) for name in self._plans))
        lines = [f"{len(self)} sampled models", f"{'plan':<{width}}  {'value':>12}  {'+-':>9}  {'to the best':>12}  {'+-':>9}"]
        for i, name in enumerate(self._plans):
            mean, error = _mean(self._values[:, i])
            apart, spread = _mean(self._values[:, i] - self._values[:, best])
            lines.append(f"{name:<{width}}  {mean:>12.6g}  {error:>9.2g}  {apart:>12.6g}  {spread:>9.2g}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<mindgap.Rollouts of {len(self._plans)} plans in {len(self)} sampled models, best: {self.best}>"


def rollouts(
    simulate: Simulate,
    parameters: ParametersLike,
    plans: Sequence[str] | Mapping[str, Any],
    worlds: int | None = None,
    executor: Executor | None = None,
    *,
    seed: int = 42,
    progress: bool | Report | None = None,
) -> Rollouts:
    """Follows plans of your own in your own program, for many draws of what is not known about it. No state is
    tabulated, so the program may be anything: this is for simulators with more than five or six axes.

    :param simulate: ``simulate(theta, plan, rng)`` follows one plan from beginning to end and gives its worth, or
        ``(worth, data)``, with ``data`` a dict of what an experiment would have shown. ``theta`` is a dict of the
        parameters; ``rng`` a :class:`numpy.random.Generator`, the same for every plan in a sampled model: if all luck comes
        from it, plans are compared with common random numbers.
    :param parameters: what is not known, as ``{"mass": mindgap.Uniform(.5, 2)}`` (a Latin hypercube is drawn), or a
        table of draws with a column per parameter and perhaps ``weight``.
    :param plans: names, which ``simulate`` is given; or a dict of names and what ``simulate`` is given for each.
    :param worlds: number of sampled models; without it 1,000, or all of the table.
    :param executor: of :mod:`concurrent.futures`, to simulate several sampled models at a time; ``simulate`` must be a function
        that it can send. The result does not depend on it.
    """
    if not callable(simulate):
        raise InvalidArgument(f"simulate must be a function of (theta, plan, rng), but is {simulate!r}")
    named = _plans(plans)
    known = Parameters(parameters)
    if not known.names:
        raise InvalidArgument("rollouts wants parameters that are not known, such as {'mass': mindgap.Uniform(0.5, 2)}")
    clash = sorted(set(named) & set(known.names))
    if clash:
        raise InvalidArgument(f"{clash[0]!r} is both a plan and a parameter: both are columns of the table")
    draws = _draws(known, worlds, seed_of(seed))
    task = _Task(simulate, tuple(named.items()), tuple(known.names), seed)
    found: list[_World] = []
    with Progress(progress) as report:
        for some in _run(task, draws, executor):
            found.extend(some)
            if report is not None:
                report("following plans in the program", len(found), len(draws))
    columns = {name: np.ascontiguousarray(draws[:, i]) for i, name in enumerate(known.names)}
    return Rollouts(columns, list(named), np.array([one.worth for one in found]), _data(found, set(columns) | set(named)))


@dataclass(frozen=True)
class _World:
    worth: list[float]
    data: dict[str, float]


@dataclass(frozen=True)
class _Task:
    """Sampled models, by number. Goes to other processes where ``simulate`` does."""

    simulate: Simulate
    plans: tuple[tuple[str, Any], ...]
    names: tuple[str, ...]
    seed: int

    def worlds(self, first: int, draws: NDArray[np.float64]) -> list[_World]:
        return [self._world(first + i, row) for i, row in enumerate(draws)]

    def _world(self, number: int, row: NDArray[np.float64]) -> _World:
        theta = dict(zip(self.names, map(float, row)))
        world = _World([], {})
        for name, plan in self.plans:
            where = f"simulate with the plan {name!r} in sampled model {number}, {theta},"
            rng = np.random.Generator(np.random.Philox(key=np.array([self.seed, 2], dtype=np.uint64), counter=[0, 0, number, 0]))
            try:
                given = self.simulate(dict(theta), plan, rng)
            except Exception as error:
                raise InvalidArgument(f"{where} raised {type(error).__name__}: {error}") from error
            worth, data = given if isinstance(given, tuple) and len(given) == 2 else (given, {})
            world.worth.append(_number(worth, f"{where} gave"))
            if not isinstance(data, Mapping):
                raise InvalidArgument(f"{where} gave {given!r}, but must give {_WANTED}")
            for key, value in data.items():
                world.data[f"{name}.{key}"] = _number(value, f"{where} gave the data {key!r},")
        return world


def _number(value: Any, what: str) -> float:
    try:
        found = float(value)
    except (TypeError, ValueError):
        raise InvalidArgument(f"{what} {value!r}, but must give {_WANTED}") from None
    if not math.isfinite(found):
        raise InvalidArgument(f"{what} {found}, but must give finite numbers")
    return found


def _plans(given: Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        raise InvalidArgument(f"plans must be a list of names or a dict, but is {given!r}")
    items = list(given.items()) if isinstance(given, Mapping) else [(name, name) for name in given]
    if not items:
        raise InvalidArgument("plans is empty, expected one plan at least")
    named: dict[str, Any] = {}
    for name, plan in items:
        if text("plans: a name", name) in named:
            raise InvalidArgument(f"plans: {name!r} is there twice")
        named[name] = plan
    return named


def _draws(known: Parameters, worlds: int | None, seed: int) -> NDArray[np.float64]:
    """One row of parameters per sampled model. Of a table with weights, rows as often as their weight says."""
    size = None if worlds is None else whole("worlds", worlds, 1, 10**9)
    if not known.is_table:
        return known.draws(1000 if size is None else size, seed)[0]
    draws, weights = known.draws(None, seed)
    if weights is None and size in (None, len(draws)):
        return draws
    count = len(draws) if size is None else size
    shares = np.full(len(draws), 1 / len(draws)) if weights is None else weights
    rng = np.random.Generator(np.random.Philox(key=np.array([seed, 3], dtype=np.uint64)))
    places = (np.arange(count) + rng.random()) / count  # systematic resampling
    rows: NDArray[np.float64] = draws[np.searchsorted(np.cumsum(shares) / shares.sum(), places, side="right").clip(0, len(draws) - 1)]
    return rows


def _run(task: _Task, draws: NDArray[np.float64], executor: Executor | None) -> Iterator[list[_World]]:
    size = 1 if executor is None else -(-len(draws) // _CHUNKS)
    firsts = range(0, len(draws), size)
    if executor is None:
        for first in firsts:
            yield task.worlds(first, draws[first : first + size])
        return
    yield from results_of(executor, task.worlds, [(first, draws[first : first + size]) for first in firsts])


def _data(found: Sequence[_World], taken: set[str]) -> dict[str, NDArray[np.float64]]:
    names = list(found[0].data)
    for number, one in enumerate(found):
        if one.data.keys() != found[0].data.keys():
            apart = sorted(one.data.keys() ^ found[0].data.keys())[0]
            raise InvalidArgument(f"simulate gave the data {apart!r} in one of the sampled models 0 and {number}, but not in the other")
    for name in names:
        if name in taken:
            raise InvalidArgument(f"the data {name!r} has the name of a plan or parameter")
    return {name: np.array([one.data[name] for one in found]) for name in names}


def _mean(values: NDArray[np.float64]) -> tuple[float, float]:
    spread = float(values.std(ddof=1)) if len(values) > 1 else math.nan
    return float(values.mean()), spread / math.sqrt(len(values))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if any(c in name for c in ',"\r\n') else name
