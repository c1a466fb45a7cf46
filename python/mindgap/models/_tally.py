"""What samples of a simulator showed, and the model that it makes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .. import _core
from ..errors import InvalidModel
from ._given import Numbers, numbers
from ._rows import Rows, Stated, build, stated_start, sums


class Seen:
    """The observations of one pair."""

    __slots__ = ("count", "ended", "mean", "next", "squares")

    def __init__(self) -> None:
        self.count = 0
        self.mean = 0.0
        self.squares = 0.0  # sum of squared deviations from the mean
        self.next: dict[int, int] = {}
        self.ended: dict[int, int] = {}  # by the state that was entered as an end; -1: none is known

    def add(self, reward: float, next_state: int, ended: bool) -> None:
        self.count += 1
        off = reward - self.mean
        self.mean += off / self.count
        self.squares += off * (reward - self.mean)
        where = self.ended if ended else self.next
        where[next_state] = where.get(next_state, 0) + 1


class Tally:
    """Everything that was seen, by the numbers of states and actions."""

    def __init__(self) -> None:
        self.pairs: dict[tuple[int, int], Seen] = {}
        self.starts: dict[int, int] = {}
        self.ends: set[int] = set()  # states that have no actions

    def pair(self, state: int, action: int) -> Seen:
        return self.pairs.setdefault((state, action), Seen())

    def started(self, state: int) -> None:
        self.starts[state] = self.starts.get(state, 0) + 1


class _Row(NamedTuple):
    """What is known of a pair in the end."""

    state: int
    action: int
    next: dict[int, float]  # how often each next state came
    reward: float
    times: int
    variance: float


def model_of(
    tally: Tally,
    states: int,
    actions: int,
    discount: float,
    said: Stated,
    restart: bool = False,
    stacklevel: int = 3,
) -> _core.Mdp:
    """The model of a tally: frequencies, mean rewards, coverage counts and variances.

    The variance of one reward is that of the pair with one observation of the pairs' common variance added,
    so that few equal rewards are not taken for certainty: (sum of squares + common) / count. Where no pair
    was seen twice, nothing is said about variance.

    A state that was only ever entered as an end is an end itself: it stays there, with reward 0. Where one
    was also passed alive, ends lead to an additional state ``end``. Ends are known: as often covered as they
    were reached, without variance.

    With ``restart`` an end leads to the start distribution instead, and there is no additional state.
    """
    _check_rewards(tally, said)
    freedom = sum(seen.count - 1 for seen in tally.pairs.values())
    common = sum(seen.squares for seen in tally.pairs.values()) / max(freedom, 1)
    ended = _ends_of(tally, states)
    begin = _start_of(tally, states, said) if restart else None
    if states in ended.values() and not restart:
        start = stated_start(said, states)
        said.start = None if start is None else np.r_[start, 0]
        add_end(said, states)
        states += 1

    rows = []
    reached: dict[int, float] = dict.fromkeys(tally.ends, 0)
    for (state, action), seen in tally.pairs.items():
        where: dict[int, float] = dict(seen.next)
        for end, count in seen.ended.items():
            if begin is not None and ended[end] == states:  # also passed alive
                for first in np.flatnonzero(begin).tolist():
                    where[first] = where.get(first, 0) + count * float(begin[first])
                continue
            where[ended[end]] = where.get(ended[end], 0) + count
            reached.setdefault(ended[end], 0)
        for end in reached.keys() & where.keys():
            reached[end] += where[end]
        rows.append(_Row(state, action, where, seen.mean, seen.count, (seen.squares + common) / seen.count))
    rows += [_Row(end, 0, {end: 1}, 0.0, max(round(count), 1), 0.0) for end, count in reached.items()]
    rows += _never_left(rows, states, common, said, stacklevel + 1)
    rows.sort(key=lambda row: row[:2])
    if tally.starts and said.start is None:
        said.start = sums(np.array(list(tally.starts)), np.array([*tally.starts.values()], float), states)
        said.start /= said.start.sum()
    said.coverage = np.array([row.times for row in rows], dtype=np.float64)
    said.coverage_is_sampled = True
    said.variance = np.array([row.variance for row in rows]) if freedom > 0 else None
    model = build(_rows_of(rows, states, actions), discount, said)
    return begin_again(model, sorted(reached), bool(ended or tally.ends), stacklevel + 1) if restart else model


def begin_again(model: _core.Mdp, ends: list[int], ended: bool, stacklevel: int = 4) -> _core.Mdp:
    """The model in which moves into the states that are ends lead to the start distribution; ``ended`` says
    whether any episode ended at all."""
    if not ended:
        warnings.warn("restart: no episode ended, so nothing begins again", stacklevel=stacklevel)
    return _core.with_restart(model, ends) if ends else model


def _start_of(tally: Tally, states: int, said: Stated) -> Numbers:
    """Where episodes begin: as stated, or as often as they did."""
    stated = stated_start(said, states)
    if stated is not None:
        return stated
    if not tally.starts:
        return np.full(states, 1 / states)
    found = sums(np.array(list(tally.starts)), np.array([*tally.starts.values()], float), states)
    begin: Numbers = found / found.sum()
    return begin


def _check_rewards(tally: Tally, said: Stated) -> None:
    """Finite rewards may still be too large for their mean or their variance."""
    for (state, action), seen in tally.pairs.items():
        if not (math.isfinite(seen.mean) and math.isfinite(seen.squares)):
            what = "variance" if math.isfinite(seen.mean) else "mean"
            raise InvalidModel(
                f"state {_name(said.state_names, state)}, action {_name(said.action_names, action)}: "
                f"the {what} of the {seen.count} sampled rewards is too large for a floating-point number"
            )


def _name(names: Sequence[str] | None, number: int) -> str:
    return repr(names[number] if names else str(number))


def _ends_of(tally: Tally, states: int) -> dict[int, int]:
    """The state that stands for each state that was entered as an end; `states` is the additional one."""
    alive = {state for state, _ in tally.pairs} | set(tally.starts) | tally.ends
    entered: set[int] = set()
    for seen in tally.pairs.values():
        alive.update(seen.next)
        entered.update(seen.ended)
    return {state: state if state >= 0 and state not in alive else states for state in entered}


def _never_left(rows: list[_Row], states: int, variance: float, said: Stated, stacklevel: int) -> list[_Row]:
    """Rows for states of which nothing is known, and a warning."""
    left = {row.state for row in rows}
    never = [state for state in range(states) if state not in left]
    if never:
        shown = [said.state_names[state] if said.state_names else str(state) for state in never[:5]]
        warnings.warn(
            f"{len(never)} of {states} states were never left in the sample ({', '.join(shown)}"
            f"{', ...' if len(never) > 5 else ''}): they stay where they are, with reward 0 and no coverage",
            stacklevel=stacklevel,
        )
    return [_Row(state, 0, {state: 1}, 0.0, 0, variance) for state in never]


def _rows_of(rows: list[_Row], states: int, actions: int) -> Rows:
    of_state = np.bincount([row.state for row in rows], minlength=states)
    length = np.array([len(row.next) for row in rows], dtype=np.int64)
    total = np.array([sum(row.next.values()) for row in rows], dtype=np.float64)
    times = np.array([count for row in rows for count in row.next.values()], dtype=np.float64)
    return Rows(
        actions,
        np.concatenate([[0], np.cumsum(of_state)]).astype(np.int32),
        np.array([row.action for row in rows], dtype=np.int32),
        np.concatenate([[0], np.cumsum(length)]),
        np.array([state for row in rows for state in row.next], dtype=np.int32),
        times / np.repeat(total, length),
        np.array([row.reward for row in rows], dtype=np.float64),
        ours=True,
    )


def add_end(said: Stated, states: int) -> None:
    """States one more, an end: in no group, and, unless a place for it was stated too, beside the others."""
    said.state_names = _with_end(said.state_names, states)
    said.groups = None if said.groups is None else [*said.groups, None]
    if said.coordinates is not None:
        places = numbers("coordinates", said.coordinates)
        if places.shape == (states, 2):
            low, high = places.min(axis=0), places.max(axis=0)
            beside = [high[0] + ((high[0] - low[0]) / 10 or 1), low[1]]
            places = np.vstack([places, beside])
        said.coordinates = places


def _with_end(names: Sequence[str] | None, states: int) -> list[str]:
    """The names of the states and of one more, an end."""
    found = [str(state) for state in range(states)] if names is None else list(names)
    name = "end"
    while name in found:
        name += "_"
    return [*found, name]
