"""Worlds that are Gymnasium environments, environments of models, or plain functions."""

import gymnasium
import numpy as np
import pytest

import mindgap
from mindgap import worlds
from test_worlds import two_places, ASKED


def frozen_lake(**options):
    return lambda: gymnasium.make("FrozenLake-v1", max_episode_steps=-1, **options)


def stated(model):
    return model.with_prior(reward_sd=0.1, transition_strength=10.0).with_variance(0.01)


def test_frozen_lake_is_the_lake():
    model = stated(mindgap.Mdp.from_gymnasium(frozen_lake()(), discount=0.99))
    trials, units, steps = 10, 50, 60
    found = mindgap.compare(
        world=frozen_lake(),
        simulator=model,
        planners=["sop"],
        reference="sop",
        trials=trials,
        units=units,
        horizons=steps,
    )
    # The chance to be at the goal by then, by plain NumPy on the environment's own table.
    table, policy = frozen_lake()().unwrapped.P, mindgap.solve(model).policy
    law = np.eye(16)[0]
    for _ in range(steps):
        after = np.zeros(16)
        for s in range(16):
            for chance, following, _, _ in table[s][int(policy[s])]:
                after[following] += law[s] * chance
        law = after
    runs = trials * units
    sd = (runs * law[15] * (1 - law[15])) ** 0.5
    assert abs(found.value.sum() - runs * law[15]) < 4 * sd
    assert "FrozenLake-v1: 10 trials" in str(found)


def test_an_environment_itself_will_do():
    make = frozen_lake(is_slippery=False)
    model = stated(mindgap.Mdp.from_gymnasium(make(), discount=0.9))
    asked = {
        "simulator": model,
        "planners": ["sop"],
        "reference": "sop",
        "trials": 2,
        "units": 3,
        "horizons": [5, 6, 20],
    }
    # Six steps to the goal without a slip; nothing more afterwards.
    assert mindgap.compare(world=make(), **asked).value[:, 0].tolist() == [[0, 3, 3]] * 2
    assert mindgap.compare(world=make, **asked).value[:, 0].tolist() == [[0, 3, 3]] * 2


def test_environments_that_would_not_be_the_same_are_refused():
    make = frozen_lake(is_slippery=False)
    model = stated(mindgap.Mdp.from_gymnasium(make(), discount=0.9))
    asked = {**ASKED, "simulator": model}
    changed = make()
    changed.unwrapped.P[14][2] = [(1.0, 15, -7.0, True)]
    begins_elsewhere = make()
    begins_elsewhere.unwrapped.initial_state_distrib = np.eye(16)[3]
    wrapped = gymnasium.wrappers.TransformReward(make(), lambda reward: -reward)
    for world in (changed, begins_elsewhere, wrapped, gymnasium.make("Blackjack-v1"), model.to_env()):
        with pytest.raises(mindgap.InvalidArgument, match="(?s)world is an environment, .*give a function"):
            mindgap.compare(world=world, **asked)
    # As functions they are what they are: six steps to the goal.
    found = mindgap.compare(
        world=lambda: gymnasium.wrappers.TransformReward(make(), lambda reward: -reward),
        **{**asked, "planners": ["sop"], "reference": "sop", "horizons": 6},
    )
    assert found.value.ravel().tolist() == [-2] * 3


class Told:
    """Notes the states that it is told of; takes the only action there is."""

    seen: list

    def __init__(self, setting):
        Told.seen = []

    def choose(self, step, states):
        Told.seen.append(int(states[0]))
        return np.zeros(len(states), dtype=int)


def ring(following):
    def step(state, action, generator):
        return float(state == 10), following[state]

    return step


ROUND = {10: 1, 1: 0, 0: 10}
FOLLOWED = {"planners": {"told": Told}, "reference": "told", "trials": 1, "units": 1, "horizons": 4}


def test_names_that_are_numbers_are_names():
    step = ring(ROUND)
    model = stated(
        mindgap.Mdp.from_function(step, states=[10, 1, 0], actions=[0], discount=0.9, samples=2, start=10)
    )
    assert model.state_names == ["10", "1", "0"]
    mindgap.compare(
        world=worlds.from_function(step, simulator=model, start=10), simulator=model, threads=1, **FOLLOWED
    )
    assert Told.seen == [0, 1, 2, 0]

    class Numbers(gymnasium.Env):
        observation_space = gymnasium.spaces.Discrete(11)
        action_space = gymnasium.spaces.Discrete(1)

        def reset(self, *, seed=None, options=None):
            self.place = 10
            return self.place, {}

        def step(self, action):
            self.place = ROUND[self.place]
            return self.place, 0.0, False, False, {}

    mindgap.compare(world=Numbers, simulator=model, threads=1, **FOLLOWED)
    assert Told.seen == [0, 1, 2, 0]


def test_a_models_environment_shows_numbers():
    model = stated(
        mindgap.Mdp.from_function(
            ring(ROUND), states=[10, 1, 0], actions=[0], discount=0.9, samples=2, start=10
        )
    )
    limited = lambda: gymnasium.wrappers.TimeLimit(model.to_env(), 100)  # noqa: E731
    for world in (model.to_env, limited):
        mindgap.compare(world=world, simulator=model, threads=1, **FOLLOWED)
        assert Told.seen == [0, 1, 2, 0]
    named = lambda: gymnasium.wrappers.TransformObservation(  # noqa: E731
        model.to_env(), lambda state: [10, 1, 0][state], gymnasium.spaces.Discrete(11)
    )
    mindgap.compare(world=named, simulator=model, threads=1, **FOLLOWED)
    assert Told.seen == [0, 1, 2, 0]
    other = stated(
        mindgap.Mdp.from_function(ring(ROUND), states=[0, 1, 10], actions=[0], discount=0.9, samples=2)
    )
    with pytest.raises(
        mindgap.InvalidArgument, match="calls its state 0 '0', but the simulator '10'"
    ):
        mindgap.compare(world=other.to_env, simulator=model, **FOLLOWED)


def test_a_state_that_was_not_seen_is_not_another_one():
    # The simulator knows 0, 2, 3 and 4; number 1 is the state named 2.
    known = ring({0: 2, 2: 3, 3: 4, 4: 0})
    model = stated(
        mindgap.Mdp.from_function(known, states=[0, 2, 3, 4], actions=[0], discount=0.9, samples=2, start=0)
    )
    lost = worlds.from_function(ring({0: 1, 1: 0}), simulator=model, start=0)
    with pytest.raises(mindgap.WorldError, match="is in 1, a state that the simulator has never seen"):
        mindgap.compare(world=lost, simulator=model, **FOLLOWED)


@pytest.mark.parametrize("action", ["1", 1.7, 1.0, None, np.array([1]), np.float64(1)])
def test_actions_of_an_environment_are_whole_numbers(action):
    env = two_places().to_env()
    env.reset(seed=0)
    with pytest.raises(mindgap.InvalidArgument, match="must be a whole number"):
        env.step(action)
    with pytest.raises(mindgap.InvalidArgument):
        env.step(2**80)
    assert env.step(np.int64(1))[0] == 1 and env.step(np.array(1))[0] == 0
    with pytest.raises(mindgap.InvalidArgument, match="the state is 0.5, but must be a whole number"):
        env.reset(options={"state": 0.5})


def test_an_additional_end_is_met():
    # Cliff walking passes the goal's neighbours alive; the goal is an end of its own.
    make = lambda: gymnasium.make("CliffWalking-v1", max_episode_steps=-1)  # noqa: E731
    model = stated(mindgap.Mdp.from_gymnasium(make(), discount=0.99))
    found = mindgap.compare(
        world=make, simulator=model, planners=["sop"], reference="sop", trials=2, units=1, horizons=[13, 40]
    )
    assert found.value[:, 0].tolist() == [[-13, -13]] * 2  # thirteen steps along the cliff


class Corridor(gymnasium.Env):
    """Right is out after three steps; the last place is also passed alive, so that the end is a state of its
    own."""

    observation_space = gymnasium.spaces.Discrete(3, start=5)
    action_space = gymnasium.spaces.Discrete(2, start=1)

    def __init__(self, cut=False):
        self.cut = cut

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = 5
        return self.place, {}

    def step(self, action):
        assert self.action_space.contains(action)
        out = self.place == 7 and action == 2
        self.place = min(7, self.place + 1) if action == 2 else max(5, self.place - 1)
        return self.place, 1.0 if out else 0.0, out, self.cut, {}


def test_ends_and_offsets_of_an_environment_without_a_table():
    model = stated(mindgap.Mdp.from_gymnasium(Corridor(), discount=0.9, steps=2000))
    assert model.states == 4 and model.state_names[-1] == "end"
    asked = {
        "simulator": model,
        "planners": ["sop"],
        "reference": "sop",
        "trials": 1,
        "units": 2,
        "horizons": [2, 3, 9],
    }
    assert mindgap.compare(world=Corridor, **asked).value[0, 0].tolist() == [0, 2, 2]
    with pytest.raises(mindgap.WorldError, match="cut an episode off.*max_episode_steps=-1"):
        mindgap.compare(world=lambda: Corridor(cut=True), **asked)
    with pytest.raises(mindgap.InvalidArgument, match="give a function that makes one"):
        mindgap.compare(world=Corridor(), **asked)


def test_environments_that_do_not_fit_are_refused():
    lake = stated(mindgap.Mdp.from_gymnasium(frozen_lake(is_slippery=False)(), discount=0.9))
    with pytest.raises(mindgap.InvalidArgument, match="has 6 actions, but the simulator 4"):
        mindgap.compare(world=lambda: gymnasium.make("Taxi-v3"), **{**ASKED, "simulator": lake})
    with pytest.raises(mindgap.InvalidArgument, match="discrete"):
        mindgap.compare(world=lambda: gymnasium.make("CartPole-v1"), **{**ASKED, "simulator": lake})
    with pytest.raises(mindgap.WorldError, match="a state that the simulator has never seen"):
        larger = frozen_lake(map_name="8x8", is_slippery=False)
        mindgap.compare(world=larger, **{**ASKED, "simulator": lake, "horizons": 60})


def test_a_planner_of_ours_in_a_gymnasium_loop():
    make = frozen_lake()
    model = stated(
        mindgap.Mdp.from_gymnasium(frozen_lake(is_slippery=False)(), discount=0.99)
    )  # a wrong simulator
    planner = mindgap.planners.make("asop", simulator=model, horizon=1000)
    env, reached = make(), 0
    state, _ = env.reset(seed=1)
    for _ in range(1000):
        action = planner.act(int(state))
        following, reward, terminated, _, _ = env.step(action)
        planner.observe(int(state), action, reward, int(following))
        reached += int(reward)
        state = env.reset()[0] if terminated else following
    assert planner.step == 1000 and reached > 0


# Plain functions


def stock(level, order, generator):
    """Sales of 0 or 1, at 2 apiece; ordering costs 1 apiece; no room for more than 3."""
    level = min(3, level + order)
    sold = min(level, int(generator.integers(2)))
    return 2.0 * sold - order, level - sold


def test_a_plain_function_is_a_world():
    levels, orders = [0, 1, 2, 3], [0, 2]
    model = mindgap.Mdp.from_function(stock, states=levels, actions=orders, discount=0.9, samples=50, start=0)
    world = worlds.from_function(stock, simulator=model, actions=orders, start=0)
    found = mindgap.compare(
        world=world, simulator=model, planners=["sop"], reference="sop", trials=3, units=4, horizons=20
    )
    # The same by hand, with the seeds that the library gave.
    seeds = []
    policy = mindgap.solve(model).policy

    class Noted:
        def __init__(self):
            self.inner = world()

        def reset(self, seed):
            seeds.append(seed)
            return self.inner.reset(seed)

        def step(self, action):
            return self.inner.step(action)

    mindgap.compare(
        world=Noted,
        simulator=model,
        planners=["sop"],
        reference="sop",
        trials=3,
        units=4,
        horizons=20,
        threads=1,
    )
    total = 0.0
    for seed in seeds[4:]:  # without those of the trial that is played twice beforehand
        generator, level = np.random.default_rng(seed), 0
        for _ in range(20):
            reward, level = stock(level, orders[policy[level]], generator)
            total += reward
    assert found.value.sum() == pytest.approx(total)
    assert found.to_dict()["case"] == "stock"


def test_ends_and_labels_of_plain_functions():
    def climb(place, action, generator):
        if place == ("top",):
            return 1.0, None
        return 0.0, ("top",) if action == "up" else ("foot",)

    places = [("foot",), ("top",)]
    model = mindgap.Mdp.from_function(
        climb, states=places, actions=["wait", "up"], discount=0.9, samples=5, start=("foot",), name="hill"
    )
    model = stated(model)
    assert model.state_names[-1] == "end"
    world = worlds.from_function(
        climb, simulator=model, actions=["up", "wait"], start=lambda generator: ("foot",)
    )
    found = mindgap.compare(
        world=world, simulator=model, planners=["sop"], reference="sop", trials=1, units=3, horizons=[1, 2, 9]
    )
    assert found.value[0, 0].tolist() == [0, 3, 3]
    with pytest.raises(mindgap.InvalidArgument, match="has an action 'wait', which is not among them"):
        worlds.from_function(climb, simulator=model, actions=["up"], start=("foot",))
    with pytest.raises(
        mindgap.WorldError, match="is in \\('moon',\\), a state that the simulator has never seen"
    ):
        lost = worlds.from_function(climb, simulator=model, actions=["up", "wait"], start=("moon",))
        mindgap.compare(world=lost, simulator=model, planners=["sop"], trials=1)
