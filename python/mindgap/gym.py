"""Models as Gymnasium environments. Wants gymnasium."""

from __future__ import annotations

import operator
from functools import cached_property
from typing import Any, cast

import gymnasium
import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import InvalidArgument
from .models._names import Names


class ModelEnv(gymnasium.Env[int, int]):
    """A model that can be acted in: observations are state numbers, actions are action numbers, also where
    the model's names are other integers.

    Entering a state where nothing happens any more (:attr:`mindgap.Mdp.ends`) terminates. An action that is
    not available in a state is replaced by the first that is, which leaves the optimal value what it is;
    ``info["action_mask"]`` says what is available, ``info["action"]`` what was taken.

    :param model: the model.
    :param noise: rewards with Gaussian noise of the model's variance instead of mean rewards.
    :param strict: an action that is not available raises instead.
    """

    def __init__(self, model: _core.Mdp, *, noise: bool = False, strict: bool = False) -> None:
        self.model = model
        self.observation_space = cast("gymnasium.Space[int]", gymnasium.spaces.Discrete(model.states))
        self.action_space = cast("gymnasium.Space[int]", gymnasium.spaces.Discrete(model.actions))
        self._strict = strict
        self._ends: NDArray[np.bool_] = model.ends
        self._sd: NDArray[np.float64] | None = None
        if noise:
            if model.variance is None and model.reward_variance is None:
                raise InvalidArgument(
                    "noise wants a model that says the variance of one reward: with_variance()"
                )
            one = model.reward_variance if model.variance is None else model.variance
            self._sd = np.broadcast_to(np.sqrt(np.asarray(one, dtype=np.float64)), (model.pairs,))
        self._state = 0

    @cached_property
    def _names(self) -> Names:
        return Names.of_states(self.model)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """To a state drawn from the start distribution, or ``options={"state": name or number}``, as
        :meth:`mindgap.Mdp.with_start` takes one."""
        super().reset(seed=seed)
        if options is not None and "state" in options:
            state = options["state"]
            named = state if isinstance(state, str) else _whole("state", state)
            self._state = self._names.number(named, "options name")
        else:
            self._state = _drawn(self.model.start, self.np_random.random())
        return self._state, self._info(None)

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """One transition; the reward is the pair's."""
        model = self.model
        number = _whole("action", action)
        known = 0 <= number < model.actions
        pair = model.find_pair(self._state, number) if known else -1
        if pair < 0:
            if self._strict or not known:
                raise InvalidArgument(
                    f"action {action} is not available in state {model.state_names[self._state]!r}"
                )
            pair = int(model.pair_begin[self._state])
        begin, end = model.row_begin[pair : pair + 2]
        entry = begin + _drawn(model.probability[begin:end], self.np_random.random())
        reward = float(model.reward[pair])
        if self._sd is not None:
            reward += float(self._sd[pair]) * float(self.np_random.standard_normal())
        self._state = int(model.next_state[entry])
        return (
            self._state,
            reward,
            bool(self._ends[self._state]),
            False,
            self._info(int(model.pair_action[pair])),
        )

    def _info(self, action: int | None) -> dict[str, Any]:
        mask = np.zeros(self.model.actions, dtype=np.int8)
        begin, end = self.model.pair_begin[self._state : self._state + 2]
        mask[self.model.pair_action[begin:end]] = 1
        return {"action_mask": mask} if action is None else {"action_mask": mask, "action": action}


def _whole(what: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise InvalidArgument(f"the {what} is {value!r}, but must be a whole number") from None


def _drawn(probability: NDArray[np.float64], u: float) -> int:
    """Which of them, by a number from [0, 1): the first up to which they sum to more than that share."""
    sums = np.cumsum(probability)
    return int(np.searchsorted(sums, u * sums[-1], side="right"))
