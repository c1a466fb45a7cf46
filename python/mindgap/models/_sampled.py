"""Models of plain functions, from samples."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Union

import numpy as np

from .. import _core
from .._progress import Progress, Report
from ..errors import InvalidArgument
from ._given import number, shaped
from ._names import is_known
from ._rows import Stated
from ._tally import Tally, model_of

#: step(state, action, rng) -> (reward, next state), None for a next state where it ends.
Step = Callable[[Any, Any, np.random.Generator], "tuple[float, Any]"]
Actions = Union[
    int, Sequence[Hashable], Mapping[Any, Sequence[Hashable]], Callable[[Any], Iterable[Hashable]]
]


class Ticker:
    """Tells how far a loop in Python is, twenty times a second at most."""

    def __init__(self, report: Report | None, what: str, total: int) -> None:
        self._report, self._what, self._total = report, what, total
        self._next = time.monotonic() + 0.05

    def __call__(self, done: int) -> None:
        if self._report is not None and ((now := time.monotonic()) >= self._next or done == self._total):
            self._next = now + 0.05
            self._report(self._what, done, self._total)


def positive(what: str, given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or given < 1:
        raise InvalidArgument(f"{what} must be a positive integer, but is {given!r}")
    return int(given)


def seed_of(given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or given < 0:
        raise InvalidArgument(f"seed must be an integer, 0 or more, but is {given!r}")
    return int(given)


def truth_value(what: str, given: Any) -> bool:
    if not isinstance(given, (bool, np.bool_)):
        raise InvalidArgument(f"{what} must be True or False, but is {given!r}")
    return bool(given)


class Labels:
    """Numbers for whatever hashable things a simulator calls its states or actions, as they appear, up to
    `most` of them."""

    def __init__(
        self,
        what: str,
        given: int | Iterable[Hashable] | None,
        grows: bool = False,
        most: int = np.iinfo(np.int32).max,
    ) -> None:
        self.what = what
        self.grows = grows
        self.most = most
        self.plain = isinstance(given, (int, np.integer))
        if isinstance(given, (int, np.integer)):
            given = range(positive(what, given))
        try:
            self.all: list[Any] = [] if given is None else list(given)
            self.numbers: dict[Any, int] = {label: at for at, label in enumerate(self.all)}
        except TypeError as error:
            raise InvalidArgument(
                f"{what} must be a number of them or a list of hashable labels: {error}"
            ) from error
        if len(self.numbers) < len(self.all):
            raise InvalidArgument(
                f"{what} must be distinct, but there are {len(self.all) - len(self.numbers)} again"
            )
        if any(_is_nan(label) for label in self.all):
            raise InvalidArgument(f"{what} must be equal to themselves, but one is nan")

    def number(self, label: Any) -> int:
        if isinstance(label, np.generic):
            label = label.item()
        try:
            found = self.numbers.get(label)
        except TypeError:
            raise InvalidArgument(f"a {self.what[:-1]} must be hashable, but is {label!r}") from None
        if found is None:
            if not self.grows:
                raise InvalidArgument(f"{label!r} is none of the {len(self.all)} {self.what}")
            self._check_new(label)
            found = self.numbers[label] = len(self.all)
            self.all.append(label)
        return found

    def _check_new(self, label: Any) -> None:
        if _is_nan(label):
            raise InvalidArgument(f"{label!r} is no {self.what[:-1]}: nan is not equal to itself")
        if len(self.all) >= self.most:
            last = ", ".join(repr(one) for one in [*self.all[-3:], label])
            raise InvalidArgument(
                f"more than {self.most} {self.what} were found, the last of them {last}: if there are so "
                f"many, say max_{self.what}="
            )

    def names(self) -> list[str] | None:
        """None where the labels are 0 .. n-1, in that order."""
        if self.plain or self.all == list(range(len(self.all))):
            return None
        return [label if isinstance(label, str) else str(label) for label in self.all]


def _is_nan(label: Any) -> bool:
    if isinstance(label, tuple):
        return any(_is_nan(part) for part in label)
    return isinstance(label, float) and math.isnan(label)


class _Simulator:
    """step() with its states and actions numbered."""

    def __init__(
        self, step: Step, states: int | Iterable[Hashable] | None, actions: Actions, most: int
    ) -> None:
        if not callable(step):
            raise InvalidArgument(f"step must be a function step(state, action, rng), but is {step!r}")
        self._step = step
        self.states = Labels("states", states, grows=states is None, most=most)
        self._choose: Callable[[Any], Iterable[Hashable]] | None = None
        if isinstance(actions, Mapping):
            given = actions
            self._choose = lambda state: given[state]
            self.actions = Labels("actions", dict.fromkeys(a for some in actions.values() for a in some))
        elif callable(actions):
            self._choose = actions
            self.actions = Labels("actions", None, grows=True)
        else:
            self.actions = Labels("actions", actions)

    def available(self, state: int) -> list[int]:
        if self._choose is None:
            return list(range(len(self.actions.all)))
        label = self.states.all[state]
        try:
            found = list(self._choose(label))
        except Exception as error:
            raise InvalidArgument(
                f"the actions of the state {label!r}: {type(error).__name__}: {error}"
            ) from error
        return [self.actions.number(action) for action in found]

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[float, int, bool]:
        """Reward, next state, whether that is an end."""
        at, do = self.states.all[state], self.actions.all[action]
        try:
            found = self._step(at, do, rng)
        except Exception as error:
            raise InvalidArgument(
                f"step({at!r}, {do!r}, rng) raised {type(error).__name__}: {error}"
            ) from error
        try:
            reward, next_label = found
            reward = number("reward", reward)
        except (TypeError, ValueError, InvalidArgument):
            raise InvalidArgument(
                f"step({at!r}, {do!r}, rng) must return (reward, next_state), but returned {found!r}"
            ) from None
        if not math.isfinite(reward):
            raise InvalidArgument(
                f"step({at!r}, {do!r}, rng) returned the reward {reward}, which is not finite"
            )
        if next_label is None:
            return reward, -1, True
        try:
            return reward, self.states.number(next_label), False
        except InvalidArgument as error:
            raise InvalidArgument(f"step({at!r}, {do!r}, rng) returned a next state: {error}") from None


def from_function(
    step: Step,
    *,
    states: int | Iterable[Hashable] | None = None,
    actions: Actions,
    discount: float,
    samples: int = 100,
    steps: int | None = None,
    length: int = 100,
    max_states: int = 100_000,
    start: Any = None,
    restart: bool = False,
    seed: int = 0,
    progress: bool | Report | None = None,
    **stated: Any,
) -> _core.Mdp:
    """See :meth:`mindgap.Mdp.from_function`."""
    said = Stated.by("from_function", stated)
    number("discount", discount)
    seed = seed_of(seed)
    restart = truth_value("restart", restart)
    simulator = _Simulator(step, states, actions, positive("max_states", max_states))
    if isinstance(start, np.ndarray) and start.ndim == 0:
        start = start.item()
    if start is None and (states is None or steps is not None):
        raise InvalidArgument("start must say where it begins, where states are to be found or rollouts made")
    if callable(start) and steps is None:
        raise InvalidArgument("start is a function, which needs steps: without rollouts nothing calls it")
    for label in _start_labels(start, simulator.states):
        simulator.states.number(label)
    if not callable(start) and not simulator.states.grows:
        _start_of(start, simulator.states)  # what is wrong is said before anything is sampled
    with Progress(progress) as report:
        if steps is None:
            tally = _every_pair(simulator, positive("samples", samples), seed, report)
        else:
            tally = _rollouts(
                simulator, start, positive("steps", steps), positive("length", length), seed, report
            )
    labels = simulator.states
    said.labels = labels.numbers
    if not callable(start):  # else it is what rollouts showed
        said.start = _start_of(start, labels)
    if said.state_names is None:
        said.state_names = labels.names()
    if said.action_names is None:
        said.action_names = simulator.actions.names()
    return model_of(tally, len(labels.all), len(simulator.actions.all), discount, said, restart=restart)


def _start_labels(start: Any, known: Labels) -> list[Any]:
    """The labels that `start` names; none where it is an array of probabilities or a function."""
    if start is None or callable(start):
        return []
    if isinstance(start, Mapping):
        return list(start)
    if known.grows or isinstance(start, str) or is_known(start, known.numbers):
        return [start]
    return []


def _start_of(start: Any, labels: Labels) -> Any:
    """Start probabilities by state; None: uniform. Padded with 0 by the caller where an end is added."""
    named = _start_labels(start, labels)
    if isinstance(start, Mapping):
        return start
    if named:
        return {named[0]: 1.0}
    if start is None:
        return {label: 1 / len(labels.all) for label in labels.all}
    found = shaped("start", start, len(labels.all))
    return {label: float(p) for label, p in zip(labels.all, found)}


def _every_pair(simulator: _Simulator, samples: int, seed: int, report: Report | None) -> Tally:
    """`samples` steps from each pair, each pair with random numbers of its own; follows states as they are
    found."""
    tally = Tally()
    tick = Ticker(report, "sampling", len(simulator.states.all) if not simulator.states.grows else 0)
    state = 0
    while state < len(simulator.states.all):
        available = simulator.available(state)
        for action in available:
            rng = np.random.default_rng([seed, state, action])
            seen = tally.pair(state, action)
            for _ in range(samples):
                seen.add(*simulator.step(state, action, rng))
        if not available:
            tally.ends.add(state)
        state += 1
        tick(state)
    return tally


def _rollouts(
    simulator: _Simulator, start: Any, steps: int, length: int, seed: int, report: Report | None
) -> Tally:
    """`steps` steps in all, actions at random, a new start after `length` of them or an end."""
    rng = np.random.default_rng([seed])
    labels, chances = [], None
    if not callable(start):
        begin = _start_of(start, simulator.states)
        labels, chances = list(begin), np.array(list(begin.values()), dtype=np.float64)
        if not (chances >= 0).all() or abs(chances.sum() - 1) > 1e-9:
            raise InvalidArgument(
                f"the start probabilities must be a distribution, but sum to {chances.sum()}"
            )
        chances /= chances.sum()
    tally = Tally()
    tick = Ticker(report, "sampling", steps)
    state, age = -1, length
    for done in range(steps):
        available = simulator.available(state) if state >= 0 else []
        if age == length or not available:
            label = start(rng) if callable(start) else labels[rng.choice(len(labels), p=chances)]
            state, age = simulator.states.number(label), 0
            tally.started(state)
            available = simulator.available(state)
            if not available:
                raise InvalidArgument(f"the start state {label!r} has no actions")
        action = available[rng.integers(len(available))]
        reward, next_state, ended = simulator.step(state, action, rng)
        tally.pair(state, action).add(reward, next_state, ended)
        if not ended and not simulator.available(next_state):
            tally.ends.add(next_state)
        state, age = (-1, length) if ended else (next_state, age + 1)
        tick(done + 1)
    return tally
