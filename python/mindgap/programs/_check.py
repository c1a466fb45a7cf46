"""How wrong a grid is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._inputs import whole
from ..errors import InvalidArgument
from ._calls import Random
from ._model import Program
from ._policy import GridPolicy

if TYPE_CHECKING:
    from .._solve import Solution
    from ._simulator import Simulator

_REST = 1e-4  # of the discounted return that may be left out
_MOST = 100_000  # steps of an episode, where nothing is said


@dataclass(frozen=True)
class GridCheck:
    """What :meth:`mindgap.Simulator.check` found."""

    #: The solved value at the states in which the episodes started.
    solved: float
    #: The mean discounted return of the policy in the program itself.
    returned: float
    #: Of ``returned - solved``, at 95 %.
    interval: tuple[float, float]
    #: The change of the solved value where each axis has every second point only.
    differences: dict[str, float]
    #: The same with every second point of all axes.
    difference: float
    episodes: int
    #: Shares of steps of these episodes that lay outside the grid.
    outside: float
    #: Whether the return lies within twice the difference of the solved value, or cannot be told from it.
    fine: bool
    verdict: str

    @property
    def extrapolated(self) -> float:
        """The value that points without end would give, if the error falls with the square of their distance
        (Richardson)."""
        return self.solved + self.difference / 3

    def to_dict(self) -> dict[str, Any]:
        return {
            "solved": self.solved,
            "returned": self.returned,
            "interval": list(self.interval),
            "differences": dict(self.differences),
            "difference": self.difference,
            "extrapolated": self.extrapolated,
            "episodes": self.episodes,
            "outside": self.outside,
            "fine": self.fine,
            "verdict": self.verdict,
        }

    def __str__(self) -> str:
        lines = [
            f"Solved value at the start: {self.solved:.5g}",
            f"Return in the program itself: {self.returned:.5g} over {self.episodes} episodes (return minus value "
            f"{self.returned - self.solved:.3g}, 95 % interval {self.interval[0]:.3g} to {self.interval[1]:.3g})",
            "With every second point the value changes by",
        ]
        lines += [f"  {name}: {change:.3g}" for name, change in self.differences.items()]
        lines.append(f"  all axes: {self.difference:.3g}")
        if self.outside > 0:
            lines.append(f"{100 * self.outside:.2g} % of the steps lay outside the grid")
        return "\n".join([*lines, self.verdict])


def check(
    simulator: Simulator, program: Program, solution: Solution, episodes: int, steps: int | None, seed: int
) -> GridCheck:
    """See :meth:`mindgap.Simulator.check`."""
    if len(program.thetas) > 1:
        raise InvalidArgument("the grid is checked for one set of parameters: solve simulator.model(theta)")
    theta = program.thetas[0]
    if steps is None:
        discount = solution.model.discount
        steps = _MOST if discount == 1 else min(_MOST, 1 + math.ceil(math.log(_REST) / math.log(max(discount, 1e-9))))
    followed = _Followed(simulator, program, solution, episodes, whole("steps", steps, 1, 10**9), seed)
    value = followed.values(simulator, solution.value)
    differences = {}
    for axis in range(simulator.grid.dimension):
        coarse = simulator.on(simulator.grid.coarser(axis))
        differences[simulator.grid.names[axis]] = _change(coarse, theta, solution, followed, value)
    all_axes = _change(simulator.on(simulator.grid.coarser()), theta, solution, followed, value)
    gap = followed.returns - value
    half = 1.959963984540054 * float(np.std(gap, ddof=1)) / math.sqrt(episodes)
    low, high = float(np.mean(gap)) - half, float(np.mean(gap)) + half
    allowed = 2 * abs(all_axes)
    fine = low <= allowed and high >= -allowed
    return GridCheck(
        solved=float(np.mean(value)),
        returned=float(np.mean(followed.returns)),
        interval=(low, high),
        differences=differences,
        difference=all_axes,
        episodes=episodes,
        outside=followed.outside,
        fine=fine,
        verdict=_verdict(fine, float(np.mean(gap)), allowed, differences),
    )


def _verdict(fine: bool, gap: float, allowed: float, differences: dict[str, float]) -> str:
    axis = max(differences, key=lambda name: abs(differences[name]))
    if fine:
        return (
            f"The grid is fine enough for this: the program returns the solved value within {allowed:.3g} (twice the "
            f"change with every second point). Axis {axis} matters most."
        )
    than = "less" if gap < 0 else "more"
    return (
        f"The grid is too coarse: the program returns {abs(gap):.3g} {than} than the solved value, beyond {allowed:.3g} "
        f"(twice the change with every second point). Axis {axis} matters most: give it more points first."
    )


def _change(
    coarse: Simulator, theta: Any, solution: Solution, followed: _Followed, value: NDArray[np.float64]
) -> float:
    from .._solve import solve

    model = coarse.model(theta, progress=False).with_discount(solution.model.discount)
    return float(np.mean(value - followed.values(coarse, solve(model, progress=False).value)))


class _Followed:
    """Episodes of the policy in the program."""

    def __init__(
        self, simulator: Simulator, program: Program, solution: Solution, episodes: int, steps: int, seed: int
    ) -> None:
        random = Random(seed)
        starts = simulator._starts(episodes, random.at(0, 2**62))
        if starts is None:
            starts = simulator.grid.states[random.at(1, 2**62).integers(simulator.grid.corners, size=episodes)]
        elif len(starts) != episodes:
            starts = starts[np.arange(episodes) % len(starts)]
        self.starts = np.ascontiguousarray(starts)
        policy = GridPolicy(solution.model, program, solution.value)
        discount, grid = solution.model.discount, simulator.grid
        lows = np.array([-math.inf if p else points[0] for points, p in zip(grid.points, grid.periodic)])
        highs = np.array([math.inf if p else points[-1] for points, p in zip(grid.points, grid.periodic)])
        self.returns = np.zeros(episodes)
        taken = outside = 0
        for episode in range(episodes):
            state, factor = self.starts[episode], 1.0
            for step in range(steps):
                at = int(np.argmax(policy.action_values(state)))
                rng = random.at(1 + step, episode)
                state, reward, over = _one(simulator, state, at, program.thetas[0], rng)
                self.returns[episode] += factor * reward
                factor *= discount
                taken += 1
                if over:
                    break
                outside += bool(np.any((state < lows) | (state > highs)))
            else:  # what comes after the last step is worth what the table says
                self.returns[episode] += factor * policy.value(state)
        self.outside = outside / taken

    def values(self, simulator: Simulator, value: NDArray[np.float64]) -> NDArray[np.float64]:
        """Interpolated at the starts."""
        return np.array(_core.values_at(simulator.grid._core, np.ascontiguousarray(value), self.starts.reshape(-1)))


def _one(
    simulator: Simulator, state: NDArray[np.float64], action: int, theta: Any, rng: np.random.Generator
) -> tuple[NDArray[np.float64], float, bool]:
    """One step of the program."""
    caller = simulator._caller
    given = state[None] if caller.vectorized else state
    result = caller.step(given, caller.actions[action], theta, rng)
    next_state = np.asarray(result[0], dtype=np.float64).reshape(-1)
    over = len(result) == 3 and bool(np.all(result[2]))
    if not over and caller.terminal is not None:
        over = bool(np.all(caller.terminal(next_state[None] if caller.vectorized else next_state)))
    return next_state, float(np.asarray(result[1]).reshape(-1)[0]), over
