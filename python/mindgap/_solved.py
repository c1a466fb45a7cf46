"""What every solution of a model has, however it was found."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._result import Result


class Solved(Result):
    """The numbers of a solution, with certified bounds."""

    __slots__ = ()

    @property
    def value_at_start(self) -> float:
        """The value of the policy from the start distribution."""
        return float(self._core.value_at_start)

    @property
    def bounds(self) -> tuple[float, float]:
        """Certified, around ``value_at_start``."""
        low, high = self._core.bounds
        return low, high

    @property
    def half_width(self) -> float:
        """No state's optimal value is further from ``value`` than this."""
        return float(self._core.half_width)

    @property
    def value(self) -> NDArray[np.float64]:
        """The optimal value of each state (with a horizon: at the first step)."""
        found: NDArray[np.float64] = self._core.value
        return found

    @property
    def policy(self) -> NDArray[np.int32]:
        """The action of each state; with a horizon, of each step and state."""
        found: NDArray[np.int32] = self._core.policy
        return found

    @property
    def status(self) -> str:
        """``converged``, or why the bounds are wider than asked."""
        return str(getattr(self._core, "status", "converged"))

    @property
    def iterations(self) -> int:
        return int(getattr(self._core, "iterations", 0) or getattr(self._core, "steps", 0))

    @property
    def seconds(self) -> float:
        return float(self._core.seconds)

    def _headline(self) -> str:
        return f"value {self.value_at_start:.6g} within {self.half_width:.2g} from the start, {self.status}"

    def _table(self) -> _core.Table:
        """state, action, value: one row per state (with a horizon: at the first step)."""
        table: _core.Table = self._core._states()
        return table
