"""Whether, where and how long to experiment before trusting a simulator."""

from __future__ import annotations

from . import planners, programs, worlds
from ._core import VERSION as __version__
from ._core import Lumping, Mdp
from ._check import Findings, check
from ._compare import Case, CaseOption, Comparison, Failure, cases, compare, merge
from ._decide import Decision, Gain, decide
from ._design import Design, design
from ._diagnose import Diagnosis, diagnose
from ._ensemble import Ensemble
from ._ranks import RanksSolution
from ._reproduce import Reproduction, artefacts, reproduce
from ._solve import Solution, read_model, solve, write_model
from ._stateless import Stateless, stateless
from ._study import Study
from ._voi import ValueOfInformation, voi
from .programs import Beta, Choice, Gamma, Grid, Lognormal, Normal, Rollouts, Simulator, Uniform, rollouts
from .errors import Error, InvalidArgument, InvalidModel, NumericalError, StoreError, WorldError

__all__ = [
    "Beta",
    "Case",
    "CaseOption",
    "Choice",
    "Comparison",
    "Decision",
    "Design",
    "Diagnosis",
    "Ensemble",
    "Error",
    "Failure",
    "Findings",
    "Gain",
    "Gamma",
    "Grid",
    "InvalidArgument",
    "InvalidModel",
    "Lognormal",
    "Lumping",
    "Mdp",
    "Normal",
    "NumericalError",
    "RanksSolution",
    "Reproduction",
    "Rollouts",
    "Simulator",
    "Solution",
    "Stateless",
    "StoreError",
    "Study",
    "Uniform",
    "ValueOfInformation",
    "WorldError",
    "__version__",
    "artefacts",
    "cases",
    "check",
    "compare",
    "decide",
    "design",
    "diagnose",
    "merge",
    "planners",
    "programs",
    "read_model",
    "reproduce",
    "rollouts",
    "solve",
    "stateless",
    "voi",
    "worlds",
    "write_model",
]
