"""Whether a grid is fine enough to weigh the members of an ensemble by a log."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidArgument
from ._calls import Theta
from ._grid import Grid
from ._log import Seen
from ._model import Program
from ._simulator import Simulator

_FITTED = 256  # steps of the log, evenly spaced, by which the member is chosen that fits it best
_SAMPLES = 8  # of a random program, each step: enough to tell members apart
_NOTHING = 1e-12  # of a parameter's range: differences below are rounding
_SPREADS = 2.0  # standard deviations of the weighed members that the right value may be away from their mean
_SPREADS_OF_RANDOM = 3.0  # the same where chance moves the mean, too

Numbers = NDArray[np.float64]


def misled(program: Program, seen: Seen, weigh: Callable[[Seen], Numbers]) -> list[str]:
    """Says which parameters the grid gets wrong, as warnings.

    The truth is not known, but the program is at hand. So the member that fits the log best by the program itself
    makes a log from the same states with the same actions, and that log is weighed on the grid. Where the weighed
    members then lie beyond their own spread from the values that made the log, the error is the grid's, and as large
    for the real log. (Whether the real truth lies between members is another question, which this does not mix in.)

    :param weigh: the weights of the members after such steps.
    """
    simulator = program.simulator
    if simulator is None or len(program.thetas) < 2 or not program.thetas[0]:
        return []
    try:
        best = _best_member(simulator, program, seen)
        made = _steps(simulator, program.thetas[best], seen, 1)
    except InvalidArgument as error:
        return [f"whether the grid is fine enough for this log could not be checked: {error}"]
    weights = weigh(
        Seen(
            seen.state,
            seen.action,
            np.where(np.isnan(seen.reward), np.nan, made.reward[:, 0]),
            np.where(np.isnan(seen.next_state), np.nan, made.next_state[:, 0]),
            made.terminated[:, 0],
        )
    )
    allowed = _SPREADS_OF_RANDOM if made.random else _SPREADS
    more = "more points and the simulator more samples" if made.random else "more points"
    found = []
    for name, right in program.thetas[best].items():
        values = np.array([theta[name] for theta in program.thetas])
        mean = float(weights @ values)
        spread = math.sqrt(float(weights @ (values - mean) ** 2))
        if abs(mean - right) > allowed * spread + _NOTHING * float(np.ptp(values)):
            found.append(
                f"the grid is too coarse to weigh {name} by this log: a log that the program itself makes with {name} = "
                f"{right:.4g}, from the same states with the same actions, is weighed to {name} = {mean:.4g} plus or "
                f"minus {spread:.2g}. Give the grid {more}, or state a larger discrepancy"
            )
    return found


@dataclass(frozen=True)
class _Made:
    """Steps of the program from the states of a log: [step, sample]."""

    next_state: Numbers
    reward: Numbers
    terminated: NDArray[np.uint8]
    random: bool


def _steps(simulator: Simulator, theta: Theta, seen: Seen, samples: int) -> _Made:
    size = len(seen.action)
    next_state = np.empty((size, samples, simulator.grid.dimension))
    reward, over = np.empty((size, samples)), np.empty((size, samples), dtype=np.uint8)
    random = False
    for number, action in enumerate(simulator._actions):
        rows = np.flatnonzero(seen.action == number)
        if not rows.size:
            continue
        caller = replace(simulator._caller, actions=[action], samples=samples)
        found = caller.steps(np.ascontiguousarray(seen.state[rows]), theta)
        next_state[rows], reward[rows], over[rows] = found.next_state[:, 0], found.reward[:, 0], found.terminated[:, 0]
        random = random or found.random
    return _Made(next_state, reward, over, random)


def _best_member(simulator: Simulator, program: Program, seen: Seen) -> int:
    """The member whose steps are nearest to those of the log, each number by the size of its own error: the likelihood
    of normal errors whose variances are not known, n / 2 log of the mean square of each."""
    rows = np.unique(np.linspace(0, len(seen.action) - 1, _FITTED).astype(int))
    some = Seen(*(np.ascontiguousarray(column[rows]) for column in _columns(seen)))
    misfit = np.zeros(len(program.thetas))
    for member, theta in enumerate(program.thetas):
        made = _steps(simulator, theta, some, min(simulator.samples, _SAMPLES))
        for error, scale in _errors(simulator.grid, some, made):
            known = ~np.isnan(error)
            if known.any():
                misfit[member] += known.sum() / 2 * np.log(np.mean(error[known] ** 2) + (1e-9 * scale) ** 2)
    return int(np.argmin(misfit))


def _errors(grid: Grid, seen: Seen, made: _Made) -> list[tuple[Numbers, float]]:
    """Of the reward, of each axis and of ends, with the scale of each."""
    alive = (seen.terminated == 0) & (made.terminated == 0).all(axis=1)
    found = [(seen.reward - made.reward.mean(axis=1), float(np.abs(made.reward).max()) or 1.0)]
    for axis, (_, points, period) in enumerate(grid._core.axes):
        error = seen.next_state[:, axis, None] - made.next_state[:, :, axis]
        if period > 0:
            error -= period * np.round(error / period)
        mean = np.where(alive, error.mean(axis=1), np.nan)
        found.append((mean, float(points[-1] - points[0])))
    if seen.terminated.any() or made.terminated.any():
        found.append((seen.terminated - made.terminated.mean(axis=1), 1e6))  # ends weigh, but a single one does not rule
    return found


def _columns(seen: Seen) -> tuple[Any, ...]:
    return seen.state, seen.action, seen.reward, seen.next_state, seen.terminated
