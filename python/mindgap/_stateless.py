"""Whether to experiment where there is no state."""

from __future__ import annotations

from typing import Any, Sequence

from . import _core
from ._inputs import maybe, real, text, whole
from ._result import Result


class Stateless(Result):
    """Whether to experiment, and on how many units. ``to_frame()`` has one row per action, or one row for two
    actions in closed form; ``to_dict()`` has all numbers."""

    __slots__ = ()

    @property
    def verdict(self) -> str:
        """``"experiment"`` or ``"deploy"``."""
        return str(self.to_dict()["verdict"])

    @property
    def best_units(self) -> int | list[int]:
        """How many units to experiment on; for several actions how many take each."""
        found: dict[str, Any] = self.to_dict()
        if "actions" in found:
            return [int(action["units"]) for action in found["actions"]]
        return int(found["best_units"])

    @property
    def value(self) -> float:
        """What the best experiment is worth over deploying the favoured action."""
        found: dict[str, Any] = self.to_dict()
        return float(found["gain"] if "actions" in found else found["value"])

    def _table(self) -> _core.Table:
        table: _core.Table = self._core._actions()
        return table


def _reals(name: str, values: Sequence[float] | None) -> list[float]:
    return [] if values is None else [real(name, value) for value in values]


def stateless(
    *,
    units: int,
    variance: float,
    discount: float = 1,
    lead: float | None = None,
    sd: float | None = None,
    means: Sequence[float] | None = None,
    sds: Sequence[float] | None = None,
    actions: Sequence[str] | None = None,
) -> Stateless:
    """Whether to experiment where there is no state, two periods: the threshold and the best number of units
    (``lead`` and ``sd``, two actions), or the best split over several actions (``means`` and ``sds``).

    >>> mindgap.stateless(units=100, lead=0.5, sd=1, variance=1).best_units
    14

    :param units: units in each of the two periods.
    :param variance: of one unit's outcome.
    :param discount: of the second period.
    :param lead: by how much the favoured action is believed to be better per unit.
    :param sd: the standard deviation of that.
    :param means: the believed mean outcome of each of several actions.
    :param sds: the standard deviations of those.
    :param actions: names of those actions.
    """
    core = _core.stateless(
        whole("units", units),
        real("variance", variance),
        real("discount", discount),
        maybe("lead", lead),
        maybe("sd", sd),
        _reals("means", means),
        _reals("sds", sds),
        [] if actions is None else [text("actions", name) for name in actions],
    )
    return Stateless(core)
