"""Simulators that are programs: numbers as states, parameters that are not known."""

from __future__ import annotations

from ._grid import Grid
from ._model import GridModel
from ._parameters import Beta, Choice, Distribution, Gamma, Lognormal, Normal, Uniform
from ._policy import GridPolicy
from ._check import GridCheck
from ._rollouts import Rollouts, rollouts
from ._simulator import Simulator

__all__ = [
    "Beta",
    "Choice",
    "Distribution",
    "Gamma",
    "Grid",
    "GridCheck",
    "GridModel",
    "GridPolicy",
    "Lognormal",
    "Normal",
    "Rollouts",
    "Simulator",
    "Uniform",
    "rollouts",
]
