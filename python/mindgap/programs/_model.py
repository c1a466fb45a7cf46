"""Models that know the grid and the program they are tables of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidArgument
from ._calls import Theta
from ._grid import Grid

if TYPE_CHECKING:
    from ._simulator import Simulator
    from ._space import Space


@dataclass(frozen=True)
class Program:
    """What a table is of: a simulator at some values of its parameters, with weights; or steps that were seen of
    something that cannot be put into a state."""

    space: Space
    thetas: Sequence[Theta]
    weights: NDArray[np.float64]
    left: dict[str, tuple[float, float]]

    @property
    def grid(self) -> Grid:
        return self.space.grid

    @property
    def simulator(self) -> Simulator | None:
        """None where there is no step to call."""
        from ._simulator import Simulator

        return self.space if isinstance(self.space, Simulator) else None

    def weighed(self, weights: Any) -> Program:
        return replace(self, weights=np.array(weights, dtype=np.float64))


class GridModel(_core.Mdp):
    """The table of a program: its states are the corners of a grid, and perhaps ``end``. What
    :meth:`mindgap.Simulator.model` gives, and :meth:`mindgap.Mdp.from_gymnasium` with a grid; a :class:`mindgap.Mdp` in
    everything else."""

    _program: Program

    def __init__(self, model: _core.Mdp, program: Program) -> None:
        super().__init__(model)
        self._program = program

    @property
    def grid(self) -> Grid:
        """Whose corners the states are."""
        return self._program.grid

    @property
    def simulator(self) -> Simulator:
        """The program. A table of rollouts has none: there is no step to call."""
        found = self._program.simulator
        if found is None:
            raise InvalidArgument("the model was sampled by rollouts: there is no program that could be called")
        return found

    @property
    def theta(self) -> Theta:
        """The parameters it is tabulated for; of an ensemble the weighted means."""
        program = self._program
        if len(program.thetas) == 1:
            return dict(program.thetas[0])
        names = program.thetas[0]
        return {n: float(sum(w * t[n] for w, t in zip(program.weights, program.thetas))) for n in names}

    @property
    def left(self) -> dict[str, tuple[float, float]]:
        """By axis: the shares of steps that left the grid on its lower and its upper side, and were moved to the
        nearest face."""
        return dict(self._program.left)

    def _again(self, model: _core.Mdp) -> GridModel:
        return GridModel(model, self._program)

    def with_discount(self, discount: float) -> GridModel:
        return self._again(super().with_discount(discount))

    def with_start(self, start: Any) -> GridModel:
        return self._again(super().with_start(start))

    def with_reward(self, *args: Any, **words: Any) -> GridModel:
        return self._again(super().with_reward(*args, **words))

    def with_coverage(self, *args: Any, **words: Any) -> GridModel:
        return self._again(super().with_coverage(*args, **words))

    def with_variance(self, *args: Any, **words: Any) -> GridModel:
        return self._again(super().with_variance(*args, **words))

    def with_prior(self, *args: Any, **words: Any) -> GridModel:
        return self._again(super().with_prior(*args, **words))

    def with_shared(self, *args: Any, **words: Any) -> GridModel:
        return self._again(super().with_shared(*args, **words))

    def with_name(self, name: str) -> GridModel:
        return self._again(super().with_name(name))

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return GridModel, (_core.Mdp(self), self._program)


def program_of(model: Any) -> Program | None:
    """What a model is a table of; None where it is no program's."""
    return model._program if isinstance(model, GridModel) else None


def with_program(model: _core.Mdp, program: Program | None) -> _core.Mdp:
    """The model, which knows its program again after it went through the library."""
    return model if program is None else GridModel(model, program)
