"""A field experiment, from first assignment to verdict: an append-only file that programs may share."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._decide import Decision
from ._inputs import (
    PlanLike,
    Sources,
    TableLike,
    is_counts,
    path_of,
    real,
    seed_of,
    text,
    threads_of,
    whole,
)
from ._options import PilotOptions, limits_of, prior_of, refuse_others, takes
from ._progress import Progress, Report
from ._result import tell
from ._solve import ModelLike, as_model
from ._study_results import (
    Assigned,
    Begun,
    Imported,
    Joined,
    Recorded,
    Redesigned,
    Status,
    StudyBelief,
    Verification,
)
from .errors import InvalidArgument
from .models._changes import per_pair

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _file_of(what: str, value: str | os.PathLike[str] | None) -> str:
    """A path, or "" for none."""
    if value is None:
        return ""
    found = path_of(what, value)
    if not found:
        raise InvalidArgument(f"{what} is empty: give a path or leave it out")
    return found


def new_key(file: str | os.PathLike[str]) -> str:
    """Makes a key that signs what is written to studies (Ed25519): ``file``, and ``file``.pub for those who verify.

    :return: the public key, 64 hexadecimal digits.
    """
    return str(_core.study_key_new(_file_of("file", file)))


def _pair_names(model: _core.Mdp) -> dict[str, Any]:
    """The columns state and action, one row per pair."""
    of_pair = np.repeat(np.arange(model.states), np.diff(model.pair_begin))
    return {
        "state": np.asarray(model.state_names, dtype=object)[of_pair],
        "action": np.asarray(model.action_names, dtype=object)[model.pair_action],
    }


def _planned(
    decision: Decision | None, plan: PlanLike | None, given: ModelLike | None
) -> tuple[_core.Source | None, _core.Mdp | None, str]:
    """The plan that a study begins with, the model, and the path that it came from. Without a model: the library
    reads the one that the plan names."""
    if decision is not None:
        if not isinstance(decision, Decision):
            raise InvalidArgument(f"decision must be what decide() gives, but is {decision!r}")
        if plan is not None or given is not None:
            raise InvalidArgument("Study.init: plan and model are the decision's: leave them out")
        said = str(decision._core._study_plan())
        return _core.Source.of_table("decision", said.encode()), decision.model, ""
    source = Sources().plan(plan)
    if given is None:
        return source, None, ""
    return source, as_model(given), os.path.abspath(given) if isinstance(given, (str, os.PathLike)) else ""


class Study:
    """The study in a folder. Every call is one transaction: it returns after the disk has it."""

    __slots__ = ("_key", "begun", "folder")

    def __init__(self, folder: str | os.PathLike[str], key: str | os.PathLike[str] | None = None) -> None:
        """
        :param key: the file of a key (:meth:`new_key`) that signs what is written.
        """
        self._key = _file_of("key", key)
        #: The study's folder.
        self.folder = path_of("folder", folder)
        #: What :meth:`init` had to say; None where it was begun elsewhere.
        self.begun: Begun | None = None
        _core.study_check(self.folder)

    def __repr__(self) -> str:
        return f"mindgap.Study({self.folder!r})"

    new_key = staticmethod(new_key)

    @classmethod
    @takes(PilotOptions)
    def init(
        cls,
        folder: str | os.PathLike[str],
        decision: Decision | None = None,
        *,
        plan: PlanLike | None = None,
        model: ModelLike | None = None,
        units: TableLike | None = None,
        horizon: int | None = None,
        states: str = "known",
        batch_steps: int = 0,
        update_every: int = 5,
        control_share: float = 0.2,
        coverage: TableLike | ArrayLike | None = None,
        key: str | os.PathLike[str] | None = None,
        seed: int = 42,
        threads: int = 0,
        progress: bool | Report | None = None,
        **options: Unpack[PilotOptions],
    ) -> Study:
        """Begins a study: model, units, arms and the first design; or exactly what a decision recommends.

        With a decision or its plan, the model, the units, the horizon, what is believed and the routes are those
        of the decision, and none of the other arguments but ``folder``, ``states`` and ``threads`` may be given.
        A study can run a pilot (``pilot-UxT``), ``asop`` and ``sop``; others are refused. Which of the units that
        begin in the same state takes which of the routes is drawn, so that arms can be compared.

        :param folder: it is made.
        :param decision: what :func:`decide` recommends.
        :param plan: the plan of a decision's best pilot (:meth:`Decision.plan`, or the file that
            :meth:`Decision.write_plan` and ``mindgap decide --out`` write), whatever was recommended. ``model`` is
            then needed where the file does not name one, and ``units`` and ``horizon`` where it is a design's.
        :param units: who takes part: unit,state[,group].
        :param states: of states that results name and the simulator does not have: "known" refuses them, "all"
            takes them in with a wide prior (see :meth:`Mdp.with_states`).
        :param horizon: steps of every unit.
        :param batch_steps: steps that one design looks ahead; 0: 15, or half the horizon where that is less.
        :param update_every: the policy is found again, from the results so far, every so many steps; 0: only
            at a redesign.
        :param control_share: share of the units that follow the current policy throughout.
        :param coverage: as in :func:`diagnose`.
        :param key: the file of a key (:meth:`new_key`) that signs what is written, now and by the study returned.
        """
        refuse_others("init", options, PilotOptions)
        source_of_plan, about, path = _planned(decision, plan, model)
        if decision is not None and (units, horizon, coverage) != (None, None, None):
            raise InvalidArgument("Study.init: units, horizon and coverage are the decision's: leave them out")
        if states not in ("known", "all"):
            raise InvalidArgument(f"states is {states!r}, but must be 'known' or 'all'")
        sources = Sources()
        if is_counts(coverage):  # the model stays as it is at its path
            if about is None:
                raise InvalidArgument("Study.init: coverage as an array, one number per pair, needs the model beside it")
            coverage = {**_pair_names(about), "count": per_pair(about, "coverage", coverage)}
        counts = sources.take(coverage, "coverage")
        with sources.named(), Progress(progress) as report:
            core = _core.study_begin(
                path_of("folder", folder),
                about,
                path,
                sources.take(units, "units"),
                source_of_plan,
                states == "all",
                0 if horizon is None else whole("horizon", horizon, 1),
                whole("batch_steps", batch_steps, 0),
                whole("update_every", update_every, 0),
                real("control_share", control_share),
                limits_of(options, sources),
                counts,
                prior_of(options),
                seed_of(seed),
                _file_of("key", key),
                threads_of(threads),
                report,
            )
        tell(core.warnings)
        study = cls(folder, key)
        study.begun = Begun(core)
        return study

    @property
    def model(self) -> _core.Mdp:
        """The simulator that the study began with, and states that results brought in."""
        return _core.study_known(self.folder, None).model

    @property
    def policy(self) -> NDArray[np.int32]:
        """The policy in force: the action of each state, by number. Explorers follow it where their route says
        nothing."""
        found: NDArray[np.int32] = _core.study_known(self.folder, None).policy
        return found

    @property
    def belief(self) -> StudyBelief:
        """What is believed by now: the mean model, and how much is behind each of its numbers."""
        return StudyBelief(_core.study_known(self.folder, None))

    def add_units(self, units: TableLike) -> Joined:
        """Takes in units while the study goes on, all of the table or none: unit,state[,group].

        Their arms are drawn as those of the first units were. Explorers follow the design in force, by a route
        drawn for where they begin, and everybody has the whole horizon. The comparison of arms stays with the
        units that the study began with.
        """
        sources = Sources()
        with sources.named():
            source = sources.take(units, "units")
            if source is None:
                raise InvalidArgument("units: expected a table unit,state")
            core = _core.study_add_units(self.folder, source, self._key)
        tell(core.warnings)
        return Joined(core)

    def assign(
        self, step: int | None = None, threads: int = 0, progress: bool | Report | None = None
    ) -> Assigned:
        """Who does what next: the next step of every unit whose last result is in.

        :param step: everything that is assigned for this step only.
        """
        step = None if step is None else whole("step", step, 0)
        threads = threads_of(threads)
        with Progress(progress) as report:
            core = _core.study_assign(self.folder, step, self._key, threads, report)
        tell(core.warnings)
        return Assigned(core)

    def record(
        self, results: TableLike, correct: bool = False, progress: bool | Report | None = None
    ) -> Recorded:
        """Takes results, all rows or none: unit,step,state,action,reward,next_state[,censored][,status].

        :param correct: rows that contradict the log replace what it says.
        """
        sources = Sources()
        with sources.named(), Progress(progress) as report:
            source = sources.take(results, "results")
            if source is None:
                raise InvalidArgument("results: expected a table")
            core = _core.study_record(self.folder, source, correct, self._key, report)
        tell(core.warnings)
        return Recorded(core)

    def import_results(
        self,
        results: TableLike,
        columns: str | os.PathLike[str],
        *,
        parent: TableLike | None = None,
        correct: bool = False,
        dry_run: bool = False,
        progress: bool | Report | None = None,
    ) -> Imported:
        """Takes results from an export of ODK Central, KoboToolbox, REDCap or a spreadsheet, all rows or none.

        :param results: the export: a file or a table.
        :param columns: the mapping file, which says which column is what (``columns.toml``).
        :param parent: where the rows are those of a repeat group: the rows that they belong to.
        :param correct: rows that contradict the log replace what it says.
        :param dry_run: say what would be recorded, and record nothing.
        """
        sources = Sources()
        with sources.named(), Progress(progress) as report:
            source = sources.take(results, "results")
            if source is None:
                raise InvalidArgument("results: expected a table")
            mapping = _core.Source.of_file(path_of("columns", columns))
            of_parents = sources.take(parent, "parent")
            core = _core.study_import(
                self.folder, source, mapping, of_parents, bool(correct), bool(dry_run), self._key, report
            )
        tell(core.warnings)
        return Imported(core)

    def status(self, progress: bool | Report | None = None) -> Status:
        """How it stands, and whether another batch pays."""
        with Progress(progress) as report:
            return Status(_core.study_status(self.folder, report))

    def redesign(
        self, follow: bool = False, threads: int = 0, progress: bool | Report | None = None
    ) -> Redesigned:
        """A new design from what is known now.

        :param follow: no routes: everybody follows the policy that is best by now.
        """
        threads = threads_of(threads)
        with Progress(progress) as report:
            core = _core.study_redesign(self.folder, bool(follow), self._key, threads, report)
        tell(core.warnings)
        return Redesigned(core)

    def stop(self, why: str, progress: bool | Report | None = None) -> Redesigned:
        """Ends the study; results that are still out are taken.

        :param why: the reason, for the record.
        """
        why = text("why", why)
        with Progress(progress) as report:
            core = _core.study_stop(self.folder, why, self._key, report)
        tell(core.warnings)
        return Redesigned(core)

    def export(self, folder: str | os.PathLike[str], csv_safe: bool = False) -> None:
        """Writes CSV, JSON Lines and a copy of the file, as of one moment, into a folder; it is made.

        :param csv_safe: names in tables that a spreadsheet would take for formulas (they begin with = + - @) get an
            apostrophe in front; mindgap does not read them back as they were.
        """
        _core.study_export(self.folder, path_of("folder", folder), bool(csv_safe))

    def to_dict(self) -> dict[str, Any]:
        """Everything in the log: observations, assignments, units, decisions."""
        found = json.loads(_core.study_export_json(self.folder))
        assert isinstance(found, dict)
        return found

    def report(self, path: str | os.PathLike[str], progress: bool | Report | None = None) -> None:
        """Writes how it stands as a page to hand over: one HTML file that opens offline."""
        _core.write_text(path_of("path", path), self.status(progress)._core._html())

    def anchor(self, out: str | os.PathLike[str] | None = None) -> str:
        """What the log is now, as one line to be published or kept anywhere; see :meth:`verify`.

        :param out: adds the line to this file, too.
        """
        return str(_core.study_anchor(self.folder, _file_of("out", out))).strip()

    def verify(
        self,
        head: str | None = None,
        threads: int = 0,
        sign: bool = False,
        progress: bool | Report | None = None,
        *,
        anchors: str | os.PathLike[str] | None = None,
        keys: Sequence[str | os.PathLike[str]] = (),
        accept_loss: bool = False,
    ) -> Verification:
        """Recomputes everything from the log; every bit must match.

        :param head: a hash that was noted earlier: that row must be there still.
        :param sign: after another program opened the file: where the whole log is good, signs the pages anew.
            Nobody else may have the study open. Wants ``head``, ``anchors`` or ``accept_loss``.
        :param anchors: a file with lines of :meth:`anchor` (or heads.txt): what they say must still hold.
        :param keys: files of public keys: everything must be signed by one of them.
        :param accept_loss: sign although nobody can tell whether entries were cut off or changed.
        """
        head = None if head is None else text("head", head)
        threads = threads_of(threads)
        with Progress(progress) as report:
            core = _core.study_verify(
                self.folder,
                threads,
                head,
                _file_of("anchors", anchors),
                [_file_of("keys", key) for key in keys],
                bool(sign),
                bool(accept_loss),
                report,
            )
        return Verification(core)

    def __str__(self) -> str:
        return str(self.status())

    def _repr_html_(self) -> str:
        return self.status()._repr_html_()
