"""Acting on states that are numbers: solutions, planners, Gymnasium, checks of the grid."""

import gymnasium
import numpy as np
import pytest

import mindgap
from programs import PI, Hidden, pendulum, pendulum_grid, pendulum_simulator, returns, walk_simulator


def mountain_car(points=51):
    grid = mindgap.Grid([-1.2, -0.07], [0.6, 0.07], points, names=["position", "speed"])
    return mindgap.Simulator.from_gymnasium("MountainCar-v0", grid, discount=0.99)


# The numbers to reach are those of the issue; measured here: -104.9 +- 6.3.
def test_mountain_car_arrives():
    model = mountain_car().model()
    assert model.states == 51 * 51 + 1 and model.action_names == ["0", "1", "2"]
    solution = mindgap.solve(model)
    assert solution.model.grid == model.grid
    assert returns("MountainCar-v0", solution).mean() >= -112


# Measured here: 500.
@pytest.mark.long
def test_cart_pole_stands():
    grid = mindgap.Grid(
        [-2.4, -3, -0.21, -3], [2.4, 3, 0.21, 3], [11, 13, 13, 13], names=["x", "speed", "angle", "spin"]
    )
    solution = mindgap.solve(mindgap.Simulator.from_gymnasium("CartPole-v1", grid, discount=0.99).model())
    assert returns("CartPole-v1", solution).mean() >= 490


# Measured here: -135.0 +- 20.0.
@pytest.mark.long
def test_pendulum_swings_up():
    simulator = mindgap.Simulator.from_gymnasium(
        "Pendulum-v1", pendulum_grid(), actions=np.linspace(-2, 2, 7), discount=0.99
    )
    assert returns("Pendulum-v1", mindgap.solve(simulator.model())).mean() >= -175


# Speeds that a swing reaches, a good half of what the environment allows.
@pytest.mark.long
def test_acrobot_swings_up():
    grid = mindgap.Grid(
        [-PI, -PI, -7, -14],
        [PI, PI, 7, 14],
        [14, 14, 11, 11],
        periodic=[True, True, False, False],
        names=["angle1", "angle2", "speed1", "speed2"],
    )
    solution = mindgap.solve(mindgap.Simulator.from_gymnasium("Acrobot-v1", grid, discount=0.99).model())
    assert returns("Acrobot-v1", solution).mean() >= -100


def test_states_and_what_is_observed():
    simulator = mindgap.Simulator.from_gymnasium("Pendulum-v1", pendulum_grid(9), actions=[-2, 0, 2], discount=0.9)
    assert simulator.state_of([np.cos(2.0), np.sin(2.0), 3.0]).tolist() == pytest.approx([2, 3])
    assert simulator.state_of([2.0, 3.0]).tolist() == [2, 3]
    assert [action.tolist() for action in simulator.actions] == [[-2], [0], [2]]
    assert simulator.action_names == ["-2", "0", "2"]
    # The same table as that of the formula, written down apart.
    by_hand = mindgap.Simulator(pendulum, pendulum_grid(9), [-2.0, 0.0, 2.0], discount=0.9).model()
    model = simulator.model()
    assert np.allclose(model.reward, by_hand.reward, atol=1e-12)
    assert np.allclose(mindgap.solve(model).value, mindgap.solve(by_hand).value, atol=1e-6)
    solution = mindgap.solve(model)
    assert solution.act([np.cos(2.0), np.sin(2.0), 3.0]).shape == (1,)
    grid = mindgap.Grid([-PI, -PI, -12, -28], [PI, PI, 12, 28], 3, periodic=[True, True, False, False])
    acrobot = mindgap.Simulator.from_gymnasium("Acrobot-v1", grid, discount=0.9)
    shown = [np.cos(1.0), np.sin(1.0), np.cos(-2.0), np.sin(-2.0), 3, 4]
    assert acrobot.state_of(shown).tolist() == pytest.approx([1, -2, 3, 4])


def test_an_environment_with_parameters():
    def make(theta):
        env = gymnasium.make("Pendulum-v1")
        env.unwrapped.m = theta["mass"]
        return env

    words = {"actions": [-2.0, 0.0, 2.0], "discount": 0.9, "parameters": {"mass": mindgap.Uniform(0.5, 2)}}
    simulator = mindgap.Simulator.from_gymnasium(make, pendulum_grid(5), **words)
    by_hand = mindgap.Simulator(pendulum, pendulum_grid(5), [-2.0, 0.0, 2.0], discount=0.9, parameters=words["parameters"])
    for theta in ({"mass": 0.7}, {"mass": 1.9}):
        one, other = simulator.model(theta), by_hand.model(theta)
        assert np.allclose(one.to_scipy().toarray(), other.to_scipy().toarray(), atol=1e-12)


def test_environments_of_members_are_made_once():
    made = []

    def make(theta):
        made.append(theta["mass"])
        env = gymnasium.make("Pendulum-v1")
        env.unwrapped.m = theta["mass"]
        return env

    words = {"actions": [-2.0, 0.0, 2.0], "discount": 0.9, "parameters": {"mass": mindgap.Uniform(0.5, 2)}}
    simulator = mindgap.Simulator.from_gymnasium(make, pendulum_grid(5), **words)
    solution = mindgap.solve(simulator.ensemble(members=4, progress=False))
    for angle in (0.1, 0.2, 0.3):
        solution.act([angle, 0.0])
    assert len(made) == len(set(made)) == 5  # the middle, and four members


def test_an_environment_whose_state_cannot_be_set_is_refused():
    grid = mindgap.Grid(0, 1, 5, names=["place"])
    said = r"no attribute 'state'.*set_state=.*rollouts: mindgap.Mdp.from_gymnasium\(env, discount, grid=grid\)"
    with pytest.raises(mindgap.InvalidArgument, match=said):
        mindgap.Simulator.from_gymnasium(Hidden, grid, discount=0.9)

    def set_state(env, state):
        env.unwrapped.place = state

    model = mindgap.Simulator.from_gymnasium(Hidden, grid, discount=0.9, set_state=set_state).model()
    assert model.start[0] == 1 and model.reward[model.find_pair(4, 1)] == 1


@pytest.mark.parametrize(
    "env, words, said",
    [
        ("Pendulum-v1", {}, "say which actions"),
        ("Pendulum-v1", {"actions": [-3]}, "not in the action space"),
        ("MountainCar-v0", {"actions": [7]}, "0 to 2"),
        ("CartPole-v1", {}, "the grid is over the state"),
        (3, {}, "one environment of Gymnasium"),
        ("Pendulum-v1", {"actions": [0], "parameters": {"m": mindgap.Uniform(1, 2)}}, "must be a function"),
    ],
)
def test_bad_environments_are_refused(env, words, said):
    with pytest.raises(mindgap.InvalidArgument, match=said):
        mindgap.Simulator.from_gymnasium(env, pendulum_grid(5), discount=0.9, **words)


def test_a_solution_acts_between_corners():
    simulator = walk_simulator(reset=[[0.0]])
    solution = mindgap.solve(simulator.model())
    assert solution.act([0.333]) == "right" and solution.act(0.05) == "right"
    ahead, table = simulator.policy(solution), simulator.policy(solution, lookahead=False)
    assert table.act(0.333) == "right"
    # One step ahead by hand: from .5 right to .57, reward .5, 3/10 of corner .5 and 7/10 of corner .6.
    values = ahead.action_values(0.5)
    assert values[1] == pytest.approx(0.5 + 0.9 * (0.3 * solution.value[5] + 0.7 * solution.value[6]))
    assert table.action_values(0.5).tolist() == pytest.approx(values.tolist())  # at a corner they agree
    assert ahead.value(0.55) == pytest.approx((solution.value[5] + solution.value[6]) / 2)
    for bad, said in (([0.1, 0.2], "1 numbers"), ("x", "number"), (np.nan, "finite")):
        with pytest.raises(mindgap.InvalidArgument, match=said):
            solution.act(bad)
    with pytest.raises(mindgap.InvalidArgument, match="wants a solution of a program"):
        mindgap.solve(mindgap.Mdp(simulator.model())).act(0.3)
    with pytest.raises(mindgap.InvalidArgument, match="without a horizon"):
        mindgap.solve(simulator.model(), horizon=3).act(0.3)


def test_an_ensemble_acts_by_all_members():
    simulator = walk_simulator(parameters={"pace": [0.5, 1.0], "weight": [3, 1]})
    ensemble = simulator.ensemble()
    solution = mindgap.solve(ensemble)
    policy = simulator.policy(solution)
    steps = [0.9 * (0.65 * solution.value[5] + 0.35 * solution.value[6]), 0.9 * (0.3 * solution.value[5] + 0.7 * solution.value[6])]
    assert policy.action_values(0.5)[1] == pytest.approx(0.5 + 0.75 * steps[0] + 0.25 * steps[1])
    other = walk_simulator()
    with pytest.raises(mindgap.InvalidArgument, match="of this simulator"):
        other.policy(solution)


def test_planners_in_a_continuous_loop():
    simulator = walk_simulator(reset=[[0.0]], parameters={"pace": mindgap.Uniform(0.2, 1)})
    for name in ("sop", "asop", "thompson", "ucrl2", "epsilon"):
        planner = mindgap.planners.make(name, simulator=simulator.ensemble(8), horizon=50)
        state, total = np.zeros(1), 0
        for _ in range(30):
            action = planner.act(state)
            assert action in ("left", "right")
            assert planner.act(state) == action  # asked again, the same
            x, reward, over = simulator._caller.step(state, action, {"pace": 0.4}, None)
            planner.observe(state, action, reward, [x], terminated=over)
            total += reward
            state = np.zeros(1) if over else np.array([x])
        assert planner.step == 30
        assert total > 0 or name == "ucrl2"  # which knows nothing of the simulator's rows
    several = mindgap.planners.make("asop", simulator=simulator.ensemble(8), units=3, horizon=50)
    chosen = several.choose([[0.1], [0.5], [0.9]])
    assert len(chosen) == 3
    several.observe([[0.1], [0.5], [0.9]], chosen, [0, 0, 0], [[0.1], [0.5], [0.9]])
    with pytest.raises(mindgap.InvalidArgument, match="3 units"):
        several.choose([[0.1], [0.5]])
    with pytest.raises(mindgap.InvalidArgument, match="no action 'up'"):
        several.observe([[0.1]] * 3, ["up"] * 3, [0] * 3, [[0.1]] * 3)


def test_a_planner_learns_what_a_step_says():
    """Three steps of the slow truth: the belief's mean moves towards it."""
    simulator = walk_simulator(parameters={"pace": [0.2, 1.0]})
    planner = mindgap.planners.make("asop", simulator=simulator.ensemble(), horizon=50)
    reference = simulator.ensemble()
    rows = {name: [] for name in ("x", "action", "reward", "next_x")}
    for x in (0.31, 0.42, 0.55):
        for name, value in zip(rows, (x, "right", x, x + 0.014)):
            rows[name].append(value)
        planner.observe([x], "right", x, [x + 0.014])
    assert reference.weigh(rows).weights[0] > 0.8


def test_the_check_of_a_grid():
    simulator = pendulum_simulator(21)
    solution = mindgap.solve(simulator.model())
    found = simulator.check(solution, episodes=4)
    assert set(found.differences) == {"angle", "speed"}
    assert found.solved == pytest.approx(solution.value_at_start)
    coarse = simulator.on(simulator.grid.coarser("speed"))
    assert found.differences["speed"] == pytest.approx(
        solution.value_at_start - mindgap.solve(coarse.model()).value_at_start
    )
    assert found.extrapolated == pytest.approx(found.solved + found.difference / 3)
    assert "Axis speed matters most" in found.verdict and str(found).endswith(found.verdict)
    assert found.to_dict()["episodes"] == 4
    ensemble = pendulum_simulator(5, parameters={"mass": [1.0, 2.0]}).ensemble()
    with pytest.raises(mindgap.InvalidArgument, match="one set of parameters"):
        ensemble.model.simulator.check(mindgap.solve(ensemble))


def test_a_grid_that_is_too_coarse_is_told():
    """A narrow hole between the points: tables of points that miss it agree with each other, not with the program."""

    def step(state, action, theta, rng):
        x = state[0] + 0.1 * action
        return x, -50.0 if abs(x - 0.45) < 0.06 else 1.0, x > 0.95

    simulator = mindgap.Simulator(
        step, mindgap.Grid(0, 1, [0, 0.2, 0.6, 1], names=["x"]), [1], discount=0.95, reset=[[0.0]]
    )
    found = simulator.check(mindgap.solve(simulator.model()), episodes=3)
    assert not found.fine
    assert found.verdict.startswith("The grid is too coarse: the program returns")


def test_a_check_of_few_steps_compares_like_with_like():
    """Five steps of a pendulum and what the table says of the rest, against the table; whoever left the rest out would
    be far above the value, which is a cost."""
    simulator = pendulum_simulator(26)
    solution = mindgap.solve(simulator.model())
    found = simulator.check(solution, episodes=4, steps=5)
    assert found.returned == pytest.approx(found.solved, rel=0.1)
    assert simulator.check(solution, episodes=4).returned == pytest.approx(found.returned, rel=0.1)
