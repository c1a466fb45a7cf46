"""The simulator-optimal policy, its value with certified bounds."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, Literal, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._ensemble import Ensemble
from ._inputs import TableLike, flag, limit_of, path_of, real, text, threads_of, whole
from ._progress import Progress, Report
from ._ranks import RanksSolution, solve_on_ranks
from ._result import ModelResult, tell
from ._solved import Solved
from .errors import InvalidArgument
from .models._given import shaped

if TYPE_CHECKING:
    from .programs import GridPolicy, Simulator

#: A model, an ensemble, a program, or the folder or HDF5 file it is in.
ModelLike = Union[_core.Mdp, Ensemble, "Simulator", str, "os.PathLike[str]"]


def as_model(model: ModelLike) -> _core.Mdp:
    if isinstance(model, _core.Mdp):
        return model
    if isinstance(model, Ensemble):
        return model.model
    if isinstance(model, programs()):
        return model._believed()
    if not isinstance(model, (str, os.PathLike)):
        raise InvalidArgument(f"model must be a mindgap.Mdp or the path of one, but is {model!r}")
    return read_model(model)


def programs() -> type[Simulator]:
    """The class of simulators that are programs, which knows this module."""
    from .programs import Simulator

    return Simulator


def with_log(model: _core.Mdp, log: TableLike | None) -> tuple[_core.Mdp, TableLike | None]:
    """The model and the log as commands take them. A log in numbers (:mod:`mindgap.programs._log`) weighs the members
    of a program's ensemble here, and is then no longer needed."""
    from .programs._log import is_continuous
    from .programs._model import program_of

    program = program_of(model)
    if log is None or program is None or not is_continuous(log, program.space):
        return model, log
    if not _core.is_ensemble(model):
        raise InvalidArgument(
            "log: a log in numbers says which parameters of a program are right, but this one has none that are unknown: "
            "give the simulator parameters="
        )
    tell(
        [
            "the log is in numbers: it was used to weigh the members of the ensemble (Ensemble.weigh()); what it says "
            "about single corners beyond that, and where it leaves units, was not used"
        ]
    )
    return Ensemble._of(model).weigh(log).model, None


def read_model(path: str | os.PathLike[str], *, allow_outside: bool = False) -> _core.Mdp:
    """Reads a model folder (given as the folder or its model.toml), an HDF5 file, or an ensemble (its folder or
    HDF5 file): then the model knows its members, and :meth:`Ensemble.of` gives them.

    :param allow_outside: the model may name files outside its own folder.
    """
    return _core.read_model(path_of("path", path), bool(allow_outside))


def write_model(model: _core.Mdp | Ensemble, path: str | os.PathLike[str]) -> None:
    """Writes an HDF5 file where ``path`` ends in .h5 or .hdf5, else a folder. All or nothing."""
    if isinstance(model, Ensemble):
        model = model.model
    if not isinstance(model, _core.Mdp):
        raise InvalidArgument(f"model must be a mindgap.Mdp, but is {model!r}")
    _core.write_model(model, path_of("path", path))


class Solution(Solved, ModelResult):
    """The optimal value and a policy, with certified bounds."""

    __slots__ = ("_given", "_policy")

    def __init__(self, core: Any, given: _core.Mdp) -> None:
        super().__init__(core)
        self._given = given
        self._policy: GridPolicy | None = None

    @property
    def model(self) -> _core.Mdp:
        """The model it is about."""
        return self._given

    def act(self, state: Any) -> Any:
        """The action for a state of a program, any numbers in the box of its grid, as the simulator calls it: one step of
        the program ahead, then the interpolated value. Only for models of :class:`mindgap.Simulator`."""
        if self._policy is None:
            from .programs._model import program_of
            from .programs._policy import GridPolicy

            program = program_of(self._given)
            if program is None:
                raise InvalidArgument(
                    "act wants a solution of a program's model, mindgap.solve(simulator.model()): the policy of this one "
                    "is solution.policy, an action number per state"
                )
            if self.policy.ndim > 1:
                raise InvalidArgument("act wants a solution without a horizon: solution.policy has the action of each step")
            self._policy = GridPolicy(self._given, program, self.value)
        return self._policy.act(state)

    @property
    def classes(self) -> int | None:
        """With ``lump=True``: how many classes of states there are that behave alike."""
        found: int | None = getattr(self._core, "classes", None)
        return found

    @property
    def class_of_state(self) -> NDArray[np.int32] | None:
        """With ``lump=True``: the class of each state."""
        if self.classes is None:
            return None
        found: NDArray[np.int32] = self._core.class_of_state
        return found

    def write_policy(self, path: str | os.PathLike[str]) -> None:
        """Writes the policy as CSV: state,action,probability (with a horizon also step)."""
        self._core._write_policy(path_of("path", path))

    def write_classes(self, path: str | os.PathLike[str]) -> None:
        """With ``lump=True``: writes which states were merged as CSV: state,class."""
        if self.classes is None:
            raise InvalidArgument("write_classes wants a solution with lump=True: states were not merged")
        self._core._write_classes(path_of("path", path))


def _mapped_model(model: object) -> _core.Mdp:
    if not isinstance(model, (str, os.PathLike)):
        raise InvalidArgument(f"mapped=True wants the path of an HDF5 file, but model is {model!r}")
    return _core.map_model(path_of("model", model))


@overload
def solve(
    model: ModelLike,
    *,
    discount: float | None = None,
    horizon: int | None = None,
    method: str = "auto",
    tolerance: float = 1e-10,
    max_iterations: int = 1_000_000,
    time_limit: float | None = None,
    initial_value: ArrayLike | None = None,
    lump: bool = False,
    mapped: bool = False,
    engine: Literal["threads"] = "threads",
    threads: int = 0,
    progress: bool | Report | None = None,
) -> Solution: ...


@overload
def solve(
    model: str | os.PathLike[str],
    *,
    engine: Literal["petsc"],
    discount: float | None = None,
    tolerance: float = 1e-10,
    max_iterations: int = 1_000_000,
    time_limit: float | None = None,
    progress: bool | Report | None = None,
) -> RanksSolution: ...


def solve(
    model: ModelLike,
    *,
    discount: float | None = None,
    horizon: int | None = None,
    method: str = "auto",
    tolerance: float = 1e-10,
    max_iterations: int = 1_000_000,
    time_limit: float | None = None,
    initial_value: ArrayLike | None = None,
    lump: bool = False,
    mapped: bool = False,
    engine: str = "threads",
    threads: int = 0,
    progress: bool | Report | None = None,
) -> Solution | RanksSolution:
    """The optimal policy of a model.

    :param discount: instead of the model's.
    :param horizon: solve for this many steps instead of forever, exactly: method, tolerance, max_iterations,
        time_limit and initial_value cannot be combined with it.
    :param method: auto, value-iteration, modified-policy-iteration, gauss-seidel or policy-iteration.
    :param tolerance: wanted width of the bounds on the value, relative to reward_max / (1 - discount).
    :param time_limit: seconds, 0 for no limit; the bounds hold then, too, but are wider than asked.
    :param initial_value: a first guess of the value.
    :param lump: first merge states that behave alike, then solve the smaller model; the result is about the states of
        the model all the same (:attr:`Solution.class_of_state`, :meth:`Mdp.lump`).
    :param mapped: leave the transitions of an HDF5 file, given by its path, there instead of reading them into memory.
    :param engine: threads: in this process; petsc: on all processes that ``mpiexec -n 4 python script.py`` started, each
        with its part of an HDF5 file, which is given by its path. Every process makes the same call and gets a
        :class:`RanksSolution`. horizon, method, initial_value, lump and mapped cannot be combined with it. It needs a library
        that is not part of the package: see docs/howto/how-far-does-it-go.md.
    :param threads: 0: all cores. The result does not depend on it.
    """
    if engine not in ("threads", "petsc"):
        raise InvalidArgument(f"engine must be 'threads' or 'petsc', but is {engine!r}")
    lump, mapped = flag("lump", lump), flag("mapped", mapped)
    if engine == "petsc":
        for name, other in (
            ("horizon", horizon is not None),
            ("method", method != "auto"),
            ("initial_value", initial_value is not None),
            ("lump", lump),
            ("mapped", mapped),
        ):
            if other:
                raise InvalidArgument(f"{name} cannot be combined with engine='petsc'")
        return solve_on_ranks(model, discount, tolerance, max_iterations, time_limit, progress)
    model = _mapped_model(model) if mapped else as_model(model)
    if discount is not None:
        model = model.with_discount(real("discount", discount))
    threads = threads_of(threads)
    guess = None if initial_value is None else shaped("initial_value", initial_value, model.states)
    limit = limit_of(time_limit)
    method, tolerance = text("method", method), real("tolerance", tolerance)
    max_iterations = whole("max_iterations", max_iterations, 1)
    if horizon is not None:
        horizon = whole("horizon", horizon, 1, 2_000_000_000)
        for name, other in (
            ("method", method != "auto"),
            ("tolerance", tolerance != 1e-10),
            ("max_iterations", max_iterations != 1_000_000),
            ("time_limit", limit is not None),
            ("initial_value", guess is not None),
            ("lump", lump),
        ):
            if other:
                raise InvalidArgument(f"{name} cannot be combined with horizon, which is solved exactly")
        with Progress(progress):  # which has nothing to tell
            return Solution(_core.solve_finite_horizon(model, horizon, threads), model)
    limit = math.inf if limit is None else limit
    with Progress(progress) as report:
        core = _core.solve(model, method, tolerance, max_iterations, limit, threads, guess, lump, report)
        return Solution(core, model)
