"""Where could the simulator be wrong, does it matter there, and can waiting fix it?"""

from __future__ import annotations

import os
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._cluster import workers_of
from ._inputs import Sources, TableLike, flag, path_of, real, seed_of, text, threads_of, whole
from ._options import PriorOptions, prior_of, refuse_others, takes
from ._progress import Progress, Report
from ._result import ModelResult, frame_of, tell
from ._solve import ModelLike, as_model, with_log

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack


class Diagnosis(ModelResult):
    """What could be wrong, where it matters, and what knowing it would be worth."""

    __slots__ = ()

    @property
    def sop_value(self) -> float:
        """What the simulator promises of its own optimal policy."""
        return float(self._core.sop_value)

    @property
    def evpi(self) -> float | None:
        """What knowing the truth would be worth per unit, discounted; None with ``draws=0``."""
        return None if self._core.evpi is None else float(self._core.evpi[0])

    @property
    def evpi_se(self) -> float | None:
        """The standard error of ``evpi`` over the sampled models."""
        return None if self._core.evpi is None else float(self._core.evpi[1])

    @property
    def evpi_local(self) -> float | None:
        """The part of ``evpi`` where the policy goes: waiting shows it."""
        return None if self._core.evpi_local is None else float(self._core.evpi_local[0])

    @property
    def evpi_reach(self) -> float | None:
        """The part of ``evpi`` where the policy practically never goes: only going there shows it."""
        return None if self._core.evpi_reach is None else float(self._core.evpi_reach[0])

    @property
    def epi(self) -> NDArray[np.float64]:
        """The exploration priority index of each pair."""
        found: NDArray[np.float64] = self._core.epi
        return found

    @property
    def pvv_prior(self) -> float:
        """Variance of the policy's value before any pilot."""
        return float(self._core.pvv_prior)

    @property
    def pvv_posterior(self) -> float | None:
        """The same after the pilot; None without a log."""
        found: float | None = self._core.pvv_posterior
        return found

    @property
    def unmeasured_share(self) -> float:
        """Share of the policy's discounted reward from pairs that neither history nor pilot has seen."""
        return float(self._core.unmeasured_share)

    @property
    def status(self) -> str:
        """``converged``, or why the promised value is less certain than wanted."""
        return str(self._core.status)

    @property
    def warnings(self) -> list[str]:
        """What a user should know of the log."""
        return list(self._core.warnings)

    @property
    def checks(self) -> dict[str, Any]:
        """Whether what the numbers rest on holds for this model: ``delta_method``, ``precision``,
        ``propensity_odds``, ``positivity`` and ``prior_strength``."""
        found: dict[str, Any] = self.to_dict()["checks"]
        return found

    def _headline(self) -> str:
        said = f"the simulator promises {self.sop_value:.6g} per unit"
        return said if self.evpi is None else f"{said}, knowing the truth is worth {self.evpi:.4g}"

    def _table(self) -> _core.Table:
        table: _core.Table = self._core._pairs()
        return table

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes a page to hand over: one HTML file that opens offline. All or nothing."""
        _core.write_text(path_of("path", path), self._core._html())

    def pairs_frame(self) -> pandas.DataFrame:
        """Every pair: priority, part of the variance, what is believed, what pilot and truth say of it."""
        return self.to_frame()

    def unreached_frame(self) -> pandas.DataFrame:
        """The states that the policy practically never sees, the most relevant first, and how to get there."""
        return frame_of(self._core._unreached())


@takes(PriorOptions)
def diagnose(
    model: ModelLike,
    *,
    coverage: TableLike | ArrayLike | None = None,
    log: TableLike | None = None,
    truth: str | os.PathLike[str] | None = None,
    history: TableLike | None = None,
    estimate_variance: bool = False,
    states: str = "known",
    top: int = 10,
    support_threshold: float = 1e-4,
    level: float = 0.05,
    draws: int | None = None,
    jacobian: ArrayLike | str | os.PathLike[str] | None = None,
    calibration: TableLike | None = None,
    precision_factor: float = 2,
    strict: bool = False,
    device: str = "cpu",
    seed: int = 42,
    threads: int = 0,
    executor: Executor | None = None,
    progress: bool | Report | None = None,
    **options: Unpack[PriorOptions],
) -> Diagnosis:
    """Where could the simulator be wrong, does it matter there, and can waiting fix it?

    :param coverage: how often history saw each pair: a table state,action,count, the history's log, or an
        array or Series with one number per pair, or one number for all; the prior follows from it.
    :param log: observations of a pilot: unit,step,state,action,reward,next_state[,probability][,censored].
    :param truth: a world folder: what the simulator is held against.
    :param history: the historical record, a table as ``log`` is: one part of it is held against the other, by time,
        by behaviour and, with a column probability, by how likely actions were; with a column instrument, confounding
        is estimated by it (``to_dict()["history_test"]``).
    :param estimate_variance: the stated variance of one reward is a guess; the log's rewards correct it.
    :param states: of states that log or coverage names and the simulator does not have: "known" refuses them,
        "all" takes them in with a wide prior (see :meth:`Mdp.with_states`).
    :param top: how many pairs and states text and ``to_dict()`` list; 0 = all.
    :param support_threshold: share of discounted time below which a state counts as practically unreached.
    :param level: of the tests after a pilot.
    :param draws: models drawn for the value of information; 0 = none; None = 1,000, fewer for large models.
    :param jacobian: one-step Jacobian of the hidden dynamics: does the past fade?
    :param calibration: a log of the data that the simulator was fitted to: how strong a prior they support.
    :param precision_factor: how many times too large or too small the stated variances of rewards may be: is
        the ranking of pairs stable?
    :param strict: rewards far beyond reward_max in the log are an error.
    :param device: where the value of information is computed: "cpu", or "gpu", an NVIDIA GPU (needs
        libmindgap_cuda.so, built with ``-DMINDGAP_CUDA=ON``).
    :param seed: root of every random number.
    :param threads: 0: all cores. The result does not depend on it.
    :param executor: other processes that share the work: any ``concurrent.futures.Executor``. The sampled models are
        shared. The result has the same bits. ``threads`` is then of each worker, 1 unless said.
    """
    workers = workers_of(executor, "diagnose", locals())
    refuse_others("diagnose", options, PriorOptions)
    model, log = with_log(as_model(model), log)
    sources = Sources()
    counts, model = sources.coverage(coverage, model)
    with sources.named(), Progress(progress) as report:
        seen = sources.take(log, "log")
        model, notes = sources.new_states(model, states, counts, seen)
        core = _core.diagnose(
            model,
            coverage=counts,
            log=seen,
            truth=None if truth is None else path_of("truth", truth),
            history=sources.take(history, "history"),
            jacobian=sources.matrix(jacobian, "jacobian"),
            calibration=sources.take(calibration, "calibration"),
            precision_factor=real("precision_factor", precision_factor, 1, 1e6),
            prior=prior_of(options, estimate_variance),
            top=whole("top", top, 0, 1_000_000_000),
            support_threshold=real("support_threshold", support_threshold, 0, 1),
            level=real("level", level, 1e-9, 0.5),
            draws=None if draws is None else whole("draws", draws, 0, 10_000_000),
            strict=flag("strict", strict),
            device=text("device", device),
            seed=seed_of(seed),
            threads=threads_of(threads),
            progress=report,
            workers=workers,
        )
    tell([*notes, *core.warnings])
    return Diagnosis(core)
