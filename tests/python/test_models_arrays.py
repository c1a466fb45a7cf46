"""Models from NumPy and SciPy: every layout gives the same model, and nothing is misread."""

import numpy as np
import pytest
from scipy import sparse

import mindgap
from mindgap import InvalidArgument, InvalidModel, Mdp

STATES, ACTIONS = 4, 3
RNG = np.random.default_rng(7)
P = RNG.dirichlet(np.ones(STATES), size=(ACTIONS, STATES))  # P[a, s, s']
P[:, :, 0] = 0  # some zeros
P /= P.sum(axis=2, keepdims=True)
R = RNG.normal(size=(STATES, ACTIONS))
BY_STATE = np.ascontiguousarray(P.transpose(1, 0, 2))
ROWS = BY_STATE.reshape(STATES * ACTIONS, STATES)


def reference():
    """The model in the library's own arrays, written out."""
    value = ROWS[ROWS > 0]
    where = np.nonzero(ROWS)[1]
    return where, value


def test_the_arrays_are_the_rows():
    model = Mdp.from_arrays(P, R, 0.9)
    where, value = reference()
    assert (model.states, model.actions, model.pairs, model.nonzeros) == (4, 3, 12, 36)
    np.testing.assert_array_equal(model.next_state, where)
    np.testing.assert_array_equal(model.probability, value)
    np.testing.assert_array_equal(model.reward, R.ravel())
    np.testing.assert_array_equal(model.start, np.full(4, 0.25))
    np.testing.assert_array_equal(model.pair_state, np.repeat(np.arange(4), 3))
    np.testing.assert_array_equal(model.pair_action, np.tile(np.arange(3), 4))


def scipy_layouts():
    csr = sparse.csr_array(ROWS)
    pairs = np.arange(12)
    order = RNG.permutation(12)
    yield "product", lambda: Mdp.from_scipy(csr, R, 0.9)
    yield "matrix class", lambda: Mdp.from_scipy(sparse.csr_matrix(ROWS), R, 0.9)
    yield "coo", lambda: Mdp.from_scipy(csr.tocoo(), R, 0.9)
    yield "csc", lambda: Mdp.from_scipy(csr.tocsc(), R, 0.9)
    yield "lil", lambda: Mdp.from_scipy(csr.tolil(), R, 0.9)
    yield "reward of rows", lambda: Mdp.from_scipy(csr, R.ravel(), 0.9)
    yield "pairs", lambda: Mdp.from_scipy(csr, R.ravel(), 0.9, s_indices=pairs // 3, a_indices=pairs % 3)
    yield (
        "pairs, reward (S, A)",
        lambda: Mdp.from_scipy(csr, R, 0.9, s_indices=pairs // 3, a_indices=pairs % 3),
    )
    yield (
        "pairs in any order",
        lambda: Mdp.from_scipy(
            csr[order], R.ravel()[order], 0.9, s_indices=order // 3, a_indices=(order % 3).tolist()
        ),
    )
    yield "per action", lambda: Mdp.from_scipy([sparse.csr_array(p) for p in P], R, 0.9)
    yield "per action, csc", lambda: Mdp.from_scipy(tuple(sparse.csc_matrix(p) for p in P), R, 0.9)


@pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in scipy_layouts()])
def test_scipy_layouts_give_the_same_model(make):
    assert make() == Mdp.from_arrays(P, R, 0.9)


def test_dense_layouts_give_the_same_model():
    model = Mdp.from_arrays(P, R, 0.9)
    assert Mdp.from_arrays(BY_STATE, R, 0.9) == model
    assert Mdp.from_arrays(P, R, 0.9, layout="asS") == model
    assert Mdp.from_arrays(BY_STATE, R, 0.9, layout="saS") == model
    assert Mdp.from_arrays(P.tolist(), R.tolist(), 0.9) == model


def strided(values):
    wide = np.full(tuple(2 * size for size in values.shape), np.nan)
    inner = wide[tuple(slice(None, None, 2) for _ in values.shape)]
    inner[...] = values
    return inner


@pytest.mark.parametrize(
    "store",
    [
        np.asfortranarray,
        strided,
        lambda x: x.astype(">f8"),
        lambda x: x[::-1].copy()[::-1],
        lambda x: np.ascontiguousarray(x.T).T,
        lambda x: x.astype(np.longdouble),
    ],
    ids=["fortran", "strided", "big-endian", "reversed", "transposed", "longdouble"],
)
def test_memory_layouts_are_not_misread(store):
    assert Mdp.from_arrays(store(P), store(R), 0.9, start=store(np.arange(4) / 6)) == Mdp.from_arrays(
        P, R, 0.9, start=np.arange(4) / 6
    )
    csr = sparse.csr_array(ROWS)
    other = sparse.csr_array((store(csr.data), csr.indices, csr.indptr), shape=csr.shape)
    other.data = store(csr.data)  # SciPy may have made it contiguous
    assert Mdp.from_scipy(other, store(R), 0.9) == Mdp.from_arrays(P, R, 0.9)


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int64, np.bool_, ">i4"])
def test_whole_numbers_are_numbers(kind):
    stay = np.stack([np.eye(3)] * 2)
    model = Mdp.from_arrays(stay.astype(kind), np.ones(3, dtype=kind), 0.5)
    assert model == Mdp.from_arrays(stay, np.ones(3), 0.5)


@pytest.mark.parametrize("kind", [np.int64, ">i8", np.uint64, np.int32, np.int16])
def test_index_types(kind):
    csr = sparse.csr_array(ROWS)
    csr.indices, csr.indptr = csr.indices.astype(kind), csr.indptr.astype(kind)
    assert Mdp.from_scipy(csr, R, 0.9) == Mdp.from_arrays(P, R, 0.9)


def test_rewards_of_every_shape():
    # A reward of s only, of (s, a), and of transitions, whose mean is what counts.
    by_state = np.arange(4.0)
    assert Mdp.from_arrays(P, by_state, 0.9) == Mdp.from_arrays(
        P, np.repeat(by_state[:, None], 3, axis=1), 0.9
    )
    of_next = RNG.normal(size=(ACTIONS, STATES, STATES))
    mean = np.einsum("ast,ast->sa", P, of_next)
    model = Mdp.from_arrays(P, mean, 0.9)
    for given in (
        Mdp.from_arrays(P, of_next, 0.9),
        Mdp.from_arrays(P, of_next.transpose(1, 0, 2), 0.9),
        Mdp.from_arrays(BY_STATE, of_next, 0.9),
        Mdp.from_scipy(
            sparse.csr_array(ROWS), sparse.csr_array(of_next.transpose(1, 0, 2).reshape(12, 4)), 0.9
        ),
        Mdp.from_scipy([sparse.csr_array(p) for p in P], [sparse.csr_array(r) for r in of_next], 0.9),
        Mdp.from_scipy([sparse.csr_array(p) for p in P], of_next, 0.9),
    ):
        np.testing.assert_allclose(given.reward, model.reward, rtol=0, atol=1e-15)
        np.testing.assert_array_equal(given.probability, model.probability)
    # What is said about impossible transitions is not read.
    of_next[P == 0] = np.nan
    np.testing.assert_allclose(Mdp.from_arrays(P, of_next, 0.9).reward, mean.ravel(), rtol=0, atol=1e-15)


def test_pairs_that_are_not_available():
    # Three ways to say that action 1 is not available in state 0: zeros, a mask, minus infinity.
    zeros = P.copy()
    zeros[1, 0] = 0
    model = Mdp.from_arrays(zeros, R, 0.9)
    assert model.pairs == 11 and model.find_pair(0, 1) == -1 and model.find_pair(0, 2) == 1
    mask = np.ones((4, 3), dtype=bool)
    mask[0, 1] = False
    assert Mdp.from_arrays(P, R, 0.9, available=mask) == model
    assert Mdp.from_arrays(P, R, 0.9, available=mask.astype(int)) == model
    forbidden = np.where(mask, R, -np.inf)
    assert Mdp.from_arrays(P, forbidden, 0.9) == model
    assert Mdp.from_scipy(sparse.csr_array(ROWS), forbidden, 0.9) == model
    assert Mdp.from_scipy([sparse.csr_array(p) for p in zeros], R, 0.9) == model
    stored = sparse.csr_array(ROWS)
    stored.data[stored.indptr[1] : stored.indptr[2]] = 0  # zeros that are stored
    before = stored.nnz
    assert Mdp.from_scipy(stored, R, 0.9) == model
    assert stored.nnz == before, "the caller's matrix is not changed"
    with pytest.raises(InvalidModel, match="state '0', action '1': the pair has no transitions"):
        Mdp.from_arrays(zeros, R, 0.9, available=np.ones((4, 3)))


def test_unsorted_and_repeated_entries_are_sorted_and_added():
    # Row (0): 0.25 to state 1, 0.5 to state 0, 0.25 to state 1 again.
    data, where, begin = np.array([0.25, 0.5, 0.25, 1.0]), np.array([1, 0, 1, 0]), np.array([0, 3, 4])
    matrix = sparse.csr_array((data, where, begin), shape=(2, 2))
    model = Mdp.from_scipy(matrix, [1.0, 2.0], 0.9)
    assert model.next_state.tolist() == [0, 1, 0] and model.probability.tolist() == [0.5, 0.5, 1.0]
    assert matrix.indices.tolist() == [1, 0, 1, 0], "the caller's matrix is not changed"


def test_room_behind_the_last_entry_is_not_read():
    matrix = sparse.csr_array(ROWS)
    matrix.data, matrix.indices = np.append(matrix.data, np.nan), np.append(matrix.indices, 99)
    assert Mdp.from_scipy(matrix, R, 0.9) == Mdp.from_arrays(P, R, 0.9)


def test_a_model_keeps_no_hold_on_what_it_came_from():
    mine, reward, begin = P.copy(), R.copy(), np.full(4, 0.25)
    model = Mdp.from_arrays(mine, reward, 0.9, start=begin)
    csr = sparse.csr_array(ROWS)
    other = Mdp.from_scipy(csr, reward, 0.9, start=begin)
    mine[:], reward[:], begin[:], csr.data[:], csr.indices[:] = 0, np.nan, 2, -1, 77
    assert model == other == Mdp.from_arrays(P, R, 0.9)


def test_what_comes_out_is_a_view_that_cannot_be_written():
    model = Mdp.from_arrays(P, R, 0.9)
    assert model.probability.ctypes.data == model.probability.ctypes.data
    for array in (model.probability, model.next_state, model.row_begin, model.reward, model.start):
        assert not array.flags.writeable and not array.flags.owndata
    kept = model.probability
    del model
    np.testing.assert_array_equal(kept, reference()[1])


def test_names_groups_and_places():
    model = Mdp.from_arrays(
        P,
        R,
        0.9,
        state_names=["a", "b", "c", "ä"],
        action_names=["x", "y", "z"],
        groups=["g", None, "h", "g"],
        coordinates=[[0, 1], [2, 3], [4, 5], [6, 7]],
        start={"b": 0.25, "ä": 0.75},
        reward_max=9,
        name="N",
    )
    assert model.state_names == ["a", "b", "c", "ä"] and model.action_names == ["x", "y", "z"]
    assert model.groups == ["g", None, "h", "g"] and model.name == "N" and model.reward_max == 9
    np.testing.assert_array_equal(model.coordinates, [[0, 1], [2, 3], [4, 5], [6, 7]])
    np.testing.assert_array_equal(model.start, [0, 0.25, 0, 0.75])
    assert model.find_state("ä") == 3 and model.find_action("z") == 2 and model.find_state("q") == -1
    plain = Mdp.from_arrays(P, R, 0.9)
    assert plain.groups is None and plain.coordinates is None
    assert plain.has_state_names is False and model.has_state_names is True


def test_survives_a_file(tmp_path):
    model = Mdp.from_arrays(
        P, R, 0.9, state_names=list("abcd"), groups=["g", None, "h", "g"], start="b", name="N"
    )
    model = model.with_variance(0.5).with_coverage(np.arange(12)).with_prior(reward_sd=1)
    mindgap.write_model(model, tmp_path / "m.h5")
    assert mindgap.read_model(tmp_path / "m.h5") == model.with_name(
        mindgap.read_model(tmp_path / "m.h5").name
    )


def test_start_in_every_form():
    plain = Mdp.from_arrays(P, R, 0.9)
    for start in (2, np.int64(2), np.array(2), {2: 1.0}, [0, 0, 1, 0], (0, 0, 1, 0), "2"):
        assert Mdp.from_arrays(P, R, 0.9, start=start).start.tolist() == [0, 0, 1, 0]
        assert plain.with_start(start).start.tolist() == [0, 0, 1, 0]
    assert plain.with_start(2).with_start(None) == plain
    with pytest.raises(InvalidArgument, match="7, which does not exist"):
        plain.with_start(7)
    with pytest.raises(InvalidArgument, match="'q', which does not exist"):
        plain.with_start({"q": 1.0})
    with pytest.raises(InvalidModel, match="sum to 1 .*0.5"):
        plain.with_start([0.5, 0, 0, 0])


def test_numbers_of_pairs_in_every_form():
    model = Mdp.from_arrays(np.where(P > 1, 0, P), R, 0.9, available=np.array([[1, 0, 1]] + [[1, 1, 1]] * 3))
    square = np.arange(12.0).reshape(4, 3)
    pairs = np.array([0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11.0])  # without (0, 1)
    assert model.with_reward(square) == model.with_reward(pairs)
    np.testing.assert_array_equal(
        model.with_reward([1, 2, 3, 4]).reward, np.repeat([1, 2, 3, 4.0], [2, 3, 3, 3])
    )
    np.testing.assert_array_equal(model.with_coverage(square).coverage, pairs)
    np.testing.assert_array_equal(model.with_coverage(3).coverage, np.full(11, 3.0))
    assert model.with_coverage(square).with_coverage(None) == model
    assert model.with_variance(2).reward_variance == 2 and model.with_variance(2).variance is None
    np.testing.assert_array_equal(model.with_variance(square).variance, pairs)
    assert model.with_variance(square).with_variance(None) == model
    assert model.with_prior(reward_sd=square) == model.with_prior(reward_sd=pairs) != model
    with pytest.raises(InvalidArgument, match=r"\(11,\).*\(4,\).*\(4, 3\).*\(5,\)"):
        model.with_coverage(np.zeros(5))
    with pytest.raises(InvalidModel, match="state '1', action '0'.*-1"):
        model.with_coverage([1, 1, -1, 1, 1, 1, 1, 1, 1, 1, 1])
    with pytest.raises(InvalidModel, match="finite"):
        model.with_variance(np.inf)


def test_ends():
    # State 0 goes to 1, state 1 stays without reward, state 2 stays with reward.
    move = np.array([[[0, 1, 0], [0, 1, 0], [0, 0, 1.0]]])
    assert Mdp.from_arrays(move, [0, 0, 1], 0.9).ends.tolist() == [False, True, False]
    model = Mdp.from_arrays(move, [0, 0, 1], 0.9)
    assert model.with_prior(reward_sd=np.where(model.ends, 0, 2)) == model.with_prior(reward_sd=[2, 0, 2])


def test_solving_what_came_from_arrays():
    # Two states, action 0 stays (reward 0), action 1 goes to state 1, whose staying is worth 1:
    # v(1) = 1 / (1 - 0.5) = 2, v(0) = 0.5 * 2 = 1.
    P2 = np.array([[[1, 0], [0, 1]], [[0, 1], [0, 1.0]]])
    found = mindgap.solve(Mdp.from_arrays(P2, [[0, 0], [1, 1]], 0.5, layout="asS"))
    np.testing.assert_allclose(found.value, [1, 2], rtol=0, atol=1e-9)
    assert found.policy[0] == 1
