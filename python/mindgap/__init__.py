"""Whether, where and how long to experiment before trusting a simulator."""

from __future__ import annotations

from ._core import VERSION as __version__
from ._core import Mdp
from ._solve import Solution, read_model, solve, write_model
from .errors import Error, InvalidArgument, InvalidModel, NumericalError, StoreError

__all__ = [
    "Error",
    "InvalidArgument",
    "InvalidModel",
    "Mdp",
    "NumericalError",
    "Solution",
    "StoreError",
    "__version__",
    "read_model",
    "solve",
    "write_model",
]
