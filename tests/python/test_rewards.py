"""Rewards of the truth: bounds, 0 or 1, constants; and what a prior implies."""

import pickle
import warnings

import gymnasium
import numpy as np
import pandas as pd
import pytest

import mindgap
from mindgap import InvalidArgument, InvalidModel, Mdp
from program import VANS, command_line

PLANS = ["sop", "asop", "pilot-1x5"]


def bandit(**prior):
    """Five arms, one state."""
    model = Mdp.from_arrays(np.ones((5, 1, 1)), np.array([[0.5, 0.4, 0.5, 0.3, 0.2]]), 0.95)
    return model.with_prior(reward_sd=0.4, transition_strength=1.0, **prior).with_variance(0.25)


def test_a_bandit_of_zeros_and_ones_is_never_worth_more_than_its_steps():
    wild = mindgap.check(bandit()).prior_implies
    assert wild["best"] > 0.8 / 0.05
    for prior in ({"rewards": "bernoulli"}, {"reward_min": 0, "reward_max": 1}):
        model = bandit(**prior)
        implied = mindgap.check(model).prior_implies
        assert implied["best_range"][1] <= 1 / 0.05 + 1e-6
        decision = mindgap.decide(model, units=1, horizon=100, plans=PLANS, worlds=64)
        assert decision.plans["value"].max() <= 100
        assert decision.to_dict()["prior_implies"]["best_range"][1] <= 100 + 1e-9
    assert wild["best"] > implied["best"]


def test_a_prior_that_promises_much_is_warned_about():
    wild = bandit().with_prior(reward_sd=5.0, transition_strength=1.0)
    found = mindgap.check(wild)
    assert any("more than half again" in warning for warning in found.warnings)
    decision = mindgap.decide(wild, units=1, horizon=20, plans=PLANS, worlds=16)
    assert decision.to_dict()["prior_implies"]["warning"].startswith("the prior promises much")
    assert "warning: the prior promises much" in str(decision)
    assert mindgap.check(bandit(), draws=0).prior_implies is None


def test_what_is_said_in_a_call_takes_the_place_of_the_models_prior():
    bounded = bandit(reward_min=0, reward_max=1)
    words = dict(units=1, horizon=20, plans=PLANS, worlds=16)
    same = mindgap.decide(bandit(), reward_min=0, reward_max=1, **words)
    pd.testing.assert_frame_equal(mindgap.decide(bounded, **words).plans, same.plans)
    other = mindgap.decide(bandit(), rewards="bernoulli", **words)
    pd.testing.assert_frame_equal(mindgap.decide(bandit(rewards="bernoulli"), **words).plans, other.plans)


def test_the_command_line_says_the_same():
    said = command_line("diagnose", VANS, "--reward-min", 0, "--reward-max", 20, "--draws", 8)
    found = mindgap.diagnose(VANS, reward_min=0, reward_max=20, draws=8)
    assert found.to_dict() == said
    assert said["evpi"] != command_line("diagnose", VANS, "--draws", 8)["evpi"]


def test_bounds_are_kept_with_a_model(tmp_path):
    for prior in ({"rewards": "bernoulli"}, {"reward_min": 0.0, "reward_max": 2.5}):
        model = bandit(**prior)
        mindgap.write_model(model, tmp_path / "file.h5")
        assert mindgap.read_model(tmp_path / "file.h5") == model
        assert pickle.loads(pickle.dumps(model)) == model
        assert model != bandit()


@pytest.mark.parametrize(
    "prior, said",
    [
        ({"reward_max": 0.45}, "above 0.45, the reward_max that the prior states"),
        ({"reward_min": 0.3}, "below 0.3, the reward_min that the prior states"),
        ({"reward_min": 1, "reward_max": 0}, "reward_min of the prior must be below its reward_max"),
        ({"reward_min": np.nan}, "reward_min"),
        ({"rewards": "bernoulli", "reward_max": 2}, "Bernoulli rewards lie from 0 to 1"),
        ({"rewards": "beta"}, "rewards must be 'gaussian' or 'bernoulli'"),
        ({"rewards": 1}, "rewards must be 'gaussian' or 'bernoulli'"),
    ],
)
def test_bad_bounds_are_refused(prior, said):
    with pytest.raises((InvalidModel, InvalidArgument), match=said):
        bandit(**prior)


def test_a_log_of_bounds():
    model = bandit()
    rows = {
        "unit": ["u"] * 3,
        "step": [0, 1, 2],
        "state": [0] * 3,
        "action": [0] * 3,
        "reward": [0.9] * 3,
        "next_state": [0] * 3,
    }

    def mean(censored):
        log = pd.DataFrame(rows | {"censored": censored})
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "log: 3 rewards are censored")
            return mindgap.diagnose(model, log=log, draws=0).to_frame()["reward_mean"][0]

    at_least, exact, at_most = mean(["at_least"] * 3), mean(["0"] * 3), mean(["at_most"] * 3)
    assert at_most < 0.5 < exact < at_least
    assert mean([1, 1, 1]) == at_least
    with pytest.raises(InvalidModel, match="censored must be 0, 1 .or at_least., or at_most"):
        mean(["0", "0", "maybe"])


def cliff():
    return Mdp.from_gymnasium(gymnasium.make("CliffWalking-v1"), 0.99)


def test_constant_rewards_are_known_unless_a_spread_is_stated():
    # A step costs 1, a fall 100: rules, not estimates. The best walk costs 13 steps of -1.
    model = cliff().with_prior(transition_strength=10.0)
    best = mindgap.solve(model).value_at_start
    found = mindgap.check(model)
    assert found.prior_implies["best"] == pytest.approx(best, rel=1e-4)
    assert "taken as constants" in found.notes[0]
    assert not any("promises much" in warning for warning in found.warnings)
    # With the spread that was the default until now, some drawn reward always makes a fortune.
    wide = mindgap.check(cliff().with_prior(transition_strength=10.0, reward_sd=100.0))
    assert wide.prior_implies["best"] > 1000 and wide.prior_implies["too_good"]
    # Once a spread is stated it holds for the end of the episode, too, and that is said.
    assert len(wide.notes) == 1 and wide.notes[0].startswith("1 state ends an episode")
    assert any("promises much" in warning for warning in wide.warnings)
    assert len(wide.prior_implies["invented"]) == 3


def test_what_is_promised_on_the_cliff_is_sane():
    model = cliff().with_prior(transition_strength=10.0)  # rewards that are known have no variance to state
    decision = mindgap.decide(model, units=1, horizon=60, plans=PLANS, worlds=32)
    clairvoyant = -13  # the walk along the edge; nothing in this problem pays more than 0
    assert decision.plans["value"].max() <= clairvoyant + 1e-9
    assert decision.to_dict()["prior_implies"]["best"] <= clairvoyant + 1e-9
    assert any("taken as constants" in line for line in decision.to_dict()["assumptions"])


def test_odds_are_not_capped_by_a_small_reward_sd():
    counts = np.full(mindgap.read_model(VANS).pairs, 50)
    spread = [
        np.sqrt(mindgap.diagnose(VANS, coverage=counts, odds=m, reward_sd=0.2, draws=0).to_dict()["pvv_prior"])
        for m in (1, 1.5, 2, 3, 10)
    ]
    assert all(a < b for a, b in zip(spread, spread[1:], strict=False))
