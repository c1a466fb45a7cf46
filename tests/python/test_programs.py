"""Simulators that are programs: grids, tables, ensembles."""

import concurrent.futures
import math
import pathlib
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

import mindgap
from mindgap.programs import GridModel
from programs import PI, pendulum, pendulum_grid, pendulum_simulator, walk, walk_simulator


def test_a_grid_says_what_it_is():
    grid = mindgap.Grid([0, -1], [10, 1], [[0, 1, 3, 10], 5], names=["stock", "price"])
    assert grid.dimension == 2 and grid.corners == 20 and grid.shape == (4, 5)
    assert grid.states[1].tolist() == [0, -0.5]
    assert grid.corner_names[5] == "stock=1 price=-1"
    assert "20 corners" in repr(grid)
    corners, weights = grid.weights([2, 0.25])
    assert weights.sum() == pytest.approx(1)
    assert (weights @ grid.states[corners]).tolist() == pytest.approx([2, 0.25])
    assert pickle.loads(pickle.dumps(grid)) == grid
    assert mindgap.Grid(0, 1, [0, 0.2, 1]).shape == (3,)
    assert mindgap.Grid(0, 1, [3]).shape == (3,)
    assert grid.coarser("price").shape == (4, 3) and grid.coarser().shape == (3, 3)


def test_an_angle_wraps():
    grid = pendulum_grid(8)
    assert grid.periodic == [True, False]
    corners, weights = grid.weights([PI - PI / 16, -8])
    assert grid.states[corners][:, 0].tolist() == pytest.approx([-PI + 7 * PI / 4, -PI])
    assert weights.tolist() == pytest.approx([0.25, 0.75])


@pytest.mark.parametrize(
    "arguments, said",
    [
        ((0, 1, 1), "two at least"),
        ((1, 0, 5), "low must be below high"),
        ((1, 1, 5), "low must be below high"),
        ((0, math.nan, 5), "finite"),
        (([0, 0], [1], 5), "one per axis"),
        (([0, 0], [1, 1], [5]), "2 axes"),
        ((0, 1, [0, 2]), "has points from"),
        ((0, 1, [0.5, 0.25]), "ascend"),
        ((0, 1, "many"), "number"),
        ((0, 1, 5, "yes"), "periodic"),
        ((0, 1, 5, None, ["a", "b"]), "names"),
        (([0, 0], [1, 1], 5, None, ["a", "a"]), "two axes"),
        (([0] * 4, [1] * 4, 1000), "corners"),
    ],
)
def test_bad_grids_are_refused(arguments, said):
    with pytest.raises(mindgap.InvalidArgument, match=said):
        mindgap.Grid(*arguments)


def test_the_table_of_a_program():
    simulator = walk_simulator()
    model = simulator.model()
    assert isinstance(model, mindgap.Mdp) and isinstance(model, GridModel)
    assert model.states == 12 and model.state_names[3] == "x=0.3" and model.state_names[-1] == "end"
    assert model.action_names == ["left", "right"]
    assert model.grid == simulator.grid and model.simulator is simulator
    # From .3 right to .37: .3 of corner .3, .7 of corner .4.
    begin, end = model.row_begin[model.find_pair(3, 1) :][:2]
    assert model.next_state[begin:end].tolist() == [3, 4]
    assert model.probability[begin:end].tolist() == pytest.approx([0.3, 0.7])
    assert model.reward[model.find_pair(3, 1)] == pytest.approx(0.3)
    assert model.ends.sum() == 1
    assert model.left == {"x": (0.0, 0.0)}
    assert model.with_discount(0.5).grid == simulator.grid
    assert model.reward_variance == pytest.approx(0.01**2)


def test_a_vectorised_program_gives_the_same_table():
    one = mindgap.Simulator(pendulum, pendulum_grid(9), [-2.0, 0.0, 2.0], discount=0.95).model()
    many = mindgap.Simulator(pendulum, pendulum_grid(9), [-2.0, 0.0, 2.0], discount=0.95, vectorized=True).model()
    assert np.array_equal(one.probability, many.probability) and np.array_equal(one.next_state, many.next_state)
    assert np.allclose(one.reward, many.reward, rtol=1e-15)


def test_the_start_is_where_it_is_reset():
    model = walk_simulator(reset=lambda rng: [0.25]).model()
    assert model.start[[2, 3]].tolist() == pytest.approx([0.5, 0.5])
    model = walk_simulator(reset=[[0.25], [0.3]]).model()
    assert model.start[[2, 3]].tolist() == pytest.approx([0.25, 0.75])
    assert walk_simulator().model().start[:-1].tolist() == pytest.approx([1 / 11] * 11)
    with pytest.raises(mindgap.InvalidArgument, match="1 axes|1 numbers"):
        walk_simulator(reset=lambda rng: [0.25, 1]).model()


def noisy(state, action, theta, rng):
    return state[0] + 0.1 * rng.normal(), rng.random()


def test_random_programs_meet_the_same_luck_with_every_action_and_parameter():
    words = {"discount": 0.9, "samples": 20}
    simulator = mindgap.Simulator(noisy, mindgap.Grid(0, 1, 5), [0, 1], **words)
    model = simulator.model()
    assert np.array_equal(model.reward[::2], model.reward[1::2])
    assert len(set(model.reward.tolist())) == 5
    assert model.reward.mean() == pytest.approx(0.5, abs=0.15)
    assert simulator.model() == model


def test_a_random_program_with_one_sample_is_noted():
    simulator = mindgap.Simulator(noisy, mindgap.Grid(0, 1, 5), [0, 1], discount=0.9)
    with pytest.warns(UserWarning, match="draws random numbers, but samples=1"):
        simulator.model()
    shared = np.random.default_rng(1)
    hidden = mindgap.Simulator(lambda s, a, t, rng: (s[0], shared.random()), mindgap.Grid(0, 1, 5), [0], discount=0.9)
    with pytest.warns(UserWarning, match="draws random numbers"):
        hidden.model()


def test_ends_by_a_function():
    def step(state, action, theta, rng):
        assert state[0] < 1  # never asked to go on from an end
        return state[0] + 0.25, 1.0

    model = mindgap.Simulator(step, mindgap.Grid(0, 1, 5), [0], discount=0.9, terminal=lambda s: s[0] >= 1).model()
    assert model.states == 6
    # From .75 the next state is the end; the corner 1 itself is over, without a reward.
    assert model.next_state[model.row_begin[3] : model.row_begin[4]].tolist() == [5]
    assert model.reward.tolist() == [1, 1, 1, 1, 0, 0]


def test_what_leaves_the_grid_is_counted():
    model = mindgap.Simulator(
        lambda s, a, t, rng: (s[0] + a, 0.0), mindgap.Grid(0, 1, 11, names=["x"]), [0.25, -0.05], discount=0.9
    ).model()
    assert model.left["x"] == pytest.approx((1 / 22, 3 / 22))
    with pytest.raises(mindgap.InvalidArgument, match="every step leaves the grid"):
        mindgap.Simulator(lambda s, a, t, rng: (s[0] + 9, 0.0), mindgap.Grid(0, 1, 11), [0], discount=0.9).model()


def broken(state, action, theta, rng):
    if state[0] > 0.45 and action == "right":
        raise ZeroDivisionError("no such place")
    return state[0], 0.0


def test_a_step_that_raises_is_named():
    simulator = mindgap.Simulator(
        broken, mindgap.Grid(0, 1, 11, names=["x"]), ["left", "right"], discount=0.9, parameters={"mass": mindgap.Uniform(1, 3)}
    )
    with pytest.raises(mindgap.InvalidArgument) as caught:
        simulator.model()
    assert str(caught.value) == (
        "step raised ZeroDivisionError: no such place; the state was x=0.5, the action 'right', theta {'mass': 2.0}"
    )
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    "given, said",
    [
        (lambda s: (s[0], math.nan), "not finite.*reward nan; the state was x=0, the action 'go'"),
        (lambda s: (math.inf, 0.0), "not finite"),
        (lambda s: ([0.0, 1.0], 0.0), r"the next state as 1 numbers \(x\), but returned \(\[0.0, 1.0\], 0.0\)"),
        (lambda s: (np.zeros(2), 0.0), "the next state as 1 numbers"),
        (lambda s: s[0], r"must return \(next_state, reward\)"),
        (lambda s: (s[0], "much"), "must return"),
        (lambda s: ("far", 0.0), "must return"),
        (lambda s: (s, 0.0, False, {}), "must return"),
    ],
)
def test_what_a_step_may_not_give(given, said):
    simulator = mindgap.Simulator(lambda s, a, t, r: given(s), mindgap.Grid(0, 1, 3, names=["x"]), ["go"], discount=0.9)
    with pytest.raises(mindgap.InvalidArgument, match=said):
        simulator.model()


def test_a_state_cannot_be_changed_in_place():
    def step(state, action, theta, rng):
        state += 1
        return state, 0.0

    with pytest.raises(mindgap.InvalidArgument, match="copy it first"):
        mindgap.Simulator(step, mindgap.Grid(0, 1, 3), ["go"], discount=0.9).model()


def test_what_a_vectorised_step_may_not_give():
    for given, said in (
        (lambda s: (s[:, :1], s[:, 0]), "next states of shape"),
        (lambda s: (s, s), "rewards of shape"),
        (lambda s: s, "must return"),
        (lambda s: 1 / 0, "ZeroDivisionError"),
        (lambda s: (s * np.nan, 0.0), "not finite"),
    ):
        with pytest.raises(mindgap.InvalidArgument, match=said):
            mindgap.Simulator(
                lambda s, a, t, r: given(s), pendulum_grid(5), [0], discount=0.9, vectorized=True
            ).model()


def test_bad_simulators_are_refused():
    grid = mindgap.Grid(0, 1, 3)
    for words, said in (
        ({"step": 3}, "step must be a function"),
        ({"grid": (0, 1)}, "grid must be"),
        ({"actions": []}, "actions is empty"),
        ({"actions": "left"}, "actions must be a list"),
        ({"actions": [1, 1]}, "two of them"),
        ({"discount": 2}, "discount"),
        ({"samples": 0}, "samples"),
        ({"vectorized": 1}, "vectorized"),
        ({"terminal": 1}, "terminal"),
        ({"discrepancy": {"sd": 1}}, "discrepancy"),
        ({"parameters": {"mass": mindgap.Uniform(1, 2), "length": 3}}, r"parameters\['length'\]"),
        ({"action_names": ["a", "b"]}, "action_names"),
    ):
        given = {"step": walk, "grid": grid, "actions": ["left"], "discount": 0.9, **words}
        with pytest.raises(mindgap.InvalidArgument, match=said):
            mindgap.Simulator(**given)


def test_distributions():
    assert mindgap.Uniform(1, 3).median == 2
    assert mindgap.Normal(0, 1, low=0).quantile(0.5) == pytest.approx(0.6744897501960817)
    assert mindgap.Lognormal(0, 1).median == pytest.approx(1)
    assert mindgap.Beta(1, 1, 2, 4).median == pytest.approx(3)
    assert mindgap.Gamma(1, 3).median == pytest.approx(3 * math.log(2))
    assert mindgap.Choice([1, 5], [1, 3]).median == 5
    assert repr(mindgap.Uniform(1, 3)) == "mindgap.Uniform(1, 3)"
    for bad in (
        lambda: mindgap.Uniform(3, 1),
        lambda: mindgap.Normal(0, 0),
        lambda: mindgap.Beta(0, 1),
        lambda: mindgap.Gamma(1, -1),
        lambda: mindgap.Choice([]),
        lambda: mindgap.Choice([1, 2], [1]),
        lambda: mindgap.Normal("much", 1),
        lambda: mindgap.Uniform(0, 1).quantile(1),
    ):
        with pytest.raises(mindgap.InvalidArgument):
            bad()


def test_parameters_outside_their_bounds_are_refused():
    simulator = pendulum_simulator(5, parameters={"mass": mindgap.Uniform(0.5, 2)})
    assert simulator.model({"mass": 0.5}).theta == {"mass": 0.5}
    assert simulator.model().theta == {"mass": 1.25}
    for theta, said in (
        ({"mass": 3}, "from 0.5 to 2"),
        ({"weight": 1}, "has mass"),
        ({"mass": math.nan}, "finite"),
        (3, "dict"),
    ):
        with pytest.raises(mindgap.InvalidArgument, match=said):
            simulator.model(theta)


def test_an_ensemble_is_a_latin_hypercube():
    simulator = pendulum_simulator(5, parameters={"mass": mindgap.Uniform(0, 8), "length": mindgap.Uniform(1, 2)})
    ensemble = simulator.ensemble(members=8, seed=3)
    assert len(ensemble) == 8
    assert sorted(np.floor(ensemble.parameters["mass"]).tolist()) == list(range(8))
    assert (simulator.ensemble(members=8, seed=3).parameters["mass"] == ensemble.parameters["mass"]).all()
    theta = {name: values[2] for name, values in ensemble.parameters.items()}
    assert np.allclose(ensemble.members[2].reward, simulator.model(theta).reward)
    assert ensemble.model.grid == simulator.grid


def test_an_ensemble_of_given_draws():
    draws = {"mass": [1.0, 2.0, 3.0], "weight": [2, 1, 1]}
    ensemble = pendulum_simulator(5, parameters=draws).ensemble()
    assert ensemble.weights.tolist() == [0.5, 0.25, 0.25]
    assert list(ensemble.parameters) == ["mass"]
    with pytest.raises(mindgap.InvalidArgument, match="3 draws"):
        pendulum_simulator(5, parameters=draws).ensemble(members=4)
    with pytest.raises(mindgap.InvalidArgument, match="weight"):
        pendulum_simulator(5, parameters={"mass": [1.0], "weight": [-1]})
    with pytest.raises(mindgap.InvalidArgument, match="wants parameters"):
        pendulum_simulator(5).ensemble()


def test_members_that_end_and_members_that_do_not_belong_together():
    simulator = walk_simulator(parameters={"pace": [-0.5, 1.0]})
    ensemble = simulator.ensemble()
    assert [member.states for member in ensemble.members] == [12, 12]


def test_executors_give_the_same_ensemble():
    simulator = walk_simulator(parameters={"pace": mindgap.Uniform(0.5, 1)})
    plain = simulator.ensemble(members=4)
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        assert simulator.ensemble(members=4, executor=executor) == plain
    with concurrent.futures.ProcessPoolExecutor(2) as executor:
        assert simulator.ensemble(members=4, executor=executor) == plain


def test_it_says_how_many_calls_before_it_starts():
    told = []
    simulator = walk_simulator(parameters={"pace": mindgap.Uniform(0.5, 1)})
    simulator.ensemble(members=4, progress=lambda *said: told.append(said))
    assert told[0][0].startswith("tabulating 4 members (88 calls, about ") and told[0][1:] == (0, 4)
    assert told[-1][1:] == (4, 4)
    with pytest.raises(mindgap.InvalidArgument, match=r"4 members x 11 corners x 2 actions x 1 samples are 88 calls"):
        simulator.ensemble(members=4, max_calls=87)
    with pytest.raises(mindgap.InvalidArgument, match="max_calls"):
        simulator.model(max_calls=10)


def test_an_interruption_ends_it():
    def step(state, action, theta, rng):
        if state[0] > 0.5:
            raise KeyboardInterrupt
        return state[0], 0.0

    with pytest.raises(KeyboardInterrupt):
        mindgap.Simulator(step, mindgap.Grid(0, 1, 11), [0], discount=0.9).model()


def test_programs_go_through_pickle():
    simulator = walk_simulator(parameters={"pace": mindgap.Uniform(0.5, 1)})
    model = pickle.loads(pickle.dumps(simulator.model()))
    assert model == simulator.model() and model.grid == simulator.grid
    assert mindgap.solve(model).act(0.5) == "right"
    ensemble = pickle.loads(pickle.dumps(simulator.ensemble(4)))
    assert ensemble.members == simulator.ensemble(4).members and ensemble.model.grid == simulator.grid


def test_threads_change_nothing():
    simulator = pendulum_simulator(41)
    assert simulator.model(threads=1) == simulator.model(threads=3)


def test_a_coarse_grid_is_an_error_of_the_program():
    """Of a pendulum, 1 % of the range of rewards is about 0.16. The standard deviation of one reward is the same."""
    unknown = {"mass": mindgap.Uniform(0.9, 1.1)}
    fine, coarse = (pendulum_simulator(n, parameters=unknown).ensemble(members=2) for n in (41, 9))
    rewards = np.concatenate([member.reward for member in fine.members])
    assert fine.model.reward_variance**0.5 == pytest.approx(0.01 * np.ptp(rewards))
    simulator = pendulum_simulator(9, parameters=unknown)
    theta = {"mass": float(coarse.parameters["mass"][0])}
    models = [simulator.on(grid).model(theta) for grid in (simulator.grid, simulator.grid.coarser())]
    values = [mindgap.solve(model).value_at_start for model in models]
    assert coarse.model.reward_variance**0.5 == pytest.approx(0.05 * abs(values[0] - values[1]))
    assert coarse.model.reward_variance**0.5 > 0.16
    stated = pendulum_simulator(9, parameters=unknown, discrepancy={"reward_sd": 0.5}).ensemble(members=2)
    assert stated.model.reward_variance**0.5 < 0.2  # what is stated is not made larger


def test_pictures_are_over_the_axes_that_were_chosen(tmp_path):
    grid = mindgap.Grid([0, 0, 0], [1, 2, 3], [3, 3, 4], names=["a", "b", "c"])
    simulator = mindgap.Simulator(
        lambda state, action, theta, rng: ((state + action * 0.3).clip(0, [1, 2, 3]), float(state.sum())),
        grid,
        actions=[-1, 0, 1],
        discount=0.9,
        reset=[[0.0, 0.0, 0.0]],
        discrepancy={"reward_sd": 1.0, "transition_strength": 5, "reward_variance": 1.0},
    )
    assert simulator.model().coordinates is None  # three axes, and nobody chose
    model = simulator.pictured("c", "a").model()
    assert sorted(set(map(tuple, model.coordinates))) == [(c, a) for c in (0, 1, 2, 3) for a in (0, 0.5, 1)]
    decision = mindgap.decide(model, units=2, horizon=12, worlds=16, plans=["sop", "asop", "pilot-2x4"])
    decision.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "pilot-map" in page and "and 2 more there" in page  # of the three points on b
    for wrong in ((), ("a", "b", "c"), ("a", "a"), ("d",)):
        with pytest.raises(mindgap.InvalidArgument, match="one or two of the axes a, b, c"):
            simulator.pictured(*wrong)


# Measured here: .74 GiB.
@pytest.mark.long
def test_a_million_corners_take_less_than_two_gigabytes():
    bench = pathlib.Path(__file__).parents[2] / "bench" / "programs.py"
    said = subprocess.run([sys.executable, bench, "memory-alone"], capture_output=True, text=True, check=True).stdout
    assert float(re.search(r"peak ([0-9.]+) GiB", said)[1]) < 2
