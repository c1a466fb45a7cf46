"""Whether a grid is fine enough to weigh the members of an ensemble by a log."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
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

_FITTED = 256  # steps of the log, evenly spaced, by which members are compared
_SAMPLES = 8  # of a random program, each step: enough to tell members apart
_EXACT = 1e-9  # of a number's scale: smaller errors are none
_WORSE = 1.5  # so many times as far from the log as those of the best member, steps are surely worse
_NOTHING = 1e-12  # of a parameter's range: differences below are rounding
_SPREADS = 2.0  # standard deviations of the weighed members that the right value may be away from their mean
_SPREADS_OF_RANDOM = 3.0  # the same where chance moves the mean, too

Numbers = NDArray[np.float64]


def misled(program: Program, seen: Seen, weights: Numbers, weigh: Callable[[Seen], Numbers]) -> list[str]:
    """Says which parameters the grid gets wrong, as warnings. The truth is not known, but the program is at hand, and two
    questions are asked of it.

    Which member fits the log best by the program's own steps from the log's own states? A grid that is sure of members
    whose steps are further from the log by half is wrong. (Members that fit nearly alike, as where the truth lies between
    them, are no matter of the grid.)

    Does the grid find that member again, where the program makes a log with it from the same states with the same
    actions? If not, the error is the grid's, or that of too few samples: the first question says nothing of programs
    whose luck is larger than what members differ by.

    :param weights: of the members, after the log.
    :param weigh: the weights of the members after other steps.
    """
    simulator = program.simulator
    if simulator is None or len(program.thetas) < 2 or not program.thetas[0]:
        return []
    try:
        errors = _log_errors(simulator, program, seen)
        best = int(np.argmin(errors))
        made = _steps(simulator, program.thetas[best], seen, 1)
    except InvalidArgument as error:
        return [f"whether the grid is fine enough for this log could not be checked: {error}"]
    worse = math.exp(min(100.0, float(weights @ errors - errors[best])))
    if worse >= _WORSE:
        found = [
            f"the grid is too coarse to weigh {name} by this log: it is weighed to {name} = {mean:.4g} plus or minus "
            f"{spread:.2g}, but the program's own steps are nearest to the log with {name} = {right:.4g}{_further(worse)}. "
            "Give the grid more points, or state a larger discrepancy"
            for name, right, mean, spread in _missed(program, best, weights, _SPREADS)
        ]
        if found:
            return found
    again = Seen(
        seen.state,
        seen.action,
        np.where(np.isnan(seen.reward), np.nan, made.reward[:, 0]),
        np.where(np.isnan(seen.next_state), np.nan, made.next_state[:, 0]),
        made.terminated[:, 0],
    )
    more = "more points and the simulator more samples" if made.random else "more points"
    return [
        f"the grid is too coarse to weigh {name} by this log: a log that the program itself makes with {name} = "
        f"{right:.4g}, from the same states with the same actions, is weighed to {name} = {mean:.4g} plus or minus "
        f"{spread:.2g}. Give the grid {more}, or state a larger discrepancy"
        for name, right, mean, spread in _missed(
            program, best, weigh(again), _SPREADS_OF_RANDOM if made.random else _SPREADS
        )
    ]


def _missed(program: Program, member: int, weights: Numbers, allowed: float) -> Iterator[tuple[str, float, float, float]]:
    """Parameters of a member that the weighed mean is further away from than allowed, in its standard deviations: name,
    value, weighed mean, standard deviation."""
    for name, right in program.thetas[member].items():
        values = np.array([theta[name] for theta in program.thetas])
        mean = float(weights @ values)
        spread = math.sqrt(float(weights @ (values - mean) ** 2))
        if abs(mean - right) > allowed * spread + _NOTHING * float(np.ptp(values)):
            yield name, right, mean, spread


def _further(worse: float) -> str:
    return f", {worse:.2g} times as near" if worse < 100 else ""


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


def _log_errors(simulator: Simulator, program: Program, seen: Seen) -> Numbers:
    """How far each member's steps are from those of the log: the log of the root mean square error, mean over the numbers
    (reward, axes, ends) that members differ in."""
    rows = np.unique(np.linspace(0, len(seen.action) - 1, _FITTED).astype(int))
    some = Seen(*(np.ascontiguousarray(column[rows]) for column in _columns(seen)))
    found = []
    for theta in program.thetas:
        made = _steps(simulator, theta, some, min(simulator.samples, _SAMPLES))
        of_member = []
        for error, scale in _errors(simulator.grid, some, made):
            known = error[~np.isnan(error)]
            square = float(np.mean(known**2)) if known.size else 0.0
            of_member.append(math.log(square + (_EXACT * scale) ** 2) / 2)
        found.append(of_member)
    errors = np.array(found)
    differ = np.ptp(errors, axis=0) > _EXACT
    return np.asarray(errors[:, differ].mean(axis=1) if differ.any() else np.zeros(len(errors)))


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
    found.append((seen.terminated - made.terminated.mean(axis=1), 1.0))
    return found


def _columns(seen: Seen) -> tuple[Any, ...]:
    return seen.state, seen.action, seen.reward, seen.next_state, seen.terminated
