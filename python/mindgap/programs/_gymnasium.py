"""Gymnasium environments with numbers as states, whose state can be set."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidArgument
from ..models._given import package
from ..models._gymnasium import _warn_of_wrappers
from ._grid import Grid
from ._parameters import Parameters, ParametersLike
from ._simulator import Simulator

_KEPT = 256  # environments, one for each set of parameters
_NOT_SET = (
    "so a table of it cannot be made corner by corner. Say set_state=, a function (env, state) that puts the environment "
    "into a state; or sample it by rollouts: mindgap.Mdp.from_gymnasium(env, discount, grid=grid), with the grid over what "
    "is observed"
)


def from_gymnasium(
    make_env: Any,
    grid: Grid,
    *,
    actions: Sequence[Any] | None = None,
    parameters: ParametersLike | None = None,
    discount: float,
    set_state: Callable[[Any, NDArray[np.float64]], None] | None = None,
    get_state: Callable[[Any, Any], Any] | None = None,
    state_of: Callable[[Any], Any] | None = None,
    samples: int = 1,
    discrepancy: Mapping[str, float] | None = None,
    action_names: Sequence[str] | None = None,
) -> Simulator:
    """See :meth:`mindgap.Simulator.from_gymnasium`."""
    package("gymnasium", "Simulator.from_gymnasium")
    known = Parameters(parameters)
    source = _Source(make_env, bool(known.names))
    env = source.at(known.middle())
    _warn_of_wrappers(env)
    env.reset(seed=0)
    settable = _Settable(env, grid, set_state, get_state)
    chosen = actions_of(env.action_space, actions, "Simulator.from_gymnasium")
    spec = getattr(env, "spec", None)

    def step(state: NDArray[np.float64], action: Any, theta: Mapping[str, float], rng: Any) -> tuple[Any, float, bool]:
        now = source.at(theta)
        inner = now.unwrapped
        settable.set(now, state)
        if getattr(inner, "_np_random", rng) is not rng:
            inner._np_random = rng
        shown, reward, terminated, _, _ = inner.step(action)
        return settable.get(now, shown), float(reward), bool(terminated)

    def reset(rng: np.random.Generator) -> Any:
        now = source.at(known.middle())
        shown, _ = now.reset(seed=int(rng.integers(2**31)))
        return settable.get(now, shown)

    return Simulator(
        step,
        grid,
        chosen,
        reset=reset,
        parameters=parameters,
        discount=discount,
        samples=samples,
        discrepancy=discrepancy,
        action_names=action_names,
        state_of=state_of or known_state_of(env),
        name=getattr(spec, "id", None) or type(env.unwrapped).__name__,
    )


class _Source:
    """Environments by parameters; the last few hundred are kept, as a step ahead with every member of an ensemble asks
    for all of them again and again."""

    def __init__(self, make_env: Any, has_parameters: bool) -> None:
        self._make = make_env
        self._envs: dict[tuple[float, ...], Any] = {}
        self._has_parameters = has_parameters
        if has_parameters and not callable(make_env):
            raise InvalidArgument("with parameters, make_env must be a function of the dict of their values")

    def at(self, theta: Mapping[str, float]) -> Any:
        key = tuple(theta.values()) if self._has_parameters else ()
        env = self._envs.get(key)
        if env is None:
            if len(self._envs) >= _KEPT:
                self._envs.clear()
            env = self._envs[key] = self._made(theta)
        return env

    def _made(self, theta: Mapping[str, float]) -> Any:
        if isinstance(self._make, str):
            env = package("gymnasium", "Simulator.from_gymnasium").make(self._make)
        elif callable(self._make):
            env = self._make(theta) if self._has_parameters else self._make()
        else:
            env = self._make
        if not hasattr(env, "unwrapped") or not hasattr(env, "action_space") or hasattr(env, "num_envs"):
            raise InvalidArgument(f"make_env must give one environment of Gymnasium, but gave a {type(env).__name__}")
        if self._has_parameters:
            env.reset(seed=0)
        return env


class _Settable:
    """Puts an environment into a state and says which one it is in."""

    def __init__(self, env: Any, grid: Grid, set_state: Any, get_state: Any) -> None:
        self._set, self._get = set_state, get_state
        state = getattr(env.unwrapped, "state", None)
        size = np.size(state) if state is not None and not isinstance(state, (str, bytes, Mapping)) else 0
        if set_state is None:
            name = type(env.unwrapped).__name__
            if size == 0:
                raise InvalidArgument(f"{name} has no attribute 'state' that could be set, {_NOT_SET}")
            if size != grid.dimension:
                raise InvalidArgument(
                    f"the state of {name} has {size} numbers, but the grid has {grid.dimension} axes "
                    f"({', '.join(grid.names)}); the grid is over the state, not over what is observed"
                )
        self._has_state = size == grid.dimension
        self._clears = hasattr(env.unwrapped, "steps_beyond_terminated")

    def set(self, env: Any, state: NDArray[np.float64]) -> None:
        if self._set is not None:
            self._set(env, state.copy())
            return
        env.unwrapped.state = state.copy()
        if self._clears:
            env.unwrapped.steps_beyond_terminated = None  # CartPole counts what comes after an end

    def get(self, env: Any, shown: Any) -> Any:
        if self._get is not None:
            return self._get(env, shown)
        return np.asarray(env.unwrapped.state if self._has_state else shown, dtype=np.float64)


def actions_of(space: Any, given: Sequence[Any] | None, wanted_by: str) -> list[Any]:
    """Those that were chosen, or all of a discrete space, as the environment takes them."""
    spaces = package("gymnasium.spaces", wanted_by)
    if given is not None and (isinstance(given, (str, bytes)) or not hasattr(given, "__iter__")):
        raise InvalidArgument(f"actions must be a list, but is {given!r}")
    if isinstance(space, spaces.Discrete):
        known = list(range(int(space.start), int(space.start + space.n)))
        if given is None:
            return known
        for action in given:
            if action not in known:
                raise InvalidArgument(f"actions has {action!r}, but the environment's are {known[0]} to {known[-1]}")
        return list(given)
    if not isinstance(space, spaces.Box):
        raise InvalidArgument(f"the action space must be Discrete or Box, but is {space}")
    if given is None:
        raise InvalidArgument(f"the action space is {space}: say which actions to choose from, as actions=[-2, 0, 2]")
    found = []
    for action in given:
        try:
            one = np.asarray(action, dtype=space.dtype)
        except (TypeError, ValueError):
            raise InvalidArgument(f"actions has {action!r}, which is not in the action space {space}") from None
        if one.size != math.prod(space.shape) or not space.contains(one.reshape(space.shape)):
            raise InvalidArgument(f"actions has {action!r}, which is not in the action space {space}")
        found.append(one.reshape(space.shape))
    return found


def known_state_of(env: Any) -> Callable[[Any], Any] | None:
    """What shows the state of an environment of classic control that shows something else."""
    return _STATE_OF.get(type(env.unwrapped).__name__)


def _pendulum(observation: Any) -> NDArray[np.float64]:
    """cos, sin and speed."""
    cos, sin, speed = np.asarray(observation, dtype=np.float64)
    return np.array([math.atan2(sin, cos), speed])


def _acrobot(observation: Any) -> NDArray[np.float64]:
    """cos and sin of both angles, and both speeds."""
    c1, s1, c2, s2, v1, v2 = np.asarray(observation, dtype=np.float64)
    return np.array([math.atan2(s1, c1), math.atan2(s2, c2), v1, v2])


_STATE_OF: dict[str, Callable[[Any], Any]] = {"PendulumEnv": _pendulum, "AcrobotEnv": _acrobot}
