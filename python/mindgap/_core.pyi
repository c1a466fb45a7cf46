"""The C++ library of mindgap; use it through the package mindgap."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


VERSION: str = '0.1.0'

class Mdp:
    """
    A finite Markov decision process with sparse rows, and what is stated about it: names, prior, variance of one reward, history's coverage. It never changes.
    """

    @property
    def name(self) -> str: ...

    @property
    def states(self) -> int:
        """Number of states."""

    @property
    def actions(self) -> int:
        """Number of actions."""

    @property
    def pairs(self) -> int:
        """Number of available (state, action) pairs."""

    @property
    def nonzeros(self) -> int:
        """Number of transitions."""

    @property
    def discount(self) -> float: ...

    @property
    def reward_max(self) -> float: ...

    @property
    def reward_variance(self) -> float | None:
        """Variance of one observed reward, where it is one number for all pairs."""

    @property
    def state_names(self) -> list[str]: ...

    @property
    def action_names(self) -> list[str]: ...

    @property
    def pair_begin(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """State s owns pairs pair_begin[s] to pair_begin[s+1]-1."""

    @property
    def pair_action(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """The action of each pair."""

    @property
    def row_begin(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]:
        """Pair k owns entries row_begin[k] to row_begin[k+1]-1."""

    @property
    def next_state(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Where each transition leads."""

    @property
    def probability(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """The probability of each transition."""

    @property
    def reward(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """The mean reward of each pair."""

    @property
    def start(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Probability to start in each state."""

    @property
    def coverage(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)] | None:
        """How often history saw each pair, or None."""

    @property
    def variance(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)] | None:
        """Variance of one observed reward of each pair, or None."""

    def with_discount(self, discount: float) -> Mdp: ...

    def with_name(self, name: str) -> Mdp: ...

    def with_prior(self, *, reward_sd: float | None = None, transition_strength: float | None = None, odds: float = 1.0, drift_sd: float = 0.0) -> Mdp:
        """
        The same model with a prior: the sd of true mean rewards around the simulator's, and how many pseudo-observations stand behind each simulated row of transitions.
        """

    def find_state(self, name: str) -> int:
        """The number of a state, or -1."""

    def find_action(self, name: str) -> int:
        """The number of an action, or -1."""

    def find_pair(self, state: int, action: int) -> int:
        """The number of an available pair, or -1."""

    def __eq__(self, other: object, /) -> bool: ...

    def __repr__(self) -> str: ...

def read_model(path: str) -> Mdp: ...

def write_model(model: Mdp, path: str) -> None: ...

class Solution:
    def __str__(self) -> str: ...

    @property
    def model(self) -> Mdp: ...

    @property
    def value_at_start(self) -> float: ...

    @property
    def bounds(self) -> tuple[float, float]: ...

    @property
    def seconds(self) -> float: ...

    @property
    def value(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """The optimal value of each state."""

    @property
    def status(self) -> str: ...

    @property
    def method(self) -> str: ...

    @property
    def half_width(self) -> float: ...

    @property
    def policy_loss_bound(self) -> float: ...

    @property
    def iterations(self) -> int: ...

    @property
    def policy_sweeps(self) -> int: ...

    @property
    def policy(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """The action of each state."""

class FiniteHorizonSolution:
    def __str__(self) -> str: ...

    @property
    def model(self) -> Mdp: ...

    @property
    def value_at_start(self) -> float: ...

    @property
    def bounds(self) -> tuple[float, float]: ...

    @property
    def seconds(self) -> float: ...

    @property
    def value(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """The optimal value of each state."""

    @property
    def steps(self) -> int: ...

    @property
    def half_width(self) -> float: ...

    @property
    def policy(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """The action of each step and state."""

def solve(model: Mdp, method: str, tolerance: float, max_iterations: int, time_limit: float, threads: int, initial_value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, progress: object | None) -> Solution: ...

def solve_finite_horizon(model: Mdp, steps: int, threads: int) -> FiniteHorizonSolution: ...

class Belief:
    """
    What is believed about the true model: independent over pairs, Gaussian mean rewards and Dirichlet rows around the simulator's. Each has its own copy.
    """

    def __init__(self, simulator: Mdp) -> None:
        """
        From the prior a model states, or its coverage; nothing has been observed.
        """

    def observe(self, states: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rewards: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], next_states: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """One observation per element."""

    def mean(self) -> Mdp:
        """
        The model of posterior means; without observations the simulator itself.
        """

    def sample(self, seed: int, draw: int) -> Mdp:
        """The draw-th model from the belief, a function of both numbers."""

    @property
    def reward_sd(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Posterior sd of each pair's mean reward."""

    @property
    def transition_strength(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Pseudo-observations and observations behind each pair's row."""

class Setting:
    """What a planner is given before the first step."""

    @property
    def model(self) -> Mdp:
        """The simulator: the mean of the belief."""

    @property
    def belief(self) -> Belief:
        """A copy, to learn with."""

    @property
    def units(self) -> int: ...

    @property
    def horizon(self) -> int:
        """Steps to go in all."""

    @property
    def seed(self) -> int: ...

    @property
    def trial(self) -> int: ...

def planner_names() -> list[tuple[str, str]]: ...

class Planner:
    """A planner of the library that acts in somebody else's loop."""

    def __init__(self, name: str, simulator: Mdp, units: int, horizon: int, seed: int, trial: int, options: Mapping[str, float]) -> None: ...

    def choose(self, step: int, states: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(writable=False)]: ...

    def observe(self, step: int, states: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rewards: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], next_states: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Comparison:
    def __str__(self) -> str: ...

    @property
    def planners(self) -> list[str]:
        """All that were run."""

    @property
    def horizons(self) -> list[int]: ...

    @property
    def trials(self) -> list[int]: ...

    @property
    def warnings(self) -> list[str]: ...

    @property
    def empty(self) -> bool: ...

    @property
    def failures(self) -> list[tuple[int, str, int, int, int, str, str]]:
        """trial, planner, unit, step, seed, message, traceback."""

    @property
    def value(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """[trial, planner, horizon], flat."""

class Asked:
    def __init__(self, planners: Sequence[str], horizons: Sequence[int], first_trial: int, trials: int, reference: str, seed: int, threads: int, out: str, shard: int, shards: int) -> None: ...

def cases() -> list[tuple[str, str, list[tuple[str, str, str, list[str]]]]]: ...

def planners_of_case(name: str) -> list[tuple[str, str]]: ...

def compare_case(name: str, simulator: Mdp | None, units: int | None, options: Mapping[str, str], own: Sequence[tuple[str, object, bool]], asked: Asked, progress: object | None) -> Comparison: ...

def compare_world(name: str, truth: object, simulator: Mdp, units: int | None, own: Sequence[tuple[str, object, bool]], oracle: Mdp | Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, asked: Asked, progress: object | None) -> Comparison: ...

def merge(folders: Sequence[str], out: str) -> Comparison: ...
