"""Gymnasium environments as models: their tables where they have one, else what rollouts show."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._progress import Progress, Report
from ..errors import InvalidArgument, InvalidModel
from ._given import Numbers, number, package, shaped
from ._names import as_integer, is_known, label_of
from ._rows import Stated, build, rows_of_entries, stated_start, sums
from ._sampled import Labels, Ticker, positive, seed_of, truth_value
from ._tally import Tally, add_end, begin_again, model_of

if TYPE_CHECKING:
    from ..gym import ModelEnv
    from ..programs import Grid

_RESETS = 1000  # how often an environment that does not say where it starts is asked
_STEPS = 100_000
_MOST_ACTIONS = 1_000_000
_HARMLESS = frozenset({"TimeLimit", "OrderEnforcing", "PassiveEnvChecker"})  # what gymnasium.make adds


def from_gymnasium(
    env: Any,
    discount: float,
    *,
    steps: int | None = None,
    episodes: int | None = None,
    policy: Callable[[Any, np.random.Generator], Any] | None = None,
    restart: bool = False,
    seed: int = 0,
    progress: bool | Report | None = None,
    grid: Grid | None = None,
    actions: Sequence[Any] | None = None,
    state_of: Callable[[Any], Any] | None = None,
    **stated: Any,
) -> _core.Mdp:
    """See :meth:`mindgap.Mdp.from_gymnasium`."""
    said = Stated.by("from_gymnasium", stated)
    number("discount", discount)
    seed = seed_of(seed)
    restart = truth_value("restart", restart)
    if not hasattr(env, "unwrapped") or not hasattr(env, "action_space"):
        raise InvalidArgument(
            f"from_gymnasium wants an environment of Gymnasium, but got a {type(env).__name__}"
        )
    if hasattr(env, "num_envs"):
        raise InvalidArgument("from_gymnasium wants one environment, but this is a vector of them")
    if not said.name:
        said.name = getattr(getattr(env, "spec", None), "id", None) or type(env.unwrapped).__name__
    if grid is not None:
        from ..programs._followed import from_rollouts  # which knows this module

        with Progress(progress) as report:
            return from_rollouts(
                env, discount, grid, actions, state_of, steps, episodes, policy, restart, seed, report, said
            )
    for word, given in (("actions", actions), ("state_of", state_of)):
        if given is not None:
            raise InvalidArgument(f"{word} needs grid: without one the spaces are discrete, and are taken as they are")
    table = getattr(env.unwrapped, "P", None)
    if steps is None and episodes is None and policy is None and isinstance(table, Mapping):
        _warn_of_wrappers(env)
        return _from_table(env, table, discount, seed, restart, said)
    for what, space in (("observation", env.observation_space), ("action", env.action_space)):
        _check_discrete(what, space)
    with Progress(progress) as report:
        return _from_rollouts(env, discount, steps, episodes, policy, restart, seed, report, said)


def _warn_of_wrappers(env: Any) -> None:
    """The table is that of the innermost environment; wrappers may say otherwise."""
    changing = []
    while env is not env.unwrapped and hasattr(env, "env"):
        kind = type(env)
        if not (kind.__module__.startswith("gymnasium.") and kind.__name__ in _HARMLESS):
            changing.append(kind.__name__)
        env = env.env
    if changing:
        warnings.warn(
            f"the model is the table of {type(env).__name__}, in which {', '.join(changing)} around it is "
            "not seen: say steps= to sample the environment as it is wrapped",
            stacklevel=3,
        )


@dataclass
class _Entries:
    """The entries of a table, one by one."""

    state: NDArray[np.int64]
    action: NDArray[np.int64]
    next_state: NDArray[np.int64]
    probability: Numbers
    reward: Numbers
    over: NDArray[np.bool_]


def _from_table(
    env: Any, table: Mapping[Any, Any], discount: float, seed: int, restart: bool, said: Stated
) -> _core.Mdp:
    """P[s][a] is a list of (probability, next state, reward, terminated)."""
    states = len(table)
    found = _entries_of(table)
    actions = max(int(found.action.max()) + 1, int(getattr(env.action_space, "n", 0)))
    start = stated_start(said, states)
    if start is None:
        start = _table_start(env, states, seed)
    ended = bool((found.over & (found.probability > 0)).any())
    if restart:
        _lead_to_start(found, start)
    ends = np.unique(found.next_state[found.over & (found.probability > 0)]).tolist()
    if _lead_to_ends(found, states, start):
        add_end(said, states)
        start = np.r_[start, 0]
        states += 1
    said.start = start
    pair = found.state * actions + found.action
    rows, pairs = rows_of_entries(states, actions, pair, found.next_state, found.probability)
    rows.reward = sums(np.searchsorted(pairs, pair), found.probability * found.reward, len(pairs))
    model = build(rows, discount, said)
    return begin_again(model, ends, ended) if restart else model


def _entries_of(table: Mapping[Any, Any]) -> _Entries:
    found: list[tuple[Any, ...]] = []
    for state, of_state in table.items():
        for action, entries in of_state.items():
            for entry in entries:
                try:
                    p, to, reward, over = entry
                    found.append(
                        (_whole(state), _whole(action), _whole(to), float(p), float(reward), bool(over))
                    )
                except (TypeError, ValueError, OverflowError):
                    raise InvalidModel(
                        f"env.P[{state}][{action}] must be a list of (probability, next state, reward, "
                        f"terminated), but has {entry!r}"
                    ) from None
    if not found:
        raise InvalidModel("env.P has no transitions")
    columns = list(zip(*found))
    whole = [np.array(column, dtype=np.int64) for column in columns[:3]]
    for what, values, size in zip(("state", "action", "next state"), whole, (len(table), None, len(table))):
        wrong = values[(values < 0) | (values >= (np.iinfo(np.int32).max if size is None else size))]
        if wrong.size > 0:
            raise InvalidModel(
                f"env.P names the {what} {wrong[0]}, but has {len(table)} states, numbered from 0"
            )
    real = [np.array(column, dtype=np.float64) for column in columns[3:5]]
    return _Entries(whole[0], whole[1], whole[2], real[0], real[1], np.array(columns[5], dtype=bool))


def _whole(given: Any) -> int:
    found = int(given)
    if found != given:
        raise ValueError
    return found


def _lead_to_start(found: _Entries, start: Numbers) -> None:
    """Ends in states that are also passed alive begin again: each such entry becomes one per state of the start
    distribution. States that are only ever entered as ends are left to Mdp.with_restart()."""
    alive = start > 0
    alive[found.next_state[~found.over & (found.probability > 0)]] = True
    again = found.over & (found.probability > 0) & alive[found.next_state]
    begin, count = np.flatnonzero(start), int(again.sum())
    keep, width = ~again, len(begin)
    share = np.repeat(found.probability[again], width) * np.tile(start[begin], count)
    found.probability = np.r_[found.probability[keep], share]
    found.next_state = np.r_[found.next_state[keep], np.tile(begin, count)]
    found.state = np.r_[found.state[keep], np.repeat(found.state[again], width)]
    found.action = np.r_[found.action[keep], np.repeat(found.action[again], width)]
    found.reward = np.r_[found.reward[keep], np.repeat(found.reward[again], width)]
    found.over = np.r_[found.over[keep], np.zeros(count * width, dtype=bool)]


def _lead_to_ends(found: _Entries, states: int, start: Numbers) -> bool:
    """Makes terminated mean what it says. A state that is only ever entered as an end becomes one: it stays
    there, with reward 0 and one action. Other ends lead to an additional state; says whether there is one."""
    over = found.over & (found.probability > 0)
    alive = start > 0
    alive[found.next_state[~found.over & (found.probability > 0)]] = True
    entered = found.next_state[over]
    is_end = np.zeros(states + 1, dtype=bool)
    is_end[entered[~alive[entered]]] = True
    is_end[states] = alive[entered].any()
    found.next_state[over & alive[found.next_state]] = states
    keep, ends = ~is_end[found.state], np.flatnonzero(is_end)
    found.state = np.r_[found.state[keep], ends]
    found.action = np.r_[found.action[keep], 0 * ends]
    found.next_state = np.r_[found.next_state[keep], ends]
    found.probability = np.r_[found.probability[keep], np.ones(len(ends))]
    found.reward = np.r_[found.reward[keep], np.zeros(len(ends))]
    return bool(is_end[states])


def _table_start(env: Any, states: int, seed: int) -> Numbers:
    """Where the environment starts: as it says, or as often as it did."""
    stated = getattr(env.unwrapped, "initial_state_distrib", None)
    if stated is not None:
        return shaped("env.initial_state_distrib", stated, states)
    count = np.zeros(states)
    for time in range(_RESETS):
        observation = _reset(env, seed if time == 0 else None)
        state = as_integer(observation)
        if state is None or not 0 <= state < states:
            raise InvalidArgument(
                f"env.reset() must return one of the {states} states of env.P, but returned {observation!r}"
            )
        count[state] += 1
    return count / _RESETS


def _reset(env: Any, seed: int | None) -> Any:
    """Where the environment begins."""
    found = env.reset() if seed is None else env.reset(seed=seed)
    if not isinstance(found, tuple) or len(found) != 2:
        raise InvalidArgument(f"env.reset() must return (observation, info), but returned {found!r}")
    return found[0]


def _step(env: Any, observation: Any, action: Any) -> tuple[Any, float, bool, bool]:
    """Observation, reward, terminated, truncated; `observation` is where the environment was."""
    found = env.step(action)
    try:
        shown, reward, terminated, truncated, _ = found
        step = shown, number("reward", reward), bool(terminated), bool(truncated)
    except (TypeError, ValueError, InvalidArgument):
        raise InvalidArgument(
            f"env.step({action!r}) in {observation!r} must return (observation, reward, terminated, "
            f"truncated, info), but returned {found!r}"
        ) from None
    if not math.isfinite(step[1]):
        raise InvalidArgument(
            f"env.step({action!r}) in {observation!r} returned the reward {reward}, which is not finite"
        )
    return step


class _Observed:
    """The numbers of observations, which must be in their space."""

    def __init__(self, space: Any) -> None:
        self.labels = Labels("states", None, grows=True)
        self._space = space

    def number(self, observation: Any, call: str) -> int:
        """`call` is what returned it."""
        label = label_of(observation)
        if not is_known(label, self.labels.numbers) and not self._space.contains(observation):
            raise InvalidArgument(
                f"{call} returned the observation {observation!r}, which is not in the observation space "
                f"{self._space}"
            )
        return self.labels.number(label)


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
        f"those), but the {what} space has {space}. Numbers go on a grid: where the environment's state can be "
        "set, mindgap.Simulator.from_gymnasium(env, grid, discount=...) tabulates it; where it cannot, "
        "mindgap.Mdp.from_gymnasium(env, discount, grid=mindgap.Grid(...)) samples it by rollouts (actions= says which "
        "of a Box to choose from)"
    )


def _size(space: Any) -> int:
    """How many members a discrete space has."""
    spaces = package("gymnasium.spaces", "Mdp.from_gymnasium")
    if isinstance(space, spaces.Discrete):
        return int(space.n)
    if isinstance(space, spaces.MultiBinary):
        return int(2 ** min(math.prod(space.shape), 64))  # no need to count further
    if isinstance(space, spaces.MultiDiscrete):
        return math.prod(int(size) for size in np.ravel(space.nvec))
    parts = space.spaces.values() if isinstance(space, spaces.Dict) else space.spaces
    return math.prod(_size(part) for part in parts)


def _members(space: Any) -> list[Any]:
    """All actions of a discrete space, as its environment takes them."""
    spaces = package("gymnasium.spaces", "Mdp.from_gymnasium")
    if _size(space) > _MOST_ACTIONS:
        raise InvalidArgument(
            f"the action space {space} has more than {_MOST_ACTIONS} actions, which a model would have to "
            "list one by one: offer fewer with gymnasium.ActionWrapper"
        )
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
    restart: bool,
    seed: int,
    report: Report | None,
    said: Stated,
) -> _core.Mdp:
    most_steps = None if steps is None else positive("steps", steps)
    most_episodes = None if episodes is None else positive("episodes", episodes)
    if most_steps is None and most_episodes is None:
        most_steps = _STEPS
    members = _members(env.action_space)
    choices = Labels("actions", [label_of(member) for member in members])
    observed = _Observed(env.observation_space)
    rng = np.random.default_rng([seed])
    tally = Tally()
    tick = Ticker(report, "sampling", most_steps or most_episodes or 0)
    taken = begun = 0
    over, state, observation = True, -1, None
    while most_steps is None or taken < most_steps:
        if over:
            if most_episodes is not None and begun == most_episodes:
                break
            observation = _reset(env, seed if begun == 0 else None)
            state = observed.number(observation, "env.reset()")
            tally.started(state)
            begun += 1
        if policy is None:
            action = int(rng.integers(len(members)))
            chosen = members[action]
        else:
            chosen = policy(observation, rng)
            action = choices.number(label_of(chosen))
        shown, reward, terminated, truncated = _step(env, observation, chosen)
        next_state = observed.number(shown, f"env.step({chosen!r}) in {observation!r}")
        tally.pair(state, action).add(reward, next_state, terminated)
        observation, state, over = shown, next_state, terminated or truncated
        taken += 1
        tick(taken if most_steps is not None else begun)
    tally, order = _in_own_order(tally, observed.labels)
    if said.state_names is None and order != list(range(len(order))):
        said.state_names = [str(label) for label in order]
    if said.action_names is None:
        said.action_names = choices.names()
    said.labels = {label: at for at, label in enumerate(order)}
    return model_of(tally, len(order), len(members), discount, said, restart=restart, stacklevel=4)


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
