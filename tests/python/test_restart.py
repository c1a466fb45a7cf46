"""Episodes that begin again."""

import warnings

import numpy as np
import pytest

import mindgap

gymnasium = pytest.importorskip("gymnasium")


def lake(slippery=False, fields="SFG"):
    return gymnasium.make(
        "FrozenLake-v1", desc=[fields], is_slippery=slippery, max_episode_steps=-1, disable_env_checker=True
    )


def value_of_strip(discount, slip):
    """S, F, G in a row, the goal pays 1 and one begins at S again. A step succeeds with probability q (1, or 1/3 on
    slippery ice, where up and down stay): V(S) = g (q V(F) + (1 - q) V(S)), V(F) = q (1 + g V(S)) + (1 - q) g V(F)."""
    q = 1 / 3 if slip else 1.0
    a, b = discount * q, discount * (1 - q)
    return a * q / ((1 - b) ** 2 - a**2)


@pytest.mark.parametrize("slip", [False, True])
def test_the_value_of_a_tiny_lake_by_hand(slip):
    model = mindgap.Mdp.from_gymnasium(lake(slip), discount=0.9, restart=True)
    assert mindgap.solve(model).value_at_start == pytest.approx(value_of_strip(0.9, slip), rel=1e-9)
    assert model.states == 3 and model.restart_ends == ["2"]
    stays = mindgap.Mdp.from_gymnasium(lake(slip), discount=0.9)
    assert mindgap.solve(stays).value_at_start < 1 and stays.restart_ends == []
    assert mindgap.solve(stays.with_restart()).value_at_start == pytest.approx(value_of_strip(0.9, slip), rel=1e-9)


def test_check_says_what_was_done():
    found = mindgap.check(mindgap.Mdp.from_gymnasium(lake(), discount=0.9, restart=True))
    assert "ends, which begin again    1 state: 2" in str(found)
    assert found.to_dict()["restart_ends"] == ["2"]
    assert not any("cannot be reached" in text for text in found.warnings)


def test_rollouts_show_the_same():
    model = mindgap.Mdp.from_gymnasium(lake(), discount=0.9, steps=500, restart=True)
    assert mindgap.solve(model).value_at_start == pytest.approx(value_of_strip(0.9, False), rel=1e-9)


class Passing(gymnasium.Env):
    """Place 1 is where episodes end, sometimes, and is passed alive otherwise."""

    observation_space = gymnasium.spaces.Discrete(2)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = 0
        return 0, {}

    def step(self, action):
        if self.place == 0 and action == 1:
            return 1, 2.0, True, False, {}  # ends
        self.place = 1 - self.place
        return self.place, 0.0, False, False, {}


def test_an_end_that_is_also_passed_alive_needs_no_state_of_its_own():
    model = mindgap.Mdp.from_gymnasium(Passing(), discount=0.5, steps=200, restart=True)
    assert model.states == 2 and model.restart_ends == []
    # Ending pays 2 and begins at place 0 again: V = 2 + V / 2.
    assert mindgap.solve(model).value_at_start == pytest.approx(4)
    assert mindgap.Mdp.from_gymnasium(Passing(), discount=0.5, steps=200).states == 3


def test_a_function_begins_again_where_it_ends():
    def step(state, action, rng):
        return (1.0, None) if state == 2 else (0.0, state + 1)

    model = mindgap.Mdp.from_function(step, states=3, actions=1, discount=0.5, samples=3, start=0, restart=True)
    assert model.states == 3
    # Every third step pays 1: V = g^2 / (1 - g^3).
    assert mindgap.solve(model).value_at_start == pytest.approx(0.25 / (1 - 0.125))


def test_states_without_actions_are_ends_that_begin_again():
    model = mindgap.Mdp.from_function(
        lambda state, action, rng: (1.0, "done"),
        states=["here", "done"],
        actions={"here": ["go"], "done": []},
        discount=0.5,
        samples=2,
        start="here",
        restart=True,
    )
    assert model.restart_ends == ["done"]
    assert mindgap.solve(model).value_at_start == pytest.approx(2)


def test_what_never_ends_is_said():
    with pytest.warns(UserWarning, match="no episode ended"):
        mindgap.Mdp.from_function(
            lambda s, a, rng: (0.0, s), states=2, actions=1, discount=0.5, samples=2, start=0, restart=True
        )


def test_a_world_begins_again_where_the_simulator_does():
    model = mindgap.Mdp.from_gymnasium(lake(), discount=0.9, restart=True)
    model = model.with_prior(reward_sd=0.1, transition_strength=50).with_variance(0.01)
    found = mindgap.compare(
        world=lake, simulator=model, planners=["sop"], reference="sop", units=2, trials=2, horizons=[10]
    )
    assert found.value.ravel().tolist() == [10, 10]  # 2 units, a goal every two steps

    def step(state, action, rng):
        return (1.0, None) if state == 1 else (0.0, 1)

    two = mindgap.Mdp.from_function(step, states=2, actions=1, discount=0.5, samples=2, start=0, restart=True)
    world = mindgap.worlds.from_function(step, simulator=two, start=0)
    two = two.with_coverage(None).with_prior(reward_sd=0.1, transition_strength=5).with_variance(0.01)
    found = mindgap.compare(
        world=world, simulator=two, planners=["sop"], reference="sop", units=1, trials=1, horizons=[6]
    )
    assert found.value.ravel().tolist() == [3]


def test_with_restart_takes_ends_by_name():
    P = np.array([[[0, 1.0, 0], [0, 0, 1.0], [0, 0, 1.0]]])
    model = mindgap.Mdp.from_arrays(P, [0, 1, 0], 0.9, start=0, state_names=["a", "b", "c"])
    again = model.with_restart(["c"])
    assert again.restart_ends == ["c"]
    assert mindgap.solve(again).value_at_start == pytest.approx(0.9 / (1 - 0.81))
    with pytest.raises(mindgap.InvalidModel, match="an end pays nothing"):
        model.with_restart(["b"])
    with pytest.raises(mindgap.InvalidModel, match="cannot begin in a state that ends it"):
        model.with_start("c").with_restart()
    with pytest.raises(mindgap.InvalidArgument, match="restart must be True or False"):
        mindgap.Mdp.from_gymnasium(lake(), discount=0.9, restart="yes")


def test_restart_goes_through_files_and_pickle(tmp_path):
    import pickle

    model = mindgap.Mdp.from_gymnasium(lake(), discount=0.9, restart=True)
    for name in ("folder", "file.h5"):
        mindgap.write_model(model, tmp_path / name)
        again = mindgap.read_model(tmp_path / name)
        assert again.restart_ends == ["2"]
        assert np.array_equal(again.probability, model.probability)
    assert pickle.loads(pickle.dumps(model)) == model


def test_no_warning_without_reason():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mindgap.Mdp.from_gymnasium(lake(), discount=0.9, restart=True)
