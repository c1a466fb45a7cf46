"""The C++ library of mindgap; use it through the package mindgap."""

from collections.abc import (
    Callable,
    Hashable,
    Iterable,
    Mapping,
    Sequence
)
import enum
from typing import Annotated, Any, Literal

import gymnasium
import numpy
import numpy.random
import numpy.typing
from numpy.typing import NDArray
import pandas

import mindgap.gym
import mindgap.programs


def speak_like_the_command_line(arg: bool, /) -> None: ...

VERSION: str = '0.2.0'

def program_ends() -> bool: ...

def pause_between_reports(arg: int, /) -> None: ...

class Mdp:
    """
    A finite Markov decision process with sparse rows, and what is stated about it: names, prior, variance of one reward, history's coverage. It never changes.
    """

    def __init__(self, model: Mdp) -> None:
        """The same model."""

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
    def restart_ends(self) -> list[str]:
        """
        The states that end an episode, which then begins again; see with_restart().
        """

    @property
    def new_states(self) -> list[str]:
        """
        The states that data brought in and the simulator did not have; see with_states().
        """

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
        """
        How often history saw each pair, or None. Where coverage_is_sampled: how often a simulator was sampled.
        """

    @property
    def coverage_is_sampled(self) -> bool:
        """
        The counts of coverage are of samples of a simulator, from which the table was made, and not of the real system.
        """

    @property
    def variance(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)] | None:
        """Variance of one observed reward of each pair, or None."""

    def with_discount(self, discount: float) -> Mdp: ...

    def with_name(self, name: str) -> Mdp: ...

    @property
    def has_state_names(self) -> bool:
        """Whether states have names; else their numbers stand for them."""

    @property
    def has_action_names(self) -> bool:
        """Whether actions have names; else their numbers stand for them."""

    @property
    def groups(self) -> list[str | None] | None:
        """The group of each state (None: in none), or None."""

    @property
    def coordinates(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)] | None:
        """Where each state is, x and y, or None."""

    @staticmethod
    def from_arrays(P: numpy.typing.ArrayLike, R: numpy.typing.ArrayLike, discount: float, *, layout: Literal['asS', 'saS'] | None = None, available: numpy.typing.ArrayLike | None = None, start: numpy.typing.ArrayLike | Mapping[Any, float] | str | int | None = None, state_names: Sequence[str] | None = None, action_names: Sequence[str] | None = None, groups: Sequence[str | None] | None = None, coordinates: numpy.typing.ArrayLike | None = None, reward_max: float | None = None, name: str = '') -> Mdp:
        """
        A model from dense arrays, of which it keeps what is not zero.

        :param P: transition probabilities P[a, s, s'] or P[s, a, s']. Rows of zeros only are pairs that are not available.
        :param R: rewards of shape (S,), (S, A), (A, S, S) or (S, A, S); minus infinity in (S, A) says that the pair is not available.
        :param discount: from 0 to 1.
        :param layout: 'asS' for P[a, s, s'], 'saS' for P[s, a, s']. Shapes tell, unless there are as many actions as states: then it must be said.
        :param available: truth values of shape (S, A): which actions are available where.
        :param start: where it starts: a probability per state, a mapping from states to probabilities, or one state, by name or number (an integer is a name where names are integers other than the numbers); without it every state is equally likely.
        :param state_names: the names of the states; without them numbers stand for names.
        :param action_names: the names of the actions.
        :param groups: the group of each state, or None.
        :param coordinates: where each state is, x and y.
        :param reward_max: the largest possible absolute reward; without it the largest there is.
        :param name: the name of the model.
        """

    @staticmethod
    def from_scipy(P: Any, R: Any, discount: float, *, s_indices: numpy.typing.ArrayLike | None = None, a_indices: numpy.typing.ArrayLike | None = None, copy: bool = True, start: numpy.typing.ArrayLike | Mapping[Any, float] | str | int | None = None, state_names: Sequence[str] | None = None, action_names: Sequence[str] | None = None, groups: Sequence[str | None] | None = None, coordinates: numpy.typing.ArrayLike | None = None, reward_max: float | None = None, name: str = '') -> Mdp:
        """
        A model from SciPy matrices of any format, which stay sparse. Unsorted and repeated entries are sorted and added.

        :param P: one matrix with a row per pair: row s * A + a, or as s_indices and a_indices say; or a list with a matrix (S, S) per action. Empty rows are pairs that are not available.
        :param R: a reward per row, shape (S,) or (S, A), or matrices like P with the rewards of transitions.
        :param discount: from 0 to 1.
        :param s_indices: the state of each row, as in QuantEcon's DiscreteDP.
        :param a_indices: the action of each row.
        :param copy: a model never changes, so it is made of a copy of P. False: of P's own arrays, where they lie, which become read-only; nobody may change them by other views, or close the file they are mapped from. An error where the layout does not agree: one CSR matrix, doubles, 32-bit indices, an available pair in every row, entries sorted, none twice or zero.
        :param start: where it starts: a probability per state, a mapping from states to probabilities, or one state, by name or number (an integer is a name where names are integers other than the numbers); without it every state is equally likely.
        :param state_names: the names of the states; without them numbers stand for names.
        :param action_names: the names of the actions.
        :param groups: the group of each state, or None.
        :param coordinates: where each state is, x and y.
        :param reward_max: the largest possible absolute reward; without it the largest there is.
        :param name: the name of the model.
        """

    @staticmethod
    def from_quantecon(ddp: Any, *, start: numpy.typing.ArrayLike | Mapping[Any, float] | str | int | None = None, state_names: Sequence[str] | None = None, action_names: Sequence[str] | None = None, groups: Sequence[str | None] | None = None, coordinates: numpy.typing.ArrayLike | None = None, reward_max: float | None = None, name: str = '') -> Mdp:
        """
        A model from a quantecon.markov.DiscreteDP, in its product or its state-action form.

        :param ddp: the DiscreteDP.
        :param start: where it starts: a probability per state, a mapping from states to probabilities, or one state, by name or number (an integer is a name where names are integers other than the numbers); without it every state is equally likely.
        :param state_names: the names of the states; without them numbers stand for names.
        :param action_names: the names of the actions.
        :param groups: the group of each state, or None.
        :param coordinates: where each state is, x and y.
        :param reward_max: the largest possible absolute reward; without it the largest there is.
        :param name: the name of the model.
        """

    @staticmethod
    def from_pymdptoolbox(P: Any, R: Any, discount: float, *, start: numpy.typing.ArrayLike | Mapping[Any, float] | str | int | None = None, state_names: Sequence[str] | None = None, action_names: Sequence[str] | None = None, groups: Sequence[str | None] | None = None, coordinates: numpy.typing.ArrayLike | None = None, reward_max: float | None = None, name: str = '') -> Mdp:
        """
        A model as pymdptoolbox takes it.

        :param P: an array (A, S, S), or a list with a matrix (S, S) per action, dense or sparse.
        :param R: shape (S,), (S, A) or (A, S, S), or a list with a matrix (S, S) per action.
        :param discount: from 0 to 1.
        :param start: where it starts: a probability per state, a mapping from states to probabilities, or one state, by name or number (an integer is a name where names are integers other than the numbers); without it every state is equally likely.
        :param state_names: the names of the states; without them numbers stand for names.
        :param action_names: the names of the actions.
        :param groups: the group of each state, or None.
        :param coordinates: where each state is, x and y.
        :param reward_max: the largest possible absolute reward; without it the largest there is.
        :param name: the name of the model.
        """

    @staticmethod
    def from_gymnasium(env: gymnasium.Env[Any, Any], discount: float, *, steps: int | None = None, episodes: int | None = None, policy: Callable[[Any, numpy.random.Generator], Any] | None = None, restart: bool = False, seed: int = 0, progress: bool | Callable[[str, int, int], None] | None = None, grid: mindgap.programs.Grid | None = None, actions: Sequence[Any] | None = None, state_of: Callable[[Any], Any] | None = None, start: numpy.typing.ArrayLike | Mapping[Any, float] | str | int | None = None, state_names: Sequence[str] | None = None, action_names: Sequence[str] | None = None, groups: Sequence[str | None] | None = None, coordinates: numpy.typing.ArrayLike | None = None, reward_max: float | None = None, name: str = '') -> Mdp:
        """
        A model of a Gymnasium environment.

        Where the environment has a table (``env.unwrapped.P``, as the toy-text environments do) and neither steps, episodes nor policy are given, the model is that table: equal next states are added, the start distribution is kept (or, where the environment does not state it, counted over 1000 resets). Otherwise its spaces must be discrete, and the model is what rollouts show: frequencies and mean rewards, with coverage counts and the variance of one reward; what was never tried is not available, states that were never seen are left out. The counts are of samples of a simulator (:attr:`coverage_is_sampled`): state with :meth:`with_prior` how far it may be from the real system. The table is that of the innermost environment: where wrappers change rewards or observations, say steps; a warning says which wrappers are not seen.

        Terminated episodes stay terminated with reward 0: in the state entered, where that is only ever entered as an end, else in an additional state ``end`` (beside the others, where coordinates has no row for it). In an end there is one action.

        With ``grid``, for environments with numbers as observations whose state cannot be set (for others see :meth:`Simulator.from_gymnasium`): rollouts again, but each step is spread over the corners around its state with multilinear weights, and a corner's row is the weighted mean of where these steps would have led from the corner. Coverage is the sum of the weights. Pairs of a corner and an action that were never tried stay where they are and pay the lowest reward seen (0 where that is lower and an episode terminated); a warning says how many they are. ``solve(model).act(observation)`` acts by interpolated action values. start, state_names, groups, coordinates and reward_max cannot be combined with it.

        :param env: the environment, with a million actions at most.
        :param discount: from 0 to 1.
        :param steps: sample this many steps (without episodes and a table: 100 000).
        :param episodes: sample this many episodes.
        :param policy: what to do while sampling, policy(observation, rng); without it all actions are equally likely.
        :param restart: an ended episode begins again: a move that terminates leads to the start distribution instead of an end. States that are only ever entered as ends stay in the model, but nothing enters them (see :meth:`with_restart`); there is no additional state ``end``.
        :param seed: of resets and random actions.
        :param progress: show a bar, or a function to tell; by default, only in a terminal or notebook.
        :param grid: a :class:`Grid` over what is observed, or over what state_of makes of it.
        :param actions: with a grid: the actions to choose from; must be said for a Box of actions.
        :param state_of: with a grid: state_of(observation) gives the numbers that the grid is over; known for Pendulum and Acrobot.
        :param start: where it starts: a probability per state, a mapping from states to probabilities, or one state, by name or number (an integer is a name where names are integers other than the numbers); without it where the environment itself starts (its table's distribution, or as often as resets showed).
        :param state_names: the names of the states; without them numbers stand for names.
        :param action_names: the names of the actions.
        :param groups: the group of each state, or None.
        :param coordinates: where each state is, x and y.
        :param reward_max: the largest possible absolute reward; without it the largest there is.
        :param name: the name of the model.
        """

    @staticmethod
    def from_function(step: Callable[[Any, Any, numpy.random.Generator], tuple[float, Any]], *, states: int | Iterable[Hashable] | None = None, actions: int | Sequence[Hashable] | Mapping[Any, Sequence[Hashable]] | Callable[[Any], Iterable[Hashable]], discount: float, samples: int = 100, steps: int | None = None, length: int = 100, max_states: int = 100_000, start: Any = None, restart: bool = False, seed: int = 0, progress: bool | Callable[[str, int, int], None] | None = None, state_names: Sequence[str] | None = None, action_names: Sequence[str] | None = None, groups: Sequence[str | None] | None = None, coordinates: numpy.typing.ArrayLike | None = None, reward_max: float | None = None, name: str = '') -> Mdp:
        """
        A model of a plain function, sampled: frequencies and mean rewards, with coverage counts and the variance of one reward. The counts are of samples of a simulator (:attr:`coverage_is_sampled`): state with :meth:`with_prior` how far it may be from the real system.

        :param step: step(state, action, rng) gives (reward, next_state); the next state None ends.
        :param states: how many there are (then they are 0, 1, ...), or their labels, which may be anything hashable; without it they are found by following steps from the start.
        :param actions: how many there are, their labels, or by state a mapping or a function; a state without actions is an end.
        :param discount: from 0 to 1.
        :param samples: steps from each pair, each pair with random numbers of its own.
        :param steps: instead of that, so many steps of rollouts with random actions.
        :param length: with steps: how many before a new start.
        :param max_states: where states are found: with more of them it is an error, so that a function that finds new ones for ever comes to an end.
        :param start: where it starts: a state, a mapping from states to probabilities, probabilities of all states, or with steps a function of rng that gives a state; without it every state is equally likely.
        :param restart: what ends begins again: an end leads to the start distribution instead (see :meth:`with_restart`).
        :param seed: of all random numbers.
        :param progress: show a bar, or a function to tell; by default a bar, only in a terminal or notebook.
        :param state_names: instead of the labels.
        :param action_names: instead of the labels.
        :param groups: the group of each state, or None.
        :param coordinates: where each state is, x and y.
        :param reward_max: the largest possible absolute reward; without it the largest there is.
        :param name: the name of the model.
        """

    def to_env(self, *, noise: bool = False, strict: bool = False) -> mindgap.gym.ModelEnv:
        """
        The model as a Gymnasium environment.

        :param noise: rewards with Gaussian noise of the model's variance instead of mean rewards.
        :param strict: an action that is not available raises, instead of being replaced by the first that is.
        """

    @staticmethod
    def from_frame(transitions: Any, rewards: Any = None, states: Any = None, *, discount: float, coverage: Any = None, start: numpy.typing.ArrayLike | Mapping[Any, float] | str | int | None = None, state_names: Sequence[str] | None = None, action_names: Sequence[str] | None = None, groups: Sequence[str | None] | None = None, coordinates: numpy.typing.ArrayLike | None = None, reward_max: float | None = None, name: str = '') -> Mdp:
        """
        A model from tables with the columns of the model files, in pandas, anything that speaks Arrow or a dict of columns. Names are kept; integers 0, 1, ... are numbers of states and actions.

        :param transitions: state, action, next_state, probability.
        :param rewards: state, action, reward, and perhaps variance and count; without it transitions has a column reward.
        :param states: name, and perhaps group, x, y and start; without it states come in the order in which they are met.
        :param discount: from 0 to 1.
        :param coverage: state, action, count; or a log with state, action, next_state, whose lines are counted.
        :param start: where it starts: a probability per state, a mapping from states to probabilities, or one state, by name or number (an integer is a name where names are integers other than the numbers); without it every state is equally likely.
        :param state_names: the names of the states; without them numbers stand for names.
        :param action_names: the names of the actions.
        :param groups: the group of each state, or None.
        :param coordinates: where each state is, x and y.
        :param reward_max: the largest possible absolute reward; without it the largest there is.
        :param name: the name of the model.
        """

    def to_frame(self, table: Literal['transitions', 'rewards', 'states'] = 'transitions') -> pandas.DataFrame:
        """One of the tables that from_frame takes."""

    def to_scipy(self) -> Any:
        """
        The transition probabilities as a scipy.sparse.csr_array with a row per pair; pair_state and pair_action say which.
        """

    @property
    def pair_state(self) -> numpy.typing.NDArray[numpy.int32]:
        """The state of each pair."""

    @property
    def ends(self) -> numpy.typing.NDArray[numpy.bool_]:
        """
        Which states are ends: nothing leads out of them and all their rewards are 0.
        """

    def with_start(self, start: numpy.typing.ArrayLike | Mapping[Any, float] | str | int | None) -> Mdp:
        """
        The same model with another start: a probability per state, a mapping from states to probabilities, one state, or None where all are equally likely.

        A state is called by its name or its number. Where names are integers that are not the numbers, as 1, 2, 3 or where sampling left some out, an integer is a name, and one that is no name is refused.
        """

    def with_restart(self, ends: Sequence[str | int] | None = None) -> Mdp:
        """
        The same model in which an episode that ends begins again: a move into an end leads to the start distribution instead, with the reward it has.

        :param ends: the states that end an episode, by name or number; without it those whose every action stays there for sure and pays nothing (:attr:`ends`). They keep their numbers, but nothing enters them any more; :attr:`restart_ends` lists them. Rows are made for the start distribution there is now: state that first.
        """

    def with_states(self, names: Sequence[str]) -> Mdp:
        """
        The same model with more states, of which nothing is known: every action is available, half of a row stays and half is the start distribution, the reward is the mean of all rewards, and the prior is wide (reward_sd at least reward_max, transition_strength 1). No simulated move leads there; what is observed does. :attr:`new_states` lists them.
        """

    def with_reward(self, reward: Any) -> Mdp:
        """
        The same model with other rewards: per pair, per state, per state and action, for all, or a table state, action, reward.
        """

    def with_coverage(self, coverage: Any) -> Mdp:
        """
        The same model with how often history saw each pair: per pair, per state, per state and action, for all, a table state, action, count (what is missing was never seen), a log with state, action, next_state whose lines are counted, or None. These are counts of the real system (coverage_is_sampled is False then).
        """

    def with_variance(self, variance: Any) -> Mdp:
        """
        The same model with the variance of one observed reward: one number, per pair, per state, per state and action, a table state, action, variance, or None.
        """

    def with_prior(self, *, reward_sd: numpy.typing.ArrayLike | None = None, transition_strength: numpy.typing.ArrayLike | None = None, odds: float = 1.0, drift_sd: float = 0.0, unseen: float | None = None, unseen_strength: float = 1.0, reward_min: float | None = None, reward_max: float | None = None, rewards: str = 'gaussian') -> Mdp:
        """
        The same model with a prior.

        :param reward_sd: the sd of true mean rewards around the simulator's: one number, or per pair, per state, or per state and action.
        :param transition_strength: how many pseudo-observations stand behind each simulated row of transitions, likewise.
        :param odds: how strongly history's actions may have followed what it does not show, from 1 = not at all.
        :param drift_sd: the least sd of rewards where drift is feared.
        :param unseen: the probability, from 0 to below 1, that a row of transitions is wrong about what is possible; None: no row is doubted until one does what the simulator calls impossible; 0: none ever is.
        :param unseen_strength: how many pseudo-observations stand behind a row that is wrong.
        :param reward_min: the smallest value that a true mean reward can have.
        :param reward_max: the largest value that a true mean reward can have.
        :param rewards: what one reward is: 'gaussian', a number around its mean, or 'bernoulli', 0 or 1.
        """

    def with_shared(self, *, group_sd: float | Mapping[str, float] | None = None, sd: float | None = None, length: float | None = None, over: str | None = None, loadings: Any = None) -> Mdp:
        """
        The same model with errors of mean rewards that states share, so that seeing one says something about the others. They are added to what each pair has of its own, reward_sd of :meth:`with_prior`. What is given adds up; nothing given: nothing is shared.

        :param group_sd: the sd of an error that all states of a group have in common: one number for all groups, or one by group.
        :param sd: the sd of an error that neighbours nearly have in common.
        :param length: over what distance that fades: about 0.6 of it is in common at this distance, 0.14 at twice it.
        :param over: what distance is: 'place', between coordinates, or 'graph', in steps between states; None: 'place' where states have coordinates.
        :param loadings: how much of further errors pairs have: a table state, action, factor, loading, or the file it is in. Each factor has standard deviation 1.
        """

    def lump(self) -> Lumping:
        """
        The model of the coarsest classes of states that behave alike: same actions and, for every action, the same reward and the same probability of going to each class. Optimal values are the same in all states of a class: ``mindgap.solve(lumping.model).value[lumping.class_of_state]``. ``solve(model, lump=True)`` does that and certifies the result in the states of the model itself.

        The model of classes has rewards, transitions, start and names; priors, coverage and variances are not carried over.
        """

    def find_state(self, name: str) -> int:
        """The number of a state, or -1."""

    def find_action(self, name: str) -> int:
        """The number of an action, or -1."""

    def find_pair(self, state: int, action: int) -> int:
        """The number of an available pair, or -1."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __getstate__(self) -> tuple[bytes, list[str]]: ...

    def __setstate__(self, arg: tuple[bytes, Sequence[str]], /) -> None: ...

    def __copy__(self) -> Mdp: ...

    def __deepcopy__(self, memo: object) -> Mdp: ...

    def __repr__(self) -> str: ...

def with_start(model: Mdp, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Mdp: ...

def with_restart(model: Mdp, ends: Sequence[int] | None) -> Mdp: ...

def with_states(model: Mdp, names: Sequence[str]) -> Mdp: ...

def new_states_in_words(model: Mdp) -> str: ...

def with_reward(model: Mdp, reward: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Mdp: ...

def with_coverage(model: Mdp, coverage: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> Mdp: ...

def with_variance(model: Mdp, number: float | None, per_pair: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> Mdp: ...

def with_prior(model: Mdp, reward_sd: float | None, transition_strength: float | None, pair_reward_sd: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, pair_transition_strength: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, odds: float, drift_sd: float, unseen: float | None, unseen_strength: float, reward_min: float | None, reward_max: float | None, rewards: str) -> Mdp: ...

def with_shared(model: Mdp, group_sd: float | None, group_sds: Sequence[tuple[str, float]], sd: float | None, length: float, over: str, loadings: Source | None) -> Mdp: ...

class Lumping:
    """
    A model whose states are classes of states that behave alike: see Mdp.lump().
    """

    @property
    def model(self) -> Mdp: ...

    @property
    def reward_error(self) -> float: ...

    @property
    def probability_error(self) -> float: ...

    @property
    def class_of_state(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """The class of each state."""

    @property
    def first_state(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """The first state of each class, whose rows and name the class has."""

    def __repr__(self) -> str: ...

def from_rows(discount: float, pair_begin: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], pair_action: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], next_state: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], probability: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], reward: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], kept: tuple[object, object] | None, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, actions: int, state_names: Sequence[str] | None, action_names: Sequence[str] | None, groups: Sequence[str] | None, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, reward_max: float | None, coverage: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, coverage_is_sampled: bool, variance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, name: str) -> Mdp: ...

def read_model(path: str, allow_outside: bool) -> Mdp: ...

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

    def unknown_states(self, model: Mdp) -> list[str]:
        """The states that it names and the model does not have."""

def limit_options() -> list[tuple[str, str, str, str]]: ...

def terms_options() -> list[tuple[str, str, str, str]]: ...

class Terms:
    def __init__(self, given: dict[str, Any]) -> None: ...

def prior_options() -> list[tuple[str, str, str, str]]: ...

class PriorOverrides:
    def __init__(self, given: dict[str, Any], estimate_variance: bool) -> None: ...

class Limits:
    def __init__(self, given: dict[str, Any]) -> None: ...

class Grid:
    def __init__(self, axes: Sequence[tuple[str, Sequence[float], float]]) -> None: ...

    @property
    def dimension(self) -> int: ...

    @property
    def corners(self) -> int: ...

    @property
    def axes(self) -> list[tuple[str, list[float], float]]: ...

    def names(self) -> list[str]: ...

    def name_of(self, corner: int) -> str: ...

    def coarser(self, axis: int) -> Grid: ...

    def states(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]: ...

    def weights(self, state: numpy.typing.NDArray[numpy.float64]) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64]]: ...

def even_axis(name: str, low: float, high: float, count: int, periodic: bool) -> tuple[str, list[float], float]: ...

class Tabulated:
    """The table of a program."""

    def model(self, name: str) -> Mdp: ...

    @property
    def has_end(self) -> bool: ...

    def with_end(self) -> Tabulated: ...

    @property
    def below(self) -> list[float]: ...

    @property
    def above(self) -> list[float]: ...

    @property
    def left(self) -> float: ...

def tabulate(grid: Grid, next_state: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], reward: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], terminated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, discount: float, actions: Sequence[str], samples: int, starts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, places: Sequence[int], always_end: bool, threads: int) -> Tabulated: ...

class Sampled:
    """The table of steps that were seen."""

    def model(self, name: str) -> Mdp: ...

    @property
    def has_end(self) -> bool: ...

    @property
    def below(self) -> list[float]: ...

    @property
    def above(self) -> list[float]: ...

    @property
    def untried(self) -> int: ...

    @property
    def lowest(self) -> float: ...

def sampled(grid: Grid, state: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], action: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], reward: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], next_state: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], terminated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], discount: float, actions: Sequence[str], starts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, threads: int) -> Sampled: ...

def values_at(grid: Grid, value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], states: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(writable=False)]: ...

def action_values_at(grid: Grid, model: Mdp, value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], state: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(writable=False)]: ...

def lookahead(grid: Grid, value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], discount: float, next_state: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], reward: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], terminated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(writable=False)]: ...

class Law(enum.Enum):
    uniform = 0

    normal = 1

    lognormal = 2

    beta = 3

    gamma = 4

    choice = 5

class Distribution:
    def __init__(self, name: str, law: Law, a: float, b: float, low: float, high: float, values: Sequence[float], weights: Sequence[float]) -> None: ...

    @property
    def lowest(self) -> float: ...

    @property
    def highest(self) -> float: ...

    def quantile(self, u: float) -> float: ...

def latin_hypercube(parameters: Sequence[Distribution], draws: int, seed: int) -> Annotated[NDArray[numpy.float64], dict(writable=False)]: ...

def unpack_steps(results: list[Any], at: int, dimension: int, next_state: numpy.typing.NDArray[numpy.float64], reward: numpy.typing.NDArray[numpy.float64], terminated: numpy.typing.NDArray[numpy.uint8]) -> int: ...

def spread_steps(model: Mdp, grid: Grid, state: numpy.typing.NDArray[numpy.float64], action: numpy.typing.NDArray[numpy.int32], reward: numpy.typing.NDArray[numpy.float64], next_state: numpy.typing.NDArray[numpy.float64], terminated: numpy.typing.NDArray[numpy.uint8]) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64], int]: ...

class Belief:
    """
    What is believed about the true model: independent over pairs, Gaussian mean rewards and Dirichlet rows around the simulator's. Each has its own copy.
    """

    def __init__(self, simulator: Mdp) -> None:
        """
        From the prior a model states, or its coverage; nothing has been observed.
        """

    def observe(self, states: numpy.typing.ArrayLike, actions: numpy.typing.ArrayLike, rewards: numpy.typing.ArrayLike, next_states: numpy.typing.ArrayLike) -> None:
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

    def observe_one(self, step: int, state: int, action: int, reward: float, next_state: int) -> None: ...

    def observe_steps(self, step: int, model: Mdp, grid: Grid, state: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], action: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], reward: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], next_state: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], terminated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

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

def compare_case(name: str, simulator: Mdp | None, units: int | None, options: Mapping[str, str], own: Sequence[tuple[str, object, bool]], asked: Asked, progress: object | None, workers: object | None) -> Comparison: ...

def compare_world(name: str, truth: object, simulator: Mdp, units: int | None, own: Sequence[tuple[str, object, bool]], oracle: Mdp | Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, asked: Asked, progress: object | None, workers: object | None) -> Comparison: ...

def merge(folders: Sequence[str], out: str) -> Comparison: ...

class Reproduction:
    def __str__(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

def artefacts() -> list[tuple[str, str]]: ...

def reproduce(name: str, trials: int | None, seed: int, threads: int, progress: object | None, workers: object | None) -> Reproduction: ...

def ensemble_of(models: Sequence[Mdp], weights: Sequence[float], names: Sequence[str], parameters: Sequence[tuple[str, Sequence[float]]]) -> Mdp: ...

def is_ensemble(model: Mdp) -> bool: ...

def mean_of_ensemble(model: Mdp) -> Mdp: ...

def members_of(model: Mdp) -> list[Mdp]: ...

def member_names(model: Mdp) -> list[str]: ...

def member_weights(model: Mdp) -> list[float]: ...

def member_parameters(model: Mdp) -> list[tuple[str, list[float]]]: ...

class Weighed:
    @property
    def model(self) -> Mdp: ...

    @property
    def effective_members(self) -> float: ...

    @property
    def warnings(self) -> list[str]: ...

    @property
    def surprise(self) -> float: ...

    @property
    def surprise_standard_error(self) -> float: ...

    @property
    def worst_pairs(self) -> list[str]: ...

class MembersPolicy:
    @property
    def model(self) -> Mdp: ...

    @property
    def value_at_start(self) -> float: ...

    @property
    def error_bound(self) -> float: ...

    @property
    def upper_bound(self) -> float: ...

    @property
    def member_values(self) -> list[float]: ...

    @property
    def policy(self) -> list[int]: ...

    def text(self) -> str: ...

    def write_policy(self, path: str) -> None: ...

def members_policy(model: Mdp, robust: bool, threads: int) -> MembersPolicy: ...

def weigh(model: Mdp, log: Source, seed: int | None) -> Weighed: ...

def weigh_steps(model: Mdp, grid: Grid, state: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], action: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], reward: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], next_state: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], terminated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int | None) -> Weighed: ...

def command_line(words: Sequence[str]) -> int:
    """
    Does what the program `mindgap` does with these words, and gives its exit status. It takes over the process: its signals and its standard output.
    """

class Findings:
    def __str__(self) -> str: ...

    @property
    def model(self) -> Mdp: ...

    @property
    def components(self) -> int: ...

    @property
    def closed_components(self) -> int: ...

    @property
    def warnings(self) -> list[str]: ...

    @property
    def notes(self) -> list[str]: ...

    @property
    def unreachable(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """The states that no actions reach from the start."""

    @property
    def absorbing(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """The states that every action leaves unchanged."""

def check(model: Mdp, draws: int, seed: int, threads: int) -> Findings: ...

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

    @property
    def classes(self) -> int | None: ...

    @property
    def class_of_state(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """The class of each state; empty where states were not lumped."""

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

def solve(model: Mdp, method: str, tolerance: float, max_iterations: int, time_limit: float, threads: int, initial_value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, lump: bool, progress: object | None) -> Solution: ...

def map_model(path: str) -> Mdp: ...

class RanksSolution:
    def __str__(self) -> str: ...

    @property
    def rank(self) -> int: ...

    @property
    def failed_elsewhere(self) -> bool: ...

    @property
    def first_state(self) -> int: ...

    @property
    def ranks(self) -> int: ...

    @property
    def states(self) -> int: ...

    @property
    def status(self) -> str: ...

    @property
    def value_at_start(self) -> float: ...

    @property
    def bounds(self) -> tuple[float, float]: ...

    @property
    def half_width(self) -> float: ...

    @property
    def policy_loss_bound(self) -> float: ...

    @property
    def iterations(self) -> int: ...

    @property
    def seconds(self) -> float: ...

    @property
    def value(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """The optimal value of each state of this process."""

    @property
    def policy(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """The action of each state of this process."""

def solve_on_ranks(model: str, discount: float | None, tolerance: float, max_iterations: int, time_limit: float, progress: object | None) -> RanksSolution: ...

def give_up_ranks() -> None: ...

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

def diagnose(model: Mdp, coverage: Source | None, log: Source | None, truth: str | None, history: Source | None, jacobian: Source | None, calibration: Source | None, precision_factor: float, prior: PriorOverrides, top: int, support_threshold: float, level: float, draws: int | None, strict: bool, device: str, seed: int, threads: int, progress: object | None, workers: object | None) -> Diagnosis: ...

SUPPORT_THRESHOLD: float = 0.0001

class Design:
    def __str__(self) -> str: ...

    @property
    def warnings(self) -> list[str]: ...

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

def design(model: Mdp, units: int, steps: int, others: int | None, positions: Source | None, target: str, occupancy: str, method: str, credit: bool, block: str, coverage: Source | None, log: Source | None, prior: PriorOverrides, limits: Limits, gap: float, time_limit: float | None, navigation: bool, bottleneck: Sequence[str], sizes: bool, size_units: Sequence[int], size_steps: Sequence[int], remove: float | None, top: int, seed: int, threads: int, progress: object | None) -> Design: ...

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

    @property
    def over_learning(self) -> tuple[str, str, float, tuple[float, float], int] | None: ...

    @property
    def over_undirected(self) -> tuple[str, str, float, tuple[float, float], int] | None: ...

    @property
    def uses_horizon(self) -> bool: ...

def decide(model: Mdp, model_path: str, date: str, units: int, horizon: int, coverage: Source | None, log: Source | None, prior: PriorOverrides, positions: Source | None, plans: Sequence[str], plan: Source | None, worlds: int, most_draws: int, most_worlds: int, objective: str, indifference: float, time_limit: float, replan_every: int, target: str, limits: Limits, terms: Terms, tipping: bool, tornado: bool, device: str, seed: int, threads: int, progress: object | None, workers: object | None) -> Decision: ...

class StudyJoined:
    def __str__(self) -> str: ...

    @property
    def head(self) -> str: ...

    @property
    def warnings(self) -> list[str]: ...

class StudyBegun:
    def __str__(self) -> str: ...

    @property
    def warnings(self) -> list[str]: ...

    @property
    def head(self) -> str: ...

class StudyAssigned:
    def __str__(self) -> str: ...

    @property
    def updated(self) -> bool: ...

    @property
    def added(self) -> int: ...

    @property
    def finished(self) -> int: ...

    @property
    def warnings(self) -> list[str]: ...

    @property
    def head(self) -> str: ...

class StudyRecorded:
    def __str__(self) -> str: ...

    @property
    def recorded(self) -> int: ...

    @property
    def warnings(self) -> list[str]: ...

    @property
    def already(self) -> int: ...

    @property
    def head(self) -> str: ...

class StudyImported:
    def __str__(self) -> str: ...

    @property
    def recorded(self) -> int: ...

    @property
    def already(self) -> int: ...

    @property
    def left_out(self) -> int: ...

    @property
    def dry_run(self) -> bool: ...

    @property
    def warnings(self) -> list[str]: ...

    @property
    def head(self) -> str: ...

class StudyRedesigned:
    def __str__(self) -> str: ...

    @property
    def warnings(self) -> list[str]: ...

    @property
    def head(self) -> str: ...

class StudyVerification:
    def __str__(self) -> str: ...

    @property
    def good(self) -> bool: ...

    @property
    def problem(self) -> str: ...

    @property
    def head(self) -> str: ...

    @property
    def anchors(self) -> int: ...

    @property
    def signatures(self) -> int: ...

    @property
    def keys(self) -> list[str]: ...

    @property
    def events_since(self) -> int | None: ...

class StudyStatus:
    def __str__(self) -> str: ...

    @property
    def phase(self) -> str: ...

    @property
    def results(self) -> int: ...

    @property
    def open_conflicts(self) -> int: ...

    @property
    def go_on(self) -> bool: ...

    @property
    def net(self) -> float: ...

    @property
    def interval(self) -> tuple[float, float]: ...

    @property
    def experiment_pays(self) -> bool: ...

    @property
    def warnings(self) -> list[str]: ...

    @property
    def head(self) -> str: ...

class StudyKnown:
    @property
    def model(self) -> Mdp: ...

    @property
    def mean(self) -> Mdp: ...

    @property
    def policy(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """The action of each state."""

def study_begin(folder: str, model: Mdp | None, model_path: str, units: Source | None, plan: Source | None, allow_new_states: bool, horizon: int, batch_steps: int, update_every: int, control_share: float, limits: Limits, coverage: Source | None, prior: PriorOverrides, seed: int, key: str, threads: int, progress: object | None) -> StudyBegun: ...

def study_assign(folder: str, step: int | None, key: str, threads: int, progress: object | None) -> StudyAssigned: ...

def study_add_units(folder: str, units: Source, key: str) -> StudyJoined: ...

def study_record(folder: str, results: Source, correct: bool, key: str, progress: object | None) -> StudyRecorded: ...

def study_import(folder: str, results: Source, columns: Source, parent: Source | None, correct: bool, dry_run: bool, key: str, progress: object | None) -> StudyImported: ...

def study_redesign(folder: str, follow: bool, key: str, threads: int, progress: object | None) -> StudyRedesigned: ...

def study_stop(folder: str, why: str, key: str, progress: object | None) -> StudyRedesigned: ...

def study_check(folder: str) -> None:
    """Raises StoreError where there is no study."""

def study_known(folder: str, progress: object | None) -> StudyKnown: ...

def study_status(folder: str, progress: object | None) -> StudyStatus: ...

def study_export(folder: str, out: str, csv_safe: bool) -> None: ...

def study_export_json(folder: str) -> str: ...

def study_verify(folder: str, threads: int, head: str | None, anchors: str, keys: Sequence[str], sign: bool, accept_loss: bool, progress: object | None) -> StudyVerification: ...

def study_anchor(folder: str, out: str) -> str: ...

def study_key_new(file: str) -> str: ...

class ValueOfInformation:
    def __str__(self) -> str: ...

    @property
    def best(self) -> str: ...

    @property
    def evpi(self) -> float: ...

    @property
    def evpi_se(self) -> float: ...

def voi(draws: Source, plans: Sequence[str], about: Sequence[Sequence[str]], data: Sequence[Sequence[str]], scale: float, cost: Sequence[float], seed: int, threads: int, progress: object | None, workers: object | None) -> ValueOfInformation: ...

class Stateless:
    def __str__(self) -> str: ...

def stateless(units: int, variance: float, discount: float, lead: float | None, sd: float | None, means: Sequence[float], sds: Sequence[float], actions: Sequence[str]) -> Stateless: ...
