"""Gymnasium environments as models: their tables where they have one, else what rollouts show."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._progress import Progress, Report
from ..errors import InvalidArgument, InvalidModel
from ._given import number, package, shaped
from ._rows import Rows, Stated, build, sums
from ._sampled import Labels, Tally, Ticker, _with_end, model_of, positive, seed_of

if TYPE_CHECKING:
    from ..gym import ModelEnv

_RESETS = 1000  # how often an environment that does not say where it starts is asked
_STEPS = 100_000


def from_gymnasium(
    env: Any,
    discount: float,
    *,
    steps: int | None = None,
    episodes: int | None = None,
    policy: Callable[[Any, np.random.Generator], Any] | None = None,
    seed: int = 0,
    progress: bool | Report | None = None,
    **stated: Any,
) -> _core.Mdp:
    """See :meth:`mindgap.Mdp.from_gymnasium`."""
    said = Stated(**stated)
    number("discount", discount)
    seed = seed_of(seed)
    if not hasattr(env, "unwrapped") or not hasattr(env, "action_space"):
        raise InvalidArgument(
            f"from_gymnasium wants an environment of Gymnasium, but got a {type(env).__name__}"
        )
    if hasattr(env, "num_envs"):
        raise InvalidArgument("from_gymnasium wants one environment, but this is a vector of them")
    if not said.name:
        said.name = getattr(env.spec, "id", None) or type(env.unwrapped).__name__
    table = getattr(env.unwrapped, "P", None)
    if steps is None and episodes is None and policy is None and isinstance(table, Mapping):
        return _from_table(env, table, discount, seed, said)
    for what, space in (("observation", env.observation_space), ("action", env.action_space)):
        _check_discrete(what, space)
    with Progress(progress) as report:
        return _from_rollouts(env, discount, steps, episodes, policy, seed, report, said)


def _from_table(env: Any, table: Mapping[Any, Any], discount: float, seed: int, said: Stated) -> _core.Mdp:
    """P[s][a] is a list of (probability, next state, reward, terminated)."""
    states = len(table)
    actions = max(len(of_state) for of_state in table.values())
    found: list[tuple[int, int, int, float, float, bool]] = []
    for state, of_state in table.items():
        for action, entries in of_state.items():
            for entry in entries:
                try:
                    probability, next_state, reward, terminated = entry
                    found.append(
                        (
                            int(state),
                            int(action),
                            int(next_state),
                            float(probability),
                            float(reward),
                            bool(terminated),
                        )
                    )
                except (TypeError, ValueError):
                    raise InvalidModel(
                        f"env.P[{state}][{action}] must be a list of (probability, next state, reward, "
                        f"terminated), but has {entry!r}"
                    ) from None
    if not found:
        raise InvalidModel("env.P has no transitions")
    start = _table_start(env, states, seed) if said.start is None else None
    state, action, next_state = (np.array([entry[at] for entry in found], dtype=np.int64) for at in range(3))
    probability, reward = (np.array([entry[at] for entry in found], dtype=np.float64) for at in (3, 4))
    over = np.array([entry[5] for entry in found])
    for what, values, size in (("state", state, states), ("next state", next_state, states)):
        if values.min() < 0 or values.max() >= size:
            raise InvalidModel(
                f"env.P names the {what} {values[(values < 0) | (values >= size)][0]}, "
                f"but its states are 0 to {size - 1}"
            )

    # A state that is only ever entered as an end is an end itself; else ends lead to an additional state.
    possible = probability > 0
    alive = np.zeros(states, dtype=bool)
    alive[next_state[possible & ~over]] = True
    if start is not None:
        alive |= start > 0
    is_end = np.zeros(states + 1, dtype=bool)
    entered = next_state[possible & over]
    is_end[entered[~alive[entered]]] = True
    is_end[states] = alive[entered].any()
    next_state[over & alive[next_state]] = states
    keep = ~is_end[state]
    ends = np.flatnonzero(is_end)
    state, action, next_state = (
        np.r_[state[keep], ends],
        np.r_[action[keep], 0 * ends],
        np.r_[next_state[keep], ends],
    )
    probability, reward = (
        np.r_[probability[keep], np.ones(len(ends))],
        np.r_[reward[keep], np.zeros(len(ends))],
    )
    if is_end[states]:
        said.state_names = _with_end(said.state_names, states)
        said.groups = None if said.groups is None else [*said.groups, None]
        start = None if start is None else np.r_[start, 0]
        states += 1
    if start is not None:
        said.start = start
    return build(
        _rows_of_entries(states, actions, state, action, next_state, probability, reward), discount, said
    )


def _rows_of_entries(
    states: int, actions: int, state: Any, action: Any, next_state: Any, probability: Any, reward: Any
) -> Rows:
    pair = state * actions + action
    order = np.argsort(pair, kind="stable")
    pairs, length = np.unique(pair, return_counts=True)
    of_state = np.bincount(pairs // actions, minlength=states)
    return Rows(
        actions,
        np.concatenate([[0], np.cumsum(of_state)]).astype(np.int32),
        (pairs % actions).astype(np.int32),
        np.concatenate([[0], np.cumsum(length)]).astype(np.int64),
        next_state[order].astype(np.int32),
        np.ascontiguousarray(probability[order]),
        sums(np.searchsorted(pairs, pair), probability * reward, len(pairs)),
    )


def _table_start(env: Any, states: int, seed: int) -> Any:
    """Where the environment starts: as it says, or as often as it did."""
    stated = getattr(env.unwrapped, "initial_state_distrib", None)
    if stated is not None:
        return shaped("env.initial_state_distrib", stated, states)
    count = np.zeros(states)
    for time in range(_RESETS):
        observation, _ = env.reset(seed=seed) if time == 0 else env.reset()
        count[int(observation)] += 1
    return count / _RESETS


def _check_discrete(what: str, space: Any) -> None:
    spaces = package("gymnasium.spaces", "Mdp.from_gymnasium")
    if isinstance(space, (spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary)):
        return
    if isinstance(space, spaces.Tuple):
        for part in space.spaces:
            _check_discrete(what, part)
        return
    if isinstance(space, spaces.Dict):
        for part in space.spaces.values():
            _check_discrete(what, part)
        return
    raise InvalidArgument(
        f"from_gymnasium wants discrete spaces (Discrete, MultiDiscrete, MultiBinary, and Tuple or Dict of "
        f"those), but the {what} space has {space}: make it discrete first, for example with "
        "gymnasium.ObservationWrapper, or give Mdp.from_function a step of your own"
    )


def _label(value: Any) -> Any:
    """An observation as something hashable that prints well."""
    if isinstance(value, np.ndarray):
        return _label(value.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return tuple((key, _label(value[key])) for key in sorted(value))
    if isinstance(value, (tuple, list)):
        return tuple(_label(part) for part in value)
    return value


def _members(space: Any) -> list[Any]:
    """All actions of a discrete space, as its environment takes them."""
    spaces = package("gymnasium.spaces", "Mdp.from_gymnasium")
    if isinstance(space, spaces.Discrete):
        return list(range(int(space.start), int(space.start + space.n)))
    if isinstance(space, spaces.MultiBinary):
        digits = itertools.product((0, 1), repeat=int(np.prod(space.shape)))
        return [np.array(bits, dtype=space.dtype).reshape(space.shape) for bits in digits]
    if isinstance(space, spaces.MultiDiscrete):
        first, size = np.ravel(getattr(space, "start", np.zeros_like(space.nvec))), np.ravel(space.nvec)
        each = itertools.product(*(range(f, f + n) for f, n in zip(first.tolist(), size.tolist())))
        return [np.array(one, dtype=space.dtype).reshape(space.shape) for one in each]
    if isinstance(space, spaces.Dict):
        each = itertools.product(*(_members(part) for part in space.spaces.values()))
        return [dict(zip(space.spaces, one)) for one in each]
    return list(itertools.product(*(_members(part) for part in space.spaces)))


def _from_rollouts(
    env: Any,
    discount: float,
    steps: int | None,
    episodes: int | None,
    policy: Callable[[Any, np.random.Generator], Any] | None,
    seed: int,
    report: Report | None,
    said: Stated,
) -> _core.Mdp:
    most_steps = None if steps is None else positive("steps", steps)
    most_episodes = None if episodes is None else positive("episodes", episodes)
    if most_steps is None and most_episodes is None:
        most_steps = _STEPS
    members = _members(env.action_space)
    choices = Labels("actions", [_label(member) for member in members])
    labels = Labels("states", None, grows=True)
    rng = np.random.default_rng([seed])
    tally = Tally()
    tick = Ticker(report, "sampling", most_steps or most_episodes or 0)
    taken = begun = 0
    over, state, observation = True, -1, None
    while most_steps is None or taken < most_steps:
        if over:
            if most_episodes is not None and begun == most_episodes:
                break
            observation, _ = env.reset(seed=seed) if begun == 0 else env.reset()
            state = labels.number(_label(observation))
            tally.started(state)
            begun += 1
        if policy is None:
            action = int(rng.integers(len(members)))
            chosen = members[action]
        else:
            chosen = policy(observation, rng)
            action = choices.number(_label(chosen))
        observation, reward, terminated, truncated, _ = env.step(chosen)
        next_state = labels.number(_label(observation))
        if not np.isfinite(reward):
            raise InvalidModel(f"the environment gave the reward {reward}, which is not finite")
        tally.pair(state, action).add(float(reward), next_state, bool(terminated))
        state, over = next_state, bool(terminated or truncated)
        taken += 1
        tick(taken if most_steps is not None else begun)
    tally, order = _in_own_order(tally, labels)
    if said.state_names is None and order != list(range(len(order))):
        said.state_names = [str(label) for label in order]
    if said.action_names is None:
        said.action_names = choices.names()
    said.labels = {label: at for at, label in enumerate(order)}
    return model_of(tally, len(order), len(members), discount, said)


def _in_own_order(tally: Tally, labels: Labels) -> tuple[Tally, list[Any]]:
    """States in the order of their observations instead of that of appearance."""
    order = sorted(labels.all)
    number = {labels.numbers[label]: at for at, label in enumerate(order)}
    found = Tally()
    found.starts = {number[state]: count for state, count in tally.starts.items()}
    for (state, action), seen in tally.pairs.items():
        seen.next = {number[s]: count for s, count in seen.next.items()}
        seen.ended = {number[s]: count for s, count in seen.ended.items()}
        found.pairs[number[state], action] = seen
    return found, order


def to_env(model: _core.Mdp, *, noise: bool = False, strict: bool = False) -> ModelEnv:
    """See :meth:`mindgap.Mdp.to_env`."""
    package("gymnasium", "Mdp.to_env")
    from ..gym import ModelEnv

    return ModelEnv(model, noise=noise, strict=strict)
