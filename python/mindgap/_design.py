"""Where to send the pilot, with a certificate of optimality, handed out as routes."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._inputs import (
    Sources,
    TableLike,
    flag,
    limit_of,
    path_of,
    real,
    seed_of,
    target_of,
    text,
    threads_of,
    whole,
)
from ._options import PilotOptions, limits_of, prior_of, refuse_others, takes
from ._progress import Progress, Report
from ._result import ModelResult, frame_of, tell
from ._solve import ModelLike, as_model, with_log

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack


class Design(ModelResult):
    """A pilot: who goes where, and how much less uncertain the target's value will be."""

    __slots__ = ()

    @property
    def pvv_before(self) -> float:
        """Variance of the target's value now."""
        return float(self._core.pvv_before)

    @property
    def pvv_after(self) -> float:
        """After the optimal pilot, in expectation."""
        return float(self._core.pvv_after)

    @property
    def pvv_after_rounding(self) -> float:
        """With whole units on whole routes."""
        return float(self._core.pvv_after_rounding)

    @property
    def gap(self) -> float:
        """No pilot of this size makes the variance smaller than ``pvv_after - gap``."""
        return float(self._core.gap)

    @property
    def relative_gap(self) -> float:
        return float(self._core.relative_gap)

    @property
    def expected_loss(self) -> float:
        """Reward that the pilot gives up against the current policy, by the belief's mean."""
        return float(self._core.expected_loss)

    @property
    def constraints_kept(self) -> bool:
        """By the whole units; in expectation over the routes they always are."""
        return bool(self._core.constraints_kept)

    @property
    def status(self) -> str:
        """``converged``, or why the certificate is wider than asked."""
        return str(self._core.status)

    @property
    def counts(self) -> NDArray[np.float64]:
        """Expected observations of each pair."""
        found: NDArray[np.float64] = self._core.counts
        return found

    @property
    def seconds(self) -> float:
        return float(self._core.seconds)

    def _headline(self) -> str:
        return (
            f"variance {self.pvv_before:.5g} now, {self.pvv_after:.5g} after the pilot, "
            f"{self.pvv_after_rounding:.5g} with whole units"
        )

    @property
    def navigation(self) -> dict[str, Any] | None:
        """Where each unit goes and what navigating costs against the best pilot; None unless asked for."""
        found: dict[str, Any] | None = self.to_dict()["navigation"]
        return found

    @property
    def sizes(self) -> dict[str, Any] | None:
        """What pilots of other sizes would leave; None unless asked for."""
        found: dict[str, Any] | None = self.to_dict()["sizes"]
        return found

    def _table(self) -> _core.Table:
        table: _core.Table = self._core._pairs()
        return table

    def pairs_frame(self) -> pandas.DataFrame:
        """Every pair: expected observations, and its part of the variance before and after."""
        return self.to_frame()

    def routes_frame(self) -> pandas.DataFrame:
        """unit, route, step, state, action: where each unit most likely goes."""
        return frame_of(self._core._routes())

    def plan(self) -> dict[str, Any]:
        """The complete plan (format mindgap-plan/1): per route an action for every step and state."""
        found = json.loads(self._core._plan())
        assert isinstance(found, dict)
        return found

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes a page to hand over: one HTML file that opens offline. All or nothing."""
        _core.write_text(path_of("path", path), self._core._html())

    def write_plan(self, path: str | os.PathLike[str]) -> None:
        """Writes the complete plan as JSON that a program can follow. All or nothing."""
        _core.write_text(path_of("path", path), self._core._plan())


@takes(PilotOptions)
def design(
    model: ModelLike,
    *,
    units: int,
    steps: int,
    others: int | None = None,
    positions: TableLike | None = None,
    target: str | os.PathLike[str] = "ensemble",
    occupancy: str = "finite",
    method: str = "auto",
    credit: bool = True,
    block: str = "both",
    coverage: TableLike | ArrayLike | None = None,
    log: TableLike | None = None,
    estimate_variance: bool = False,
    states: str = "known",
    gap: float = 1e-3,
    time_limit: float | None = None,
    navigation: bool = False,
    bottleneck: Sequence[str] | None = None,
    sizes: bool = False,
    size_units: Sequence[int] | None = None,
    size_steps: Sequence[int] | None = None,
    remove: float | None = None,
    top: int = 10,
    seed: int = 42,
    threads: int = 0,
    progress: bool | Report | None = None,
    **options: Unpack[PilotOptions],
) -> Design:
    """Where to send a pilot of ``units`` units for ``steps`` steps.

    :param others: units outside the pilot, whose observations count as credit.
    :param positions: where units are: unit,state; the first ``units`` of them are the pilot, the rest the
        others.
    :param target: whose value to make sure of: ensemble[:M], difference[:M], sop, posterior, softmax:T,
        explorer, uniform or a policy file.
    :param occupancy: finite: the pilot's own steps; discounted: the paper's form.
    :param method: auto, columns (gives routes and takes constraints), mirror-descent, interior-point or
        coordinate-descent (for the discounted form).
    :param credit: whether what the others observe counts.
    :param block: which uncertainty counts: rewards, transitions or both.
    :param coverage: as in :func:`diagnose`, and so are log, estimate_variance and states.
    :param gap: stop at this certified relative gap.
    :param time_limit: seconds, 0 for no limit; the certificate holds then, too, but is wider.
    :param navigation: every unit goes to one of the pairs that matter most by a shortest way and stays with it
        (navigation-restricted Fisher-SEP-T with ``block="transitions"``); ``navigation`` of the result says
        what that costs.
    :param bottleneck: with ``navigation``: states of a corridor, for the paper's bound.
    :param sizes: what pilots of other sizes would leave of the variance; see ``sizes`` of the result.
    :param size_units: with ``sizes``: numbers of units, ascending.
    :param size_steps: with ``sizes``: numbers of steps, ascending.
    :param remove: with ``sizes``: the smallest pilot that removes this share of the variance.
    :param top: how many pairs and routes the text lists; 0 = all.
    """
    refuse_others("design", options, PilotOptions)
    model, log = with_log(as_model(model), log)
    sources = Sources()
    counts, model = sources.coverage(coverage, model)
    with sources.named(), Progress(progress) as report:
        seen = sources.take(log, "log")
        model, notes = sources.new_states(model, states, counts, seen)
        core = _core.design(
            model,
            whole("units", units, 1),
            whole("steps", steps, 1),
            others=None if others is None else whole("others", others, 0, 1_000_000_000),
            positions=sources.take(positions, "positions"),
            target=target_of(target),
            occupancy=text("occupancy", occupancy),
            method=text("method", method),
            credit=flag("credit", credit),
            block=text("block", block),
            coverage=counts,
            log=seen,
            prior=prior_of(options, estimate_variance),
            limits=limits_of(options, sources),
            gap=real("gap", gap),
            time_limit=limit_of(time_limit),
            navigation=flag("navigation", navigation),
            bottleneck=[text("bottleneck", name) for name in bottleneck or []],
            sizes=flag("sizes", sizes),
            size_units=[whole("size_units", n, 1) for n in size_units or []],
            size_steps=[whole("size_steps", n, 1) for n in size_steps or []],
            remove=None if remove is None else real("remove", remove, 1e-6, 1 - 1e-6),
            top=whole("top", top, 0, 1_000_000_000),
            seed=seed_of(seed),
            threads=threads_of(threads),
            progress=report,
        )
    tell([*notes, *core.warnings])
    return Design(core)
