"""What every adapter ends in: one row per available pair, and what is stated about states and actions."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import InvalidArgument, InvalidModel
from ._given import Indices, Numbers, number, numbers, shaped
from ._names import Names, as_integer

#: Probabilities of all states, of some by name or number, or the one state where everything starts.
Start = Union[ArrayLike, Mapping[Any, float], str, int, None]

_WORDS = ("start", "state_names", "action_names", "groups", "coordinates", "reward_max", "name")
_LARGEST = np.iinfo(np.int32).max


@dataclass
class Rows:
    """State s owns the pairs pair_begin[s] to pair_begin[s+1]-1, ordered by action; pair k owns the entries
    row_begin[k] to row_begin[k+1]-1. Where nobody else has next_state and probability, they are `ours`, and
    the model is made of them without a copy."""

    actions: int
    pair_begin: Indices
    pair_action: Indices
    row_begin: NDArray[np.int64]
    next_state: Indices
    probability: Numbers
    reward: Numbers
    ours: bool = False

    @property
    def states(self) -> int:
        return len(self.pair_begin) - 1

    @property
    def pair_state(self) -> Indices:
        return np.repeat(np.arange(self.states, dtype=np.int32), np.diff(self.pair_begin))


@dataclass
class Stated:
    """What is said about a model beside its numbers; the keyword arguments that all adapters share."""

    start: Start = None
    state_names: Sequence[str] | None = None
    action_names: Sequence[str] | None = None
    groups: Sequence[str | None] | None = None
    coordinates: ArrayLike | None = None
    reward_max: float | None = None
    name: str = ""
    coverage: Numbers | None = None
    coverage_is_sampled: bool = False
    variance: Numbers | None = None
    #: How callers of the adapter call the states, where not by name or number.
    labels: dict[Hashable, int] = field(default_factory=dict)

    @classmethod
    def by(cls, function: str, words: Mapping[str, Any]) -> Stated:
        """As the keyword arguments of an adapter have it."""
        for word in words:
            if word not in _WORDS:
                raise TypeError(f"{function}() got an unexpected keyword argument {word!r}")
        return cls(**words)


def check_size(what: str, size: int) -> None:
    if size > _LARGEST:
        raise InvalidArgument(f"there are {size} {what}, but a model takes {_LARGEST} at most")


def all_pairs(states: int, actions: int) -> tuple[Indices, Indices]:
    """pair_begin and pair_action where every action is available everywhere."""
    check_size("pairs", states * actions)
    begin = np.arange(0, states * actions + 1, max(actions, 1), dtype=np.int32)
    return begin, np.tile(np.arange(actions, dtype=np.int32), states)


def text(what: str, given: Any) -> str:
    if not isinstance(given, str):
        raise InvalidArgument(f"{what} must be a text, but is {given!r}")
    return given


def names(what: str, given: Sequence[str] | None) -> list[str] | None:
    if given is None:
        return None
    if isinstance(given, str):
        raise InvalidArgument(f"{what} must be a list of names, but is the one text {given!r}")
    found = list(given)
    for name in found:
        if not isinstance(name, str):
            raise InvalidArgument(f"{what} must be texts, but one is {name!r}")
    return found


def start_numbers(start: Start, names: Names) -> Numbers | None:
    """The start distribution as the library takes it; None: uniform."""
    if start is None:
        return None
    if isinstance(start, Mapping):
        found = np.zeros(names.size)
        for state, probability in start.items():
            found[names.number(state, "start names")] += number("a start probability", probability)
        return found
    if isinstance(start, str) or as_integer(start) is not None or names.find(start) is not None:
        found = np.zeros(names.size)
        found[names.number(start, "start names")] = 1
        return found
    if isinstance(start, (bool, np.bool_)):
        raise InvalidArgument(f"start must be probabilities or a state, but is {start!r}")
    return shaped("start", start, names.size)


def stated_start(stated: Stated, states: int) -> Numbers | None:
    """The start that was stated, by labels, names or numbers."""
    return start_numbers(
        stated.start, Names(states, names("state_names", stated.state_names), stated.labels)
    )


def build(
    rows: Rows,
    discount: float,
    stated: Stated,
    given: np.dtype[Any] | None = None,
    copy: bool = True,
) -> _core.Mdp:
    """The model; `given` is the type in which probabilities came. A model never changes, so what somebody
    else has is copied, unless `copy` is false."""
    try:
        return _built(rows, discount, stated, copy)
    except InvalidModel as error:
        if given is None or given.kind != "f" or given.itemsize >= 8 or "must sum to 1" not in str(error):
            raise
        told = InvalidModel(
            f"{error}: P came as {given}, whose rows sum to 1 only roughly; nothing is renormalised unasked, "
            "but P = P.astype(float); P / P.sum(-1, keepdims=True) would be"
        )
        told.state, told.action, told.value = error.state, error.action, error.value
        raise told from None


def _built(rows: Rows, discount: float, stated: Stated, copy: bool) -> _core.Mdp:
    state_names = names("state_names", stated.state_names)
    place = None if stated.coordinates is None else shaped("coordinates", stated.coordinates, rows.states, 2)
    return _core.from_rows(
        number("discount", discount),
        rows.pair_begin,
        rows.pair_action,
        rows.row_begin,
        rows.next_state,
        rows.probability,
        rows.reward,
        None if copy and not rows.ours else (rows.next_state, rows.probability),
        stated_start(stated, rows.states),
        rows.actions,
        state_names,
        names("action_names", stated.action_names),
        None if stated.groups is None else names("groups", [group or "" for group in stated.groups]),
        None if place is None else numbers("coordinates", place[:, 0]),
        None if place is None else numbers("coordinates", place[:, 1]),
        None if stated.reward_max is None else number("reward_max", stated.reward_max),
        stated.coverage,
        stated.coverage_is_sampled,
        stated.variance,
        text("name", stated.name),
    )


def sums(which: NDArray[Any], values: Numbers, count: int) -> Numbers:
    """The sum of the values of each of `count` things, in the order given."""
    return np.bincount(which, weights=values, minlength=count).astype(np.float64, copy=False)


def rows_of_entries(
    states: int, actions: int, pair: NDArray[np.int64], next_state: NDArray[np.int64], probability: Numbers
) -> tuple[Rows, NDArray[np.int64]]:
    """Rows, still without rewards, of transitions in any order; `pair` is state * actions + action. Also the
    pairs there are."""
    order = np.argsort(pair, kind="stable")
    pairs, length = np.unique(pair, return_counts=True)
    of_state = np.bincount(pairs // max(actions, 1), minlength=states)
    rows = Rows(
        actions,
        np.concatenate([[0], np.cumsum(of_state)]).astype(np.int32),
        (pairs % max(actions, 1)).astype(np.int32),
        np.concatenate([[0], np.cumsum(length)]).astype(np.int64),
        next_state[order].astype(np.int32),
        probability[order],
        np.empty(0),
        ours=True,
    )
    return rows, pairs


def keep_pairs(rows: Rows, keep: NDArray[np.bool_]) -> Rows:
    """Without the pairs that are not to be kept."""
    if keep.all():
        return rows
    length = np.diff(rows.row_begin)
    kept_before = np.concatenate([[0], np.cumsum(keep)])
    entries = np.repeat(keep, length)
    return Rows(
        rows.actions,
        kept_before[rows.pair_begin].astype(np.int32),
        rows.pair_action[keep],
        np.concatenate([[0], np.cumsum(length[keep])]).astype(np.int64),
        rows.next_state[entries],
        rows.probability[entries],
        rows.reward[keep],
        ours=True,
    )
