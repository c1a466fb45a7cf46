"""States and actions of a program, as it calls them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._inputs import text
from ..errors import InvalidArgument
from ._grid import Grid


class Space:
    """The grid over a program's states, its actions, and how observations become states.

    :param grid: over the states.
    :param actions: as the program calls them.
    :param action_names: what they are called in tables; without it as they print.
    :param state_of: gives the state that an observation shows, where that is something else.
    :param observed: the shape of observations. What has another shape, that of states, is taken for a state.
    """

    def __init__(
        self,
        grid: Grid,
        actions: Sequence[Any],
        action_names: Sequence[str] | None = None,
        state_of: Callable[[Any], ArrayLike] | None = None,
        observed: tuple[int, ...] | None = None,
    ) -> None:
        if not isinstance(grid, Grid):
            raise InvalidArgument(f"grid must be a mindgap.Grid, but is {grid!r}")
        if state_of is not None and not callable(state_of):
            raise InvalidArgument(f"state_of must be a function of an observation, but is {state_of!r}")
        self._grid = grid
        self._actions = _actions(actions)
        self._action_names = _action_names(self._actions, action_names)
        self._state_of = state_of
        self._observed = observed

    @property
    def grid(self) -> Grid:
        return self._grid

    @property
    def actions(self) -> list[Any]:
        """As the program calls them."""
        return list(self._actions)

    @property
    def action_names(self) -> list[str]:
        """As tables call them."""
        return list(self._action_names)

    def state_of(self, observation: Any) -> NDArray[np.float64]:
        """The state that an observation shows."""
        return self._state(observation)

    def _state(self, given: Any, what: str = "the state") -> NDArray[np.float64]:
        """A state, or what is observed in its place."""
        shape = np.shape(given)
        if self._state_of is not None and (shape == self._observed or shape != (self._grid.dimension,)):
            given = self._state_of(given)
        return self._grid.state(given, what)

    def _action_number(self, given: Any) -> int:
        for number, action in enumerate(self._actions):
            if _same(action, given):
                return number
        if isinstance(given, str) and given in self._action_names:
            return self._action_names.index(given)
        shown = ", ".join(self._action_names[:10]) + (", ..." if len(self._actions) > 10 else "")
        raise InvalidArgument(f"the simulator has no action {given!r}: it has {shown}")

    def _nearly(self, given: Any) -> int:
        """The same for numbers that went through a file or single precision."""
        for number, action in enumerate(self._actions):
            if np.size(action) == 1 and np.size(given) == 1 and _close(action, given):
                return number
        return self._action_number(given)


def _actions(given: Sequence[Any]) -> list[Any]:
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        raise InvalidArgument(f"actions must be a list, but is {given!r}")
    found = list(given)
    if not found:
        raise InvalidArgument("actions is empty, but a simulator needs one at least")
    return found


def _action_names(actions: Sequence[Any], given: Sequence[str] | None) -> list[str]:
    if given is None:
        names = [_printed(action) for action in actions]
        what = "actions: two of them are called"
    else:
        names = [text("action_names: a name", name) for name in given]
        what = "action_names: two of them are"
        if len(names) != len(actions):
            raise InvalidArgument(f"action_names has {len(names)} names, but there are {len(actions)} actions")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidArgument(f"{what} {twice!r}")
    return names


def _printed(action: Any) -> str:
    if isinstance(action, np.ndarray) and action.size == 1:
        action = action.reshape(-1)[0]
    if isinstance(action, (float, np.floating)):
        return f"{float(action):.6g}"
    return str(action.tolist() if isinstance(action, np.ndarray) else action)


def _same(action: Any, given: Any) -> bool:
    try:
        return bool(np.array_equal(action, given))
    except (TypeError, ValueError):
        return bool(action == given)


def _close(action: Any, given: Any) -> bool:
    """Numbers that went through a file or single precision."""
    try:
        one, other = float(np.reshape(action, ())), float(np.reshape(given, ()))
    except (TypeError, ValueError):
        return bool(action == given)
    return abs(one - other) <= 1e-6 * max(1.0, abs(one))
