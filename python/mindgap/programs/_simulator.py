"""Simulators that are programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._ensemble import Ensemble
from .._inputs import flag, real, seed_of, text, whole
from .._progress import Progress, Report
from ..errors import InvalidArgument
from ..models._given import numbers
from ._calls import Caller, Random, Theta
from ._discrepancy import Discrepancy, reward_range
from ._grid import Grid
from ._model import GridModel, Program, program_of
from ._parameters import Parameters, ParametersLike
from ._policy import GridPolicy
from ._space import Space
from ._tables import Tables, check_calls, left_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from .._solve import Solution
    from ._check import GridCheck

_RESETS = 1000  # states in which it starts, where reset is a function


class Simulator(Space):
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
        super().__init__(grid, actions, action_names, state_of)
        if terminal is not None and not callable(terminal):
            raise InvalidArgument(f"terminal must be a function of a state, but is {terminal!r}")
        self._pictured: list[int] = []  # axes of maps; empty: the first two where there are no more
        self._parameters = Parameters(parameters)
        self._discount = real("discount", discount, 0, 1)
        self._discrepancy = Discrepancy(discrepancy)
        self._reset = reset
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
        check_calls(self._caller, self._grid.corners, 1, max_calls)
        tables = self._tables(threads)
        with Progress(progress) as report:
            table, steps = tables.one(values, report)
        tables.note_of_luck(steps, values)
        model = table.model(self._name)
        program = Program(self, [values], np.ones(1), left_of(table, self._grid))
        return GridModel(self._discrepancy.stated(model, reward_range([model])), program)

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
        check_calls(self._caller, self._grid.corners, len(thetas), max_calls)
        with Progress(progress) as report:
            tables = self._tables(threads).all(thetas, executor, report)
        if any(table.has_end for table in tables):
            tables = [table.with_end() for table in tables]
        models = [table.model(self._name) for table in tables]
        error = self._grid_error(thetas[0], models[0], threads)
        models[0] = self._discrepancy.stated(models[0], reward_range(models), error)
        made = _core.ensemble_of(
            models, [] if weights is None else weights.tolist(), [], [(n, draws[:, i].tolist()) for i, n in enumerate(names)]
        )
        left = [left_of(table, self._grid) for table in tables]
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
        simulator = None if found is None else found.simulator
        if found is None or simulator is None or simulator._caller is not self._caller:
            raise InvalidArgument("the solution must be of a model of this simulator: mindgap.solve(simulator.model())")
        return found

    def _tables(self, threads: int) -> Tables:
        starts = self._starts(_RESETS, Random(self._caller.seed).at(0, 2**62))
        return Tables(
            self._caller, self._grid, self._action_names, self._discount, starts, self._pictured, threads
        )

    def _grid_error(self, theta: Theta, fine: _core.Mdp, threads: int) -> float:
        """How wrong the grid is, as an error of every reward: the change of the value at the start with every second
        point, times 1 - discount. 0 where the discount is 1 or the discrepancy is stated."""
        from .._solve import solve

        if self._discount >= 1 or self._discrepancy.says_reward_sd:
            return 0.0
        coarse = self.on(self._grid.coarser())
        if coarse.grid.corners == self._grid.corners:
            return 0.0
        other = coarse._tables(threads).one(theta)[0].model("")
        values = [solve(one, threads=threads, progress=False).value_at_start for one in (fine, other)]
        return (1 - self._discount) * abs(values[0] - values[1])


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))
