"""What the verbs of a study give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._result import Result, frame_of

if TYPE_CHECKING:
    import pandas


class _StudyResult(Result):
    """What a verb of a study gives: a table, and the log as it is after it."""

    __slots__ = ()

    def _table(self) -> _core.Table:
        table: _core.Table = self._core._table()
        return table

    @property
    def head(self) -> str:
        """Hash of the last row of the log."""
        return str(self._core.head)


class Begun(_StudyResult):
    """What a study begins with: arms and the first design. Its table: unit, state, arm."""

    __slots__ = ()

    def _headline(self) -> str:
        return f"a study is begun, head {self.head[:12]}"


class Joined(_StudyResult):
    """Units that joined a study. Its table: unit, state, arm."""

    __slots__ = ()


class StudyBelief:
    """What a study believes by now. Its table: every pair with how often results count for it, the simulated and
    the believed mean reward with its standard deviation, and the pseudo-observations behind its row."""

    __slots__ = ("_core",)

    def __init__(self, core: Any) -> None:
        self._core = core

    @property
    def mean(self) -> _core.Mdp:
        """The mean model: the one whose best policy a study follows."""
        found: _core.Mdp = self._core.mean
        return found

    def to_frame(self) -> pandas.DataFrame:
        """state, action, count, simulated_reward, reward_mean, reward_sd, transition_strength."""
        return frame_of(self._core._table())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        stream: object = self._core._table().__arrow_c_stream__(requested_schema)
        return stream

    def __repr__(self) -> str:
        return f"<mindgap.StudyBelief of {self.mean.states} states, {self.mean.pairs} pairs>"


class Assigned(_StudyResult):
    """Who does what next. Its table: unit, step, state, action, route, arm, probability, draw_probability,
    batch."""

    __slots__ = ()

    def _headline(self) -> str:
        return f"new assignments: {self.added}, units that have finished: {self.finished}"

    @property
    def added(self) -> int:
        """How many of the assignments are new."""
        return int(self._core.added)

    @property
    def updated(self) -> bool:
        """Whether the policy was found again before them."""
        return bool(self._core.updated)

    @property
    def finished(self) -> int:
        """Units that have done all their steps."""
        return int(self._core.finished)


class Recorded(_StudyResult):
    """What was taken from a table of results. Its table: the rows that were added."""

    __slots__ = ()

    def _headline(self) -> str:
        return f"rows recorded: {self.recorded}, already there: {self.already}"

    @property
    def recorded(self) -> int:
        """Rows that were added; in a dry run of an import those that would be."""
        return int(self._core.recorded)

    @property
    def already(self) -> int:
        """Rows that say what the log says."""
        return int(self._core.already)


class Imported(Recorded):
    """What was taken from an export, or would be. Its table: the rows that were added, or would be."""

    __slots__ = ()

    def _headline(self) -> str:
        done = "would be recorded" if self.dry_run else "recorded"
        return f"rows {done}: {self.recorded}, already there: {self.already}, left out: {self.left_out}"

    @property
    def left_out(self) -> int:
        """Rows that the mapping leaves out."""
        return int(self._core.left_out)

    @property
    def dry_run(self) -> bool:
        """Whether nothing was recorded."""
        return bool(self._core.dry_run)


class Status(_StudyResult):
    """How a study stands. Its table: the pairs that were seen, and what is known about them."""

    __slots__ = ()

    def _headline(self) -> str:
        pays = "pays" if self.go_on else "does not pay"
        return f"{self.phase}, results so far: {self.results}, another batch {pays}"

    @property
    def phase(self) -> str:
        """``exploring``, ``following``, ``finished`` or ``stopped``."""
        return str(self._core.phase)

    @property
    def results(self) -> int:
        return int(self._core.results)

    @property
    def go_on(self) -> bool:
        """Whether another batch is worth more than it costs."""
        return bool(self._core.go_on)

    @property
    def net(self) -> float:
        """What another batch is worth, less what it costs."""
        return float(self._core.net)

    @property
    def interval(self) -> tuple[float, float]:
        """Of ``net``, at 95 %."""
        low, high = self._core.interval
        return low, high

    @property
    def experiment_pays(self) -> bool:
        """From results alone: explorers earn more than controls, at all looks together."""
        return bool(self._core.experiment_pays)

    @property
    def warnings(self) -> list[str]:
        return list(self._core.warnings)

    def waiting_frame(self) -> pandas.DataFrame:
        """unit, step, missing, since: whose results are out."""
        return frame_of(self._core._waiting())

    @property
    def open_conflicts(self) -> int:
        """Results that contradict the log and that the owner has not settled yet."""
        return int(self._core.open_conflicts)

    def conflicts_frame(self) -> pandas.DataFrame:
        """conflict, reason, unit, step, reward, next_state, who, time: the open conflicts."""
        return frame_of(self._core._conflicts())


class Redesigned(_StudyResult):
    """A new design, or the end, with the look that it was decided on. Its table: one row."""

    __slots__ = ()


class Verification(_StudyResult):
    """Whether everything follows from the log, bit for bit. Its table: one row."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return self.good

    @property
    def good(self) -> bool:
        return bool(self._core.good)

    @property
    def problem(self) -> str:
        """The first one, where it is not good."""
        return str(self._core.problem)

    @property
    def events_since(self) -> int | None:
        """Events after the row that was noted; None where none was."""
        found: int | None = self._core.events_since
        return found
