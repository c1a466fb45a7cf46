"""The C++ library of mindgap; use it through the package mindgap."""

from collections.abc import Sequence
from typing import Annotated, Any

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

class Table:
    """Columns of one length, for Arrow (no copy of numbers) and NumPy."""

    def __len__(self) -> int: ...

    def columns(self) -> dict[str, tuple[Any, Any]]:
        """Per column its values and which of them are missing (or None)."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Source:
    """A file, or a table as the text of one."""

    @staticmethod
    def of_file(path: str) -> Source: ...

    @staticmethod
    def of_table(name: str, text: bytes) -> Source: ...

class PriorOverrides:
    def __init__(self, reward_sd: float | None, transition_strength: float | None, odds: float | None, drift_sd: float | None, estimate_variance: bool) -> None: ...

def report_scripts() -> tuple[str, str]:
    """What draws the pictures of a page, in two parts."""

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

class Diagnosis:
    def __str__(self) -> str: ...

    @property
    def model(self) -> Mdp: ...

    @property
    def warnings(self) -> list[str]: ...

    @property
    def sop_value(self) -> float: ...

    @property
    def status(self) -> str: ...

    @property
    def pvv_prior(self) -> float: ...

    @property
    def pvv_posterior(self) -> float | None: ...

    @property
    def unmeasured_share(self) -> float: ...

    @property
    def evpi(self) -> tuple[float, float] | None: ...

    @property
    def evpi_local(self) -> tuple[float, float] | None: ...

    @property
    def evpi_reach(self) -> tuple[float, float] | None: ...

    @property
    def epi(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Exploration priority index, per pair."""

def diagnose(model: Mdp, coverage: Source | None, log: Source | None, truth: str | None, jacobian: Source | None, prior: PriorOverrides, top: int, support_threshold: float, level: float, draws: int | None, strict: bool, seed: int, threads: int, progress: object | None) -> Diagnosis: ...

SUPPORT_THRESHOLD: float = 0.0001

class Design:
    def __str__(self) -> str: ...

    @property
    def model(self) -> Mdp: ...

    @property
    def pvv_before(self) -> float: ...

    @property
    def pvv_with_credit(self) -> float: ...

    @property
    def pvv_after(self) -> float: ...

    @property
    def pvv_after_rounding(self) -> float: ...

    @property
    def gap(self) -> float: ...

    @property
    def relative_gap(self) -> float: ...

    @property
    def expected_loss(self) -> float: ...

    @property
    def seconds(self) -> float: ...

    @property
    def status(self) -> str: ...

    @property
    def constraints_kept(self) -> bool: ...

    @property
    def counts(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Expected observations, per pair."""

def design(model: Mdp, units: int, steps: int, others: int | None, positions: Source | None, target: str, occupancy: str, method: str, credit: bool, block: str, coverage: Source | None, log: Source | None, prior: PriorOverrides, minimum_shares: Sequence[tuple[str, float]], maximum_shares: Sequence[tuple[str, float]], forbid: Source | None, capacity: Source | None, costs: Source | None, cost_budget: float | None, max_loss: float | None, gap: float, time_limit: float | None, top: int, seed: int, threads: int, progress: object | None) -> Design: ...

def write_text(path: str, text: str) -> None:
    """Writes a file, all or nothing."""

class Decision:
    def __str__(self) -> str: ...

    @property
    def model(self) -> Mdp: ...

    @property
    def verdict(self) -> str: ...

    @property
    def leaning(self) -> str: ...

    @property
    def headline(self) -> str: ...

    @property
    def reason(self) -> str: ...

    @property
    def plan(self) -> str: ...

    @property
    def gain(self) -> float | None: ...

    @property
    def interval(self) -> tuple[float, float] | None: ...

    @property
    def cost(self) -> float | None: ...

    @property
    def break_even_step(self) -> int | None: ...

    @property
    def probability_of_loss(self) -> float | None: ...

    @property
    def worlds(self) -> int: ...

    @property
    def seconds(self) -> float: ...

    @property
    def assumptions(self) -> list[str]: ...

    @property
    def warnings(self) -> list[str]: ...

def decide(model: Mdp, units: int, horizon: int, coverage: Source | None, log: Source | None, prior: PriorOverrides, positions: Source | None, plans: Sequence[str], worlds: int, objective: str, indifference: float, time_limit: float, replan_every: int, target: str, tipping: bool, seed: int, threads: int, progress: object | None) -> Decision: ...
