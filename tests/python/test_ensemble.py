"""Ensembles of models."""

import pathlib

import numpy as np
import pytest

import mindgap

RIVALS = pathlib.Path(__file__).parents[2] / "examples" / "rivals"


@pytest.fixture
def rivals():
    return mindgap.Ensemble.of(RIVALS)


def log_of(rewards, state="east-2"):
    times = len(rewards)
    return {
        "unit": [0] * times,
        "step": list(range(times)),
        "state": [state] * times,
        "action": ["stay"] * times,
        "reward": list(rewards),
        "next_state": [state] * times,
    }


def test_an_ensemble_is_read_and_written(rivals, tmp_path):
    assert isinstance(rivals, mindgap.Ensemble)
    assert len(rivals) == 3 and rivals.names == ["west", "even", "east"]
    assert np.allclose(rivals.weights, [0.5, 0.3, 0.2])
    assert rivals.effective_members == pytest.approx(1 / 0.38)
    mindgap.write_model(rivals, tmp_path / "again")
    again = mindgap.Ensemble.of(mindgap.read_model(tmp_path / "again"))
    assert np.array_equal(again.weights, rivals.weights)
    assert [m.reward.tolist() for m in again.members] == [m.reward.tolist() for m in rivals.members]
    mindgap.write_model(rivals, tmp_path / "again.h5")
    assert mindgap.Ensemble.of(tmp_path / "again.h5") == rivals


def test_one_is_made_of_models(rivals):
    made = mindgap.Ensemble(rivals.members, weights=[0.5, 0.3, 0.2], names=rivals.names, parameters={"theta": [1, 2, 3]})
    assert np.array_equal(made.weights, rivals.weights)
    assert made.parameters["theta"].tolist() == [1, 2, 3]
    mean = made.mean()
    assert np.allclose(mean.reward, sum(w * m.reward for w, m in zip(made.weights, made.members)))
    assert "3 members" in repr(made)
    equal = mindgap.Ensemble([RIVALS / "west", RIVALS / "east"])
    assert equal.weights.tolist() == [0.5, 0.5]


def test_a_log_says_which_member_is_right(rivals):
    weighed = rivals.weigh(log_of([2.3, 2.6, 2.4]))
    assert weighed.weights.argmax() == 2 and weighed.weights[2] > 0.5
    assert weighed.effective_members < rivals.effective_members
    # One observation of one pair moves what is thought of all others.
    assert weighed.mean().reward[-1] > rivals.mean().reward[-1]
    assert rivals.surprise(log_of([2.3, 2.6, 2.4])) > 0.05


def test_what_no_member_explains_is_said(rivals):
    log = log_of([5.5] * 8)
    surprise = rivals.surprise(log)
    assert surprise < 0.01 and "east-2" in surprise.worst_pairs[0]
    found = mindgap.diagnose(rivals, log=log, draws=0)
    assert "No member of the ensemble explains" in str(found)
    assert found.to_dict()["ensemble"]["surprise"] < 0.01


def test_every_command_takes_one(rivals):
    found = mindgap.diagnose(rivals, draws=10)
    assert found.to_dict()["ensemble"]["members"] == 3
    assert "ensemble of 3 members" in str(mindgap.check(rivals))
    assert mindgap.solve(rivals).value_at_start == pytest.approx(mindgap.solve(rivals.mean()).value_at_start)
    assert mindgap.design(rivals, units=2, steps=5) is not None
    plans = ["sop", "asop", "thompson", "pilot-2x3"]
    one, two = (
        mindgap.decide(rivals, units=2, horizon=20, worlds=32, plans=plans, threads=threads).to_dict() for threads in (1, 2)
    )
    del one["seconds"], two["seconds"]
    assert one == two and one["ensemble"]["members"] == 3


def test_one_member_is_that_model():
    model = mindgap.read_model(RIVALS / "west").with_prior(reward_sd=0.3, transition_strength=20)
    plans = ["sop", "asop", "thompson"]
    alone = mindgap.decide(model, units=2, horizon=20, worlds=32, plans=plans).to_dict()
    one = mindgap.decide(mindgap.Ensemble([model]), units=2, horizon=20, worlds=32, plans=plans).to_dict()
    assert [p["value"] for p in alone["plans"]] == [p["value"] for p in one["plans"]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"weights": [0.5, 0.6, 0.2]}, "weights"),
        ({"weights": [1.2, -0.4, 0.2]}, "weights"),
        ({"weights": [0.5, 0.5]}, "weights"),
        ({"parameters": {"theta": [1, 2]}}, "theta"),
        ({"names": ["a", "a", "b"]}, "a"),
    ],
)
def test_bad_input(rivals, words, said):
    with pytest.raises((mindgap.InvalidArgument, mindgap.InvalidModel), match=said):
        mindgap.Ensemble(rivals.members, **words)


def test_what_does_not_belong_together(rivals):
    with pytest.raises(mindgap.InvalidModel, match="1"):
        mindgap.Ensemble([rivals.members[0], mindgap.read_model(RIVALS.parent / "vans")])
    with pytest.raises(mindgap.InvalidModel, match="change the members"):
        rivals.model.with_reward(1.0)
    with pytest.raises(mindgap.InvalidModel, match="ensemble"):
        rivals.with_prior(reward_sd=1.0, reward_min=-5.0)
    with pytest.raises(mindgap.InvalidArgument, match="at least one"):
        mindgap.Ensemble([])
    with pytest.raises(mindgap.InvalidArgument, match="ensemble itself"):
        mindgap.Ensemble([rivals.model])
    with pytest.raises(mindgap.InvalidArgument, match="no ensemble"):
        mindgap.Ensemble.of(RIVALS / "west")


def test_one_policy_for_all_members(rivals, tmp_path):
    average, robust = rivals.average_policy(), rivals.robust_policy(threads=1)
    assert average.value_at_start == pytest.approx(rivals.weights @ average.member_values)
    assert robust.value_at_start == robust.member_values.min() == pytest.approx(16)
    assert average.member_values.min() < robust.value_at_start
    assert average.value_at_start > rivals.weights @ robust.member_values
    for found in (average, robust):
        assert found.value_at_start <= found.upper_bound and found.error_bound < 1e-9
        assert len(found.policy) == rivals.model.states
        assert "no policy earns more than" in str(found)
    best = [mindgap.solve(member).value_at_start for member in rivals.members]
    assert average.upper_bound == pytest.approx(rivals.weights @ best)
    assert robust.upper_bound == pytest.approx(min(best))
    average.write_policy(tmp_path / "policy.csv")
    assert (tmp_path / "policy.csv").read_text().startswith("state,action,probability")


def test_decide_compares_what_owners_of_rival_models_do_today(rivals):
    decision = mindgap.decide(rivals, units=2, horizon=20, worlds=32, plans=["sop", "average", "robust", "asop", "thompson"])
    assert list(decision.plans["name"]) == ["sop", "average", "robust", "asop", "thompson"]
    with pytest.raises(mindgap.InvalidArgument, match="average is for an ensemble of models, but this is one model"):
        mindgap.decide(rivals.mean(), units=2, horizon=20, worlds=32, plans=["average", "asop", "thompson"])


def test_decide_takes_a_log_and_places(rivals):
    """A start other than the model's, in the mean and in every member."""
    plans = ["sop", "asop", "thompson"]
    words = {"units": 1, "horizon": 8, "worlds": 16, "plans": plans}
    with_log = mindgap.decide(rivals, log=log_of([2.3, 2.6, 2.4]), **words)
    assert with_log.to_dict()["ensemble"]["effective_members"] < rivals.effective_members
    placed = mindgap.decide(rivals, positions={"unit": ["a"], "state": ["east-2"]}, **words)
    assert placed.model.start[placed.model.find_state("east-2")] == 1
    moved = rivals.model.with_start(np.eye(6)[4])
    members = mindgap.Ensemble.of(moved).members
    assert all(member.start[4] == 1 for member in members)
    assert mindgap.diagnose(moved.with_discount(0.9), draws=0).model.discount == 0.9
    with pytest.raises(mindgap.InvalidArgument, match="states of an ensemble cannot be changed"):
        rivals.model.with_states(["mars"])


def test_what_no_member_explains_is_said_first(rivals):
    words = {"units": 1, "horizon": 8, "worlds": 16, "plans": ["sop", "asop", "thompson"]}
    off = log_of([40.0] * 5)
    with pytest.warns(UserWarning, match="No member of the ensemble explains"):
        decision = mindgap.decide(rivals, log=off, **words)
    assert any("No member of the ensemble explains" in said for said in decision.to_dict()["warnings"])
    assert str(decision).index("No member of the ensemble explains") < str(decision).index("Verdict")
    with pytest.warns(UserWarning, match="No member of the ensemble explains"):
        design = mindgap.design(rivals, units=1, steps=3, log=off)
    assert any("effective members" in said for said in design.to_dict()["notes"])
    assert "note: " in str(design) and "effective members" in str(design).replace("\n        ", " ")
    impossible = log_of([2.3, 2.3])
    impossible["next_state"] = ["west-3", "west-3"]  # from east-2, in one step
    surprise = rivals.surprise(impossible)
    assert surprise == 0 and surprise.worst_pairs == ["east-2 / stay"]
    assert rivals.surprise(log_of([2.3, 2.3])) > 0.05


def test_a_member_that_is_ruled_out_is_not_the_worst_case(rivals):
    for live in (rivals.weigh(log_of([3.0] * 60, "east-3")), mindgap.Ensemble(rivals.members, weights=[0, 0, 1])):
        assert live.weights[2] > 0.999
        found = live.robust_policy()
        assert found.value_at_start == pytest.approx(mindgap.solve(rivals.members[2]).value_at_start)
        assert len(found.member_values) == 3


def test_units_of_an_ensemble_may_start_anywhere(rivals):
    states = rivals.model.states
    spread = mindgap.Ensemble.of(rivals.model.with_start(np.full(states, 1 / states)))
    assert all(member.start.tolist() == spread.model.start.tolist() for member in spread.members)
    words = {"units": 2, "horizon": 10, "worlds": 16, "plans": ["sop", "average", "asop", "thompson"]}
    decision = mindgap.decide(spread, **words)
    assert decision.model.start.max() == 0.5  # where its two units are
    last = rivals.model.state_names[-1]
    moved = mindgap.decide(rivals, positions={"unit": ["a", "b"], "state": [last, last]}, **words)
    assert moved.model.start[-1] == 1
    assert mindgap.diagnose(spread, top=1) is not None


def test_check_says_where_members_differ():
    def walk(right):
        P = np.array([[[1 - right, right], [1, 0]], [[0, 1], [0.5, 0.5]]])
        return mindgap.Mdp.from_arrays(P, np.array([[0.0, 0], [1, right]]), discount=0.9, layout="saS")

    members = mindgap.Ensemble([walk(0.9), walk(0.6)])  # no prior yet
    said = str(mindgap.check(members))
    assert "An ensemble of 2 members" in said
    assert "rewards of 1 of 4 pairs (most at 1 / 1: 0.6 to 0.9)" in said
    assert "where 1 of them lead (most at 0 / 0: 30.0 % of the probability goes elsewhere)" in said
