"""Other people's example models, solved by them and by us."""

import numpy as np
import pytest

import mindgap
from mindgap import Mdp

example = pytest.importorskip("mdptoolbox.example")
toolbox = pytest.importorskip("mdptoolbox.mdp")
quantecon = pytest.importorskip("quantecon.markov")


def toolbox_value(P, R, discount):
    """pymdptoolbox's policy iteration, which solves linear equations."""
    solver = toolbox.PolicyIteration(P, R, discount, eval_type=0, max_iter=10_000)
    solver.run()
    return np.asarray(solver.V)


def toolbox_models():
    np.random.seed(0)  # mdptoolbox.example.rand draws from NumPy's global numbers
    yield "small", example.small()
    yield "forest", example.forest()
    yield "forest-50", example.forest(S=50, r1=10, r2=1, p=0.2)
    yield "rand", example.rand(20, 4)
    yield "rand-square", example.rand(5, 5)
    yield "forest-sparse", example.forest(S=30, is_sparse=True)
    yield "rand-sparse", example.rand(20, 4, is_sparse=True)


@pytest.mark.parametrize("P, R", [pytest.param(*model, id=name) for name, model in toolbox_models()])
@pytest.mark.parametrize("discount", [0.9, 0.99])
def test_pymdptoolbox_examples(P, R, discount):
    found = mindgap.solve(Mdp.from_pymdptoolbox(P, R, discount), tolerance=1e-12)
    np.testing.assert_allclose(found.value, toolbox_value(P, R, discount), rtol=0, atol=1e-8)


def test_pymdptoolbox_lists_and_sparse_rewards():
    np.random.seed(1)
    P, R = example.rand(12, 3)
    model = Mdp.from_pymdptoolbox(P, R, 0.9)
    sparse = pytest.importorskip("scipy.sparse")
    rows, worth = [sparse.csr_matrix(p) for p in P], [sparse.csr_matrix(r) for r in R]
    objects = np.empty(3, dtype=object)
    objects[:] = rows
    for given in (
        Mdp.from_pymdptoolbox(list(P), R, 0.9),
        Mdp.from_pymdptoolbox(tuple(P), list(R), 0.9),
        Mdp.from_pymdptoolbox(rows, R, 0.9),
        Mdp.from_pymdptoolbox(objects, worth, 0.9),
        Mdp.from_pymdptoolbox(P, worth, 0.9),
    ):
        np.testing.assert_array_equal(given.next_state, model.next_state)
        np.testing.assert_array_equal(given.probability, model.probability)
        np.testing.assert_allclose(given.reward, model.reward, rtol=0, atol=1e-15)


def test_sparse_and_dense_examples_are_the_same_model():
    assert Mdp.from_pymdptoolbox(*example.forest(S=30, is_sparse=True), 0.9) == Mdp.from_pymdptoolbox(
        *example.forest(S=30), 0.9
    )


# The example in the documentation of QuantEcon's DiscreteDP, from Puterman (2005), section 3.1.
PRODUCT = ([[5, 10], [-1, -np.inf]], [[(0.5, 0.5), (0, 1)], [(0, 1), (0.5, 0.5)]], 0.95)
PAIRS = ([5, 10, -1], [(0.5, 0.5), (0, 1), (0, 1)], 0.95, [0, 0, 1], [0, 1, 0])
UNSORTED = ([-1, 10, 5], [(0, 1), (0, 1), (0.5, 0.5)], 0.95, [1, 0, 0], [0, 1, 0])


def as_sparse(R, Q, beta, s, a):
    sparse = pytest.importorskip("scipy.sparse")
    return R, sparse.csr_matrix(Q), beta, s, a


@pytest.mark.parametrize(
    "arguments", [PRODUCT, PAIRS, UNSORTED, as_sparse(*PAIRS)], ids=["product", "pairs", "unsorted", "sparse"]
)
def test_quantecon_example(arguments):
    ddp = quantecon.DiscreteDP(*arguments)
    model = Mdp.from_quantecon(ddp)
    assert model == Mdp.from_quantecon(quantecon.DiscreteDP(*PRODUCT)), "every form is the same model"
    assert model.pairs == 3
    found = mindgap.solve(model, tolerance=1e-12)
    theirs = ddp.solve(method="policy_iteration", v_init=[0, 0])
    np.testing.assert_allclose(found.value, theirs.v, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.value, [-60 / 7, -20], rtol=0, atol=1e-8)
    np.testing.assert_array_equal(found.policy, theirs.sigma)


def test_quantecon_growth_example():
    # The finite growth model of QuantEcon's lecture on discrete dynamic programs (Stachurski): states 0..B+M,
    # actions 0..M stored, reward (s - a)^alpha, the rest uniform over 0..B; only a <= s is feasible.
    B, M, alpha, beta = 10, 5, 0.5, 0.9
    n, m = B + M + 1, M + 1
    R, Q = np.full((n, m), -np.inf), np.zeros((n, m, n))
    for a in range(m):
        Q[:, a, a : a + B + 1] = 1 / (B + 1)
        R[a:, a] = (np.arange(a, n) - a) ** alpha
    ddp = quantecon.DiscreteDP(R, Q, beta)
    theirs = ddp.solve(method="policy_iteration")
    found = mindgap.solve(Mdp.from_quantecon(ddp), tolerance=1e-12)
    np.testing.assert_allclose(found.value, theirs.v, rtol=0, atol=1e-8)
    np.testing.assert_array_equal(found.policy, theirs.sigma)
    pairs = mindgap.solve(Mdp.from_quantecon(ddp.to_sa_pair_form()), tolerance=1e-12)
    np.testing.assert_allclose(pairs.value, theirs.v, rtol=0, atol=1e-8)
    # The values the lecture prints.
    np.testing.assert_allclose(found.value[:3], [19.01740222, 20.01740222, 20.43161578], rtol=0, atol=1e-8)
