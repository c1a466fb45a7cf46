"""Several models of one thing, one of which is nearest to the truth."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._inputs import Sources, TableLike, flag, path_of, text, threads_of, whole
from ._result import tell
from .errors import InvalidArgument
from .models._given import numbers

if TYPE_CHECKING:
    from .programs._log import Seen
    from .programs._model import Program


class Ensemble:
    """Rival models, or one simulator with several sets of parameters, on the same states and actions. Every function
    that takes a model takes an ensemble: what one pair shows then says which members are right everywhere.

    Prior and variance are about what is left between the truth and the member that describes it best; they are the
    first model's (see :meth:`with_prior`).

    :param models: the members, as :class:`Mdp` objects or paths.
    :param weights: how likely each is before any data; None: all equally.
    :param parameters: what tells them apart: a dict of names and one number per member, for tables.
    :param names: what members are called; None: numbers.
    """

    def __init__(
        self,
        models: Sequence[_core.Mdp | str | os.PathLike[str]],
        weights: ArrayLike | None = None,
        parameters: Mapping[str, ArrayLike] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        from ._solve import as_model  # which knows ensembles

        members = [as_model(model) for model in models]
        given = [] if weights is None else numbers("weights", weights).tolist()
        values = {} if parameters is None else parameters
        self._model = _core.ensemble_of(
            members,
            given,
            [] if names is None else [text("names: the name of a member", name) for name in names],
            [(text("parameters: a name", n), numbers(f"parameters[{n!r}]", v).tolist()) for n, v in values.items()],
        )

    @classmethod
    def of(cls, model: _core.Mdp | str | os.PathLike[str]) -> Ensemble:
        """The ensemble that a model is, as :func:`read_model` gives it, or the folder it is in."""
        from ._solve import as_model  # which knows ensembles

        found = as_model(model)
        if not _core.is_ensemble(found):
            raise InvalidArgument(f"the model is no ensemble: {found!r}")
        return cls._of(found)

    @classmethod
    def _of(cls, model: _core.Mdp) -> Ensemble:
        ensemble = cls.__new__(cls)
        ensemble._model = model
        return ensemble

    @property
    def model(self) -> _core.Mdp:
        """The ensemble as commands take it: the mean model that knows its members."""
        return self._model

    @property
    def members(self) -> list[_core.Mdp]:
        """The models."""
        return _core.members_of(self._model)

    @property
    def names(self) -> list[str]:
        """What members are called."""
        return _core.member_names(self._model)

    @property
    def weights(self) -> NDArray[np.float64]:
        """How likely each member is."""
        return np.array(_core.member_weights(self._model))

    @property
    def parameters(self) -> dict[str, NDArray[np.float64]]:
        """What tells members apart."""
        return {name: np.array(values) for name, values in _core.member_parameters(self._model)}

    @property
    def effective_members(self) -> float:
        """1 / sum of squared weights: about so many members are in play."""
        return float(1 / np.sum(self.weights**2))

    def mean(self) -> _core.Mdp:
        """The mean model, which knows nothing of its members."""
        return _with_program(_core.mean_of_ensemble(self._model), self._model)

    def with_prior(self, **stated: Any) -> Ensemble:
        """The same ensemble with another prior, as :meth:`Mdp.with_prior` takes it."""
        return Ensemble._of(self._model.with_prior(**stated))

    def with_variance(self, variance: Any) -> Ensemble:
        """The same ensemble with another variance of one observed reward, as :meth:`Mdp.with_variance` takes it."""
        return Ensemble._of(self._model.with_variance(variance))

    def average_policy(self, *, threads: int = 0) -> MembersPolicy:
        """The policy with the best value on average over the members that was found, with a bound on what any
        could earn: what to deploy if nothing will be learnt. It is not the optimum of :meth:`mean`."""
        return MembersPolicy(_core.members_policy(self._model, False, threads_of(threads)))

    def robust_policy(self, *, threads: int = 0) -> MembersPolicy:
        """The policy with the best value in its worst member that was found, with a bound on what any could
        earn."""
        return MembersPolicy(_core.members_policy(self._model, True, threads_of(threads)))

    def weigh(self, log: TableLike, *, check: bool = True) -> Ensemble:
        """A new ensemble with the members' weights after a log. What the log says about single pairs is not kept:
        give the log to the command for that.

        :param log: a table of states and actions by name; of a program's ensemble also one with a column per axis
            (:mod:`mindgap.programs._log` lists them), whose steps are spread over corners.
        :param check: with a log in numbers: also ask the program itself, by steps from the log's own states, and warn
            where the grid is too coarse to weigh a parameter. Takes a step of the program for each row of the log and
            up to 256 for each member (of a random program 8 times as many).
        """
        check = flag("check", check)
        found = self._weighed(log, None).model
        if check:
            self._check_grid(log, np.array(_core.member_weights(found)))
        return Ensemble._of(_with_program(found, self._model, _core.member_weights(found)))

    def surprise(self, log: TableLike, *, seed: int = 42) -> Surprise:
        """Whether any member explains a log: the share of data sets drawn from the ensemble that are no more probable
        than it. Below 0.01 no member does."""
        weighed = self._weighed(log, whole("seed", seed, 0, 2**64 - 1))
        return Surprise(weighed.surprise, weighed.surprise_standard_error, weighed.worst_pairs)

    def _weighed(self, log: TableLike, seed: int | None) -> _core.Weighed:
        from .programs._log import is_continuous, seen_in
        from .programs._model import program_of

        program = program_of(self._model)
        if program is not None and is_continuous(log, program.space):
            return self._weighed_steps(program, seen_in(log, program.space), seed)
        sources = Sources()
        with sources.named():
            seen = sources.take(log, "log")
            if seen is None:
                raise InvalidArgument("log must be a table or a path, but is None")
            weighed = _core.weigh(self._model, seen, seed)
        tell(weighed.warnings)
        return weighed

    def _weighed_steps(self, program: Program, steps: Seen, seed: int | None) -> _core.Weighed:
        return _core.weigh_steps(
            self._model,
            program.grid._core,
            steps.state.reshape(-1),
            steps.action,
            steps.reward,
            steps.next_state.reshape(-1),
            steps.terminated,
            seed,
        )

    def _check_grid(self, log: TableLike, weighed: NDArray[np.float64]) -> None:
        """Warns where the grid is too coarse for a log in numbers."""
        from .programs._log import is_continuous, seen_in
        from .programs._model import program_of
        from .programs._weighing import misled

        program = program_of(self._model)
        if program is None or program.simulator is None or not is_continuous(log, program.space):
            return

        def weights(steps: Seen) -> NDArray[np.float64]:
            return np.array(_core.member_weights(self._weighed_steps(program, steps, None).model))

        tell(misled(program, seen_in(log, program.space), weighed, weights))

    def __len__(self) -> int:
        return len(_core.member_weights(self._model))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ensemble) and self._model == other._model

    def __hash__(self) -> int:
        return hash(self._model)

    def __repr__(self) -> str:
        return f"<mindgap.Ensemble of {len(self)} members, {self.effective_members:.3g} effective: {self._model!r}>"


class MembersPolicy:
    """One policy for all members of an ensemble. Its values are exact up to ``error_bound``; a better policy may
    exist, but none whose value exceeds ``upper_bound``."""

    def __init__(self, found: _core.MembersPolicy) -> None:
        self._found = found

    @property
    def policy(self) -> NDArray[np.int32]:
        """The action of each state."""
        return np.array(self._found.policy, dtype=np.int32)

    @property
    def value_at_start(self) -> float:
        """On average over the members, or in the worst of them."""
        return float(self._found.value_at_start)

    @property
    def error_bound(self) -> float:
        """Of every value."""
        return float(self._found.error_bound)

    @property
    def upper_bound(self) -> float:
        """Of the value of any policy."""
        return float(self._found.upper_bound)

    @property
    def member_values(self) -> NDArray[np.float64]:
        """What the policy is worth in each member, from the start."""
        return np.array(self._found.member_values)

    def write_policy(self, path: str | os.PathLike[str]) -> None:
        """Writes the policy as CSV: state,action,probability."""
        self._found.write_policy(path_of("path", path))

    def __str__(self) -> str:
        return self._found.text()

    def __repr__(self) -> str:
        return f"<mindgap.MembersPolicy: value {self.value_at_start:.6g}, no policy above {self.upper_bound:.6g}>"


def _with_program(model: _core.Mdp, before: _core.Mdp, weights: Sequence[float] | None = None) -> _core.Mdp:
    """The model, which knows the program that the one before is of."""
    from .programs._model import program_of, with_program

    program = program_of(before)
    return with_program(model, program if program is None or weights is None else program.weighed(weights))


class Surprise(float):
    """The share of data sets drawn from an ensemble that are no more probable than what was observed; with its
    ``standard_error`` and the ``worst_pairs``, those that the members explain worst."""

    standard_error: float
    worst_pairs: list[str]

    def __new__(cls, share: float, standard_error: float, worst_pairs: list[str]) -> Surprise:
        made = super().__new__(cls, share)
        made.standard_error = standard_error
        made.worst_pairs = worst_pairs
        return made
