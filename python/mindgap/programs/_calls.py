"""Calling a program: every corner with every action, and what it gave as arrays."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import Error, InvalidArgument

Numbers = NDArray[np.float64]
Flags = NDArray[np.uint8]
Theta = Mapping[str, float]

_BLOCK = 256  # calls between two looks at what they gave: so few results wake no garbage collector
_VECTOR = 1 << 18  # states of one call of a vectorised step
_WANTED = "(next_state, reward) or (next_state, reward, terminated)"


_Result = TypeVar("_Result")


#: A task is sent so often before its failure ends the call.
_TRIES = 3


def results_of(executor: Executor, function: Callable[..., _Result], tasks: Sequence[tuple[Any, ...]]) -> Iterator[_Result]:
    """The function of each task, in their order. A task whose worker is gone is sent again, and computed here where the
    executor takes no more. Whoever stops asking, or an error, ends those that have not begun."""
    futures: list[Future[_Result] | None] = []
    try:
        for task in tasks:
            futures.append(_submit(executor, function, task))
        for number, task in enumerate(tasks):
            for tries in range(1, _TRIES + 1):
                future = futures[number]
                try:
                    found = function(*task) if future is None else future.result()
                    break
                except Error:
                    raise  # it would be the same everywhere
                except (Exception, CancelledError):
                    if future is None or tries == _TRIES:
                        raise
                    futures[number] = _submit(executor, function, task)
            yield found
    finally:
        for future in futures:
            if future is not None:
                future.cancel()


def _submit(executor: Executor, function: Callable[..., _Result], task: tuple[Any, ...]) -> Future[_Result] | None:
    """None where the executor takes no more tasks: it is broken, or was shut down."""
    try:
        return executor.submit(function, *task)
    except (BrokenExecutor, RuntimeError):
        return None


class Random:
    """A generator for each sample and corner, the same for all actions and all parameters."""

    __slots__ = ("_bits", "_fresh", "generator")

    def __init__(self, seed: int) -> None:
        self._bits = np.random.Philox(key=np.array([seed, 1], dtype=np.uint64))
        self.generator = np.random.Generator(self._bits)
        self._fresh: dict[str, Any] = dict(self._bits.state)

    def at(self, sample: int, corner: int) -> np.random.Generator:
        self._fresh["state"]["counter"][:] = (0, sample, corner, 0)
        self._bits.state = cast(Any, self._fresh)
        return self.generator

    def untouched(self) -> bool:
        """Whether nobody drew since :meth:`at`."""
        now: Any = self._bits.state
        same = np.array_equal(now["state"]["counter"], self._fresh["state"]["counter"])
        return same and now["buffer_pos"] == self._fresh["buffer_pos"] and not now["has_uint32"]


@dataclass
class Steps:
    """What steps gave: [state, action, sample]."""

    next_state: Numbers
    reward: Numbers
    terminated: Flags
    random: bool = False  # whether they drew random numbers

    @property
    def ends(self) -> Flags | None:
        return self.terminated.reshape(-1) if self.terminated.any() else None


@dataclass(frozen=True)
class Caller:
    """A program and how it is called. Goes to other processes where the functions do."""

    step: Callable[..., Any]
    actions: Sequence[Any]
    names: Sequence[str]  # of the axes
    samples: int
    vectorized: bool
    terminal: Callable[..., Any] | None
    seed: int

    def calls(self, corners: int) -> int:
        return corners * len(self.actions) * self.samples

    def seconds_per_call(self, states: Numbers, theta: Theta) -> float:
        """From a few calls, spread over the states."""
        few = states[:: max(1, len(states) // (256 if self.vectorized else 8))]
        begin = time.perf_counter()
        self.steps(few, theta)
        return (time.perf_counter() - begin) / self.calls(len(few))

    def steps(self, states: Numbers, theta: Theta, tick: Callable[[int], None] | None = None) -> Steps:
        """Every state with every action."""
        ended = self._ended(states)
        if ended is not None and ended.any():
            return self._with_ended(states, ended, theta, tick)
        steps = self._many(states, theta, tick) if self.vectorized else self._one_by_one(states, theta, tick)
        self._check_finite(states, theta, steps)
        if self.terminal is not None:
            alive = np.flatnonzero(steps.terminated.reshape(-1) == 0)
            over = self._ended(steps.next_state.reshape(-1, len(self.names))[alive])
            if over is not None:
                steps.terminated.reshape(-1)[alive] = over
        return steps

    def _with_ended(
        self, states: Numbers, ended: NDArray[np.bool_], theta: Theta, tick: Callable[[int], None] | None
    ) -> Steps:
        """The same where some states are ends themselves, from which the program is not asked to go on."""
        shape = (len(states), len(self.actions), self.samples)
        all_ = Steps(np.zeros((*shape, len(self.names))), np.zeros(shape), np.ones(shape, dtype=np.uint8))
        if not ended.all():
            some = self.steps(states[~ended], theta, tick)
            all_.next_state[~ended], all_.reward[~ended] = some.next_state, some.reward
            all_.terminated[~ended], all_.random = some.terminated, some.random
        return all_

    def _ended(self, states: Numbers) -> NDArray[np.bool_] | None:
        if self.terminal is None or not len(states):
            return None
        if not self.vectorized:
            return np.array([bool(self.terminal(state)) for state in states])
        found = np.asarray(self.terminal(states))
        if found.shape != (len(states),):
            raise InvalidArgument(f"terminal gave the shape {found.shape}, expected one truth value per state")
        return found.astype(bool)

    def _one_by_one(self, states: Numbers, theta: Theta, tick: Callable[[int], None] | None) -> Steps:
        shape = (len(states), len(self.actions), self.samples)
        size, d = int(np.prod(shape)), len(self.names)
        found = Steps(np.empty((size, d)), np.empty(size), np.zeros(size, dtype=np.uint8))
        random = Random(self.seed)
        found.random = self.samples > 1
        width = len(self.actions) * self.samples
        corners = max(1, _BLOCK // width)
        random.at(0, 0)
        for first in range(0, len(states), corners):
            block = states[first : first + corners]
            results: list[Any] = []
            try:
                if not found.random:
                    self._call(block, theta, random.generator, results)
                    if not random.untouched():
                        found.random = True
                        results = []
                if found.random:
                    self._call_with_luck(block, first, theta, random, results)
            except Exception as error:
                raise self._raised(block, len(results), theta, error) from error
            wrong = _core.unpack_steps(
                results, first * width, d, found.next_state, found.reward, found.terminated
            )
            if wrong >= 0:
                raise self._wrong(block, wrong, theta, results[wrong])
            if tick is not None:
                tick(min(size, (first + corners) * width))
        return Steps(
            found.next_state.reshape(*shape, d), found.reward.reshape(shape), found.terminated.reshape(shape), found.random
        )

    def _call(self, states: Numbers, theta: Theta, rng: np.random.Generator, results: list[Any]) -> None:
        step, actions, append = self.step, self.actions, results.append
        for state in states:
            for action in actions:
                append(step(state, action, theta, rng))

    def _call_with_luck(
        self, states: Numbers, first: int, theta: Theta, random: Random, results: list[Any]
    ) -> None:
        for corner, state in enumerate(states, start=first):
            for action in self.actions:
                for sample in range(self.samples):
                    results.append(self.step(state, action, theta, random.at(sample, corner)))

    def _many(self, states: Numbers, theta: Theta, tick: Callable[[int], None] | None) -> Steps:
        shape = (len(states), len(self.actions), self.samples)
        found = Steps(np.empty((*shape, len(self.names))), np.empty(shape), np.zeros(shape, dtype=np.uint8))
        random, done = Random(self.seed), 0
        for first in range(0, len(states), _VECTOR):
            block = states[first : first + _VECTOR]
            part = slice(first, first + len(block))
            for a, action in enumerate(self.actions):
                for sample in range(self.samples):
                    rng = random.at(sample, first)
                    try:
                        result = self.step(block, action, theta, rng)
                    except Exception as error:
                        raise InvalidArgument(
                            f"step raised {type(error).__name__}: {error}; it was called with {len(block)} states, "
                            f"action {action!r}, theta {dict(theta)}"
                        ) from error
                    next_state, reward, over = self._arrays(result, len(block), action)
                    found.next_state[part, a, sample] = next_state
                    found.reward[part, a, sample] = reward
                    found.terminated[part, a, sample] = over
                    found.random = found.random or not random.untouched()
                    done += len(block)
                    if tick is not None:
                        tick(done)
        return found

    def _arrays(self, result: Any, size: int, action: Any) -> tuple[Any, Any, Any]:
        """What a vectorised step gave, checked."""
        d = len(self.names)
        if not isinstance(result, tuple) or len(result) not in (2, 3):
            raise InvalidArgument(
                f"step must return {_WANTED}, but returned {type(result).__name__} with action {action!r}"
            )
        next_state, reward = np.asarray(result[0]), np.asarray(result[1])
        over = np.asarray(result[2] if len(result) == 3 else False)
        if next_state.shape == (size,) and d == 1:
            next_state = next_state[:, None]
        for what, found, wanted in (
            ("next states", next_state, [(size, d)]),
            ("rewards", reward, [(size,), ()]),
            ("ends", over, [(size,), ()]),
        ):
            if found.shape not in wanted or found.dtype.kind not in "fiub":
                raise InvalidArgument(
                    f"step was called with {size} states ({', '.join(self.names)}) and action {action!r} and returned "
                    f"{what} of shape {found.shape} and type {found.dtype}, expected {wanted[0]} numbers"
                )
        return next_state, reward, over.astype(bool)

    def _check_finite(self, states: Numbers, theta: Theta, steps: Steps) -> None:
        bad = ~np.isfinite(steps.reward)
        for axis in range(steps.next_state.shape[-1]):
            bad |= ~np.isfinite(steps.next_state[..., axis]) & (steps.terminated == 0)
        if not bad.any():
            return
        c, a, k = (int(i) for i in np.argwhere(bad)[0])
        raise InvalidArgument(
            f"step gave numbers that are not finite: next state {steps.next_state[c, a, k].tolist()}, reward "
            f"{steps.reward[c, a, k]}; {self._where(states[c], self.actions[a], theta)}"
        )

    def _where(self, state: Numbers, action: Any, theta: Theta) -> str:
        place = ", ".join(f"{name}={value:.6g}" for name, value in zip(self.names, state.tolist()))
        return f"the state was {place}, the action {action!r}, theta {dict(theta)}"

    def _which(self, states: Numbers, call: int) -> tuple[Numbers, Any]:
        width = len(self.actions) * self.samples
        return states[call // width], self.actions[call % width // self.samples]

    def _raised(self, states: Numbers, call: int, theta: Theta, error: Exception) -> InvalidArgument:
        hint = ""
        if isinstance(error, ValueError) and "read-only" in str(error):
            hint = " (the state that step is handed must not be changed in place: copy it first)"
        where = self._where(*self._which(states, call), theta)
        return InvalidArgument(f"step raised {type(error).__name__}: {error}{hint}; {where}")

    def _wrong(self, states: Numbers, call: int, theta: Theta, result: Any) -> InvalidArgument:
        where = self._where(*self._which(states, call), theta)
        return InvalidArgument(
            f"step must return {_WANTED}, the next state as {len(self.names)} numbers ({', '.join(self.names)}), but "
            f"returned {result!r}; {where}"
        )
