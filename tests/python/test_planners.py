"""Planners of ours in somebody else's loop."""

import subprocess
import sys
import time
import timeit
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import mindgap

ROOT = Path(__file__).parents[2]
VANS = mindgap.read_model(ROOT / "examples/vans")
STEPS, UNITS = 30, 4


class Model:
    """A model as a truth; for all units together, in plain NumPy."""

    def __init__(self, model, seed):
        self.model = model
        self.generator = np.random.default_rng(seed)

    def step(self, states, actions):
        pairs = [self.model.find_pair(int(s), int(a)) for s, a in zip(states, actions)]
        u = self.generator.random(len(pairs))
        rows = [slice(*self.model.row_begin[k : k + 2]) for k in pairs]
        at = [
            min(int(np.searchsorted(np.cumsum(self.model.probability[r]), x)), r.stop - r.start - 1)
            for r, x in zip(rows, u)
        ]
        return self.model.reward[pairs], np.array([self.model.next_state[r][i] for r, i in zip(rows, at)])


def walk(name, seed=42, **options):
    planner = mindgap.planners.make(name, simulator=VANS, units=UNITS, horizon=STEPS, seed=seed, **options)
    world = Model(VANS, 1)
    states, taken = np.zeros(UNITS, dtype=int), []
    for _ in range(STEPS):
        actions = planner.choose(states)
        rewards, following = world.step(states, actions)
        planner.observe(states, actions, rewards, following)
        states = following
        taken.append(actions.tolist())
    assert planner.step == STEPS and name in repr(planner)
    return taken


@pytest.mark.parametrize("name", mindgap.planners.names())
def test_every_planner_acts_and_repeats_itself(name):
    assert walk(name) == walk(name)


def test_seeds_and_options_reach_it():
    assert walk("epsilon", epsilon=0) != walk("epsilon", epsilon=1) != walk("epsilon", epsilon=1, seed=43)
    policy = mindgap.solve(VANS).policy
    planner = mindgap.planners.make("sop", simulator=ROOT / "examples/vans", horizon=10)
    assert [planner.act(s) for s in range(VANS.states)] == policy.tolist()


def test_it_is_the_planner_that_is_compared():
    # The same planner, driven by compare() and by hand in the same world, gathers the same.
    total = []

    class ByHand:
        name = "by-hand"

        def __init__(self, setting):
            self.inner = mindgap.planners.make(
                "fisher",
                simulator=VANS,
                units=setting.units,
                horizon=setting.horizon,
                seed=setting.seed,
                trial=setting.trial,
            )

        def choose(self, step, states):
            return self.inner.choose(states)

        def observe(self, step, states, actions, rewards, next_states):
            self.inner.observe(states, actions, rewards, next_states)
            total.append(rewards.sum())

    class World:
        def reset(self, seed):
            self.world, self.state = Model(VANS, seed), np.array([0])
            return 0

        def step(self, action):
            rewards, self.state = self.world.step(self.state, [action])
            return rewards[0], self.state[0]

    found = mindgap.compare(
        world=World,
        simulator=VANS,
        planners=["fisher", ByHand],
        trials=2,
        horizons=STEPS,
        units=UNITS,
        threads=1,
    )
    assert np.array_equal(found.value[:, 0], found.value[:, 1])
    assert sum(total) == pytest.approx(found.value[:, 1].sum())


def test_a_planner_with_a_loop_of_its_own_learns():
    """One unit, the plain way: A-SOP comes to leave a place that pays less than the simulator says."""
    # Two states; staying in either pays 1 and 0.8 by the simulator, but really 0 in the first.
    model = small_model()
    planner = mindgap.planners.make("asop", simulator=model, horizon=40)
    state, took = 0, []
    for _ in range(40):
        action = planner.act(state)
        following = state if action == 0 else 1 - state
        reward = (0.0 if state == 0 else 0.8) if action == 0 else 0.0
        planner.observe(state, action, reward, following)
        state = following
        took.append(state)
    assert took[0] == 0 and took[-20:] == [1] * 20


def small_model():
    """Action 0 stays and pays, action 1 changes places and pays nothing."""
    model = mindgap.Mdp.from_arrays(
        np.stack([np.eye(2), np.eye(2)[::-1]]), [[1.0, 0.0], [0.8, 0.0]], 0.9, layout="asS", name="two places"
    )
    return model.with_prior(reward_sd=1.0, transition_strength=5.0).with_variance(0.01)


@pytest.mark.parametrize("name", mindgap.planners.names())
@pytest.mark.parametrize("told", [1, 5, 7])
def test_it_may_be_told_before_it_is_asked(name, told):
    planner = mindgap.planners.make(name, simulator=VANS, horizon=STEPS)
    state, action = 1, int(VANS.pair_action[VANS.pair_begin[1]])
    for _ in range(told):
        planner.observe(state, action, 1.0, state)
    for state in range(VANS.states):
        assert VANS.find_pair(state, planner.act(state)) >= 0
    assert planner.step == told


def test_what_it_was_told_before_counts():
    # The first place pays 1 by the simulator and 0 by what was seen, the second 0.8.
    planner = mindgap.planners.make("asop", simulator=small_model(), horizon=40)
    assert planner.act(0) == 0
    planner = mindgap.planners.make("asop", simulator=small_model(), horizon=40)
    for _ in range(3):
        planner.observe(0, 0, 0.0, 0)
    assert planner.act(0) == 1


def test_plain_numbers_and_arrays_are_the_same():
    def told(*seen):
        planner = mindgap.planners.make("ids", simulator=small_model(), horizon=40, replan_every=1)
        for _ in range(3):
            planner.observe(*seen)
        return [planner.act(state) for state in (0, 1)], planner.step

    plain = told(0, 0, 0.0, 0)
    assert plain == told([0], [0], [0.0], [0]) == told(0, 0, 0, 0)
    assert plain == told(np.int64(0), np.int32(0), np.float32(0), np.array(0))


@pytest.mark.parametrize(
    ("seen", "match"),
    [
        ((2, 0, 0.0, 0), "state is 2"),
        ((-1, 0, 0.0, 0), "no such numbers"),
        ((2**40, 0, 0.0, 0), "no such numbers"),
        ((2**80, 0, 0.0, 0), "expected whole numbers"),
        ((0, 5, 0.0, 0), "action 5 in state 0 is not"),
        ((0, 0, float("nan"), 0), "rewards"),
        ((0, 0, 10**400, 0), "expected numbers"),
        ((0, 0, "1", 0), "expected numbers"),
        ((0, 0, 0.0, 2), "state is 2"),
        ((0, 0, 0.0, 0.0), "whole numbers"),
        ((True, 0, 0.0, 0), "whole numbers"),
    ],
)
def test_plain_numbers_that_are_none(seen, match):
    planner = mindgap.planners.make("asop", simulator=small_model(), horizon=5)
    with pytest.raises(mindgap.InvalidArgument, match=match):
        planner.observe(*seen)
    assert planner.step == 0


def test_loops_are_not_held_up():
    # About 1.5 microseconds to ask and 1 to tell; ten times that is for slow machines.
    planner = mindgap.planners.make("sop", simulator=small_model(), horizon=5)
    state, reward = np.int64(0), np.float64(1.0)
    asked = min(timeit.repeat(lambda: planner.act(0), number=2000, repeat=5)) / 2000
    told = min(timeit.repeat(lambda: planner.observe(state, 0, reward, state), number=2000, repeat=5)) / 2000
    assert asked < 15e-6 and told < 10e-6


INTERRUPTED = """
import signal, threading, time
import numpy as np
import mindgap

generator = np.random.default_rng(1)
rows, rewards = generator.dirichlet(np.ones(200), (200, 4)), generator.normal(size=(200, 4))
model = mindgap.Mdp.from_arrays(rows, rewards, 0.99)
model = model.with_prior(reward_sd=1.0, transition_strength=5.0).with_variance(1.0)
planner = mindgap.planners.make("ids", simulator=model, units=20, horizon=1000, draws=1500)
threading.Timer(1, lambda: signal.raise_signal(signal.SIGINT)).start()
began = time.monotonic()
try:
    planner.choose(np.zeros(20, dtype=int))
except KeyboardInterrupt:
    print("stopped", time.monotonic() - began, planner.step)
"""


def test_ctrl_c_stops_it():
    said = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, cwd=ROOT, timeout=60
    )
    assert said.stdout.startswith("stopped"), said.stderr
    _, seconds, step = said.stdout.split()
    assert float(seconds) < 8 and step == "0"  # one until the signal; minutes without it


@pytest.mark.parametrize(
    ("asked", "match"),
    [
        ({"name": "fischer"}, "there is no planner 'fischer'; there are: fisher"),
        ({"horizon": 0}, "horizon is 0"),
        ({"horizon": 1.5}, "horizon is 1.5, but must be a whole number"),
        ({"units": "2"}, "units is '2', but must be a whole number"),
        ({"seed": -1}, "seed is -1, but must be a whole number from 0"),
        ({"trial": None}, "trial is None, but must be a whole number from 0"),
        ({"name": 3}, "name must be a text, but is 3"),
        ({"epsilon": "a"}, "epsilon must be a number, but is 'a'"),
        ({"epsilon": "0.5"}, "epsilon must be a number, but is '0.5'"),
        ({"units": 0}, "units is 0"),
        ({"epsilon": 2}, "epsilon is 2"),
        ({"epsilom": 0.5}, "there is no option of planners 'epsilom'; there are: epsilon"),
        ({"draws": 3.5}, "draws is 3.5, but must be a whole number"),
        ({"simulator": small_model().with_prior()}, "states no prior"),
    ],
)
def test_bad_settings_are_refused(asked, match):
    with pytest.raises(mindgap.InvalidArgument, match=match):
        mindgap.planners.make(**{"name": "asop", "simulator": small_model(), "horizon": 5, **asked})


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda p: p.choose([0]), "states has 1"),
        (lambda p: p.choose([0, 2]), "state is 2"),
        (lambda p: p.choose([0, -1]), "no such numbers"),
        (lambda p: p.choose([0.0, 1.0]), "whole numbers"),
        (lambda p: p.choose([[0, 1]]), "whole numbers"),
        (lambda p: p.act(0), "use choose"),
        (lambda p: p.observe([0, 1], [0, 5], [0, 0], [0, 1]), "action 5 in state 1 is not"),
        (lambda p: p.observe([0, 1], [0, 0], [0, np.nan], [0, 1]), "rewards"),
        (lambda p: p.observe([0, 1], [0, 0], [0], [0, 1]), "rewards has 1"),
        (lambda p: p.observe([0, 1], [0, 0], [0, 0], [0, 2]), "state is 2"),
        (lambda p: p.observe([0, 1], [0, 0], ["a", "b"], [0, 1]), "expected numbers"),
    ],
)
def test_bad_calls_are_refused(call, match):
    planner = mindgap.planners.make("asop", simulator=small_model(), units=2, horizon=5)
    with pytest.raises(mindgap.InvalidArgument, match=match):
        call(planner)
    assert planner.step == 0


class Ring(gymnasium.Env):
    """1 - 2 - ... - 6 - 1, from 4: action 5 goes back and 6 goes on; entering 1 pays 1."""

    observation_space = gymnasium.spaces.Discrete(6, start=1)
    action_space = gymnasium.spaces.Discrete(2, start=5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = np.int64(4)
        return self.state, {}

    def step(self, action):
        assert action in self.action_space
        self.state = np.int64((self.state - 1 + (1 if action == 6 else -1)) % 6 + 1)
        return self.state, float(self.state == 1), False, False, {}


@pytest.mark.parametrize("name", ["sop", "asop"])
def test_a_gymnasium_loop_speaks_as_the_environment_does(name):
    env = Ring()
    model = mindgap.Mdp.from_gymnasium(env, 0.9, steps=2000)
    assert model.state_names == list("123456") and model.action_names == ["5", "6"]
    planner = mindgap.planners.make(name, simulator=model, horizon=9)
    # The nearest way to 1; from 1 itself and from 4 both are as good.
    assert [planner.act(state) for state in (2, 3, 5, 6)] == [5, 5, 6, 6]
    assert planner.act("3") == planner.act(np.int32(3)) == planner.act(np.array(3)) == 5
    assert planner.choose([6]).tolist() == planner.choose(["6"]).tolist() == [6]
    state, _ = env.reset(seed=1)
    total = 0
    for _ in range(3):
        action = planner.act(state)
        following, reward, *_ = env.step(action)
        planner.observe(state, action, reward, following)
        state, total = following, total + reward
    assert total == 1 and planner.step == 3
    for state in (0, 7, -1, "0", 2**70):
        with pytest.raises(mindgap.InvalidArgument, match="what sampling never saw|whole numbers"):
            planner.act(state)
        with pytest.raises(mindgap.InvalidArgument, match="next_states: "):
            planner.observe(4, 5, 0.0, state)
    with pytest.raises(mindgap.InvalidArgument, match=r"actions: the simulator has no 1: .*\(5, 6\)"):
        planner.observe(4, 1, 0.0, 3)
    assert planner.step == 3
    # What compare() and to_env() show are numbers.
    by_number = mindgap.planners.make(name, simulator=model, horizon=9, numbers=True)
    assert [by_number.act(state) for state in (1, 2, 4, 5)] == [0, 0, 1, 1]


def test_states_that_a_sample_missed_are_refused():
    model = mindgap.Mdp.from_gymnasium(gymnasium.make("FrozenLake-v1"), 0.99, steps=60, seed=1)
    policy = mindgap.solve(model).policy
    planner = mindgap.planners.make("sop", simulator=model, horizon=9)
    seen = [int(name) for name in model.state_names]
    assert [planner.act(state) for state in seen] == [policy[model.find_state(str(s))] for s in seen]
    missed = set(range(16)) - set(seen)
    assert missed
    for state in missed:
        with pytest.raises(mindgap.InvalidArgument, match=f"has no {state}: .*what sampling never saw"):
            planner.act(state)


def test_states_by_what_an_environment_shows():
    model = mindgap.Mdp.from_gymnasium(gymnasium.make("Blackjack-v1"), 0.99, steps=3000)
    planner = mindgap.planners.make("sop", simulator=model, horizon=5)
    number = model.find_state("(20, 10, 0)")
    assert planner.act((20, 10, 0)) == planner.act("(20, 10, 0)") == planner.act(number)
    assert planner.choose([(20, 10, 0)]).tolist() == [planner.act(number)]
    planner.observe((20, 10, 0), 0, 1.0, (20, 10, 0))
    with pytest.raises(mindgap.InvalidArgument, match=r"has no \(2, 10, 1\)"):
        planner.act((2, 10, 1))
    names = [VANS.state_names[state] for state in (1, 2)]
    planner = mindgap.planners.make("sop", simulator=VANS, units=2, horizon=5)
    assert planner.choose(names).tolist() == planner.choose([1, 2]).tolist()
    assert planner.choose(np.array(names)).tolist() == planner.choose((1, 2)).tolist()
    action = VANS.action_names[VANS.pair_action[VANS.pair_begin[1]]]
    other = VANS.action_names[VANS.pair_action[VANS.pair_begin[2]]]
    planner.observe(names, [action, other], [0.0, 0.0], names)


def test_a_belief_of_ones_own():
    belief = mindgap.planners.Belief(small_model())
    # One reward of 3 where the prior is N(1, 1) and the noise 0.01: (1 + 3 / .01) / (1 + 1 / .01) = 301 /
    # 101.
    belief.observe([0], [0], [3.0], [0])
    assert belief.mean().reward[0] == pytest.approx(301 / 101, rel=1e-14)
    assert belief.reward_sd[0] == pytest.approx((1 / 101) ** 0.5, rel=1e-14)
    assert belief.transition_strength.tolist() == [6, 5, 5, 5]
    with pytest.raises(mindgap.InvalidArgument):
        belief.observe([0], [0], [1.0], [9])
