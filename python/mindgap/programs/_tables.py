"""Tables of a program: one for each set of parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._inputs import real, whole
from .._progress import Report
from .._result import tell
from ..errors import InvalidArgument
from ._calls import Caller, Steps, Theta, results_of
from ._grid import Grid

if TYPE_CHECKING:
    from concurrent.futures import Executor

_AGAIN = 16  # calls that are repeated with other random numbers


class Tables:
    """Makes tables of a program on a grid.

    :param starts: states in which it starts; None: anywhere.
    :param pictured: the axes of maps; empty: the first two where there are no more.
    """

    def __init__(
        self,
        caller: Caller,
        grid: Grid,
        action_names: Sequence[str],
        discount: float,
        starts: NDArray[np.float64] | None,
        pictured: Sequence[int],
        threads: int,
    ) -> None:
        self._caller, self._grid, self._action_names = caller, grid, list(action_names)
        self._discount, self._starts, self._pictured = discount, starts, list(pictured)
        self._threads = whole("threads", threads, 0, 4096)

    def one(self, theta: Theta, report: Report | None = None) -> tuple[_core.Tabulated, Steps]:
        """The table of one set of parameters, and the steps it was made of."""
        total = self._caller.calls(self._grid.corners)
        tick = None if report is None else lambda done: report("tabulating", done, total)
        steps = self._caller.steps(self._grid.states, theta, tick)
        return self._table(steps), steps

    def all(
        self, thetas: Sequence[Theta], executor: Executor | None, report: Report | None
    ) -> list[_core.Tabulated]:
        """One after the other. Says first how many calls there will be and how long they take."""
        calls = len(thetas) * self._caller.calls(self._grid.corners)
        what = "tabulating"
        if report is not None:
            seconds = self._caller.seconds_per_call(self._grid.states, thetas[0]) * calls
            what = f"tabulating {len(thetas)} members ({calls:,} calls, about {_duration(seconds)} on one core)"
            report(what, 0, len(thetas))
        tables = []
        for done, steps in enumerate(_all_steps(self._caller, self._grid.states, thetas, executor), start=1):
            tables.append(self._table(steps))
            if done == 1:
                self.note_of_luck(steps, thetas[0])
            if report is not None:
                report(what, done, len(thetas))
        return tables

    def _table(self, steps: Steps) -> _core.Tabulated:
        return _core.tabulate(
            self._grid._core,
            steps.next_state.reshape(-1),
            steps.reward.reshape(-1),
            steps.ends,
            self._discount,
            self._action_names,
            self._caller.samples,
            None if self._starts is None else self._starts.reshape(-1),
            self._pictured,
            False,
            self._threads,
        )

    def note_of_luck(self, steps: Steps, theta: Theta) -> None:
        """Says where a single draw stands for a random program."""
        if self._caller.samples > 1:
            return
        random = steps.random
        if not random:  # it may draw from somewhere else
            corners = np.linspace(0, self._grid.corners - 1, _AGAIN).astype(int)
            again = self._caller.steps(np.ascontiguousarray(self._grid.states[corners]), theta)
            first = steps.next_state[corners], steps.reward[corners]
            random = not (np.array_equal(again.next_state, first[0]) and np.array_equal(again.reward, first[1]))
        if random:
            tell(
                [
                    "step draws random numbers, but samples=1: each row of the model is a single draw, and chance "
                    "looks like structure. Give more samples"
                ]
            )


def check_calls(caller: Caller, corners: int, members: int, max_calls: float) -> None:
    calls = members * caller.calls(corners)
    if calls > real("max_calls", max_calls):
        tables = f"{members} members x " if members > 1 else ""
        raise InvalidArgument(
            f"{tables}{corners:,} corners x {len(caller.actions)} actions x {caller.samples} samples are "
            f"{calls:,} calls of step, more than max_calls = {max_calls:,.0f}: take fewer points, or say more calls"
        )


def left_of(table: _core.Tabulated | _core.Sampled, grid: Grid) -> dict[str, tuple[float, float]]:
    """By axis: the shares of steps that left the grid below and above."""
    return {name: (table.below[a], table.above[a]) for a, name in enumerate(grid.names)}


def _all_steps(
    caller: Caller, states: NDArray[np.float64], thetas: Sequence[Theta], executor: Executor | None
) -> Iterator[Steps]:
    if executor is None:
        for theta in thetas:
            yield caller.steps(states, theta)
        return
    yield from results_of(executor, caller.steps, [(np.array(states), theta) for theta in thetas])


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{max(seconds, 0.1):.2g} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
