"""Truths written in Python, which planners meet in :func:`mindgap.compare`.

A world is a class (or a function without arguments that makes an object) with

- ``reset(seed) -> state``: begins anew. The seed is all the luck there is: two worlds that are reset with the
  same seed and take the same actions must show the same;
- ``step(action) -> (reward, next_state)``.

States and actions are the simulator's, by number; a state may also be given by its name. Every unit has an
instance of its own.

A function that makes a Gymnasium environment is a world as well. Its observations are the simulator's states
by name, as ``Mdp.from_gymnasium`` names them, or by number where the simulator has no names; those of
``Mdp.to_env`` are numbers always. An environment itself will do where ``gymnasium.make`` makes the same one
from its ``spec``: others are made that way, one for every unit, and it is not used.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol, Union, cast

import numpy as np

from . import _core
from .errors import InvalidArgument
from .models._names import label_of

#: A state's number, or its name.
State = Union[int, str]
#: step(state, action, generator) -> (reward, next state), None for a next state where it ends.
Step = Callable[[Any, Any, np.random.Generator], "tuple[float, Any]"]


class World(Protocol):
    """What one unit acts in."""

    def reset(self, seed: int) -> State:
        """Begins anew, with all the luck in the seed."""

    def step(self, action: int) -> tuple[float, State]:
        """What an action brings: the reward, and where the unit is now."""


class _Places:
    """What a truth calls its states, as the simulator numbers them."""

    def __init__(self, simulator: _core.Mdp, *, numbered: bool = False) -> None:
        self._simulator = simulator
        self._named = simulator.has_state_names and not numbered
        self._number: dict[Hashable, int] = {}
        last = simulator.states - 1
        self._ends = simulator.ends
        named_end = simulator.state_names[last].rstrip("_") == "end"
        self.end = (
            last if named_end and self._ends[last] else None
        )  # where episodes end, as the adapters call it
        #: Whether episodes begin again: the simulator has no state that ends one.
        self.restarts = not self._ends.any()

    def number(self, label: Hashable) -> int:
        found = self._number.get(label)
        if found is None:
            if self._named:  # an integer is a name like any other: numbers may be those of other states
                found = self._simulator.find_state(label if isinstance(label, str) else str(label))
            elif isinstance(label, (int, np.integer)):
                found = int(label)
            else:
                found = self._simulator.find_state(str(label))
            if not 0 <= found < self._simulator.states:
                raise InvalidArgument(
                    f"the world is in {label!r}, a state that the simulator has never seen: check the spelling, or "
                    f"take it in with simulator.with_states([{str(label)!r}])"
                )
            self._number[label] = found
        return found

    def after_the_end(self, state: int | None) -> int:
        """Where a unit is for ever when its episode ended, in that state where one is known."""
        if self.end is not None and (state is None or not self._ends[state]):
            return self.end
        if state is None:
            raise InvalidArgument("the world ended, but the simulator has no state 'end'")
        return state


class GymnasiumWorld:
    """A Gymnasium environment with discrete spaces as a world; states and actions are those of a model made
    by ``Mdp.from_gymnasium``.

    A unit whose episode has terminated stays where it is, or in the simulator's state ``end``, and gains
    nothing more. Where the simulator has no state that ends an episode (it was made with ``restart=True``), the
    environment is reset and the unit goes on from there.
    """

    def __init__(self, environment: Any, simulator: _core.Mdp) -> None:
        from .models import _gymnasium as spaces
        from .programs._model import program_of

        box = getattr(environment.observation_space, "shape", None)
        if program_of(simulator) is not None and box is not None and environment.observation_space.dtype.kind == "f":
            raise InvalidArgument(
                f"world: compare moves units between the simulator's states, here corners of a grid, but the environment "
                f"shows numbers, {environment.observation_space}: give the truth on the same grid, as "
                "simulator.model(theta).to_env, or follow a planner of mindgap.planners.make() in the environment yourself"
            )
        for what, space in (
            ("observation", environment.observation_space),
            ("action", environment.action_space),
        ):
            spaces._check_discrete(what, space)
        self._environment = environment
        self._actions = spaces._members(environment.action_space)
        if len(self._actions) != simulator.actions:
            raise InvalidArgument(
                f"the environment has {len(self._actions)} actions, but the simulator {simulator.actions}"
            )
        self._places = _Places(simulator, numbered=_shows_numbers(environment, simulator))
        self._ended = False
        self._state = 0

    def reset(self, seed: int) -> int:
        observed, _ = self._environment.reset(seed=seed)
        self._ended = False
        self._state = self._places.number(label_of(observed))
        return self._state

    def step(self, action: int) -> tuple[float, int]:
        if self._ended:
            return 0.0, self._state
        observed, reward, terminated, truncated, _ = self._environment.step(self._actions[action])
        if terminated and self._places.restarts:
            observed, _ = self._environment.reset()
            self._state = self._places.number(label_of(observed))
        elif terminated:
            self._ended = True
            self._state = self._places.after_the_end(self._places.number(label_of(observed)))
        elif truncated:
            raise InvalidArgument(
                "the environment cut an episode off, so what would have come next is not known: make it "
                "without a time limit (gymnasium.make(..., max_episode_steps=-1)), or compare on a shorter "
                "horizon"
            )
        else:
            self._state = self._places.number(label_of(observed))
        return float(reward), self._state

    def close(self) -> None:
        self._environment.close()


def _shows_numbers(environment: Any, simulator: _core.Mdp) -> bool:
    """Whether its observations are numbers of states: those of a model (``Mdp.to_env``), as the model has
    them."""
    import gymnasium

    from .gym import ModelEnv

    if not isinstance(environment.unwrapped, ModelEnv):
        return False
    while isinstance(environment, gymnasium.Wrapper):
        if isinstance(environment, gymnasium.ObservationWrapper):
            return False
        environment = environment.env
    model = environment.model
    if model is not simulator and model.has_state_names and simulator.has_state_names:
        for number, (one, other) in enumerate(zip(model.state_names, simulator.state_names)):
            if one != other:
                raise InvalidArgument(
                    f"the environment's model calls its state {number} {one!r}, but the simulator {other!r}"
                )
    return True


class FunctionWorld:
    """A plain function as a world; made by :func:`from_function`."""

    def __init__(self, step: Step, simulator: _core.Mdp, actions: list[Any], start: Any) -> None:
        self._function = step
        self._actions = actions
        self._start = start
        self._places = _Places(simulator)
        self._label: Any = None
        self._state = 0
        self._generator = np.random.default_rng(0)

    def reset(self, seed: int) -> int:
        self._generator = np.random.default_rng(seed)
        self._label = self._begin()
        self._state = self._places.number(self._label)
        return self._state

    def _begin(self) -> Any:
        return self._start(self._generator) if callable(self._start) else self._start

    def step(self, action: int) -> tuple[float, int]:
        if self._label is None:
            return 0.0, self._state
        reward, self._label = self._function(self._label, self._actions[action], self._generator)
        if self._label is None and self._places.restarts:
            self._label = self._begin()
        ended = self._label is None
        self._state = self._places.after_the_end(None) if ended else self._places.number(self._label)
        return float(reward), self._state


def from_function(
    step: Step,
    *,
    simulator: _core.Mdp,
    start: Any,
    actions: Iterable[Hashable] | None = None,
) -> Callable[[], FunctionWorld]:
    """A plain ``step(state, action, generator) -> (reward, next_state)`` as a truth for
    :func:`mindgap.compare`, the kind that ``Mdp.from_function`` takes. A next state None is an end; where the
    simulator has no state that ends an episode (``restart=True``), the unit begins again.

    :param simulator: the model that names the states and actions.
    :param start: the state to begin in, or a function of a generator that draws it.
    :param actions: what the function calls the actions, where that is not their number.
    """
    calls: list[Any] = list(range(simulator.actions))
    if actions is not None:
        known = {label if isinstance(label, str) else str(label): label for label in actions}
        missing = [name for name in simulator.action_names if name not in known]
        if missing:
            raise InvalidArgument(
                f"actions: the simulator has an action '{missing[0]}', which is not among them"
            )
        calls = [known[name] for name in simulator.action_names]

    def make() -> FunctionWorld:
        return FunctionWorld(step, simulator, calls, start)

    make.__name__ = str(getattr(getattr(step, "func", step), "__name__", "function"))  # func: of a partial
    return make


@dataclass
class Truth:
    """Gives the library instances of a world, one per unit.

    Environments are used again and again, since making one takes long and a reset with a seed settles
    everything; other worlds are made anew for every run.
    """

    name: str
    make: Callable[[], World]
    reuse: bool = False
    _idle: list[World] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, units: int) -> list[World]:
        with self._lock:
            count = min(units, len(self._idle))
            taken = self._idle[len(self._idle) - count :]
            del self._idle[len(self._idle) - count :]
        return taken + [self.make() for _ in range(units - count)]

    def give_back(self, instances: list[World]) -> None:
        if self.reuse:
            with self._lock:
                self._idle.extend(instances)

    def close(self) -> None:
        with self._lock:
            while self._idle:
                close = getattr(self._idle.pop(), "close", None)
                if close is not None:
                    close()


def _is_environment(thing: Any) -> bool:
    return all(hasattr(thing, name) for name in ("observation_space", "action_space", "reset", "step"))


def as_truth(world: Any, simulator: _core.Mdp) -> Truth:
    """A user's class, factory or Gymnasium environment as what the library runs."""
    if not isinstance(world, type) and _is_environment(world):
        factory, name = _factory_of(world)
    elif callable(world):
        factory, name = (
            cast("Callable[[], Any]", world),
            str(getattr(world, "__name__", type(world).__name__)),
        )
    else:
        raise InvalidArgument(
            f"world is {world!r}, but must be a class or a function that makes an object with reset(seed) "
            "and step(action), or a Gymnasium environment"
        )
    first = factory()
    for method in ("reset", "step"):
        if not callable(getattr(first, method, None)):
            raise InvalidArgument(f"world: what {name} makes, {first!r}, has no {method}()")
    if not _is_environment(first):
        return Truth(name, factory)
    if name == "<lambda>" or getattr(first, "spec", None) is not None:
        name = _name_of(first)
    truth = Truth(name, lambda: GymnasiumWorld(factory(), simulator), reuse=True)
    truth.give_back([GymnasiumWorld(first, simulator)])
    return truth


def _name_of(environment: Any) -> str:
    spec = getattr(environment, "spec", None)
    return str(spec.id) if spec is not None else type(environment).__name__


def _factory_of(environment: Any) -> tuple[Callable[[], Any], str]:
    """Makes others of an environment from its spec, where those are the same as far as one can see: nothing
    but Gymnasium's own wrappers around an equal table."""
    import gymnasium
    from gymnasium import wrappers

    usual = (wrappers.TimeLimit, wrappers.OrderEnforcing, wrappers.PassiveEnvChecker)
    inner = environment
    while isinstance(inner, usual):
        inner = inner.env
    spec = getattr(environment, "spec", None)
    if spec is None or isinstance(inner, gymnasium.Wrapper):
        raise _not_made_again(environment, "that says nothing of how to make another one for every unit")
    try:
        other: Any = gymnasium.make(spec)
    except Exception as error:
        raise _not_made_again(environment, "that cannot be made again from its spec") from error
    try:
        same = type(inner) is type(other.unwrapped) and _same_table(inner, other.unwrapped)
    finally:
        other.close()
    if not same:
        raise _not_made_again(
            environment, "and as far as one can see another one that is made from its spec is not the same"
        )
    return lambda: gymnasium.make(spec), str(spec.id)


def _same_table(one: Any, other: Any) -> bool:
    """Whether both have the same transitions and begin alike, by their tables."""
    if getattr(one, "P", None) is None:
        return False
    starts: list[Any] = [getattr(env, "initial_state_distrib", None) for env in (one, other)]
    return bool(one.P == getattr(other, "P", None)) and np.array_equal(starts[0], starts[1])


def _not_made_again(environment: Any, why: str) -> InvalidArgument:
    return InvalidArgument(
        f"world is an environment, {environment!r}, {why}: give a function that makes one"
    )
