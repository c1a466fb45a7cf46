"""Models in and out: what the methods of :class:`mindgap.Mdp` of the same names do."""

from __future__ import annotations

from ._changes import (
    ends,
    pair_state,
    with_coverage,
    with_prior,
    with_restart,
    with_reward,
    with_shared,
    with_start,
    with_states,
    with_variance,
)
from ._dense import from_arrays
from ._frames import from_frame, to_frame, to_scipy
from ._gymnasium import from_gymnasium, to_env
from ._sampled import from_function
from ._sparse import from_pymdptoolbox, from_quantecon, from_scipy

__all__ = [
    "ends",
    "from_arrays",
    "from_frame",
    "from_function",
    "from_gymnasium",
    "from_pymdptoolbox",
    "from_quantecon",
    "from_scipy",
    "pair_state",
    "to_env",
    "to_frame",
    "to_scipy",
    "with_coverage",
    "with_prior",
    "with_restart",
    "with_reward",
    "with_shared",
    "with_start",
    "with_states",
    "with_variance",
]
