"""Whether a world written in Python shows the same again: one trial, played twice before planners meet it.

Planners are compared on the same trials, and units and threads take turns. That is fair only where all the luck
of a world is in the seed of its ``reset``. A world that draws from a generator that everybody shares, such as
that of ``numpy.random`` or ``random``, gives other luck to every planner, and other results for another number
of threads.
"""

from __future__ import annotations

import math
import random
import warnings
from typing import Any

import numpy as np

from . import _core
from .errors import InvalidArgument

_MOST_STEPS = 1000  # of one unit

_REMEDY = (
    "units and threads take turns, so all luck must come from the seed: draw from a generator made of the seed "
    "that reset is handed (numpy.random.default_rng(seed)), or of a function from the generator that step is "
    "handed, not from numpy.random or random, which everybody shares"
)


class _Given(Exception):
    """The world raised or gave something that it may not: the trial itself will say so."""


def check_replay(truth: Any, simulator: _core.Mdp, units: int, horizon: int, seed: int) -> None:
    """Plays two units of one trial one after the other, and once more in turns, with the same actions: both must
    show the same. That is four runs of one unit, cut so that they are no more steps than one trial has.

    :raises InvalidArgument: where the two differ.
    """
    steps = max(1, min(horizon, units * horizon // 4, _MOST_STEPS))
    seeds = [int(s) for s in np.random.SeedSequence([seed, 7]).generate_state(2)]
    before = _shared_generators()
    try:
        alone = _played(truth, simulator, seeds, steps, in_turns=False)
        again = _played(truth, simulator, seeds, steps, in_turns=True)
        used = [name for name, state in _shared_generators().items() if state != before[name]]
    except _Given:
        return
    finally:
        _restore(before)
    for unit, (one, other) in enumerate(zip(alone, again)):
        for step, (first, second) in enumerate(zip(one, other), start=-1):
            if not _same(first, second):
                raise InvalidArgument(_difference(truth.name, seeds[unit], step, first, second))
    if used:
        warnings.warn(
            f"world {truth.name}: it draws from {' and '.join(used)}. Played twice, a trial showed the same, so it "
            f"cannot be told whether that matters: {_REMEDY}",
            stacklevel=4,
        )


def _difference(name: str, seed: int, step: int, first: Any, second: Any) -> str:
    when = "reset" if step < 0 else f"step {step}"
    what = "state" if step < 0 else "(reward, next state)"
    return (
        f"world {name}: the same trial played twice (seed {seed}, the same actions) differs at {when}: {what} "
        f"{first!r}, and then {second!r}; {_REMEDY}"
    )


def _played(
    truth: Any, simulator: _core.Mdp, seeds: list[int], steps: int, in_turns: bool
) -> list[list[Any]]:
    """What each unit showed: the state of its reset, then (reward, state) of each step."""
    try:
        worlds = truth.take(len(seeds))
    except Exception as error:
        raise _Given from error
    shown: list[list[Any]] = [[] for _ in seeds]
    try:
        order = range(len(seeds))
        if in_turns:
            for unit in reversed(order):
                shown[unit].append(worlds[unit].reset(seeds[unit]))
            for _ in range(steps):
                for unit in reversed(order):
                    shown[unit].append(_stepped(worlds[unit], simulator, shown[unit]))
        else:
            for unit in order:
                shown[unit].append(worlds[unit].reset(seeds[unit]))
                for _ in range(steps):
                    shown[unit].append(_stepped(worlds[unit], simulator, shown[unit]))
    except Exception as error:
        raise _Given from error
    finally:
        truth.give_back(worlds)
    return shown


def _stepped(world: Any, simulator: _core.Mdp, shown: list[Any]) -> tuple[float, Any]:
    """One step with the action that comes next: of those that are available, by the number of the step."""
    last = shown[-1] if len(shown) == 1 else shown[-1][1]
    state = simulator.find_state(last) if isinstance(last, str) else int(last)
    if not 0 <= state < simulator.states:
        raise _Given
    begin, end = simulator.pair_begin[state : state + 2]
    pair = begin + (7 * len(shown)) % (end - begin)
    reward, next_state = world.step(int(simulator.pair_action[pair]))
    return float(reward), next_state if isinstance(next_state, str) else int(next_state)


def _same(first: Any, second: Any) -> bool:
    if isinstance(first, tuple):
        return all(_same(one, other) for one, other in zip(first, second))
    if isinstance(first, float) and math.isnan(first):
        return isinstance(second, float) and math.isnan(second)
    return bool(first == second)


def _shared_generators() -> dict[str, Any]:
    """The state of the generators that everybody shares, by name."""
    kind, key, position, has_gauss, gauss = np.random.get_state()
    return {
        "numpy.random": (kind, np.asarray(key).tobytes(), position, has_gauss, gauss),
        "random": random.getstate(),
    }


def _restore(states: dict[str, Any]) -> None:
    kind, key, position, has_gauss, gauss = states["numpy.random"]
    np.random.set_state((kind, np.frombuffer(key, dtype=np.uint32), position, has_gauss, gauss))
    random.setstate(states["random"])
