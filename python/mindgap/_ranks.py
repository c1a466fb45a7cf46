"""A model that several processes of MPI solve together, each with its part of the states."""

from __future__ import annotations

import math
import os
import sys
from typing import Any

from . import _core
from ._inputs import limit_of, path_of, real, whole
from ._progress import Progress, Report
from ._solved import Solved
from .errors import Error, InvalidArgument


class RanksSolution(Solved):
    """The optimal value and a policy of a model that several processes have solved together: ``value`` and ``policy``
    are about the states of this process, all other numbers about the whole model. They are the same in all processes."""

    __slots__ = ()

    @property
    def rank(self) -> int:
        """The number of this process, from 0."""
        return int(self._core.rank)

    @property
    def ranks(self) -> int:
        """How many processes there are."""
        return int(self._core.ranks)

    @property
    def states(self) -> int:
        """Of the whole model."""
        return int(self._core.states)

    @property
    def first_state(self) -> int:
        """The state that ``value[0]`` and ``policy[0]`` are about; the others follow."""
        return int(self._core.first_state)

    @property
    def policy_loss_bound(self) -> float:
        """Following the policy loses at most this."""
        return float(self._core.policy_loss_bound)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"

    def write_policy(self, path: str | os.PathLike[str]) -> None:
        """Writes the policy of all states as CSV: state,action,probability. Every process must call it; the first one
        writes."""
        if not self._core._write_policy(path_of("path", path)):
            raise Error(_ELSEWHERE)


_ELSEWHERE = "another process failed, and says why"


def _end_together() -> None:
    """A process that ends with an exception ends the others, which would wait for it forever."""
    before = sys.excepthook
    if getattr(before, "ends_ranks", False):
        return

    def hook(kind: Any, error: Any, trace: Any) -> None:
        before(kind, error, trace)
        _core.give_up_ranks()

    setattr(hook, "ends_ranks", True)
    sys.excepthook = hook


def solve_on_ranks(
    model: object,
    discount: float | None,
    tolerance: float,
    max_iterations: int,
    time_limit: float | None,
    progress: bool | Report | None,
) -> RanksSolution:
    """What ``solve(engine="petsc")`` does."""
    if not isinstance(model, (str, os.PathLike)):
        raise InvalidArgument(f"engine='petsc' wants the path of an HDF5 file, but model is {model!r}")
    limit = limit_of(time_limit)
    _end_together()
    with Progress(progress) as report:
        core = _core.solve_on_ranks(
            path_of("model", model),
            None if discount is None else real("discount", discount),
            real("tolerance", tolerance),
            whole("max_iterations", max_iterations, 1),
            math.inf if limit is None else limit,
            report,
        )
    if core.failed_elsewhere:
        raise Error(_ELSEWHERE)
    return RanksSolution(core)
