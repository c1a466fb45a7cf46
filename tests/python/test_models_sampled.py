"""Models of plain functions, sampled."""

import numpy as np
import pytest

import mindgap
from mindgap import InvalidArgument, InvalidModel, Mdp


def inventory(stock, order, rng):
    """Up to 4 in stock, demand 0, 1, 2 with probability 1/4, 1/2, 1/4; a sale pays 3, an order costs 1."""
    demand = rng.choice(3, p=[0.25, 0.5, 0.25])
    sold = min(stock + order, demand)
    return 3 * sold - order, stock + order - sold


def inventory_model():
    P, R = np.zeros((5, 5, 5)), np.full((5, 5), -np.inf)
    for stock in range(5):
        for order in range(5 - stock):
            R[stock, order] = -order
            for demand, p in enumerate([0.25, 0.5, 0.25]):
                sold = min(stock + order, demand)
                P[stock, order, stock + order - sold] += p
                R[stock, order] += p * 3 * sold
    return Mdp.from_arrays(P, R, 0.9, layout="saS")


def test_samples_find_the_model():
    truth = inventory_model()
    model = Mdp.from_function(
        inventory, states=5, actions=lambda stock: range(5 - stock), discount=0.9, samples=2000, seed=1
    )
    assert (model.states, model.actions, model.pairs) == (truth.states, truth.actions, truth.pairs)
    np.testing.assert_array_equal(model.next_state, truth.next_state)
    np.testing.assert_array_equal(model.coverage, np.full(truth.pairs, 2000.0))
    # Frequencies and means within five standard errors.
    p = truth.probability
    assert (np.abs(model.probability - p) <= 5 * np.sqrt(p * (1 - p) / 2000) + 1e-12).all()
    assert (np.abs(model.reward - truth.reward) <= 5 * np.sqrt(model.variance / 2000) + 1e-12).all()
    # From 3 in stock the whole demand is sold: the variance of 3 * demand is 9/2; its estimate from 2000
    # draws has a standard error of 4.5 sqrt(1/2000) (the kurtosis of this demand is 2).
    three = model.variance[model.find_pair(3, 0)]
    assert abs(three - 4.5) < 5 * 4.5 * np.sqrt(1 / 2000)
    np.testing.assert_array_equal(model.start, np.full(5, 0.2))


def test_the_variance_by_hand():
    # Pair (0, 0) pays 0, 2, 0, 2: sum of squares 4. Pair (0, 1) pays 1 always: 0. Common: 4 / (3 + 3) = 2/3.
    # Each variance has one observation of the common one added: (4 + 2/3) / 4 and (0 + 2/3) / 4.
    paid = iter([0, 2, 0, 2, 1, 1, 1, 1])
    model = Mdp.from_function(lambda s, a, rng: (next(paid), 0), states=1, actions=2, discount=0.9, samples=4)
    np.testing.assert_allclose(model.variance, [14 / 12, 1 / 6], rtol=1e-15)
    np.testing.assert_array_equal(model.reward, [1, 1])


def test_single_samples_say_nothing_about_variance():
    words = {"states": 2, "actions": 1, "discount": 0.9}
    assert Mdp.from_function(lambda s, a, rng: (rng.normal(), s), samples=1, **words).variance is None
    assert Mdp.from_function(lambda s, a, rng: (1.0, s), samples=2, **words).variance.tolist() == [0, 0]


def test_pairs_have_random_numbers_of_their_own():
    def step(state, action, rng):
        return rng.normal(), 0

    few = Mdp.from_function(step, states=1, actions=2, discount=0.9, samples=10, seed=4)
    more = Mdp.from_function(step, states=1, actions=3, discount=0.9, samples=10, seed=4)
    np.testing.assert_array_equal(few.reward, more.reward[:2])
    assert few == Mdp.from_function(step, states=1, actions=2, discount=0.9, samples=10, seed=4)
    assert few != Mdp.from_function(step, states=1, actions=2, discount=0.9, samples=10, seed=5)


def test_labels_of_any_kind():
    places = [("north", 1), "south", frozenset({3}), 4]
    model = Mdp.from_function(
        lambda s, a, rng: (1.0, places[(places.index(s) + (a == "on")) % 4]),
        states=places,
        actions=["stay", "on"],
        discount=0.9,
        samples=2,
        start=("north", 1),
        name="ring",
    )
    assert model.state_names == ["('north', 1)", "south", "frozenset({3})", "4"]
    assert model.action_names == ["stay", "on"] and model.name == "ring"
    assert model.start.tolist() == [1, 0, 0, 0]
    assert model.next_state.tolist() == [0, 1, 1, 2, 2, 3, 3, 0]


def test_states_that_are_found():
    # A walk from 0 to 3 and back; the states are never listed.
    model = Mdp.from_function(
        lambda s, a, rng: (0.0, min(max(s + a, 0), 3)), actions=[-1, 1], discount=0.9, samples=1, start=0
    )
    assert model.states == 4 and model.start.tolist() == [1, 0, 0, 0]
    assert model.next_state.tolist() == [0, 1, 0, 2, 1, 3, 2, 3]
    with pytest.raises(InvalidArgument, match="start must say where it begins"):
        Mdp.from_function(lambda s, a, rng: (0.0, s), actions=1, discount=0.9)


def test_endless_states_come_to_an_end():
    with pytest.raises(InvalidArgument, match="more than 100000 states"):
        Mdp.from_function(lambda s, a, rng: (0, s + 1), actions=1, discount=0.9, start=0, samples=1)
    few = Mdp.from_function(
        lambda s, a, rng: (0, (s + 1) % 9), actions=1, discount=0.9, start=0, samples=1, max_states=9
    )
    assert few.states == 9


def test_none_ends_and_states_without_actions_end():
    model = Mdp.from_function(lambda s, a, rng: (5.0, None), states=1, actions=1, discount=0.9, samples=3)
    assert model.state_names == ["0", "end"] and model.ends.tolist() == [False, True]
    assert model.start.tolist() == [1, 0] and model.coverage.tolist() == [3, 3]
    assert mindgap.solve(model).value_at_start == pytest.approx(5, abs=1e-8)
    model = Mdp.from_function(
        lambda s, a, rng: (5.0, "out"),
        states=["in", "out"],
        actions={"in": ["go"], "out": []},
        discount=0.9,
        samples=3,
    )
    assert model.state_names == ["in", "out"] and model.ends.tolist() == [False, True]
    assert model.coverage.tolist() == [3, 3] and model.variance.tolist() == [0, 0]


def test_an_end_that_is_added_has_a_place():
    def step(state, action, rng):
        return 1.0, None

    words = {"states": 2, "actions": 1, "discount": 0.9, "samples": 1}
    # Beside the others: a tenth of their width to the right of them, at the lowest of them.
    model = Mdp.from_function(step, coordinates=[[0, 5], [10, 3]], **words)
    assert model.state_names[-1] == "end" and model.coordinates.tolist() == [[0, 5], [10, 3], [11, 3]]
    model = Mdp.from_function(step, coordinates=[[2, 0], [2, 1]], **words)
    assert model.coordinates[-1].tolist() == [3, 0]
    stated = [[0, 5], [10, 3], [7, 7]]
    assert Mdp.from_function(step, coordinates=stated, **words).coordinates.tolist() == stated
    with pytest.raises(InvalidArgument, match=r"coordinates must have shape \(3, 2\), but has \(1, 2\)"):
        Mdp.from_function(step, coordinates=[[0, 0]], **words)


def test_rollouts():
    words = {"states": 5, "actions": lambda stock: range(5 - stock), "discount": 0.9, "steps": 4000}
    model = Mdp.from_function(inventory, start=2, seed=1, **words)
    assert model.coverage.sum() == 4000 and model.pairs == inventory_model().pairs
    assert model.start.tolist() == [0, 0, 1, 0, 0]
    drawn = Mdp.from_function(inventory, start=lambda rng: int(rng.integers(2)), seed=1, length=10, **words)
    assert drawn.start[2:].tolist() == [0, 0, 0] and 0.3 < drawn.start[0] < 0.7
    ended = Mdp.from_function(
        lambda s, a, rng: (1.0, None if s == 2 else s + 1), actions=1, discount=0.5, steps=30, start=0
    )
    assert ended.coverage.tolist() == [10, 10, 10, 10] and ended.ends.tolist() == [False] * 3 + [True]


@pytest.mark.parametrize("start", [{0: 0.3, 2: 0.7}, [0.3, 0, 0.7], np.array([0.3, 0, 0.7])])
def test_a_stated_start_is_kept_with_rollouts(start):
    words = {"states": 3, "actions": 1, "discount": 0.9, "steps": 50, "length": 5}
    model = Mdp.from_function(lambda s, a, rng: (0.0, (s + 1) % 3), start=start, **words)
    assert model.start.tolist() == [0.3, 0, 0.7]
    ending = Mdp.from_function(lambda s, a, rng: (0.0, s + 1 if s < 2 else None), start=start, **words)
    assert ending.start.tolist() == [0.3, 0, 0.7, 0] and ending.state_names[-1] == "end"


def test_progress_is_told():
    told = []
    Mdp.from_function(
        lambda s, a, rng: (0.0, s),
        states=3,
        actions=1,
        discount=0.9,
        samples=1,
        progress=lambda *w: told.append(w),
    )
    assert told[-1] == ("sampling", 3, 3)


def test_interruption_passes_through():
    def step(state, action, rng):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Mdp.from_function(step, states=3, actions=1, discount=0.9)


def fails(state, action, rng):
    raise ZeroDivisionError("no stock")


@pytest.mark.parametrize(
    "step, words, problem",
    [
        (fails, {}, r"step\(0, 0, rng\) raised ZeroDivisionError: no stock"),
        (lambda s, a, rng: 3, {}, r"step\(0, 0, rng\) must return \(reward, next_state\), but returned 3"),
        (lambda s, a, rng: ("much", 0), {}, "must return"),
        (lambda s, a, rng: ("1.5", 0), {}, "must return"),
        (lambda s, a, rng: (np.nan, 0), {}, "reward nan, which is not finite"),
        (lambda s, a, rng: (0, 9), {}, r"step\(0, 0, rng\) returned a next state: 9 is none of the 3 states"),
        (lambda s, a, rng: (0, [1]), {}, r"must be hashable, but is \[1\]"),
        ("step", {}, "step must be a function"),
        (inventory, {"states": 0}, "states must be a positive integer, but is 0"),
        (inventory, {"states": ["a", "a"]}, "states must be distinct"),
        (inventory, {"states": [0.5, np.nan]}, "one is nan"),
        (inventory, {"max_states": 0}, "max_states must be a positive integer"),
        (
            lambda s, a, rng: (0, s + 1),
            {"states": None, "start": 0, "max_states": 9, "samples": 1},
            r"step\(8, 0, rng\) .* more than 9 states were found, the last of them 6, 7, 8, 9: .*max_states=",
        ),
        (lambda s, a, rng: (0, np.nan), {"states": None, "start": 0}, "nan is no state"),
        (lambda s, a, rng: (0, (1, np.nan)), {"states": None, "start": 0}, r"\(1, nan\) is no state"),
        (inventory, {"samples": 0}, "samples must be a positive integer"),
        (inventory, {"samples": 1.5}, "samples must be a positive integer, but is 1.5"),
        (inventory, {"seed": -1}, "seed must be an integer, 0 or more"),
        (inventory, {"start": "x"}, "'x' is none of the 3 states"),
        (inventory, {"start": lambda rng: 0}, "start is a function, which needs steps"),
        (inventory, {"start": [0.5, 0.5]}, r"start must have shape \(3,\), but has \(2,\)"),
        (inventory, {"start": np.ma.masked_equal([1, 0, 9], 9)}, "start has masked values"),
        (inventory, {"discount": None}, "discount must be a number"),
        (inventory, {"actions": lambda s: 1 / 0}, "the actions of the state 0: ZeroDivisionError"),
    ],
)
def test_functions_that_are_wrong(step, words, problem):
    with pytest.raises(InvalidArgument, match=problem) as raised:
        Mdp.from_function(step, **{"states": 3, "actions": 2, "discount": 0.9, **words})
    if step is fails:
        assert isinstance(raised.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("size, what", [(1.5e308, "mean|variance"), (1e200, "variance")])
def test_rewards_that_overflow_are_named(size, what):
    def step(state, action, rng):
        return (rng.choice([-size, size]) if (state, action) == ("b", "y") else 1.0), state

    problem = f"state 'b', action 'y': the ({what}) of the 100 sampled rewards is too large"
    with pytest.raises(InvalidModel, match=problem):
        Mdp.from_function(step, states=["a", "b"], actions=["x", "y"], discount=0.9)


def test_a_sampled_model_survives_a_file(tmp_path):
    model = Mdp.from_function(inventory, states=5, actions=lambda s: range(5 - s), discount=0.9, name="shop")
    mindgap.write_model(model, tmp_path / "shop.h5")
    assert mindgap.read_model(tmp_path / "shop.h5") == model
