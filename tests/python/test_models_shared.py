"""Whose memory a model lies in: its own, unless the caller gives up theirs."""

import gc
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
from scipy import sparse

import mindgap
from mindgap import InvalidArgument, Mdp

ROWS = [[0.5, 0.5], [1, 0], [0, 1], [0.25, 0.75]]  # 2 states, 2 actions
R = [1.0, 0.0, 2.0, 3.0]


def matrix():
    """ROWS in arrays that own their memory."""
    P = sparse.csr_array(np.array(ROWS))
    P.data, P.indices, P.indptr = P.data.copy(), P.indices.copy(), P.indptr.copy()
    return P


def filled(P, data, indices, indptr):
    """Other entries, with 32-bit indices as P has."""
    P.data, P.indices, P.indptr = data, np.array(indices, np.int32), np.array(indptr, np.int32)
    return P


def lies_in(model, P):
    return np.shares_memory(model.probability, P.data) and np.shares_memory(model.next_state, P.indices)


@pytest.mark.parametrize("frozen", [False, True])
def test_what_came_is_copied(frozen):
    P, reward = matrix(), np.array(R)
    before = P.data[:], P.indices[:]
    P.data.flags.writeable = P.indices.flags.writeable = not frozen  # no promise: views made before still write
    model = Mdp.from_scipy(P, reward, 0.9)
    P.data, P.indices = before
    P.data[:] = 7
    P.indices[:] = 10**6
    reward[:] = 8
    assert model == Mdp.from_scipy(matrix(), R, 0.9)
    for values in (model.probability, model.next_state, model.reward):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 0


def test_dense_arrays_that_can_change_are_copied():
    P, reward = np.array(ROWS).reshape(2, 2, 2), np.array(R).reshape(2, 2)
    model = Mdp.from_arrays(P, reward, 0.9, layout="saS")
    assert P.flags.writeable and reward.flags.writeable
    P[:], reward[:] = 7, 8
    assert model == Mdp.from_scipy(matrix(), R, 0.9)


def test_copy_false_takes_what_a_file_is_mapped_to(tmp_path):
    np.save(tmp_path / "data.npy", matrix().data)
    P = matrix()
    P.data = np.load(tmp_path / "data.npy", mmap_mode="r")
    model = Mdp.from_scipy(P, R, 0.9, copy=False)
    assert np.shares_memory(model.probability, P.data)
    del P
    gc.collect()
    assert model == Mdp.from_scipy(matrix(), R, 0.9)


def test_models_share_through_scipy():
    model = Mdp.from_scipy(matrix(), R, 0.9)
    P = model.to_scipy()
    assert lies_in(model, P)
    other = Mdp.from_scipy(P, model.reward, 0.5, copy=False)
    assert lies_in(other, P)
    expected = model.with_discount(0.5)
    del model, P
    gc.collect()
    assert other == expected


def test_a_long_chain_of_models_is_let_go_of_one_by_one():
    code = (
        "import threading, mindgap\n"
        "m = mindgap.Mdp.from_arrays([[[1.0]]], [[1.0]], 0.9)\n"
        "for i in range(3000):\n"
        "    m = mindgap.Mdp.from_scipy(m.to_scipy(), m.reward, 0.9, copy=False)\n"
        "held = [m]\n"
        "del m\n"
        "threading.stack_size(256 * 1024)\n"
        "thread = threading.Thread(target=held.clear)\n"
        "thread.start(); thread.join()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_copy_false_takes_the_memory_and_freezes_it():
    P = matrix()
    model = Mdp.from_scipy(P, R, 0.9, copy=False)
    assert lies_in(model, P)
    with pytest.raises(ValueError, match="read-only"):
        P.data[0] = 0.4
    with pytest.raises(ValueError, match="read-only"):
        P.indices[0] = 10**6
    data = weakref.ref(P.data)
    del P
    gc.collect()
    assert data() is not None
    del model
    gc.collect()
    assert data() is None


def unsorted(P):
    return filled(P, P.data[[1, 0, 2, 3, 4, 5]], [1, 0, 0, 1, 0, 1], P.indptr)


def with_zero(P):
    P.data[:2] = 0, 1
    return P


def without_pair(P):
    return filled(P, np.ones(3), [0, 1, 0], [0, 1, 1, 2, 3])


def wide_indices(P):
    P.indices, P.indptr = P.indices.astype(np.int64), P.indptr.astype(np.int64)
    return P


@pytest.mark.parametrize(
    "change, why",
    [
        (lambda P: P.tocoo(), "it is a coo_array: expected one CSR matrix with a row per pair"),
        (lambda P: [P[[0, 2]], P[[1, 3]]], "it is a list: expected one CSR matrix with a row per pair"),
        (lambda P: P.astype(np.float32), "P.data is of type float32: expected float64"),
        (wide_indices, "P.indices is of type int64: expected int32"),
        (unsorted, "its entries sorted"),
        (with_zero, "without repetitions and zeros"),
        (without_pair, "not every row is an available pair"),
    ],
)
def test_copy_false_says_why_it_cannot(change, why):
    P = change(matrix())
    with pytest.raises(InvalidArgument, match="copy=False, but P must be copied") as said:
        Mdp.from_scipy(P, R, 0.9, copy=False)
    assert why in str(said.value)
    if sparse.issparse(P):
        assert P.data.flags.writeable, "what was not taken is not frozen"
    assert Mdp.from_scipy(P, R, 0.9).states == 2


def test_rows_in_another_order_are_copied():
    order = [2, 0, 3, 1]
    P, reward = matrix()[order], np.array(R)[order]
    where = {"s_indices": np.array([0, 0, 1, 1])[order], "a_indices": np.array([0, 1, 0, 1])[order]}
    assert Mdp.from_scipy(P, reward, 0.9, **where) == Mdp.from_scipy(matrix(), R, 0.9)
    with pytest.raises(InvalidArgument, match="in order of states and actions"):
        Mdp.from_scipy(P, reward, 0.9, copy=False, **where)
    assert Mdp.from_scipy(matrix(), R, 0.9, copy=False, s_indices=[0, 0, 1, 1], a_indices=[0, 1, 0, 1])


def test_bad_models_let_go_of_what_they_were_given():
    P = matrix()
    P.data[0] = 0.4
    data = weakref.ref(P.data)
    with pytest.raises(mindgap.InvalidModel, match="must sum to 1"):
        Mdp.from_scipy(P, R, 0.9, copy=False)
    assert P.data.flags.writeable
    del P
    gc.collect()
    assert data() is None


def test_the_last_one_may_let_go_in_another_thread():
    P = matrix()
    held = [Mdp.from_scipy(P, R, 0.9, copy=False)]
    data = weakref.ref(P.data)
    del P

    def work():
        mindgap.solve(held.pop())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    gc.collect()
    assert data() is None


def test_nothing_is_left_at_the_end():
    code = (
        "import numpy as np, mindgap\n"
        "from scipy import sparse\n"
        f"P = sparse.csr_array(np.array({ROWS}))\n"
        f"a = mindgap.Mdp.from_scipy(P, {R}, .9, copy=False)\n"
        f"b = mindgap.Mdp.from_scipy(a.to_scipy(), {R}, .9, copy=False)\n"
        "s = mindgap.solve(b)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stderr == "", "nanobind says at the end what was never freed"
