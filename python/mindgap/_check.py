"""Is a model well formed, and what is in it?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._inputs import seed_of, threads_of, whole
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
    def notes(self) -> list[str]:
        """What the prior takes as known or caps although nobody said so, in sentences."""
        return list(self._core.notes)

    @property
    def prior_implies(self) -> dict[str, Any] | None:
        """What the prior implies: the value of the best policy in models sampled from it (``best``,
        ``best_range``) and in the simulator (``simulator_best``), the share of mean rewards outside what was
        ever shown, and the pairs that carry most of the difference. None where the model states no prior."""
        found: dict[str, Any] | None = self.to_dict()["prior_implies"]
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


def check(model: ModelLike, *, draws: int = 64, seed: int = 42, threads: int = 0) -> Findings:
    """Is this model well formed, and what is in it? What is wrong in a file raises
    :class:`mindgap.InvalidModel`; a :class:`mindgap.Mdp` is always well formed. What only looks odd is in
    ``warnings``.

    :param draws: models sampled to show what the prior implies, where the model states one; 0: none.
    """
    model = as_model(model)
    return Findings(
        _core.check(model, whole("draws", draws, 0, 1_000_000), seed_of(seed), threads_of(threads))
    )
