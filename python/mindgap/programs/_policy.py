"""Acting on states between corners."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._inputs import flag
from ._calls import Random
from ._model import Program

#: Members whose weight is below this share of the largest are not asked for a step ahead.
_NEGLIGIBLE = 1e-3


class GridPolicy:
    """What to do in any state of a program, by values at the corners of its grid.

    With ``lookahead``, one step of the program with each action, and the interpolated value of where it leads: the
    table is used from the second step on only. Without it the interpolated action values of the table; so, too, where
    the model was sampled by rollouts, as there is no step to call.
    """

    __slots__ = ("_discount", "_lookahead", "_members", "_model", "_program", "_random", "_simulator", "_value", "_weights")

    def __init__(
        self, model: _core.Mdp, program: Program, value: NDArray[np.float64], lookahead: bool = True
    ) -> None:
        self._model, self._program, self._value = model, program, np.ascontiguousarray(value)
        self._simulator = program.simulator
        self._lookahead = flag("lookahead", lookahead) and self._simulator is not None
        self._discount = model.discount
        kept = np.flatnonzero(program.weights >= _NEGLIGIBLE * program.weights.max())
        self._members = [program.thetas[i] for i in kept]
        weights = program.weights[kept] / program.weights[kept].sum()
        samples = 1 if self._simulator is None else self._simulator.samples
        self._weights = np.repeat(weights / samples, samples)
        self._weights /= self._weights.sum()
        self._random = Random(0)

    def action_values(self, state: Any) -> NDArray[np.float64]:
        """What each action is worth in a state, in the order of the simulator's actions."""
        space, simulator = self._program.space, self._simulator
        grid, place = space.grid._core, space._state(state)
        if simulator is None or not self._lookahead:
            return _core.action_values_at(grid, self._model, self._value, place)
        found = [simulator._caller.steps(place[None], theta) for theta in self._members]
        next_state = np.concatenate([one.next_state[0] for one in found], axis=1)
        reward = np.concatenate([one.reward[0] for one in found], axis=1)
        over = np.concatenate([one.terminated[0] for one in found], axis=1)
        return _core.lookahead(
            grid, self._value, self._discount, next_state.ravel(), reward.ravel(), over.ravel(), self._weights
        )

    def act(self, state: Any) -> Any:
        """The action for a state, as the simulator calls it."""
        return self._program.space._actions[int(np.argmax(self.action_values(state)))]

    def value(self, state: Any) -> float:
        """The interpolated value of a state."""
        space = self._program.space
        return float(_core.values_at(space.grid._core, self._value, space._state(state))[0])

    def __call__(self, state: Any) -> Any:
        return self.act(state)

    def __repr__(self) -> str:
        how = "one step of the program ahead" if self._lookahead else "interpolated action values"
        return f"<mindgap policy on {self._program.grid!r}, by {how}>"
