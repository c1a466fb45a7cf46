"""Deploy, learn passively, or experiment: how long, where, worth how much."""

from __future__ import annotations

import json
import os
import re
from concurrent.futures import Executor
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple, Sequence

from numpy.typing import ArrayLike

from . import _core
from ._cluster import workers_of
from ._inputs import (
    PlanLike,
    Sources,
    TableLike,
    flag,
    path_of,
    real,
    seed_of,
    target_of,
    text,
    threads_of,
    whole,
)
from ._options import DecideOptions, limits_of, prior_of, refuse_others, takes, terms_of
from ._progress import Progress, Report
from ._result import ModelResult, frame_of, tell
from ._solve import ModelLike, as_model, with_log
from .errors import InvalidArgument

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack


class Gain(NamedTuple):
    """What one plan earns more than another, in sampled models that had no part in choosing them."""

    plan: str
    other: str
    gain: float
    interval: tuple[float, float]  #: at 95 %
    worlds: int


class Decision(ModelResult):
    """A verdict, what it is worth and what it was compared with. Its model starts from where the units are."""

    __slots__ = ()

    @property
    def verdict(self) -> str:
        """``deploy``, ``learn``, ``experiment`` or ``undecided``."""
        return str(self._core.verdict)

    @property
    def leaning(self) -> str:
        """The verdict by the means alone."""
        return str(self._core.leaning)

    @property
    def headline(self) -> str:
        """What to do, in one sentence."""
        return str(self._core.headline)

    @property
    def reason(self) -> str:
        """Why, in one or two."""
        return str(self._core.reason)

    @property
    def recommended(self) -> str:
        """The plan's name, such as sop, asop, thompson, beb-2, adaptive-UxW or pilot-UxT."""
        return str(self._core.plan)

    @property
    def gain(self) -> float | None:
        """Over the best plan of another kind, in fresh sampled models; None where there is none."""
        found: float | None = self._core.gain
        return found

    @property
    def interval(self) -> tuple[float, float] | None:
        """Of ``gain``, at 95 %."""
        found: tuple[float, float] | None = self._core.interval
        return found

    @property
    def gain_over_learning(self) -> Gain | None:
        """The best experiment against asop: what exploring earns over waiting and updating."""
        return None if self._core.over_learning is None else Gain(*self._core.over_learning)

    @property
    def gain_over_undirected(self) -> Gain | None:
        """The best designed experiment (adaptive-UxW, pilot-UxT) against the best undirected one (thompson,
        beb-X, improvement, ids). Where the interval is not above the indifference, the undirected one is
        recommended: routes are not worth the effort."""
        return None if self._core.over_undirected is None else Gain(*self._core.over_undirected)

    @property
    def cost(self) -> float | None:
        """What the plan is behind when its pilot ends."""
        found: float | None = self._core.cost
        return found

    @property
    def break_even_step(self) -> int | None:
        """The step from which on it is not behind any more; None: never."""
        found: int | None = self._core.break_even_step
        return found

    @property
    def probability_of_loss(self) -> float | None:
        """Share of sampled models in which it ends behind."""
        found: float | None = self._core.probability_of_loss
        return found

    @property
    def worlds(self) -> int:
        """Number of sampled models that the plans were compared in."""
        return int(self._core.worlds)

    @property
    def assumptions(self) -> list[str]:
        """What the verdict rests on, in words."""
        return list(self._core.assumptions)

    @property
    def warnings(self) -> list[str]:
        """What a user should know: a log that refutes the simulator, plans left out, units that are
        elsewhere."""
        return list(self._core.warnings)

    @property
    def seconds(self) -> float:
        return float(self._core.seconds)

    def _headline(self) -> str:
        return self.headline

    def _table(self) -> _core.Table:
        table: _core.Table = self._core._plans()
        return table

    @property
    def plans(self) -> pandas.DataFrame:
        """One row per plan: value (with its Monte-Carlo ``standard_error``), where 80 % of sampled models lie
        (``range_lower``, ``range_upper``), difference to the best with its interval, number of sampled models (``worlds``); the same as
        ``to_frame()``."""
        return self.to_frame()

    def curves_frame(self) -> pandas.DataFrame:
        """plan, step, mean, lower, upper: what each plan has gathered by each step, and where 80 % of sampled models
        lie."""
        return frame_of(self._core._curves())

    def routes_frame(self) -> pandas.DataFrame:
        """unit, step, state, action: where the pilot's units most likely go; empty without a pilot."""
        return frame_of(self._core._routes())

    def tipping_frame(self) -> pandas.DataFrame:
        """axis, setting, horizon, verdict, leaning, gain, lower, upper; empty without ``tipping=True``."""
        return frame_of(self._core._tipping())

    def plan(self) -> dict[str, Any]:
        """The pilot's complete plan, as :meth:`Design.plan`."""
        found = json.loads(self._plan_text())
        assert isinstance(found, dict)
        return found

    def write_plan(self, path: str | os.PathLike[str]) -> None:
        """Writes the pilot's complete plan. All or nothing."""
        _core.write_text(path_of("path", path), self._plan_text())

    def draws(self) -> pandas.DataFrame:
        """What each plan earned in each sampled model, beside the parameters of an ensemble's member or the mean rewards
        of a small model: a table for :func:`voi`."""
        import io

        import pandas

        return pandas.read_csv(io.StringIO(self._core._draws()))

    def write_draws(self, path: str | os.PathLike[str]) -> None:
        """Writes the same as a CSV file. All or nothing."""
        _core.write_text(path_of("path", path), self._core._draws())

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes a page to hand over: one HTML file that opens offline. All or nothing."""
        _core.write_text(path_of("path", path), self._core._html())

    def _plan_text(self) -> str:
        text = str(self._core._plan())
        if not text:
            raise InvalidArgument("there is no pilot among the plans, so there is no plan to write")
        return text


@takes(DecideOptions)
def decide(
    model: ModelLike,
    *,
    units: int,
    horizon: int,
    coverage: TableLike | ArrayLike | None = None,
    log: TableLike | None = None,
    estimate_variance: bool = False,
    states: str = "known",
    positions: TableLike | None = None,
    plans: Sequence[str] | None = None,
    plan: PlanLike | None = None,
    worlds: int | str = "auto",
    objective: str = "total",
    indifference: float = 0.01,
    time_limit: float = 60,
    replan_every: int = 0,
    target: str | os.PathLike[str] = "ensemble",
    tipping: bool = False,
    tornado: bool = False,
    device: str = "cpu",
    seed: int = 42,
    threads: int = 0,
    executor: Executor | None = None,
    progress: bool | Report | None = None,
    **options: Unpack[DecideOptions],
) -> Decision:
    """Deploy, learn passively, or experiment?

    :param units: units that act: vans, machines, clinics.
    :param horizon: number of steps to plan for.
    :param coverage: as in :func:`diagnose`, and so are log and estimate_variance. With a log, the next batch of the
        experiment is priced, too.
    :param states: of states that log or coverage names and the simulator does not have: "known" refuses them,
        "all" takes them in with a wide prior (see :meth:`Mdp.with_states`).
    :param positions: where the units are now: unit,state; None: where the log leaves them, or the model's
        start.
    :param plans: what is compared: sop, average and robust (of an ensemble: the policy that is best on average
        over the members, or in the worst of them), asop, thompson, thompson-shared, beb-X (a bonus of X),
        improvement, ids, adaptive-UxW (U units on routes designed W steps ahead), pilot-UxT (U units, T steps); None: all that
        fit, of several sizes, screened on a few sampled models.
    :param plan: a pilot that is there already (:meth:`Design.plan`, :meth:`Decision.plan`, or the file that
        ``mindgap design --out`` writes): it is compared with the others as given-UxT, with its very routes.
    :param worlds: number of sampled models, drawn from the belief; "auto": until the verdict is settled, within ``time_limit``;
        "auto:N": the same, at most N, whatever the time.
    :param objective: what counts over the horizon: total, discounted, or ``cvar:SHARE``, the mean total of the
        worst share of sampled models (``"cvar:0.1"``).
    :param indifference: kinds of plan closer than this share of the best value are tied, and the simplest
        wins.
    :param time_limit: seconds after which worlds="auto" stops; tipping is allowed the sampled models that a nominal
        machine follows in that time, so that a map is the same everywhere.
    :param replan_every: steps between two looks at what was learnt; 0 = every step while that is cheap, else
        up to 5.
    :param target: the policy, or set of policies, whose value pilots should estimate precisely, as in
        :func:`design`.
    :param tipping: also: how wrong must the simulator be before the verdict flips?
    :param tornado: also: how far the gain moves with each stated number, one at a time.
    :param device: where the value of information is computed: "cpu", or "gpu", an NVIDIA GPU (needs
        libmindgap_cuda.so, built with ``-DMINDGAP_CUDA=ON``).
    :param executor: other processes that share the work: any ``concurrent.futures.Executor``. Designs and sampled models are
        shared, and ``time_limit`` does not end them: worlds="auto" goes on until the verdict is settled. The result has
        the same bits. ``threads`` is then of each worker, 1 unless said.

    With limits on pilots, plans that explore without routes are left out: they cannot promise to keep to them.

    """
    workers = workers_of(executor, "decide", locals())
    refuse_others("decide", options, DecideOptions)
    path = os.path.abspath(model) if isinstance(model, (str, os.PathLike)) else ""
    model, log = with_log(as_model(model), log)
    most_worlds, most_draws = 0, 0
    if isinstance(worlds, str) and worlds != "auto":
        said = re.fullmatch(r"auto:(\d{1,8})(?::(\d{1,8}))?", worlds)
        if not said:
            raise InvalidArgument(f"worlds is {worlds!r}: expected 'auto', 'auto:N' or a whole number from 2")
        most_worlds = whole("worlds", int(said[1]), 2, 10_000_000)
        most_draws = 0 if said[2] is None else whole("worlds", int(said[2]), 1, 10_000_000)
    if isinstance(plans, str):
        plans = [plans]
    elif plans is not None and not isinstance(plans, Iterable):
        raise InvalidArgument(f"plans must be names of plans, but is {plans!r}")
    sources = Sources()
    counts, model = sources.coverage(coverage, model)
    with sources.named(), Progress(progress) as report:
        seen = sources.take(log, "log")
        model, notes = sources.new_states(model, states, counts, seen)
        core = _core.decide(
            model,
            path,
            datetime.now(timezone.utc).date().isoformat(),
            whole("units", units),
            whole("horizon", horizon),
            coverage=counts,
            log=seen,
            prior=prior_of(options, estimate_variance),
            positions=sources.take(positions, "positions"),
            plans=[] if plans is None else [text("plans: the name of a plan", name) for name in plans],
            plan=sources.plan(plan),
            worlds=0 if isinstance(worlds, str) else whole("worlds", worlds, 2, 10_000_000),
            most_draws=most_draws,
            most_worlds=most_worlds,
            objective=text("objective", objective),
            indifference=real("indifference", indifference),
            time_limit=real("time_limit", time_limit),
            replan_every=whole("replan_every", replan_every, 0, 1_000_000),
            target=target_of(target),
            limits=limits_of(options, sources),
            terms=terms_of(options, sources),
            tipping=flag("tipping", tipping),
            tornado=flag("tornado", tornado),
            device=text("device", device),
            seed=seed_of(seed),
            threads=threads_of(threads),
            progress=report,
            workers=workers,
        )
    tell([*notes, *core.warnings])
    return Decision(core)
