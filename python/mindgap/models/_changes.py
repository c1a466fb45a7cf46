"""The same model with something else stated about it, and what a model says about itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import InvalidArgument
from ._frames import coverage_column, is_table, pair_column
from ._given import Indices, Numbers, array, number, numbers
from ._names import Names
from ._rows import Start, start_numbers, text


def pair_state(model: _core.Mdp) -> Indices:
    """See :attr:`mindgap.Mdp.pair_state`."""
    return np.repeat(np.arange(model.states, dtype=np.int32), np.diff(model.pair_begin))


def ends(model: _core.Mdp) -> NDArray[np.bool_]:
    """See :attr:`mindgap.Mdp.ends`."""
    state = pair_state(model)
    stays = (np.diff(model.row_begin) == 1) & (model.next_state[model.row_begin[:-1]] == state)
    found = np.ones(model.states, dtype=bool)
    found[state[~(stays & (model.reward == 0))]] = False
    return found


def with_start(model: _core.Mdp, start: Start) -> _core.Mdp:
    """See :meth:`mindgap.Mdp.with_start`."""
    found = start_numbers(start, Names.of_states(model))
    return _core.with_start(model, np.full(model.states, 1 / model.states) if found is None else found)


def with_restart(model: _core.Mdp, ends: Sequence[str | int] | None = None) -> _core.Mdp:
    """See :meth:`mindgap.Mdp.with_restart`."""
    if ends is None:
        return _core.with_restart(model, None)
    if isinstance(ends, (str, int)):
        ends = [ends]
    names = Names.of_states(model)
    return _core.with_restart(model, sorted({names.number(state, "ends name") for state in ends}))


def with_states(model: _core.Mdp, names: Sequence[str]) -> _core.Mdp:
    """See :meth:`mindgap.Mdp.with_states`."""
    if isinstance(names, str):
        names = [names]
    return _core.with_states(model, [text("names: the name of a state", name) for name in names])


def with_reward(model: _core.Mdp, reward: Any) -> _core.Mdp:
    """See :meth:`mindgap.Mdp.with_reward`."""
    return _core.with_reward(model, per_pair(model, "reward", reward))


def with_coverage(model: _core.Mdp, coverage: Any) -> _core.Mdp:
    """See :meth:`mindgap.Mdp.with_coverage`."""
    if coverage is None:
        return _core.with_coverage(model, None)
    found = coverage_column(model, coverage) if is_table(coverage) else per_pair(model, "coverage", coverage)
    return _core.with_coverage(model, found)


def with_variance(model: _core.Mdp, variance: Any) -> _core.Mdp:
    """See :meth:`mindgap.Mdp.with_variance`."""
    return _core.with_variance(model, *_one_or_each(model, "variance", variance))


def with_prior(
    model: _core.Mdp,
    *,
    reward_sd: ArrayLike | None = None,
    transition_strength: ArrayLike | None = None,
    odds: float = 1.0,
    drift_sd: float = 0.0,
    unseen: float | None = None,
    unseen_strength: float = 1.0,
    reward_min: float | None = None,
    reward_max: float | None = None,
    rewards: str = "gaussian",
) -> _core.Mdp:
    """See :meth:`mindgap.Mdp.with_prior`."""
    sd, pair_sd = _one_or_each(model, "reward_sd", reward_sd)
    strength, pair_strength = _one_or_each(model, "transition_strength", transition_strength)
    odds, drift_sd = number("odds", odds), number("drift_sd", drift_sd)
    least = None if reward_min is None else number("reward_min", reward_min)
    most = None if reward_max is None else number("reward_max", reward_max)
    return _core.with_prior(
        model,
        sd,
        strength,
        pair_sd,
        pair_strength,
        odds,
        drift_sd,
        None if unseen is None else number("unseen", unseen),
        number("unseen_strength", unseen_strength),
        least,
        most,
        str(rewards),
    )


def with_shared(
    model: _core.Mdp,
    *,
    group_sd: float | Mapping[str, float] | None = None,
    sd: float | None = None,
    length: float | None = None,
    over: str | None = None,
    loadings: Any = None,
) -> _core.Mdp:
    """See :meth:`mindgap.Mdp.with_shared`."""
    from .._inputs import Sources  # which imports from here

    if (sd is None) != (length is None):
        raise InvalidArgument("sd and length go together: how large the error of neighbours is, and how far it reaches")
    groups = []
    if isinstance(group_sd, Mapping):
        groups = [(text("group_sd: a group", name), number("group_sd", one)) for name, one in group_sd.items()]
        group_sd = None
    if over is None:
        over = "graph" if model.coordinates is None else "place"
    sources = Sources()
    with sources.named():
        return _core.with_shared(
            model,
            None if group_sd is None else number("group_sd", group_sd),
            groups,
            None if sd is None else number("sd", sd),
            1.0 if length is None else number("length", length),
            text("over", over),
            sources.take(loadings, "loadings"),
        )


def _one_or_each(model: _core.Mdp, what: str, given: Any) -> tuple[float | None, Numbers | None]:
    if given is None:
        return None, None
    return (number(what, given), None) if is_one_number(given) else (None, per_pair(model, what, given))


def is_one_number(given: Any) -> bool:
    return not is_table(given) and np.ndim(given) == 0


def per_pair(model: _core.Mdp, what: str, given: Any) -> Numbers:
    """One number per pair, from one for all, one per pair, per state, per state and action, or a table."""
    if is_table(given):
        return pair_column(model, given, what, what)
    found = array(what, given)
    if found.ndim == 0:
        return np.full(model.pairs, number(what, given))
    if found.shape == (model.pairs,):
        return numbers(what, found)
    if found.shape == (model.states,):
        return numbers(what, found[pair_state(model)])
    if found.shape == (model.states, model.actions):
        return numbers(what, found[pair_state(model), model.pair_action])
    raise InvalidArgument(
        f"{what} must have shape ({model.pairs},) for pairs, ({model.states},) for states or "
        f"({model.states}, {model.actions}) for states and actions, but has {found.shape}"
    )
