"""How far the truth may be from a program, whatever its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import _core
from .._inputs import real
from ..errors import InvalidArgument

_STRENGTH = 100.0  # pseudo-observations behind each row, where nothing is said
_LITTLE = 0.01  # share of the rewards' range that the program may be wrong by, where nothing is said
_KNOWN = ("reward_sd", "transition_strength", "reward_variance")


class Discrepancy:
    """What was said, and what stands in for the rest."""

    def __init__(self, given: Mapping[str, float] | None) -> None:
        self._said: dict[str, float] = {}
        for name, value in ({} if given is None else dict(given)).items():
            if name not in _KNOWN:
                raise InvalidArgument(f"discrepancy names {name!r}, but has {', '.join(_KNOWN)}")
            self._said[name] = real(f"discrepancy[{name!r}]", value)

    @property
    def says_reward_sd(self) -> bool:
        return "reward_sd" in self._said

    def stated(self, model: _core.Mdp, rewards: float, grid_error: float = 0.0) -> _core.Mdp:
        """The model with what is left between the truth and the program.

        :param rewards: the range of rewards.
        :param grid_error: of every mean reward, as far as the grid is known to be coarse.
        """
        little = max(_LITTLE * rewards, grid_error)
        return model.with_prior(
            reward_sd=self._said.get("reward_sd", little),
            transition_strength=self._said.get("transition_strength", _STRENGTH),
        ).with_variance(self._said.get("reward_variance", little**2))


def reward_range(models: Sequence[_core.Mdp]) -> float:
    """Between the largest and the smallest reward; where all are the same, their size, or 1."""
    low = min(float(model.reward.min()) for model in models)
    high = max(float(model.reward.max()) for model in models)
    return (high - low) or abs(high) or 1.0
