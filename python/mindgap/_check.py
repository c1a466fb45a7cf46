"""Is a model well formed, and what is in it?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._result import ModelResult
from ._solve import ModelLike, as_model


class Findings(ModelResult):
    """What is in a well formed model, and what looks odd in it. States are numbers here; ``to_frame()`` has
    their names."""

    __slots__ = ()

    @property
    def reachable_states(self) -> int:
        """How many states some choice of actions reaches from the start."""
        return int(self.model.states - len(self.unreachable))

    @property
    def unreachable(self) -> NDArray[np.int32]:
        """The states that no actions reach from the start."""
        found: NDArray[np.int32] = self._core.unreachable
        return found

    @property
    def components(self) -> int:
        """How many strongly connected components the states form."""
        return int(self._core.components)

    @property
    def closed_components(self) -> int:
        """How many of them are never left again."""
        return int(self._core.closed_components)

    @property
    def absorbing(self) -> NDArray[np.int32]:
        """The states that every action leaves unchanged."""
        found: NDArray[np.int32] = self._core.absorbing
        return found

    @property
    def warnings(self) -> list[str]:
        """What looks odd, in sentences."""
        return list(self._core.warnings)

    def _headline(self) -> str:
        return f"well formed, warnings: {len(self.warnings)}"

    def _table(self) -> _core.Table:
        """state, reachable, absorbing, component (transitions lead to the same or a lower number), closed (it
        is never left): one row per state."""
        table: _core.Table = self._core._states()
        return table


def check(model: ModelLike) -> Findings:
    """Is this model well formed, and what is in it? What is wrong in a file raises
    :class:`mindgap.InvalidModel`; a :class:`mindgap.Mdp` is always well formed. What only looks odd is in
    ``warnings``."""
    return Findings(_core.check(as_model(model)))
