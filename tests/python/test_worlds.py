"""Truths written in Python: classes, Gymnasium environments, plain functions."""

import gc
import warnings
import weakref

import gymnasium
import numpy as np
import pytest

import mindgap
from mindgap import worlds


def two_places(rewards=(1.0, 0.8)):
    """Action 0 stays and pays, action 1 changes places and pays nothing."""
    stay, change = np.eye(2), np.eye(2)[::-1]
    model = mindgap.Mdp.from_arrays(
        np.stack([stay, change]), [[rewards[0], 0.0], [rewards[1], 0.0]], 0.9, layout="asS", start=[1.0, 0.0]
    )
    return model.with_prior(reward_sd=1.0, transition_strength=5.0).with_variance(0.01)


class Truth:
    """Staying in the first place pays nothing, whatever the simulator says."""

    def reset(self, seed):
        self.place = 0
        return 0

    def step(self, action):
        if action == 1:
            self.place = 1 - self.place
            return 0.0, self.place
        return [0.0, 0.8][self.place], self.place


ASKED = {"simulator": two_places(), "planners": ["sop", "asop"], "trials": 3, "units": 2, "horizons": [4, 10]}


def test_hand_derived_values():
    found = mindgap.compare(world=Truth, oracle=[1, 0], reference="sop", **ASKED)
    # The SOP stays in the first place and gets nothing. The best changes at step 0: then 0.8 a step for 2
    # units.
    assert found.planners == ["sop", "asop", "oracle"]
    assert found.value[:, 0].tolist() == [[0, 0]] * 3
    assert np.allclose(found.value[:, 2], [[2 * 3 * 0.8, 2 * 9 * 0.8]] * 3)
    # A-SOP looks at steps 0 and 5: it stays for five steps, changes at step 5, then 0.8 a step for four.
    assert np.allclose(found.value[:, 1], [[0, 2 * 4 * 0.8]] * 3)
    row = found.to_frame().query("planner == 'asop' and horizon == 10").iloc[0]
    assert row["percent_of_oracle"] == pytest.approx(100 * 4 / 9)
    assert "Truth: 3 trials from 0, seed 42" in str(found)


def test_without_an_oracle_there_are_no_shares_of_it():
    found = mindgap.compare(world=Truth, reference="sop", **ASKED)
    frame = found.to_frame()
    assert found.planners == ["sop", "asop"]
    assert frame["percent_of_oracle"].isna().all() and frame["difference"].isna().all()
    assert frame["mean_difference"].tolist() == pytest.approx([0, 0, 0, 6.4])
    text = str(found)
    assert "nan" not in text and "in the same unit" in text and "+6.4" in text
    assert "% of oracle is" not in text


def test_oracles_of_every_kind_are_the_same():
    class Planner:
        def __init__(self, setting):
            pass

        def choose(self, step, states):
            return np.where(states == 0, 1, 0)

    truth = two_places(rewards=(0.0, 0.8))
    values = [
        mindgap.compare(world=Truth, oracle=oracle, **ASKED).value for oracle in ([1, 0], truth, Planner)
    ]
    assert np.array_equal(values[0], values[1]) and np.array_equal(values[0], values[2])


class Walk:
    """A random walk on two places, all luck from the seed."""

    def reset(self, seed):
        self.generator = np.random.default_rng(seed)
        self.place = int(self.generator.integers(2))
        return self.place

    def step(self, action):
        reward = float(self.generator.normal() + (action == self.place))
        self.place = int(self.generator.integers(2))
        return reward, self.place


def test_results_do_not_depend_on_threads_and_luck_is_shared():
    asked = {**ASKED, "planners": ["sop", "thompson", "fisher"], "trials": 6, "horizons": 20}
    one, many = (mindgap.compare(world=Walk, threads=threads, **asked) for threads in (1, 4))
    assert np.array_equal(one.value, many.value)
    alone = mindgap.compare(world=Walk, **{**asked, "planners": ["fisher"]})
    assert np.array_equal(alone.value[:, 0], one.value[:, 2])
    later = mindgap.compare(world=Walk, first_trial=2, **{**asked, "trials": 2})
    assert np.array_equal(later.value, one.value[2:4])
    assert len(np.unique(one.value[:, 0])) == 6  # trials differ
    assert not np.array_equal(mindgap.compare(world=Walk, seed=1, **asked).value, one.value)


def test_seeds_of_units_are_their_own_and_the_same_for_all_planners():
    seen = []

    class Noted(Truth):
        def reset(self, seed):
            seen.append(seed)
            return super().reset(seed)

    mindgap.compare(world=Noted, threads=1, **ASKED)
    assert len(seen) == 12 and len(set(seen)) == 6  # 3 trials, 2 planners, 2 units
    assert all(0 <= seed < 2**32 for seed in seen)
    assert seen[0:2] == seen[2:4]  # the planners of trial 0


def test_states_may_be_named():
    model = mindgap.Mdp.from_arrays(
        np.stack([np.eye(2), np.eye(2)[::-1]]), np.eye(2), 0.9, layout="asS", state_names=["here", "there"]
    )
    model = model.with_prior(reward_sd=1.0, transition_strength=5.0).with_variance(0.01)

    class Named(Truth):
        def reset(self, seed):
            return "there" if super().reset(seed) else "here"

        def step(self, action):
            reward, place = super().step(action)
            return np.float32(reward), "there" if place else "here"

    named = mindgap.compare(world=Named, **{**ASKED, "simulator": model})
    numbered = mindgap.compare(world=Truth, **{**ASKED, "simulator": model})
    assert np.allclose(named.value, numbered.value, rtol=1e-6)


class Breaks(Truth):
    """Raises in every other trial, at the third step."""

    def reset(self, seed):
        self.steps = 0
        self.bad = seed % 2 == 0
        return super().reset(seed)

    def step(self, action):
        self.steps += 1
        if self.bad and self.steps == 3:
            raise ZeroDivisionError("the field is flooded")
        return super().step(action)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_world_that_raises_costs_its_trial_only(threads):
    asked = {**ASKED, "units": 1, "trials": 12, "threads": threads}
    with pytest.warns(
        UserWarning, match="left out of the comparison: trial .*the field is flooded"
    ) as warned:
        found = mindgap.compare(world=Breaks, **asked)
    failed = [failure.trial for failure in found.failures]
    assert failed and found.trials == [trial for trial in range(12) if trial not in failed]
    assert len(warned) == len(failed)
    whole = mindgap.compare(world=Truth, **asked)
    assert np.array_equal(found.value, whole.value[found.trials])  # the others are what they would have been
    first = found.failures[0]
    assert first.step == 2 and first.unit == 0 and first.planner == "sop" and first.seed % 2 == 0
    assert first.message == "ZeroDivisionError: the field is flooded"
    assert "Traceback" in first.traceback and "test_worlds.py" in first.traceback
    assert f"left out: trial {first.trial}, planner sop, unit 0 (seed {first.seed}) at step 2" in str(found)
    assert found.to_dict()["failures"][0]["trial"] == first.trial
    world = Breaks()  # the seed is enough to see it again
    world.reset(first.seed)
    with pytest.raises(ZeroDivisionError):
        [world.step(0) for _ in range(3)]


def test_a_world_that_always_raises():
    class Never(Truth):
        def reset(self, seed):
            raise RuntimeError("closed")

    with pytest.raises(
        mindgap.WorldError,
        match="(?s)failed in all 3 trials; the first: trial 0, .*RuntimeError: closed.*Traceback",
    ):
        mindgap.compare(world=Never, **ASKED)


class Unsure:
    def __index__(self):
        raise ValueError("which one")


class Unprintable(Exception):
    def __str__(self):
        raise ValueError("no words")

    __repr__ = __str__


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("caf\udce9"), "ValueError: caf\\udce9"),
        (Unprintable(), "Unprintable: <Unprintable that cannot be printed>"),
        (ValueError("a\0b"), "ValueError: a\0b"),
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_whatever_a_world_raises_costs_its_trial_only(error, message, threads):
    class Odd(Truth):
        def reset(self, seed):
            if seed % 2 == 0:
                raise error
            return super().reset(seed)

    with pytest.warns(UserWarning, match="left out of the comparison"):
        found = mindgap.compare(world=Odd, **{**ASKED, "units": 1, "trials": 12, "threads": threads})
    assert found.trials and found.failures
    assert {failure.message for failure in found.failures} == {message}
    assert all("Traceback" in f.traceback and "test_worlds.py" in f.traceback for f in found.failures)


@pytest.mark.parametrize(
    ("answer", "match"),
    [
        (None, "a pair \\(reward, next state\\) is wanted"),
        ((1.0,), "a pair"),
        ((1.0, 0, False, False, {}), "a pair"),
        ((1.0, 2), "the state is 2, but must be a number from 0 to 1"),
        ((1.0, -1), "the state is -1"),
        ((1.0, 0.5), "the state is 0.5"),
        ((1.0, "nowhere"), "the state is 'nowhere'"),
        ((float("nan"), 0), "reward is nan"),
        (("much", 0), "TypeError"),
        ((1.0, 10**30), "the state is 1000"),
        ((1.0, np.array([1])), "the state is array\\(\\[1\\]\\), but must be a number from 0 to 1"),
        ((1.0, "caf\udce9"), "the state is .*udce9"),
        ((1.0, Unsure()), "ValueError: which one"),
        ((1.0, Unprintable()), "the state is .*Unprintable that cannot be printed"),
        (Unprintable(), "Unprintable that cannot be printed.* came back"),
    ],
)
def test_answers_that_are_none(answer, match):
    class Odd(Truth):
        def step(self, action):
            return answer

    with pytest.raises(mindgap.WorldError, match=match):
        mindgap.compare(world=Odd, **ASKED)


@pytest.mark.parametrize("what", [KeyboardInterrupt, SystemExit])
def test_what_is_meant_to_end_the_program_does(what):
    class Ends(Truth):
        def step(self, action):
            raise what

    with pytest.raises(what):
        mindgap.compare(world=Ends, threads=2, **ASKED)


@pytest.mark.parametrize(
    ("asked", "match"),
    [
        ({"simulator": None}, "needs the model"),
        ({"world": 3}, "must be a class or a function"),
        ({"world": object}, "has no reset"),
        ({"case": "treasure"}, "takes no case 'treasure'"),
        ({"colour": "red"}, "takes no option 'colour'"),
        ({"out": "somewhere"}, "out: "),
        ({"oracle": [0]}, "1 actions came, but the simulator has 2 states"),
        ({"oracle": [0, 2]}, "oracle: action 2 in state 1"),
        ({"oracle": [0.5, 0.5]}, "oracle: whole numbers"),
        (
            {"oracle": mindgap.Mdp.from_arrays([[[1.0]]], [[0.0]], 0.9, layout="asS")},
            "oracle: its states and actions",
        ),
        ({"simulator": two_places().with_prior()}, "states no prior"),
        ({"units": 10**7}, "units is"),
        ({"planners": {"oracle": Truth}, "oracle": [1, 0]}, "oracle: there is one among the planners"),
    ],
)
def test_bad_arguments_are_refused(asked, match):
    with pytest.raises(mindgap.InvalidArgument, match=match):
        mindgap.compare(**{**ASKED, "world": Truth, **asked})


def test_a_simulator_without_a_variance_is_refused():
    bare = mindgap.Mdp.from_arrays(np.stack([np.eye(2)] * 2), np.eye(2), 0.9, layout="asS").with_prior(
        reward_sd=1.0
    )
    with pytest.raises(
        mindgap.InvalidArgument, match="variance of one observed reward: state it with Mdp.with_variance"
    ):
        mindgap.compare(world=Truth, **{**ASKED, "simulator": bare})


def test_worlds_and_planners_are_let_go():
    alive = weakref.WeakSet()

    class Kept(Truth):
        def __init__(self):
            alive.add(self)

    class Planner:
        def __init__(self, setting):
            alive.add(self)

        def choose(self, step, states):
            return np.zeros(len(states), dtype=int)

    mindgap.compare(world=Kept, **{**ASKED, "planners": ["asop", Planner]})
    gc.collect()
    assert len(alive) == 0


# Gymnasium


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
    with pytest.raises(mindgap.WorldError, match="is in 1, a state that the simulator has not got"):
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
    with pytest.raises(mindgap.WorldError, match="a state that the simulator has not got"):
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
    for seed in seeds:
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
        mindgap.WorldError, match="is in \\('moon',\\), a state that the simulator has not got"
    ):
        lost = worlds.from_function(climb, simulator=model, actions=["up", "wait"], start=("moon",))
        mindgap.compare(world=lost, simulator=model, planners=["sop"], trials=1)


def test_no_warnings_where_nothing_fails():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mindgap.compare(world=Truth, **ASKED)
