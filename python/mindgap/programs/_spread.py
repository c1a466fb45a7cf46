"""Planners over states that are numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidArgument
from ..models._given import numbers
from ._calls import Random
from ._model import GridModel, Program


class Spread:
    """Between a planner, which knows corners, and a loop, which knows states."""

    def __init__(self, model: _core.Mdp, program: Program, units: int, seed: int, trial: int) -> None:
        self._model, self._space, self._units = model, program.space, units
        self._grid = program.grid._core
        self._random, self._trial = Random(seed), trial

    def takes(self, states: Any) -> bool:
        """Whether these are states of the program, not numbers or names of corners."""
        if isinstance(states, str):
            return False
        found = np.asarray(states)
        return found.dtype.kind == "f" or (found.dtype.kind in "iu" and found.ndim > 1)

    def corners(self, states: Any, step: int) -> NDArray[np.int32]:
        """A corner around each unit's state, drawn by weight; the same when asked again."""
        found = np.empty(self._units, dtype=np.int32)
        luck = self._random.at(self._trial, step).random(self._units)
        for unit, state in enumerate(self._states(states)):
            corner, weight = self._grid.weights(state)
            found[unit] = corner[min(np.searchsorted(np.cumsum(weight), luck[unit], side="right"), len(corner) - 1)]
        return found

    def actions(self, chosen: Any) -> list[Any]:
        """As the simulator calls them."""
        return [self._space._actions[int(action)] for action in chosen]

    def observe(
        self, core: _core.Planner, step: int, states: Any, actions: Any, rewards: Any, next_states: Any, ended: Any
    ) -> None:
        """Tells the planner what was seen, spread over corners."""
        done = [actions] if self._units == 1 and not isinstance(actions, (list, tuple)) else list(actions)
        if len(done) != self._units:
            raise InvalidArgument(f"actions: there are {len(done)}, but {self._units} units")
        core.observe_steps(
            step,
            self._model,
            self._grid,
            self._states(states).reshape(-1),
            np.array([self._space._action_number(action) for action in done], dtype=np.int32),
            np.atleast_1d(numbers("rewards", rewards)),
            self._states(next_states).reshape(-1),
            np.broadcast_to(np.asarray(ended, dtype=np.uint8), (self._units,)).copy(),
        )

    def _states(self, given: Any) -> NDArray[np.float64]:
        rows = [given] if self._units == 1 and np.ndim(given) == 1 else list(given)
        if len(rows) != self._units:
            raise InvalidArgument(f"states: there are {len(rows)}, but {self._units} units")
        return np.array([self._space._state(row) for row in rows])


def spread_over(model: _core.Mdp, units: int, seed: int, trial: int) -> Spread | None:
    """None where the model is no program's."""
    return Spread(model, model._program, units, seed, trial) if isinstance(model, GridModel) else None
