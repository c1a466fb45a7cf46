"""Planners: what acts over time. Ours by name, in a loop of your own, and yours beside ours.

A planner of your own is a class (or a function) that is called with a :class:`Setting` for every trial and
gives an object with

- ``choose(step, states) -> actions``: the action of each unit, as numbers;
- ``observe(step, states, actions, rewards, next_states)``: what came of it (may be left out).

Hand it to :func:`mindgap.compare`. Where ``uses_horizon`` is a true attribute of the class, one is made for
every horizon; otherwise one is made for the longest and looked at on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, Union, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._core import Belief, Setting
from ._inputs import real, seed_of, text, whole
from ._solve import ModelLike, as_model
from .errors import InvalidArgument
from .models._names import Names
from .programs._spread import spread_over

__all__ = ["Belief", "Planner", "PlannerFactory", "PlannerLike", "Setting", "make", "names"]


class _Chooses(Protocol):
    def choose(self, step: int, states: NDArray[np.int32], /) -> ArrayLike: ...


#: Makes a planner of a user's own for one trial.
PlannerFactory = Callable[[Setting], _Chooses]


class _Decided(Protocol):
    """A :class:`mindgap.Decision`: the plan that it recommends is followed."""

    @property
    def recommended(self) -> str: ...


#: Planners to compare: names of ours, plans as decisions name them, decisions, factories, or these by name.
PlannerLike = Union[str, PlannerFactory, _Decided]


def names() -> dict[str, str]:
    """Our planners for tabular worlds and what each does, in one line."""
    return dict(_core.planner_names())


class Planner:
    """A planner of ours that acts where you say: in a Gymnasium loop, in the field. Made by :func:`make`.

    Ask it with :meth:`choose` (all units) or :meth:`act` (where there is one), then tell it with
    :meth:`observe` what came of it; that makes one step.

    States and actions are called as the simulator calls them, by number or name; a state may also be what an
    environment shows, as ``(20, 10, 0)``. Where the names are integers other than the numbers, as in a model
    of an environment that counts from 1, or of a sample that missed some states, integers are those names,
    and actions are answered by name. A state that is not in the simulator is refused.

    With a model of a program (:class:`mindgap.Simulator`), states are the program's: numbers, one per axis, or what
    its environment shows. A unit between corners acts as if it were at one of them, drawn with its multilinear
    weight, which is the chain that the model describes; actions are answered as the simulator calls them.
    """

    def __init__(
        self,
        core: _core.Planner,
        name: str,
        units: int,
        model: _core.Mdp,
        numbers: bool = False,
        seed: int = 42,
        trial: int = 0,
    ) -> None:
        self._core = core
        self._spread = None if numbers else spread_over(model, units, seed, trial)
        self._states = Names(model.states, None) if numbers else Names.of_states(model)
        self._actions = Names(model.actions, None) if numbers else Names.of_actions(model)
        self._answers: NDArray[np.int64] | None = None  # the name of each action, where it is not its number
        if self._actions.integers is not None:
            self._answers = np.array(list(self._actions.integers), dtype=np.int64)
        self._quick = (
            units == 1 and self._states.integers is None and self._answers is None and self._spread is None
        )
        self._name = name
        self._units = units
        self._step = 0

    def __repr__(self) -> str:
        return f"<mindgap planner {self._name}: {self._units} units, step {self._step}>"

    @property
    def name(self) -> str:
        return self._name

    @property
    def step(self) -> int:
        """Steps that were observed."""
        return self._step

    def choose(self, states: ArrayLike) -> NDArray[np.signedinteger[Any]]:
        """The action of each unit; ``states`` is where the units are."""
        if self._spread is not None and self._spread.takes(states):
            corners = self._spread.corners(states, self._step)
            answers = self._spread.actions(self._core.choose(self._step, corners))
            return cast("NDArray[np.signedinteger[Any]]", answers)
        chosen = self._core.choose(self._step, _numbers(states, "states", self._states))
        return chosen if self._answers is None else self._answers[chosen]

    def act(self, state: Any) -> Any:
        """The action of the one unit there is."""
        if self._quick and type(state) in _WHOLE and 0 <= state < 2**31:  # the quick way, for loops
            return int(self._core.choose(self._step, np.array([state], dtype=np.int32))[0])
        if self._units != 1:
            raise InvalidArgument(f"act: this planner has {self._units} units: use choose()")
        if self._spread is not None and self._spread.takes([state]):
            return self.choose([state])[0]
        return int(self.choose([state])[0])

    def observe(
        self,
        states: ArrayLike,
        actions: ArrayLike,
        rewards: ArrayLike,
        next_states: ArrayLike,
        terminated: ArrayLike = False,
    ) -> None:
        """What came of a step: an element for each unit, or plain ones where there is one unit.

        What was done need not be what it chose, and may come before it is asked for the first time. Of a program,
        states are numbers, one per axis, whose observation is spread over the corners around; ``terminated`` says
        whether the episode ended.
        """
        if self._spread is not None and self._spread.takes(states):
            self._spread.observe(self._core, self._step, states, actions, rewards, next_states, terminated)
            self._step += 1
            return
        seen: tuple[Any, Any, Any, Any] = (states, actions, rewards, next_states)
        if self._quick and _plain(*seen):  # the quick way, for loops
            self._core.observe_one(self._step, *seen)
        else:
            self._core.observe(
                self._step,
                _numbers(states, "states", self._states),
                _numbers(actions, "actions", self._actions),
                _real(rewards, "rewards"),
                _numbers(next_states, "next_states", self._states),
            )
        self._step += 1


def make(
    name: str,
    *,
    simulator: ModelLike,
    units: int = 1,
    horizon: int,
    seed: int = 42,
    trial: int = 0,
    numbers: bool = False,
    **options: float,
) -> Planner:
    """One of our planners, to act in a loop of your own.

    :param name: one of :func:`names`.
    :param simulator: what it plans with: a model with a prior or coverage, and the variance of one reward.
    :param units: how many act at a time.
    :param horizon: steps to go in all.
    :param trial: with the seed, names its luck.
    :param numbers: integers are numbers of states and actions also where names are other integers: for what
        :func:`mindgap.compare` and :meth:`mindgap.Mdp.to_env` show.
    :param options: replan_every, epsilon, epsilon_decay, pilot_steps, explorer_share, explore_steps,
        explore_probability, reexplore_threshold, window, draws, confidence, optimism,
        seeds, seed_steps, bonus.
    """
    name, units, horizon = text("name", name), whole("units", units), whole("horizon", horizon)
    seed, trial, model = seed_of(seed), whole("trial", trial, 0), as_model(simulator)
    given = {key: real(key, value) for key, value in options.items()}
    core = _core.Planner(name, model, units, horizon, seed, trial, given)
    return Planner(core, name, units, model, numbers, seed, trial)


_WHOLE = frozenset({int, np.int32, np.int64})
_REAL = frozenset({float, np.float32, np.float64})


def _plain(state: Any, action: Any, reward: Any, next_state: Any) -> bool:
    """Whether these are plain numbers that the library takes as they are."""
    for whole in (state, action, next_state):
        if type(whole) not in _WHOLE or not 0 <= whole < 2**31:
            return False
    return type(reward) in _REAL or (type(reward) in _WHOLE and abs(reward) < 2**53)


def _numbers(given: Any, what: str, names: Names) -> NDArray[np.int32]:
    """The numbers of states or actions, one per unit."""
    if isinstance(given, (str, Mapping)) or (
        isinstance(given, (tuple, np.ndarray)) and names.find_observed(given) is not None
    ):
        given = [given]  # what the one unit is in
    if isinstance(given, np.ndarray) and given.dtype.kind in "UO":
        given = given.tolist()
    if isinstance(given, (list, tuple)) and any(_is_label(one) for one in given):
        return np.array([_number(one, what, names) for one in given], dtype=np.int32)
    if names.integers is None:
        return _whole(given, what)
    return np.array([_number(one, what, names) for one in _integers(given, what).tolist()], dtype=np.int32)


def _whole(values: ArrayLike, what: str) -> NDArray[np.int32]:
    array = _integers(values, what)
    if array.size and not 0 <= int(array.min()) <= int(array.max()) < 2**31:
        raise InvalidArgument(f"{what}: from {array.min()} to {array.max()}, but there are no such numbers")
    return np.ascontiguousarray(array, dtype=np.int32)


def _is_label(given: Any) -> bool:
    return isinstance(given, (str, tuple, Mapping)) or (isinstance(given, np.ndarray) and given.ndim > 0)


def _number(given: Any, what: str, names: Names) -> int:
    found = names.find_observed(given)
    if found is None:
        raise InvalidArgument(
            f"{what}: the simulator has no {given!r}{names.hint(given)}; what sampling never saw is not in it"
        )
    return found


def _integers(values: Any, what: str) -> NDArray[Any]:
    try:
        array = np.atleast_1d(values)
    except ValueError:  # rows of different lengths
        array = np.empty(0)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise InvalidArgument(f"{what}: expected whole numbers, one per unit, but got {values!r}")
    return array


def _real(values: ArrayLike, what: str) -> NDArray[np.float64]:
    array = np.atleast_1d(values)
    if array.dtype.kind not in "iuf" or array.ndim != 1:
        raise InvalidArgument(f"{what}: expected numbers, one per unit, but got {values!r}")
    return np.ascontiguousarray(array, dtype=np.float64)


def _as_actions(chosen: Any, units: int, name: str) -> NDArray[np.int64]:
    """What a user's choose() gave, as the library takes it."""
    array = np.atleast_1d(np.asarray(chosen))
    if array.dtype.kind not in "iu" or array.shape != (units,):
        raise InvalidArgument(
            f"planner '{name}': choose() gave {array.dtype} of shape {array.shape}, but must give whole "
            f"numbers, one action for each of the {units} units"
        )
    return np.ascontiguousarray(array, dtype=np.int64)


def split(
    planners: Sequence[PlannerLike] | Mapping[str, PlannerLike] | None,
) -> tuple[list[str], list[tuple[str, Any, bool]]]:
    """The names of all planners asked for, and those that are a user's own: name, factory, uses_horizon."""
    if planners is None:
        return [], []
    if isinstance(planners, str) or callable(planners) or _is_decision(planners):
        planners = [cast(PlannerLike, planners)]
    named: list[tuple[str, Any]] = (
        list(planners.items())
        if isinstance(planners, Mapping)
        else [(_name_of(planner), planner) for planner in planners]
    )
    own: list[tuple[str, Any, bool]] = []
    for name, planner in named:
        if isinstance(planner, str):
            if planner != name:
                raise InvalidArgument(f"planner '{planner}' is ours and cannot be called '{name}'")
        elif _is_decision(planner):
            own.append((name, planner._core, planner._core.uses_horizon))
        elif callable(planner):
            own.append((name, planner, bool(getattr(planner, "uses_horizon", False))))
        else:
            raise InvalidArgument(
                f"planner '{name}' is {planner!r}, but must be a name or make a planner of a Setting"
            )
    return [name for name, _ in named], own


def _is_decision(planner: Any) -> bool:
    return isinstance(getattr(planner, "_core", None), _core.Decision)


def _name_of(planner: PlannerLike) -> str:
    if isinstance(planner, str):
        return planner
    if _is_decision(planner):
        return "decision"
    name = getattr(planner, "name", None) or getattr(planner, "__name__", None)
    if not isinstance(name, str) or name == "<lambda>":
        raise InvalidArgument(f"planner {planner!r} has no name: give planners as a dict from names")
    return name
