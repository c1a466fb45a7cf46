"""Simulators that are programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._ensemble import Ensemble
from .._inputs import flag, real, seed_of, text, whole
from .._progress import Progress, Report
from .._result import tell
from ..errors import InvalidArgument
from ..models._given import numbers
from ._calls import Caller, Random, Steps, Theta
from ._grid import Grid
from ._model import GridModel, Program, program_of
from ._parameters import Parameters, ParametersLike
from ._policy import GridPolicy

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from .._solve import Solution
    from ._check import GridCheck

_RESETS = 1000  # states in which it starts, where reset is a function
_STRENGTH = 100.0  # pseudo-observations behind each row, where nothing is said
_LITTLE = 0.01  # share of the rewards' range that the program may be wrong by, where nothing is said
_AGAIN = 16  # calls that are repeated with other random numbers


class Simulator:
    """A program with numbers as states, a handful of actions and perhaps parameters that are not known.

    :param step: ``step(state, action, theta, rng)`` gives ``(next_state, reward)`` or ``(next_state, reward,
        terminated)``. ``state`` is an array of one number per axis, which must not be changed; ``action`` one of
        ``actions``; ``theta`` a dict of the parameters; ``rng`` a :class:`numpy.random.Generator`, from which all
        luck must come. With ``vectorized``, states come and go as arrays with a row each.
    :param grid: the states that are tabulated.
    :param actions: as the program calls them: numbers, texts, arrays.
    :param reset: where it starts: ``reset(rng)`` gives a state; or an array of states; without it every corner is as
        likely.
    :param parameters: what is not known, as ``{"mass": mindgap.Uniform(.5, 2)}``, or a table of draws with a column
        per parameter and perhaps ``weight``.
    :param discount: from 0 to 1.
    :param samples: steps of each corner with each action; more than 1 where the program draws random numbers. All
        actions and all parameters meet the same random numbers at a corner.
    :param vectorized: whether ``step`` (and ``terminal``) take many states at once.
    :param terminal: ``terminal(state)`` says whether a state is an end: a step into it terminates, and the program is
        not asked to go on from it.
    :param discrepancy: how far the program may be wrong whatever its parameters, as
        ``{"reward_sd": .1, "transition_strength": 50, "reward_variance": .01}``; without it 1 % of the range of
        rewards (as standard deviation of a mean reward and of one observed reward) and 100 pseudo-observations; in an
        ensemble more than 1 % where the grid is coarse, so that the value would change by more with every second point.
    :param action_names: what actions are called in tables; without it as they print.
    :param state_of: ``state_of(observation)`` gives the state, where what is observed is something else.
    :param name: of the models.
    """

    def __init__(
        self,
        step: Callable[..., Any],
        grid: Grid,
        actions: Sequence[Any],
        *,
        reset: Callable[[np.random.Generator], ArrayLike] | ArrayLike | None = None,
        parameters: ParametersLike | None = None,
        discount: float,
        samples: int = 1,
        vectorized: bool = False,
        terminal: Callable[..., Any] | None = None,
        discrepancy: Mapping[str, float] | None = None,
        action_names: Sequence[str] | None = None,
        state_of: Callable[[Any], ArrayLike] | None = None,
        name: str = "",
    ) -> None:
        if not callable(step):
            raise InvalidArgument(f"step must be a function of (state, action, theta, rng), but is {step!r}")
        if not isinstance(grid, Grid):
            raise InvalidArgument(f"grid must be a mindgap.Grid, but is {grid!r}")
        if terminal is not None and not callable(terminal):
            raise InvalidArgument(f"terminal must be a function of a state, but is {terminal!r}")
        self._grid = grid
        self._pictured: list[int] = []  # axes of maps; empty: the first two where there are no more
        self._actions = _actions(actions)
        self._action_names = _action_names(self._actions, action_names)
        self._parameters = Parameters(parameters)
        self._discount = real("discount", discount, 0, 1)
        self._discrepancy = _discrepancy(discrepancy)
        self._reset = reset
        self._state_of = state_of
        self._name = text("name", name)
        self._caller = Caller(
            step,
            self._actions,
            grid.names,
            whole("samples", samples, 1, 10**9),
            flag("vectorized", vectorized),
            terminal,
            42,
        )

    @staticmethod
    def from_gymnasium(
        make_env: Any,
        grid: Grid,
        actions: Sequence[Any] | None = None,
        parameters: ParametersLike | None = None,
        *,
        discount: float,
        set_state: Callable[[Any, NDArray[np.float64]], None] | None = None,
        get_state: Callable[[Any, Any], Any] | None = None,
        state_of: Callable[[Any], Any] | None = None,
        samples: int = 1,
        discrepancy: Mapping[str, float] | None = None,
        action_names: Sequence[str] | None = None,
    ) -> Simulator:
        """A Gymnasium environment whose state can be set. Steps are those of the innermost environment: wrappers, and
        time limits among them, are not seen.

        :param make_env: gives the environment: a function, the environment's id, or one environment. Where there are
            ``parameters``, a function of the dict of their values.
        :param grid: over the environment's state (``env.unwrapped.state``), which need not be what it shows:
            Pendulum's state is (angle, speed), Acrobot's two angles and two speeds.
        :param actions: without it all of a discrete action space. Of a Box some, as numbers or arrays.
        :param set_state: ``set_state(env, state)``, where setting ``env.unwrapped.state`` does not do.
        :param get_state: ``get_state(env, observation)`` gives the state after a step; without it
            ``env.unwrapped.state``, or the observation where there is no such thing.
        :param state_of: ``state_of(observation)`` gives the state that an observation shows. Known for classic control.
        """
        from ._gymnasium import from_gymnasium

        return from_gymnasium(
            make_env,
            grid,
            actions=actions,
            parameters=parameters,
            discount=discount,
            set_state=set_state,
            get_state=get_state,
            state_of=state_of,
            samples=samples,
            discrepancy=discrepancy,
            action_names=action_names,
        )

    @property
    def grid(self) -> Grid:
        return self._grid

    @property
    def actions(self) -> list[Any]:
        """As the program calls them."""
        return list(self._actions)

    @property
    def action_names(self) -> list[str]:
        """As tables call them."""
        return list(self._action_names)

    @property
    def parameters(self) -> list[str]:
        """The names of what is not known."""
        return list(self._parameters.names)

    @property
    def discount(self) -> float:
        return self._discount

    @property
    def samples(self) -> int:
        return self._caller.samples

    def on(self, grid: Grid) -> Simulator:
        """The same program on another grid of the same axes."""
        if grid.names != self._grid.names:
            raise InvalidArgument(f"the grid has the axes {grid.names}, but the simulator has {self._grid.names}")
        other = Simulator.__new__(Simulator)
        other.__dict__.update(self.__dict__)
        other._grid = grid
        return other

    def pictured(self, *axes: str) -> Simulator:
        """The same program, whose pictures (maps on report pages) are over these one or two axes; states that differ
        on other axes only are one place of a map. Without it they are over the only one or two axes there are."""
        numbers_ = [self._grid.names.index(one) if one in self._grid.names else -1 for one in axes]
        if not 1 <= len(axes) <= 2 or -1 in numbers_ or len(set(axes)) < len(axes):
            raise InvalidArgument(f"pictured wants one or two of the axes {', '.join(self._grid.names)}, but got {axes!r}")
        other = Simulator.__new__(Simulator)
        other.__dict__.update(self.__dict__)
        other._pictured = numbers_
        return other

    def state_of(self, observation: Any) -> NDArray[np.float64]:
        """The state that an observation shows."""
        return self._state(observation)

    def model(
        self,
        theta: Mapping[str, float] | None = None,
        *,
        max_calls: float = 1e8,
        progress: bool | Report | None = None,
        threads: int = 0,
    ) -> GridModel:
        """The table of the program for one set of parameters.

        :param theta: values of parameters; those that are not named are at their median.
        :param max_calls: more calls of ``step`` than this are refused.
        :param progress: show a bar, or a function to tell; by default, only in a terminal or notebook.
        """
        values = self._parameters.theta(theta)
        self._check_calls(1, max_calls)
        with Progress(progress) as report:
            steps = self._tabulated(values, report)
        table = self._table(steps, threads)
        self._note_of_luck(steps, values)
        program = Program(self, [values], np.ones(1), self._left(table))
        return GridModel(self._stated(table.model(self._name)), program)

    def ensemble(
        self,
        members: int | None = None,
        seed: int = 42,
        executor: Executor | None = None,
        max_calls: float = 1e8,
        *,
        progress: bool | Report | None = None,
        threads: int = 0,
    ) -> Ensemble:
        """Tables for several sets of parameters: a Latin hypercube of their distributions, or the draws given.

        :param members: how many; without it 64, or all draws of the table of parameters.
        :param executor: of :mod:`concurrent.futures`, to make several tables at a time.
        :param max_calls: more calls of ``step`` than this are refused.
        :param progress: show a bar, or a function to tell; by default, only in a terminal or notebook. It is first
            told how many calls there will be and about how long they take.
        """
        size = None if members is None else whole("members", members, 1, 10**6)
        draws, weights = self._parameters.draws(size, seed_of(seed))
        names = self._parameters.names
        thetas: list[Theta] = [dict(zip(names, map(float, row))) for row in draws]
        self._check_calls(len(thetas), max_calls)
        with Progress(progress) as report:
            tables = self._tables(thetas, executor, report, threads)
        if any(table.has_end for table in tables):
            tables = [table.with_end() for table in tables]
        models = [table.model(self._name) for table in tables]
        models[0] = self._stated(models[0], _reward_range(models), self._grid_error(thetas[0], models[0], threads))
        made = _core.ensemble_of(
            models, [] if weights is None else weights.tolist(), [], [(n, draws[:, i].tolist()) for i, n in enumerate(names)]
        )
        left = [self._left(table) for table in tables]
        mean = {name: (_mean([one[name][0] for one in left]), _mean([one[name][1] for one in left])) for name in left[0]}
        return Ensemble._of(GridModel(made, Program(self, thetas, np.array(_core.member_weights(made)), mean)))

    def policy(self, solution: Solution, *, lookahead: bool = True) -> GridPolicy:
        """What to do in any state, by a solution of one of the simulator's models (see :meth:`Solution.act`)."""
        found = self._program_of(solution)
        return GridPolicy(solution.model, found, solution.value, lookahead)

    def check(self, solution: Solution, episodes: int = 100, *, steps: int | None = None, seed: int = 42) -> GridCheck:
        """How wrong the grid is: what the policy of a solution earns in the program itself beside the solved value, and
        how much the value changes with every second point of each axis.

        :param solution: of :func:`mindgap.solve` on a model of this simulator.
        :param episodes: how many are followed, from the program's own resets.
        :param steps: of an episode at most; without it until the discount leaves a ten-thousandth. What comes after the
            last of them counts as the solution says.
        """
        from ._check import check

        program = self._program_of(solution)
        return check(self, program, solution, whole("episodes", episodes, 2, 10**9), steps, seed_of(seed))

    def __repr__(self) -> str:
        known = f", parameters {', '.join(self.parameters)}" if self.parameters else ""
        return f"<mindgap.Simulator of {len(self._actions)} actions on {self._grid!r}{known}>"

    # What the package asks of it.

    def _believed(self) -> _core.Mdp:
        """The model that commands take: an ensemble where parameters are not known."""
        return self.ensemble().model if self.parameters else self.model()

    def _state(self, given: Any) -> NDArray[np.float64]:
        """A state, or what is observed in its place."""
        if self._state_of is not None and np.shape(given) != (self._grid.dimension,):
            given = self._state_of(given)
        return self._grid.state(given)

    def _action_number(self, given: Any) -> int:
        for number, action in enumerate(self._actions):
            if _same(action, given):
                return number
        if isinstance(given, str) and given in self._action_names:
            return self._action_names.index(given)
        shown = ", ".join(self._action_names[:10]) + (", ..." if len(self._actions) > 10 else "")
        raise InvalidArgument(f"the simulator has no action {given!r}: it has {shown}")

    def _starts(self, count: int, rng: np.random.Generator) -> NDArray[np.float64] | None:
        """States in which it starts; None: anywhere."""
        if self._reset is None:
            return None
        if not callable(self._reset):
            found = np.atleast_2d(numbers("reset", self._reset))
            if found.shape[1] != self._grid.dimension:
                raise InvalidArgument(
                    f"reset has states of {found.shape[1]} numbers, but the grid has {self._grid.dimension} axes"
                )
            return found
        return np.array([self._grid.state(self._reset(rng), "what reset gave") for _ in range(count)])

    def _program_of(self, solution: Solution) -> Program:
        found = program_of(getattr(solution, "model", None))
        if found is None or found.simulator._caller is not self._caller:
            raise InvalidArgument("the solution must be of a model of this simulator: mindgap.solve(simulator.model())")
        return found

    def _check_calls(self, members: int, max_calls: float) -> None:
        calls = members * self._caller.calls(self._grid.corners)
        if calls > real("max_calls", max_calls):
            tables = f"{members} members x " if members > 1 else ""
            raise InvalidArgument(
                f"{tables}{self._grid.corners:,} corners x {len(self._actions)} actions x {self.samples} samples are "
                f"{calls:,} calls of step, more than max_calls = {max_calls:,.0f}: take fewer points, or say more calls"
            )

    def _tabulated(self, theta: Theta, report: Report | None) -> Steps:
        total = self._caller.calls(self._grid.corners)
        tick = None if report is None else lambda done: report("tabulating", done, total)
        return self._caller.steps(self._grid.states, theta, tick)

    def _tables(
        self, thetas: Sequence[Theta], executor: Executor | None, report: Report | None, threads: int
    ) -> list[_core.Tabulated]:
        calls = len(thetas) * self._caller.calls(self._grid.corners)
        what = "tabulating"
        if report is not None:
            seconds = self._caller.seconds_per_call(self._grid.states, thetas[0]) * calls
            what = f"tabulating {len(thetas)} members ({calls:,} calls, about {_duration(seconds)} on one core)"
            report(what, 0, len(thetas))
        tables = []
        for done, steps in enumerate(_all_steps(self._caller, self._grid.states, thetas, executor), start=1):
            tables.append(self._table(steps, threads))
            if done == 1:
                self._note_of_luck(steps, thetas[0])
            if report is not None:
                report(what, done, len(thetas))
        return tables

    def _table(self, steps: Steps, threads: int) -> _core.Tabulated:
        starts = self._starts(_RESETS, Random(self._caller.seed).at(0, 2**62))
        return _core.tabulate(
            self._grid._core,
            steps.next_state.reshape(-1),
            steps.reward.reshape(-1),
            steps.ends,
            self._discount,
            self._action_names,
            self.samples,
            None if starts is None else starts.reshape(-1),
            self._pictured,
            False,
            whole("threads", threads, 0, 4096),
        )

    def _left(self, table: _core.Tabulated) -> dict[str, tuple[float, float]]:
        return {name: (table.below[a], table.above[a]) for a, name in enumerate(self._grid.names)}

    def _grid_error(self, theta: Theta, fine: _core.Mdp, threads: int) -> float:
        """How wrong the grid is, as an error of every reward: the change of the value at the start with every second
        point, times 1 - discount. 0 where the discount is 1 or the discrepancy is stated."""
        from .._solve import solve

        if self._discount >= 1 or "reward_sd" in self._discrepancy:
            return 0.0
        coarse = self.on(self._grid.coarser())
        if coarse.grid.corners == self._grid.corners:
            return 0.0
        other = coarse._table(coarse._tabulated(theta, None), threads).model("")
        values = [solve(one, threads=threads, progress=False).value_at_start for one in (fine, other)]
        return (1 - self._discount) * abs(values[0] - values[1])

    def _stated(self, model: _core.Mdp, spread: float | None = None, grid_error: float = 0.0) -> _core.Mdp:
        """With what is left between the truth and the program."""
        said = self._discrepancy
        little = max(_LITTLE * (_reward_range([model]) if spread is None else spread), grid_error)
        return model.with_prior(
            reward_sd=said.get("reward_sd", little), transition_strength=said.get("transition_strength", _STRENGTH)
        ).with_variance(said.get("reward_variance", little**2))

    def _note_of_luck(self, steps: Steps, theta: Theta) -> None:
        """Says where a single draw stands for a random program."""
        if self.samples > 1:
            return
        random = steps.random
        if not random:  # it may draw from somewhere else
            corners = np.linspace(0, self._grid.corners - 1, _AGAIN).astype(int)
            again = self._caller.steps(np.ascontiguousarray(self._grid.states[corners]), theta)
            first = steps.next_state[corners], steps.reward[corners]
            random = not (np.array_equal(again.next_state, first[0]) and np.array_equal(again.reward, first[1]))
        if random:
            tell(
                [
                    "step draws random numbers, but samples=1: each row of the model is a single draw, and chance "
                    "looks like structure. Give more samples"
                ]
            )


def _all_steps(
    caller: Caller, states: NDArray[np.float64], thetas: Sequence[Theta], executor: Executor | None
) -> Iterator[Steps]:
    if executor is None:
        for theta in thetas:
            yield caller.steps(states, theta)
        return
    futures = [executor.submit(caller.steps, np.array(states), theta) for theta in thetas]
    try:
        for future in futures:
            yield future.result()
    finally:
        for future in futures:
            future.cancel()


def _actions(given: Sequence[Any]) -> list[Any]:
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        raise InvalidArgument(f"actions must be a list, but is {given!r}")
    found = list(given)
    if not found:
        raise InvalidArgument("actions is empty, but a simulator needs one at least")
    return found


def _action_names(actions: Sequence[Any], given: Sequence[str] | None) -> list[str]:
    if given is None:
        names = [_printed(action) for action in actions]
        what = "actions: two of them are called"
    else:
        names = [text("action_names: a name", name) for name in given]
        what = "action_names: two of them are"
        if len(names) != len(actions):
            raise InvalidArgument(f"action_names has {len(names)} names, but there are {len(actions)} actions")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidArgument(f"{what} {twice!r}")
    return names


def _printed(action: Any) -> str:
    if isinstance(action, np.ndarray) and action.size == 1:
        action = action.reshape(-1)[0]
    if isinstance(action, (float, np.floating)):
        return f"{float(action):.6g}"
    return str(action.tolist() if isinstance(action, np.ndarray) else action)


def _same(action: Any, given: Any) -> bool:
    try:
        return bool(np.array_equal(action, given))
    except (TypeError, ValueError):
        return bool(action == given)


def _discrepancy(given: Mapping[str, float] | None) -> dict[str, float]:
    known = ("reward_sd", "transition_strength", "reward_variance")
    found: dict[str, float] = {}
    for name, value in ({} if given is None else dict(given)).items():
        if name not in known:
            raise InvalidArgument(f"discrepancy names {name!r}, but has {', '.join(known)}")
        found[name] = real(f"discrepancy[{name!r}]", value)
    return found


def _reward_range(models: Sequence[_core.Mdp]) -> float:
    """Between the largest and the smallest reward; where all are the same, their size, or 1."""
    low = min(float(model.reward.min()) for model in models)
    high = max(float(model.reward.max()) for model in models)
    return (high - low) or abs(high) or 1.0


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{max(seconds, 0.1):.2g} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
