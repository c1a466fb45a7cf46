"""Models that come as NumPy arrays."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import InvalidArgument
from ._given import Numbers, array
from ._rows import Rows, Stated, all_pairs, build, keep_pairs, sums

Layout = Literal["asS", "saS"]


def from_arrays(
    P: ArrayLike,
    R: ArrayLike,
    discount: float,
    *,
    layout: Layout | None = None,
    available: ArrayLike | None = None,
    **stated: Any,
) -> _core.Mdp:
    """See :meth:`mindgap.Mdp.from_arrays`."""
    said = Stated.by("from_arrays", stated)
    probability = array("P", P)
    reward = array("R", R)
    layout = _layout_of("P", probability.shape, layout)
    by_state = _by_state(probability, layout)
    states, actions, _ = by_state.shape
    rows = _rows(by_state, _reward_of(reward, states, actions, layout), available)
    return build(rows, discount, said, probability.dtype)


def _layout_of(what: str, shape: tuple[int, ...], layout: str | None) -> Layout:
    if layout not in (None, "asS", "saS"):
        raise InvalidArgument(f"layout must be 'asS' (P[a, s, s']) or 'saS' (P[s, a, s']), but is {layout!r}")
    if len(shape) != 3 or 0 in shape:
        raise InvalidArgument(f"{what} must have shape (A, S, S) or (S, A, S), but has {shape}")
    first, second, states = shape
    possible = [name for name, size in (("asS", second), ("saS", first)) if size == states]
    if layout in possible:
        return "asS" if layout == "asS" else "saS"
    if layout is not None or not possible:
        wanted = {"asS": "(A, S, S)", "saS": "(S, A, S)", None: "(A, S, S) or (S, A, S)"}[layout]
        raise InvalidArgument(f"{what} must have shape {wanted}, but has {shape}")
    if len(possible) == 2 and states > 1:
        raise InvalidArgument(
            f"{what} has shape {shape}, as many actions as states: say layout='asS' (P[a, s, s']) or "
            "layout='saS' (P[s, a, s'])"
        )
    return "asS" if possible[0] == "asS" else "saS"


def _by_state(values: NDArray[Any], layout: Layout) -> NDArray[Any]:
    """A view (S, A, S)."""
    return values.transpose(1, 0, 2) if layout == "asS" else values


def _reward_of(reward: NDArray[Any], states: int, actions: int, layout: Layout) -> NDArray[Any]:
    """(S, A), or (S, A, S) where it depends on the next state."""
    if reward.shape == (states,):
        return np.broadcast_to(reward[:, None], (states, actions))
    if reward.shape == (states, actions):
        return reward
    if reward.shape == (actions, states, states) and (layout == "asS" or actions != states):
        return _by_state(reward, "asS")
    if reward.shape == (states, actions, states):
        return reward
    raise InvalidArgument(
        f"R must have shape (S,), (S, A), (A, S, S) or (S, A, S), here with S = {states} and A = {actions}, "
        f"but has {reward.shape}"
    )


def _rows(probability: NDArray[Any], reward: NDArray[Any], available: ArrayLike | None) -> Rows:
    states, actions, _ = probability.shape
    pair_begin, pair_action = all_pairs(states, actions)
    flat = probability.reshape(states * actions, states)
    at = np.flatnonzero(flat)
    pair = at // states
    next_state = (at - pair * states).astype(np.int32)
    value = flat.ravel()[at].astype(np.float64)
    length = np.bincount(pair, minlength=states * actions)
    per_pair: Numbers
    if reward.ndim == 3:
        # The mean over next states; what is said about impossible ones is not read.
        worth = reward[pair // actions, pair % actions, next_state].astype(np.float64)
        per_pair = sums(pair, value * worth, states * actions)
        keep = length > 0
    else:
        per_pair = np.ascontiguousarray(reward, dtype=np.float64).ravel()
        keep = (length > 0) & (per_pair != -np.inf)
    if available is not None:
        keep = _mask(available, states, actions)
    row_begin = np.concatenate([[0], np.cumsum(length)]).astype(np.int64)
    rows = Rows(actions, pair_begin, pair_action, row_begin, next_state, value, per_pair, ours=True)
    return keep_pairs(rows, keep)


def _mask(available: ArrayLike, states: int, actions: int) -> NDArray[np.bool_]:
    mask = array("available", available)
    if mask.shape != (states, actions):
        raise InvalidArgument(f"available must have shape {(states, actions)}, but has {mask.shape}")
    if mask.dtype != bool and not np.isin(mask, (0, 1)).all():
        raise InvalidArgument("available must hold truth values")
    return mask.astype(bool).ravel()
