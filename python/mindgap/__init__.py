"""Whether, where and how long to experiment before trusting a simulator."""

from __future__ import annotations

from ._core import VERSION as __version__
from ._core import Mdp
from ._decide import Decision, decide
from ._design import Design, design
from ._diagnose import Diagnosis, diagnose
from ._solve import Solution, read_model, solve, write_model
from ._study import Study
from .errors import Error, InvalidArgument, InvalidModel, NumericalError, StoreError

__all__ = [
    "Decision",
    "Design",
    "Diagnosis",
    "Error",
    "InvalidArgument",
    "InvalidModel",
    "Mdp",
    "NumericalError",
    "Solution",
    "StoreError",
    "Study",
    "__version__",
    "decide",
    "design",
    "diagnose",
    "read_model",
    "solve",
    "write_model",
]
