"""Environments whose state cannot be set: tables on a grid from what rollouts show."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._progress import Report
from .._result import tell
from ..errors import InvalidArgument
from ._grid import Grid
from ._gymnasium import actions_of, known_state_of
from ._model import GridModel, Program
from ._space import Space
from ._tables import left_of

if TYPE_CHECKING:
    from ..models._rows import Stated

_STEPS = 100_000
_NAMED = 5  # corners that a note names
_REFUSED = {
    "start": "it starts where the environment's resets do",
    "state_names": "states are the grid's corners, named by their coordinates",
    "groups": "states are the grid's corners",
    "coordinates": "states are the grid's corners, whose places are known",
    "reward_max": "it is the largest reward that is seen",
}


@dataclass
class _Seen:
    """Steps, one after the other."""

    state: array[float] = field(default_factory=lambda: array("d"))
    action: array[int] = field(default_factory=lambda: array("i"))
    reward: array[float] = field(default_factory=lambda: array("d"))
    next_state: array[float] = field(default_factory=lambda: array("d"))
    terminated: array[int] = field(default_factory=lambda: array("B"))
    starts: array[float] = field(default_factory=lambda: array("d"))


def from_rollouts(
    env: Any,
    discount: float,
    grid: Grid,
    actions: Sequence[Any] | None,
    state_of: Callable[[Any], Any] | None,
    steps: int | None,
    episodes: int | None,
    policy: Callable[[Any, np.random.Generator], Any] | None,
    restart: bool,
    seed: int,
    report: Report | None,
    said: Stated,
) -> GridModel:
    """See :meth:`mindgap.Mdp.from_gymnasium`, with a grid."""
    for word, why in _REFUSED.items():
        if getattr(said, word) is not None:
            raise InvalidArgument(f"{word} cannot be combined with grid: {why}")
    if not isinstance(grid, Grid):
        raise InvalidArgument(f"grid must be a mindgap.Grid, but is {grid!r}")
    chosen = actions_of(env.action_space, actions, "Mdp.from_gymnasium")
    shape = getattr(env.observation_space, "shape", None)
    space = Space(grid, chosen, said.action_names, state_of or known_state_of(env), shape)
    seen = _follow(env, space, steps, episodes, policy, seed, report)
    table = _core.sampled(
        grid._core,
        np.frombuffer(seen.state),
        np.frombuffer(seen.action, dtype=np.int32),
        np.frombuffer(seen.reward),
        np.frombuffer(seen.next_state),
        np.frombuffer(seen.terminated, dtype=np.uint8),
        discount,
        space.action_names,
        np.frombuffer(seen.starts),
        0,
    )
    model = table.model(said.name)
    _note_of_untried(table, model, space)
    if restart:
        from ..models._tally import begin_again

        model = begin_again(model, [grid.corners] if table.has_end else [], table.has_end)
    return GridModel(model, Program(space, [{}], np.ones(1), left_of(table, grid)))


def _follow(
    env: Any,
    space: Space,
    steps: int | None,
    episodes: int | None,
    policy: Callable[[Any, np.random.Generator], Any] | None,
    seed: int,
    report: Report | None,
) -> _Seen:
    """Follows the environment as it is wrapped, from its own resets."""
    from ..models._gymnasium import _reset, _step
    from ..models._sampled import Ticker, positive

    most_steps = None if steps is None else positive("steps", steps)
    most_episodes = None if episodes is None else positive("episodes", episodes)
    if most_steps is None and most_episodes is None:
        most_steps = _STEPS
    if policy is not None and not callable(policy):
        raise InvalidArgument(f"policy must be a function of (observation, rng), but is {policy!r}")
    rng = np.random.default_rng([seed])
    seen = _Seen()
    tick = Ticker(report, "sampling", most_steps or most_episodes or 0)
    taken = begun = 0
    over, observation, state = True, None, np.empty(0)
    while most_steps is None or taken < most_steps:
        if over:
            if most_episodes is not None and begun == most_episodes:
                break
            observation = _reset(env, seed if begun == 0 else None)
            state = _state(space, observation, "env.reset()")
            seen.starts.extend(state)
            begun += 1
        if policy is None:
            action = int(rng.integers(len(space._actions)))
        else:
            action = _number(space, policy(observation, rng), observation)
        shown, reward, terminated, truncated = _step(env, observation, space._actions[action])
        after = state if terminated else _state(space, shown, f"env.step({space._actions[action]!r})")
        seen.state.extend(state)
        seen.action.append(action)
        seen.reward.append(reward)
        seen.next_state.extend(after)
        seen.terminated.append(terminated)
        observation, state, over = shown, after, terminated or truncated
        taken += 1
        tick(taken if most_steps is not None else begun)
    return seen


def _state(space: Space, observation: Any, call: str) -> Any:
    """The state that an observation shows, checked."""
    try:
        state = space._state(observation)
    except InvalidArgument:
        grid = space.grid
        raise InvalidArgument(
            f"{call} returned the observation {observation!r}, which is not {grid.dimension} numbers as the grid has axes "
            f"({', '.join(grid.names)}): the grid is over what is observed, or over what state_of=, a function of an "
            "observation, makes of it"
        ) from None
    if not np.isfinite(state).all():
        raise InvalidArgument(f"{call} returned the observation {observation!r}, which has numbers that are not finite")
    return state


def _number(space: Space, action: Any, observation: Any) -> int:
    try:
        return space._nearly(action)
    except InvalidArgument as error:
        raise InvalidArgument(f"policy({observation!r}, rng) gave {action!r}: {error}") from None


def _note_of_untried(table: _core.Sampled, model: _core.Mdp, space: Space) -> None:
    """Says which pairs nothing is known of."""
    if table.untried == 0:
        return
    count = len(space._actions)
    pairs = space.grid.corners * count
    covered = np.zeros(pairs) if model.coverage is None else model.coverage[:pairs]
    bare = np.flatnonzero(covered == 0).tolist()
    some = ", ".join(
        f"{space.grid._core.name_of(pair // count)} with {space._action_names[pair % count]}" for pair in bare[:_NAMED]
    )
    tell(
        [
            f"{table.untried} of {pairs} pairs of a corner and an action ({100 * table.untried / pairs:.2g} %) were never "
            f"tried in the sample ({some}{', ...' if len(bare) > _NAMED else ''}): they stay where they are, pay "
            f"{table.lowest:.6g} at each step and have no coverage"
        ]
    )
