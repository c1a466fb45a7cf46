"""Models that come as SciPy matrices, or as QuantEcon and pymdptoolbox have them. Sparse stays sparse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import InvalidArgument
from ._dense import from_arrays
from ._given import Numbers, array, indices, numbers, package
from ._rows import Rows, Stated, all_pairs, build, check_size, keep_pairs


def from_scipy(
    P: Any,
    R: Any,
    discount: float,
    *,
    s_indices: ArrayLike | None = None,
    a_indices: ArrayLike | None = None,
    copy: bool = True,
    **stated: Any,
) -> _core.Mdp:
    """See :meth:`mindgap.Mdp.from_scipy`."""
    said = Stated.by("from_scipy", stated)
    sparse = package("scipy.sparse", "Mdp.from_scipy")
    if (s_indices is None) != (a_indices is None):
        raise InvalidArgument("s_indices and a_indices must be given together")
    matrices = _per_action(P)
    if matrices is not None:
        if s_indices is not None:
            raise InvalidArgument(
                "s_indices and a_indices need one matrix of rows, but P is one per action"
            )
        rows = _rows_per_action(sparse, [_csr(sparse, f"P[{a}]", m) for a, m in enumerate(matrices)])
        rows.reward = _reward_per_action(sparse, R, rows)
        order = None
    else:
        matrix = _csr(sparse, "P", P)
        if s_indices is None or a_indices is None:
            rows, order = _rows_of_product(matrix), None
        else:
            rows, order = _rows_of_pairs(matrix, s_indices, a_indices)
        rows.reward = _reward_of_rows(sparse, R, rows, order, matrix.shape)
    keep = rows.reward != -np.inf
    if s_indices is None:  # there, every row is said to be available
        keep &= np.diff(rows.row_begin) > 0
    given = P if matrices is None else matrices[0]
    model = build(keep_pairs(rows, keep), discount, said, given.dtype, copy)
    if not copy:
        _check_shared(model, P)
    return model


def _check_shared(model: _core.Mdp, P: Any) -> None:
    """That the model lies in P, as its caller wants; P is not to be changed from now on."""
    if _is_csr(P) and all(
        ours.size == 0 or ours.ctypes.data == theirs.ctypes.data
        for ours, theirs in ((model.probability, P.data), (model.next_state, P.indices))
    ):
        P.data.flags.writeable = P.indices.flags.writeable = False
        return
    raise InvalidArgument(f"copy=False, but P must be copied, since {_why_copied(P)}")


def _is_csr(given: Any) -> bool:
    return getattr(given, "format", None) == "csr"


def _why_copied(P: Any) -> str:
    if not _is_csr(P):
        return f"it is a {type(P).__name__}: expected one CSR matrix with a row per pair"
    for what, values, wanted in (("data", P.data, np.float64), ("indices", P.indices, np.int32)):
        if values.dtype != wanted:
            return f"P.{what} is of type {values.dtype}: expected {np.dtype(wanted)}"
        if not values.flags.c_contiguous:
            return f"P.{what} does not lie in one piece"
    return (
        "not every row is an available pair in order of states and actions, its entries sorted and without "
        "repetitions and zeros"
    )


def from_quantecon(ddp: Any, **stated: Any) -> _core.Mdp:
    """See :meth:`mindgap.Mdp.from_quantecon`."""
    Stated.by("from_quantecon", stated)
    try:
        P, R, discount, s_indices = ddp.Q, ddp.R, ddp.beta, ddp.s_indices
    except AttributeError as error:
        raise InvalidArgument(f"from_quantecon wants a quantecon.markov.DiscreteDP: {error}") from error
    if s_indices is None:
        return from_arrays(P, R, discount, layout="saS", **stated)
    if not hasattr(P, "tocsr"):
        P = package("scipy.sparse", "Mdp.from_quantecon").csr_array(array("Q", P))
    return from_scipy(P, R, discount, s_indices=s_indices, a_indices=ddp.a_indices, **stated)


def from_pymdptoolbox(P: Any, R: Any, discount: float, **stated: Any) -> _core.Mdp:
    """See :meth:`mindgap.Mdp.from_pymdptoolbox`."""
    Stated.by("from_pymdptoolbox", stated)
    matrices = _per_action(P)
    if matrices is not None and any(hasattr(matrix, "tocsr") for matrix in matrices):
        return from_scipy(matrices, R, discount, **stated)
    rewards = _per_action(R)
    if rewards is not None and any(hasattr(matrix, "tocsr") for matrix in rewards):
        rewards = [matrix.toarray() if hasattr(matrix, "toarray") else matrix for matrix in rewards]
    if hasattr(R, "toarray"):
        R = R.toarray()
    return from_arrays(
        P if matrices is None else matrices,
        R if rewards is None else rewards,
        discount,
        layout="asS",
        **stated,
    )


def _per_action(given: Any) -> list[Any] | None:
    """The elements of a list, tuple or array of objects that hold one matrix each."""
    if isinstance(given, np.ndarray):
        return list(given) if given.dtype == object and given.ndim == 1 else None
    if isinstance(given, Sequence) and not isinstance(given, str):
        return list(given) if given and np.ndim(given[0]) == 2 else None
    return None


def _csr(sparse: Any, what: str, given: Any) -> Any:
    """As CSR, itself where it is that already; nothing about its indices is known yet."""
    if not sparse.issparse(given):
        if isinstance(given, np.ndarray) and given.ndim == 2:
            return sparse.csr_array(numbers(what, given))
        raise InvalidArgument(
            f"{what} must be a SciPy sparse matrix or a list of one per action, but is a "
            f"{type(given).__name__}"
        )
    if len(given.shape) != 2:
        raise InvalidArgument(f"{what} must have two dimensions, but has shape {given.shape}")
    if given.dtype.kind not in "fiub":
        raise InvalidArgument(f"{what} must hold real numbers, but its type is {given.dtype}")
    return given if _is_csr(given) else given.tocsr()


def _entries(matrix: Any) -> tuple[NDArray[np.int64], NDArray[np.int32], Numbers]:
    """indptr, indices and data in the library's types. The library looks at 32-bit indices itself."""
    begin = np.ascontiguousarray(matrix.indptr, dtype=np.int64)
    size = int(begin[-1])  # room behind the last entry is allowed
    if begin[0] != 0 or (np.diff(begin) < 0).any() or size > min(len(matrix.indices), len(matrix.data)):
        raise InvalidArgument("P.indptr must begin with 0, not decrease and end with the number of entries")
    where = np.asarray(matrix.indices)[:size]
    if where.dtype != np.int32:
        _check_range(where, matrix.shape[1])
    return begin, np.ascontiguousarray(where, dtype=np.int32), numbers("P", matrix.data[:size])


def _check_range(where: NDArray[Any], states: int) -> None:
    if where.size > 0 and (where.min() < 0 or where.max() >= states):
        at = int(np.flatnonzero((where < 0) | (where >= states))[0])
        raise InvalidArgument(f"P.indices[{at}] is {where[at]}, but must be from 0 to {states - 1}")


def _checked(matrix: Any) -> Any:
    """What SciPy may compute with: its own code believes the indices it is given."""
    _check_range(_entries(matrix)[1], matrix.shape[1])
    return matrix


def _without_zeros(matrix: Any) -> Any:
    """Stored zeros are no transitions."""
    if np.count_nonzero(matrix.data) == matrix.data.size:
        return matrix
    found = _checked(matrix).copy()
    found.eliminate_zeros()
    return found


def _rows_of(
    matrix: Any,
    actions: int,
    pair_begin: NDArray[np.int32],
    pair_action: NDArray[np.int32],
    ours: bool = False,
) -> Rows:
    return Rows(actions, pair_begin, pair_action, *_entries(matrix), np.empty(0), ours)


def _rows_of_product(matrix: Any) -> Rows:
    """Row s * A + a."""
    count, states = matrix.shape
    if states == 0 or count == 0 or count % states != 0:
        raise InvalidArgument(
            f"P must have shape (S * A, S), row s * A + a, but has {matrix.shape}; say s_indices and "
            "a_indices where its rows are other pairs"
        )
    actions = count // states
    return _rows_of(_without_zeros(matrix), actions, *all_pairs(states, actions))


def _rows_of_pairs(
    matrix: Any, s_indices: ArrayLike, a_indices: ArrayLike
) -> tuple[Rows, NDArray[np.int64] | None]:
    """One row per pair as QuantEcon has it, and the order in which the rows were taken."""
    count, states = matrix.shape
    check_size("pairs", count)
    state = indices("s_indices", s_indices, states)
    action = indices("a_indices", a_indices, np.iinfo(np.int32).max)
    if len(state) != count or len(action) != count:
        raise InvalidArgument(
            f"s_indices and a_indices must have an entry for each of the {count} rows of P, but have "
            f"{len(state)} and {len(action)}"
        )
    key = state.astype(np.int64) << 32 | action
    order = None
    if not (np.diff(key) > 0).all():
        order = np.argsort(key, kind="stable")
        state, action, key = state[order], action[order], key[order]
        twice = np.flatnonzero(np.diff(key) == 0)
        if twice.size > 0:
            raise InvalidArgument(f"P has two rows for state {state[twice[0]]}, action {action[twice[0]]}")
        matrix = _checked(matrix)[order]
    begin = np.concatenate([[0], np.cumsum(np.bincount(state, minlength=states))]).astype(np.int32)
    return _rows_of(matrix, int(action.max(initial=-1)) + 1, begin, action), order


def _rows_per_action(sparse: Any, matrices: list[Any]) -> Rows:
    """pymdptoolbox: matrix a has row s."""
    states, actions = matrices[0].shape[1], len(matrices)
    for action, matrix in enumerate(matrices):
        if matrix.shape != (states, states) or states == 0:
            raise InvalidArgument(
                f"P[{action}] must be square, of the states there are, but has shape {matrix.shape}"
            )
    return _rows_of(_interleaved(sparse, matrices), actions, *all_pairs(states, actions), ours=True)


def _interleaved(sparse: Any, matrices: list[Any]) -> Any:
    """Row s * A + a of what has row s in matrix a."""
    states, actions = matrices[0].shape[0], len(matrices)
    stacked = sparse.vstack([_checked(matrix) for matrix in matrices], format="csr")
    order = np.arange(states * actions).reshape(actions, states).T.ravel()
    return _without_zeros(stacked[order])


def _as_matrix(sparse: Any, rows: Rows) -> Any:
    """The rows as a matrix that SciPy may compute with."""
    shape = (len(rows.pair_action), rows.states)
    return _checked(sparse.csr_array((rows.probability, rows.next_state, rows.row_begin), shape=shape))


def _reward_per_action(sparse: Any, given: Any, rows: Rows) -> Numbers:
    matrices = _per_action(given)
    if matrices is None and not sparse.issparse(given) and np.ndim(given) == 3:
        matrices = list(given)
    if matrices is None:
        return _reward_of_rows(sparse, given, rows, None, (len(rows.pair_action), rows.states))
    size = (rows.states, rows.states)
    worth = [_csr(sparse, f"R[{a}]", matrix) for a, matrix in enumerate(matrices)]
    if len(worth) != rows.actions or any(matrix.shape != size for matrix in worth):
        raise InvalidArgument(f"R must be a list of {rows.actions} matrices of shape {size}, one per action")
    return _mean_over_next(sparse, _interleaved(sparse, worth), rows)


def _mean_over_next(sparse: Any, worth: Any, rows: Rows) -> Numbers:
    product = _as_matrix(sparse, rows).multiply(worth)
    return numbers("R", np.asarray(product.sum(axis=1)).ravel())


def _reward_of_rows(
    sparse: Any, given: Any, rows: Rows, order: NDArray[np.int64] | None, shape: tuple[int, int]
) -> Numbers:
    pairs, states, actions = len(rows.pair_action), rows.states, rows.actions
    if sparse.issparse(given):
        if given.shape == shape:
            worth = _checked(_csr(sparse, "R", given))
            return _mean_over_next(sparse, worth if order is None else worth[order], rows)
        given = given.toarray()
    reward = array("R", given)
    if reward.shape == (pairs,):
        return numbers("R", reward if order is None else reward[order])
    if reward.shape == (states,):
        return numbers("R", reward[rows.pair_state])
    if reward.shape == (states, actions):
        return numbers(
            "R", reward.ravel() if pairs == reward.size else reward[rows.pair_state, rows.pair_action]
        )
    raise InvalidArgument(
        f"R must have shape ({pairs},) for rows, ({states},) for states, ({states}, {actions}) for both, or "
        f"be a sparse matrix of the shape of P, but has shape {reward.shape}"
    )
