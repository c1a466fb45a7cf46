"""Gymnasium: its toy-text tables as models, what rollouts show, and models as environments."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env

import mindgap
from mindgap import InvalidArgument, InvalidModel, Mdp

TOY_TEXT = [
    ("FrozenLake-v1", {}),
    ("FrozenLake-v1", {"is_slippery": False}),
    ("FrozenLake-v1", {"map_name": "8x8"}),
    ("CliffWalking-v1", {}),
    ("CliffWalking-v1", {"is_slippery": True}),
    ("Taxi-v3", {}),
]


def table_values(table, discount):
    """Value iteration on env.P, as plain as it can be; to 1e-12."""
    states, actions = len(table), len(table[0])
    value = np.zeros(states)
    while True:
        backup = np.array(
            [
                [
                    sum(
                        p * (reward + (0 if over else discount * value[int(to)]))
                        for p, to, reward, over in table[s][a]
                    )
                    for a in range(actions)
                ]
                for s in range(states)
            ]
        ).max(axis=1)
        if np.abs(backup - value).max() < 1e-12 * (1 - discount):
            return backup
        value = backup


@pytest.mark.parametrize("name, words", TOY_TEXT)
def test_toy_text_optima(name, words):
    env = gymnasium.make(name, **words)
    discount = 0.9
    model = Mdp.from_gymnasium(env, discount)
    found = mindgap.solve(model, tolerance=1e-12)
    states = env.observation_space.n
    wanted = table_values(env.unwrapped.P, discount)
    alive = ~model.ends[:states]
    np.testing.assert_allclose(found.value[:states][alive], wanted[alive], rtol=0, atol=1e-8)
    np.testing.assert_array_equal(model.start[:states], env.unwrapped.initial_state_distrib)
    assert found.value_at_start == pytest.approx(env.unwrapped.initial_state_distrib @ wanted, abs=1e-8)
    assert model.name == name


def test_published_values():
    # FrozenLake without slipping: the goal is 6 steps away and pays 1 on arrival; on 8x8 it is 14.
    for map_name, steps in (("4x4", 6), ("8x8", 14)):
        env = gymnasium.make("FrozenLake-v1", map_name=map_name, is_slippery=False)
        value = mindgap.solve(Mdp.from_gymnasium(env, 0.99)).value_at_start
        assert value == pytest.approx(0.99 ** (steps - 1), abs=1e-9)
    # CliffWalking: 13 steps of -1 along the edge (Sutton and Barto, example 6.6).
    value = mindgap.solve(Mdp.from_gymnasium(gymnasium.make("CliffWalking-v1"), 0.99)).value_at_start
    assert value == pytest.approx(-(1 - 0.99**13) / 0.01, abs=1e-7)
    # FrozenLake 4x4 with slipping: the best policy reaches the goal with probability 14/17 in the end.
    lake = Mdp.from_gymnasium(gymnasium.make("FrozenLake-v1"), 1.0)
    assert mindgap.solve(lake, horizon=5000).value_at_start == pytest.approx(14 / 17, abs=1e-9)


def test_ends_are_ends():
    # FrozenLake: holes and goal stay what they are, with one action. CliffWalking: the goal is only ever
    # entered as an end, so it is one. Taxi: where it ends can also be passed alive, so there is a state more.
    lake = Mdp.from_gymnasium(gymnasium.make("FrozenLake-v1"), 0.9)
    assert np.flatnonzero(lake.ends).tolist() == [5, 7, 11, 12, 15] and lake.states == 16
    assert lake.pairs == 11 * 4 + 5
    cliff = Mdp.from_gymnasium(gymnasium.make("CliffWalking-v1"), 0.9)
    assert np.flatnonzero(cliff.ends).tolist() == [47] and cliff.states == 48
    taxi = Mdp.from_gymnasium(gymnasium.make("Taxi-v3"), 0.9)
    assert np.flatnonzero(taxi.ends).tolist() == [500] and taxi.state_names[500] == "end"


def test_a_start_of_ones_own():
    taxi = gymnasium.make("Taxi-v3")
    for start in (7, {7: 1.0}, np.eye(500)[7]):
        model = Mdp.from_gymnasium(taxi, 0.9, start=start)
        assert model.states == 501 and np.flatnonzero(model.start).tolist() == [7]
    # Whoever starts in the goal of CliffWalking is alive there: ends lead elsewhere.
    assert Mdp.from_gymnasium(gymnasium.make("CliffWalking-v1"), 0.9, start=47).states == 49


def test_duplicates_in_the_table_are_added():
    # Left in the corner of FrozenLake: up and left both stay (2/3), down goes to 4.
    lake = Mdp.from_gymnasium(gymnasium.make("FrozenLake-v1"), 0.9)
    pair = lake.find_pair(0, 0)
    entries = slice(*lake.row_begin[pair : pair + 2])
    assert lake.next_state[entries].tolist() == [0, 4]
    np.testing.assert_allclose(lake.probability[entries], [2 / 3, 1 / 3], rtol=1e-15)


class Chain(gymnasium.Env):
    """0 - 1 - 2: action 1 moves on with probability 0.75, action 0 stays; arriving in 2 pays 1 and ends."""

    observation_space = spaces.Discrete(3)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = 0
        return self.state, {}

    def step(self, action):
        if action == 1 and self.np_random.random() < 0.75:
            self.state += 1
        return self.state, float(self.state == 2), self.state == 2, False, {}


class Table(Chain):
    """Chain with a table and no start distribution: where it starts is counted."""

    P = {
        0: {0: [(1.0, 0, 0.0, False)], 1: [(0.75, 1, 0.0, False), (0.25, 0, 0.0, False)]},
        1: {0: [(1.0, 1, 0.0, False)], 1: [(0.75, 2, 1.0, True), (0.25, 1, 0.0, False)]},
        2: {0: [(1.0, 2, 0.0, True)], 1: [(1.0, 2, 0.0, True)]},
    }


def test_an_unstated_start_is_counted():
    model = Mdp.from_gymnasium(Table(), 0.9)
    assert model.start.tolist() == [1, 0, 0] and model.ends.tolist() == [False, False, True]
    assert model.name == "Table"


def test_rollouts_find_the_model_and_say_how_often_they_looked():
    model = Mdp.from_gymnasium(Chain(), 0.9, steps=20_000, seed=3)
    truth = Mdp.from_gymnasium(Table(), 0.9)
    assert (model.states, model.actions, model.pairs) == (3, 2, 5)
    assert model.ends.tolist() == [False, False, True]
    assert model.start.tolist() == [1, 0, 0]
    assert model.coverage[:4].sum() == 20_000, "every step is counted"
    # 0.75 within five standard errors of a frequency over the count.
    for state in (0, 1):
        pair = model.find_pair(state, 1)
        moved = model.probability[model.row_begin[pair + 1] - 1]
        assert abs(moved - 0.75) < 5 * np.sqrt(0.75 * 0.25 / model.coverage[pair])
    # Arriving pays 1 with probability 0.75: the variance of one reward is 3/16, and 0 where nothing is paid,
    # up to the one observation of the common variance.
    assert model.variance[model.find_pair(1, 1)] == pytest.approx(3 / 16, abs=0.02)
    assert 0 < model.variance[model.find_pair(0, 1)] < 1 / model.coverage[model.find_pair(0, 1)]
    assert mindgap.solve(model).value_at_start == pytest.approx(mindgap.solve(truth).value_at_start, abs=0.02)
    # Ends are known: as often covered as reached, without variance.
    assert model.coverage[4] == round(model.coverage[3] * model.probability[model.row_begin[4] - 1])
    assert model.variance[4] == 0


def test_rollouts_repeat_themselves():
    first, again = (Mdp.from_gymnasium(Chain(), 0.9, episodes=50, seed=5) for _ in range(2))
    assert first == again
    assert Mdp.from_gymnasium(Chain(), 0.9, episodes=50, seed=6) != first
    assert first.coverage[first.find_pair(2, 0)] == 50, "every episode ended once"


def test_rollouts_with_a_policy_and_progress():
    told = []
    model = Mdp.from_gymnasium(
        Chain(), 0.9, episodes=20, policy=lambda state, rng: 1, progress=lambda *what: told.append(what)
    )
    assert model.pairs == 3, "what was never tried is not available"
    assert told[-1] == ("sampling", 20, 20)
    with pytest.raises(InvalidArgument, match="7 is none of the 2 actions"):
        Mdp.from_gymnasium(Chain(), 0.9, episodes=1, policy=lambda state, rng: 7)


def test_states_that_were_never_left_are_said():
    env = gymnasium.wrappers.TimeLimit(Chain(), 1)  # cut off after one step: state 1 is entered, never left
    with pytest.warns(UserWarning, match="1 of 2 states were never left in the sample") as told:
        model = Mdp.from_gymnasium(env, 0.9, steps=100)
    assert told[0].filename == __file__
    pair = model.find_pair(1, 0)
    assert model.coverage[pair] == 0 and model.reward[pair] == 0


def test_tuples_of_discrete_spaces():
    # Blackjack has no table; its states are (sum, dealer's card, usable ace).
    model = Mdp.from_gymnasium(gymnasium.make("Blackjack-v1"), 1.0, steps=10_000)
    assert "(20, 10, 0)" in model.state_names and model.actions == 2
    stick = model.find_pair(model.find_state("(20, 10, 0)"), 0)
    # Sticking on 20 against a ten wins, ties or loses; published expectation +0.44 (infinite deck).
    assert abs(model.reward[stick] - 0.44) < 5 * np.sqrt(model.variance[stick] / model.coverage[stick])


def test_composed_action_spaces():
    class Two(gymnasium.Env):
        observation_space = spaces.Dict({"a": spaces.Discrete(2), "b": spaces.MultiBinary(1)})
        action_space = spaces.MultiDiscrete([2, 3])

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            return {"a": 0, "b": np.array([0])}, {}

        def step(self, action):
            assert isinstance(action, np.ndarray) and action.shape == (2,)
            return {"a": int(action[0]), "b": np.array([int(action[1] == 2)])}, 1.0, False, False, {}

    model = Mdp.from_gymnasium(Two(), 0.9, steps=2000)
    assert (model.states, model.actions, model.pairs) == (4, 6, 24)
    assert model.action_names[5] == "(1, 2)" and model.state_names[0] == "(('a', 0), ('b', (0,)))"


@pytest.mark.parametrize(
    "space",
    [
        spaces.MultiDiscrete([1000] * 5),
        spaces.MultiBinary(5000),
        spaces.Discrete(10**9),
        spaces.Tuple([spaces.Discrete(1001), spaces.Dict({"a": spaces.Discrete(1000)})]),
    ],
)
def test_too_many_actions_are_refused(space):
    class Vast(Chain):
        action_space = space

    with pytest.raises(InvalidArgument, match="more than 1000000 actions"):
        Mdp.from_gymnasium(Vast(), 0.9, steps=10)


def test_continuous_spaces_are_refused():
    both = r"the observation space has Box.*Simulator.from_gymnasium\(env, grid.*Mdp.from_gymnasium\(env, discount, grid="
    with pytest.raises(InvalidArgument, match=both):
        Mdp.from_gymnasium(gymnasium.make("CartPole-v1"), 0.9)
    for words in ({"actions": [0]}, {"state_of": lambda shown: shown}):
        with pytest.raises(InvalidArgument, match="needs grid"):
            Mdp.from_gymnasium(gymnasium.make("FrozenLake-v1"), 0.9, **words)
    with pytest.raises(InvalidArgument, match=r"space has Box"):
        Mdp.from_gymnasium(gymnasium.make("MountainCarContinuous-v0"), 0.9)


def test_what_is_no_environment_is_refused():
    with pytest.raises(InvalidArgument, match="wants an environment of Gymnasium, but got a int"):
        Mdp.from_gymnasium(3, 0.9)
    with pytest.raises(InvalidArgument, match="vector"):
        Mdp.from_gymnasium(gymnasium.make_vec("FrozenLake-v1", num_envs=2), 0.9)
    for words, problem in (({"steps": 0}, "steps"), ({"episodes": 1.5}, "episodes"), ({"seed": -1}, "seed")):
        with pytest.raises(InvalidArgument, match=problem):
            Mdp.from_gymnasium(Chain(), 0.9, **words)

    class Broken(Table):
        P = {0: {0: [(1.0, 0, 0.0)]}}

    with pytest.raises(InvalidModel, match=r"env.P\[0\]\[0\] must be a list of"):
        Mdp.from_gymnasium(Broken(), 0.9)

    class Outside(Table):
        P = {0: {0: [(1.0, 4, 0.0, False)]}}

    with pytest.raises(InvalidModel, match="next state 4"):
        Mdp.from_gymnasium(Outside(), 0.9)


@pytest.mark.parametrize(
    "begins, comes, problem",
    [
        ((0, {}), (1, 0.0, True, {}), r"env.step\(0\) in 0 must return \(observation, .* \(1, 0.0, True"),
        ((0, {}), None, "but returned None"),
        ((0, {}), (1, None, False, False, {}), r"must return .* but returned \(1, None, False"),
        ((0, {}), (1, "1.0", False, False, {}), "must return"),
        ((0, {}), (1, np.zeros(2), False, False, {}), "must return"),
        ((0, {}), (1, np.inf, False, False, {}), r"env.step\(0\) in 0 returned the reward inf, .*not finite"),
        ((0, {}), (None, 0.0, False, False, {}), "in 0 returned the observation None, which is not in"),
        ((0, {}), (7, 0.0, False, False, {}), r"returned the observation 7, .*space Discrete\(3\)"),
        ((0, {}), (0.5, 0.0, False, False, {}), "returned the observation 0.5"),
        ((0, {}), ([1], 0.0, False, False, {}), r"returned the observation \[1\]"),
        (0, (1, 0.0, False, False, {}), r"env.reset\(\) must return \(observation, info\), but returned 0"),
        (None, (1, 0.0, False, False, {}), "but returned None"),
        ((3, {}), (1, 0.0, False, False, {}), r"env.reset\(\) returned the observation 3"),
    ],
)
def test_what_environments_return_is_looked_at(begins, comes, problem):
    class Wrong(Chain):
        def reset(self, *, seed=None, options=None):
            return begins

        def step(self, action):
            return comes

    with pytest.raises(InvalidArgument, match=problem):
        Mdp.from_gymnasium(Wrong(), 0.9, steps=50, policy=lambda observation, rng: 0)


@pytest.mark.parametrize("state, to", [(0, 0.7), (0.5, 0), (0, None), (0, np.nan), (0, np.inf)])
def test_states_of_tables_are_whole_numbers(state, to):
    class Wrong(Table):
        P = {state: {0: [(1.0, to, 0.0, False)]}}

    problem = rf"env.P\[{state}\]\[0\] must be a list of .* but has \(1.0, {to}, 0"
    with pytest.raises(InvalidModel, match=problem):
        Mdp.from_gymnasium(Wrong(), 0.9)


@pytest.mark.parametrize("begins", [0, (7, {}), (None, {}), None])
def test_starts_of_tables_are_states(begins):
    class Wrong(Table):
        def reset(self, *, seed=None, options=None):
            return begins

    with pytest.raises(InvalidArgument, match=r"env.reset\(\) must return .* returned (0|7|None)$"):
        Mdp.from_gymnasium(Wrong(), 0.9)


def test_tables_with_gaps_and_zeros():
    class Gaps(Chain):
        action_space = spaces.Discrete(3)
        # State 0 has the actions 0 and 2; an impossible entry ends in a state that is passed alive.
        P = {
            0: {0: [(1.0, 1, 1.0, False), (0.0, 1, 9.0, True)], 2: [(1.0, 0, 2.0, False)]},
            1: {1: [(1.0, 1, 0.0, False)]},
        }

    model = Mdp.from_gymnasium(Gaps(), 0.9)
    assert (model.states, model.actions, model.pairs) == (2, 3, 3)
    assert model.find_pair(0, 1) == -1 and model.reward.tolist() == [1, 2, 0]
    assert model.next_state.tolist() == [1, 0, 1]


@pytest.mark.parametrize("noise", [False, True])
def test_models_are_environments(noise):
    from pathlib import Path

    vans = mindgap.read_model(
        Path(__file__).parents[2] / "examples/vans"
    )  # not every action is available everywhere
    check_env(vans.to_env(noise=noise), skip_render_check=True)
    check_env(Mdp.from_gymnasium(gymnasium.make("Taxi-v3"), 0.9).to_env(), skip_render_check=True)


def test_an_environment_does_what_its_model_says():
    # There and back: a model's environment, sampled, is the model again.
    model = Mdp.from_gymnasium(gymnasium.make("FrozenLake-v1", is_slippery=False), 0.9)
    back = Mdp.from_gymnasium(model.to_env(), 0.9, steps=5_000)
    number = [int(name) for name in back.state_names]
    for pair in range(back.pairs):
        state, action = number[back.pair_state[pair]], back.pair_action[pair]
        same = model.find_pair(state, action)
        to = back.next_state[back.row_begin[pair] : back.row_begin[pair + 1]]
        assert [number[s] for s in to] == [model.next_state[model.row_begin[same]]]
        assert back.reward[pair] == model.reward[same]
    slippery = Mdp.from_gymnasium(gymnasium.make("FrozenLake-v1"), 0.9)
    sampled = Mdp.from_gymnasium(slippery.to_env(), 0.9, steps=20_000)
    assert sampled.states == 16 and sampled.pairs == slippery.pairs
    np.testing.assert_array_equal(sampled.row_begin, slippery.row_begin)
    np.testing.assert_array_equal(sampled.next_state, slippery.next_state)
    # Frequencies within five standard errors.
    p, count = slippery.probability, np.repeat(sampled.coverage, np.diff(sampled.row_begin))
    assert (np.abs(sampled.probability - p) <= 5 * np.sqrt(p * (1 - p) / count) + 1e-12).all()


def test_an_environment_by_hand():
    model = Mdp.from_arrays(
        np.array([[[0, 1, 0], [0, 0, 1], [0, 0, 1.0]]]), [1, 2, 0], 0.9, start=0, state_names=["a", "b", "c"]
    )
    env = model.to_env()
    observation, info = env.reset(seed=1)
    assert observation == 0 and info["action_mask"].tolist() == [1]
    assert env.step(0)[:4] == (1, 1.0, False, False)
    assert env.step(0)[:4] == (2, 2.0, True, False)
    assert env.reset(options={"state": "b"})[0] == 1
    with pytest.raises(InvalidArgument, match="'q', which does not exist"):
        env.reset(options={"state": "q"})
    with pytest.raises(InvalidArgument, match="variance"):
        model.to_env(noise=True)


def test_actions_that_are_not_available():
    P = np.array([[[0, 1], [0, 1.0]], [[0, 0], [1, 0]]])  # action 1 only in state 1
    model = Mdp.from_arrays(P, [[1, 0], [2, 3]], 0.9, layout="asS", start=0)
    env = model.to_env()
    _, info = env.reset(seed=1)
    assert info["action_mask"].tolist() == [1, 0]
    observation, reward, _, _, info = env.step(1)
    assert (observation, reward, info["action"]) == (1, 1.0, 0), "the first available one instead"
    strict = model.to_env(strict=True)
    strict.reset(seed=1)
    with pytest.raises(InvalidArgument, match="action 1 is not available in state '0'"):
        strict.step(1)
    with pytest.raises(InvalidArgument, match="action 2"):
        env.step(2)


def test_noise_has_the_stated_variance():
    model = Mdp.from_arrays(np.ones((1, 1, 1)), [5.0], 0.9).with_variance(4)
    env = model.to_env(noise=True)
    env.reset(seed=2)
    rewards = np.array([env.step(0)[1] for _ in range(4000)])
    assert abs(rewards.mean() - 5) < 5 * 2 / np.sqrt(4000)
    assert abs(rewards.var() - 4) < 5 * 4 * np.sqrt(2 / 4000)


def test_wrappers_that_a_table_does_not_show_are_said():
    plain = gymnasium.make("FrozenLake-v1")  # with what gymnasium.make itself wraps around it
    model = Mdp.from_gymnasium(plain, 0.9)
    doubled = gymnasium.wrappers.TransformReward(plain, lambda reward: 2 * reward)
    with pytest.warns(UserWarning, match="table of FrozenLakeEnv, in which TransformReward .* say steps="):
        assert Mdp.from_gymnasium(doubled, 0.9) == model
    sure = gymnasium.make("FrozenLake-v1", is_slippery=False)  # the goal pays 1, and 1 of 60 walks gets there
    doubled = gymnasium.wrappers.TransformReward(sure, lambda reward: 2 * reward)
    assert Mdp.from_gymnasium(doubled, 0.9, steps=20_000).reward_max == 2  # sampled: nothing to warn of
