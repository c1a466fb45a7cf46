"""What is wrong is refused with an error that says what was wanted and what came."""

import numpy as np
import pytest
from scipy import sparse

from mindgap import InvalidArgument, InvalidModel, Mdp

P = np.full((2, 3, 3), 1 / 3)
R = np.zeros((3, 2))
CSR = sparse.csr_array(np.full((6, 3), 1 / 3))


def with_value(values, at, value):
    values = np.array(values, dtype=float)
    values[at] = value
    return values


def csr(data, indices, indptr, shape):
    matrix = sparse.csr_array(shape)
    matrix.data, matrix.indices, matrix.indptr = np.asarray(data), np.asarray(indices), np.asarray(indptr)
    return matrix


@pytest.mark.parametrize(
    "arguments, problem",
    [
        ((P[0], R), r"P must have shape \(A, S, S\) or \(S, A, S\), but has \(3, 3\)"),
        ((np.zeros((2, 3, 4)), R), r"P must have shape .* but has \(2, 3, 4\)"),
        ((np.zeros((0, 3, 3)), R), r"has \(0, 3, 3\)"),
        ((P, R.T), r"R must have shape .* S = 3 and A = 2, but has \(2, 3\)"),
        ((P, np.zeros(2)), r"but has \(2,\)"),
        ((P, 1.0), r"but has \(\)"),
        ((P.astype(complex), R), "P must hold real numbers, but its type is complex128"),
        ((P.astype(str), R), "P must hold real numbers, but its type is <U"),
        ((P, [["a", "b"]] * 3), "R must hold real numbers"),
        (([[[1, 0], [0]]], R), "P must be an array of numbers"),
        ((np.zeros((3, 3, 3)), np.zeros(3)), "as many actions as states: say layout='asS'"),
    ],
)
def test_arrays_of_wrong_shape_or_type(arguments, problem):
    with pytest.raises(InvalidArgument, match=problem):
        Mdp.from_arrays(*arguments, 0.9)


@pytest.mark.parametrize(
    "words, problem",
    [
        ({"layout": "ssa"}, "layout must be 'asS'.*'ssa'"),
        ({"layout": "saS"}, r"P must have shape \(S, A, S\), but has \(2, 3, 3\)"),
        ({"available": np.ones((2, 3))}, r"available must have shape \(3, 2\), but has \(2, 3\)"),
        ({"available": np.full((3, 2), 0.5)}, "truth values"),
        ({"start": np.ones(2) / 2}, r"start must have shape \(3,\), but has \(2,\)"),
        ({"state_names": "abc"}, "state_names must be a list of names"),
        ({"state_names": [1, 2, 3]}, "state_names must be texts, but one is 1"),
        ({"coordinates": np.zeros((3, 3))}, r"coordinates must have shape \(3, 2\)"),
        ({"reward_max": "much"}, "reward_max must be a number, but is 'much'"),
        ({"reward_max": "9"}, "reward_max must be a number, but is '9'"),
        ({"discount": "0.9"}, "discount must be a number, but is '0.9'"),
        ({"start": True}, "start must be probabilities or a state, but is True"),
        ({"start": np.array(2.0)}, r"start must have shape \(3,\), but has \(\)"),
    ],
)
def test_words_that_do_not_fit(words, problem):
    with pytest.raises(InvalidArgument, match=problem):
        Mdp.from_arrays(P, R, **{"discount": 0.9, **words})


@pytest.mark.parametrize(
    "words, problem",
    [
        ({"state_names": ["a", "b"]}, "state names has 2 entries, expected 3"),
        ({"state_names": ["a", "b", "a"]}, "'a'"),
        ({"state_names": ["a", "b", ""]}, "name"),
        ({"groups": ["a"]}, "groups has 1 entries, expected 3"),
        ({"start": [0.5, 0.5, 0.5]}, "sum to 1 .*1.5"),
        ({"start": [2, -1, 0]}, "from 0 to 1"),
        ({"reward_max": -1}, "reward_max"),
        ({"coordinates": [[0, 0], [1, np.nan], [0, 0]]}, "finite"),
    ],
)
def test_statements_that_are_wrong(words, problem):
    with pytest.raises(InvalidModel, match=problem):
        Mdp.from_arrays(P, R, 0.9, **words)


def test_masked_values_are_refused():
    # NumPy would take what stands behind the mask; where nothing is masked there is nothing to lose.
    mask = np.zeros((3, 2), dtype=bool)
    worth = np.ma.array(R, mask=mask)
    assert Mdp.from_arrays(P, worth, 0.9) == Mdp.from_arrays(P, R, 0.9)
    mask[1, 1] = True
    worth = np.ma.array(R, mask=mask)
    rows = np.ma.masked_greater(P, 0.3)
    for what, make in (
        ("R", lambda: Mdp.from_arrays(P, worth, 0.9)),
        ("R", lambda: Mdp.from_scipy(CSR, worth, 0.9)),
        ("P", lambda: Mdp.from_arrays(rows, R, 0.9)),
        ("P", lambda: Mdp.from_pymdptoolbox(list(rows), R, 0.9)),
        ("coverage", lambda: Mdp.from_arrays(P, R, 0.9).with_coverage(worth)),
        ("variance", lambda: Mdp.from_arrays(P, R, 0.9).with_variance(worth)),
        ("start", lambda: Mdp.from_arrays(P, R, 0.9, start=np.ma.masked_equal([1, 0, 9], 9))),
    ):
        with pytest.raises(InvalidArgument, match=f"{what} has masked values"):
            make()


def test_unknown_words_are_refused():
    table = {"state": [0], "action": [0], "next_state": [0], "probability": [1.0], "reward": [0.0]}
    for function, given in (
        ("from_arrays", (P, R, 0.9)),
        ("from_scipy", (CSR, R, 0.9)),
        ("from_pymdptoolbox", (P, R, 0.9)),
        ("from_quantecon", (None,)),
        ("from_gymnasium", (None, 0.9)),
    ):
        with pytest.raises(TypeError, match=rf"^{function}\(\) got an unexpected keyword argument 'naem'"):
            getattr(Mdp, function)(*given, naem="x")
    with pytest.raises(TypeError, match=r"^from_frame\(\) got an unexpected keyword argument 'labels'"):
        Mdp.from_frame(table, discount=0.9, labels={})
    with pytest.raises(InvalidArgument, match="name must be a text, but is None"):
        Mdp.from_arrays(P, R, 0.9, name=None)
    with pytest.raises(InvalidArgument, match="discount must be a number"):
        Mdp.from_arrays(P, R, "high")


@pytest.mark.parametrize("discount", [-0.1, 1.1, np.nan, np.inf])
def test_discounts_out_of_range(discount):
    with pytest.raises(InvalidModel, match="discount must be from 0 to 1"):
        Mdp.from_arrays(P, R, discount)


def ways_in(rows):
    """The same rows (2 actions, 3 states; rows[a, s, s']) by every way."""
    by_state = rows.transpose(1, 0, 2)
    yield lambda: Mdp.from_arrays(rows, R, 0.9)
    yield lambda: Mdp.from_arrays(by_state, R, 0.9)
    yield lambda: Mdp.from_scipy(sparse.csr_array(by_state.reshape(6, 3)), R, 0.9)
    yield lambda: Mdp.from_scipy([sparse.csr_array(p) for p in rows], R, 0.9)
    yield lambda: Mdp.from_pymdptoolbox(rows, R, 0.9)


def test_rows_that_do_not_sum_to_one_are_named():
    # Row of state 2 under action 1: 1/3 + 1/3 + 0.25 = 0.916...; both the row and the sum are said.
    for way in ways_in(with_value(P, (1, 2, 0), 0.25)):
        with pytest.raises(InvalidModel, match=r"state '2', action '1': .*sum to 1 \(got '0.91666") as raised:
            way()
        assert (raised.value.state, raised.value.action) == ("2", "1")
        assert float(raised.value.value) == pytest.approx(0.25 + 2 / 3, abs=1e-11)
    with pytest.raises(InvalidModel, match="state 'wet', action 'go'"):
        Mdp.from_arrays(
            with_value(P, (1, 2, 0), 0.25),
            R,
            0.9,
            state_names=["dry", "damp", "wet"],
            action_names=["stay", "go"],
        )


@pytest.mark.parametrize("value", [np.nan, -0.1, 1.5, np.inf])
def test_probabilities_out_of_range_are_named(value):
    for way in ways_in(with_value(P, (0, 1, 2), value)):
        with pytest.raises(InvalidModel, match=f"state '1', action '0'.*{value}"):
            way()


def test_single_precision_is_refused_where_it_does_not_sum_to_one():
    # 1/3 in float32 is off by 1e-8, more than a probability may be; nothing is renormalised unasked.
    with pytest.raises(InvalidModel, match="sum to 1.*float32.*P / P.sum"):
        Mdp.from_arrays(P.astype(np.float32), R, 0.9)
    with pytest.raises(InvalidModel, match="sum to 1.*float32"):
        Mdp.from_scipy(CSR.astype(np.float32), R, 0.9)
    assert Mdp.from_arrays(np.stack([np.eye(3)] * 2).astype(np.float32), R, 0.9).pairs == 6


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_rewards_that_are_not_finite_are_named(value):
    for reward in (with_value(R, (1, 1), value), with_value(np.zeros((2, 3, 3)), (1, 1), value)):
        with pytest.raises(InvalidModel, match=f"state '1', action '1': the reward must be finite.*{value}"):
            Mdp.from_arrays(P, reward, 0.9)
    with pytest.raises(InvalidModel, match="state '1', action '1': the reward must be finite"):
        Mdp.from_scipy(CSR, with_value(R, (1, 1), value), 0.9)


def test_a_state_without_actions_is_named():
    nothing = P.copy()
    nothing[:, 1] = 0
    for way in ways_in(nothing):
        with pytest.raises(InvalidModel, match="state '1': the state has no available action"):
            way()


@pytest.mark.parametrize(
    "matrix, words, problem",
    [
        (np.zeros(3), {}, "must be a SciPy sparse matrix"),
        (sparse.csr_array((5, 3)), {}, r"shape \(S \* A, S\)"),
        (CSR.astype(complex), {}, "real numbers"),
        (CSR, {"s_indices": [0]}, "given together"),
        (CSR, {"s_indices": [0] * 5, "a_indices": [0] * 5}, "each of the 6 rows of P, but have 5 and 5"),
        (CSR, {"s_indices": [0, 0, 1, 1, 2, 3], "a_indices": [0, 1] * 3}, r"s_indices\[5\] is 3.*0 to 2"),
        (CSR, {"s_indices": [0, 0, 1, 1, 2, -1], "a_indices": [0, 1] * 3}, r"s_indices\[5\] is -1"),
        (CSR, {"s_indices": [0, 0, 1, 1, 2, 2.0], "a_indices": [0, 1] * 3}, "s_indices must hold integers"),
        (CSR, {"s_indices": [0, 0, 1, 1, 2, 2], "a_indices": [0, 1, 0, 1, 0, 2**40]}, r"a_indices\[5\]"),
        (
            CSR,
            {"s_indices": [0, 0, 1, 1, 2, 2], "a_indices": [0, 1, 0, 0, 0, 1]},
            "two rows for state 1, action 0",
        ),
        ([CSR], {}, r"P\[0\] must be square"),
        ([sparse.eye_array(3), sparse.eye_array(2)], {}, r"P\[1\] must be square"),
    ],
)
def test_matrices_that_do_not_fit(matrix, words, problem):
    with pytest.raises(InvalidArgument, match=problem):
        Mdp.from_scipy(matrix, R.ravel(), 0.9, **words)


def test_indices_that_overflow_are_not_wrapped():
    # 2**32 + 1 would be 1 in 32 bits.
    far = csr([1.0, 1.0], [2**32 + 1, 0], [0, 1, 2], (2, 2))
    with pytest.raises(InvalidArgument, match=r"P.indices\[0\] is 4294967297, but must be from 0 to 1"):
        Mdp.from_scipy(far, [0.0, 0.0], 0.9)


@pytest.mark.parametrize(
    "indices, indptr",
    [
        ([0, 5], [0, 1, 2]),
        ([0, -1], [0, 1, 2]),
        ([0, 1], [0, 2, 1]),
        ([0, 1], [1, 1, 2]),
        ([0, 1], [0, 1, 9]),
    ],
)
def test_damaged_matrices_are_refused(indices, indptr):
    matrix = csr([1.0, 1.0], np.array(indices, dtype=np.int32), np.array(indptr, dtype=np.int32), (2, 2))
    for make in (
        lambda: Mdp.from_scipy(matrix, [0.0, 0.0], 0.9),
        lambda: Mdp.from_scipy([matrix], [0.0, 0.0], 0.9),
        lambda: Mdp.from_scipy(matrix, [0.0, 0.0], 0.9, s_indices=[1, 0], a_indices=[0, 0]),
    ):
        with pytest.raises((InvalidArgument, InvalidModel)):
            make()


def test_pairs_out_of_range_are_not_found():
    model = Mdp.from_arrays(P, R, 0.9)
    for state, action in ((-1, 0), (3, 0), (0, -1), (0, 2), (2**40, 0), (-(2**62), 0)):
        assert model.find_pair(state, action) == -1


@pytest.mark.parametrize("given", [object(), "ddp", 3])
def test_quantecon_wants_its_class(given):
    with pytest.raises(InvalidArgument, match="DiscreteDP"):
        Mdp.from_quantecon(given)


def test_a_missing_package_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    with pytest.raises(ImportError, match=r"Mdp.from_scipy wants scipy.*pip install scipy"):
        Mdp.from_scipy(CSR, R, 0.9)
