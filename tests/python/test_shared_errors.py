"""Errors of mean rewards that states share."""

import pathlib
import pickle

import pytest

import mindgap


def line(states=6):
    """A row of states; one action stays, one goes right."""
    rows = [(s, a, min(s + a, states - 1)) for s in range(states) for a in (0, 1)]
    transitions = {
        "state": [f"s{s}" for s, _, _ in rows],
        "action": [("stay", "go")[a] for _, a, _ in rows],
        "next_state": [f"s{to}" for _, _, to in rows],
        "probability": [1.0] * len(rows),
        "reward": [0.1 * s for s, _, _ in rows],
    }
    model = mindgap.Mdp.from_frame(transitions, discount=0.9)
    return model.with_variance(0.5).with_prior(reward_sd=0.3, transition_strength=5)


def log_of(reward, times=1):
    return {
        "unit": [0] * times,
        "step": list(range(times)),
        "state": ["s0"] * times,
        "action": ["stay"] * times,
        "reward": [reward] * times,
        "next_state": ["s0"] * times,
    }


VANS = pathlib.Path(__file__).parents[2] / "examples" / "vans"


@pytest.fixture
def vans():
    return mindgap.read_model(VANS)


def test_a_kernel_makes_one_observation_say_something_about_neighbours():
    log = log_of(3.0)
    alone = mindgap.diagnose(line(), log=log, draws=0)
    shared = mindgap.diagnose(line().with_shared(sd=1.0, length=2.0), log=log, draws=0)
    assert alone.to_dict().get("shared_errors") is None
    said = shared.to_dict()["shared_errors"]
    assert 0 < said["share"] < 1 and said["factors"] >= 2 and 0 < said["surprise"] < 1
    assert "neighbouring states" in str(shared)


def test_what_the_prior_does_not_explain_is_said():
    shared = mindgap.diagnose(line().with_shared(sd=1.0, length=2.0), log=log_of(3.5, 20), draws=0)
    assert shared.to_dict()["shared_errors"]["surprise"] < 0.01
    assert "does not explain" in str(shared)


def test_the_same_by_argument_as_by_model(vans):
    by_argument = mindgap.diagnose(vans, shared_sd=0.5, shared_length=2.0, draws=20)
    by_model = mindgap.diagnose(vans.with_shared(sd=0.5, length=2.0), draws=20)
    assert by_argument.to_dict() == by_model.to_dict()
    groups = mindgap.diagnose(vans, shared_sd=0.5, draws=20)
    assert groups.to_dict() == mindgap.diagnose(vans.with_shared(group_sd=0.5), draws=20).to_dict()
    assert groups.to_dict() != by_model.to_dict()


def test_files_and_pickles_keep_it(vans, tmp_path):
    loadings = {"state": ["zone-0-0"], "action": ["stay"], "factor": ["winter"], "loading": [0.25]}
    model = vans.with_shared(group_sd={"A": 0.5}, sd=0.4, length=1.5, over="graph", loadings=loadings)
    assert model != vans
    mindgap.write_model(model, tmp_path / "folder")
    mindgap.write_model(model, tmp_path / "model.h5")
    assert mindgap.read_model(tmp_path / "folder") == model
    assert mindgap.read_model(tmp_path / "model.h5") == model
    assert pickle.loads(pickle.dumps(model)) == model
    assert model.with_shared() == vans.with_shared()  # nothing given: nothing is shared
    assert model.with_prior(reward_sd=1.0, transition_strength=5.0) == model  # a prior leaves it as it is


def test_decide_with_shared_errors(vans):
    model, plans = vans.with_shared(group_sd=0.5), ["sop", "asop", "thompson", "pilot-4x5"]
    first, second = (
        mindgap.decide(model, units=4, horizon=20, worlds=16, plans=plans, threads=threads).to_dict() for threads in (1, 2)
    )
    assert first["shared_errors"]["factors"] == 2
    del first["seconds"], second["seconds"]
    assert first == second


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"sd": 1.0}, "sd and length go together"),
        ({"sd": -1.0, "length": 1.0}, "must be finite and zero or more"),
        ({"sd": 1.0, "length": 0.0}, "must be finite and positive"),
        ({"sd": 1.0, "length": 1.0, "over": "water"}, "'place'"),
        ({"sd": 1.0, "length": 1.0, "over": "place"}, "no x and y"),
        ({"group_sd": 1.0}, "no groups"),
        ({"group_sd": {"C": 1.0}}, "'C'"),
        ({"loadings": {"state": ["nowhere"], "action": ["stay"], "factor": ["f"], "loading": [1.0]}}, "nowhere"),
    ],
)
def test_bad_input(words, said):
    with pytest.raises((mindgap.InvalidArgument, mindgap.InvalidModel), match=said):
        line().with_shared(**words)


def test_what_cannot_be_combined(vans):
    shared = vans.with_shared(group_sd=0.5)
    with pytest.raises(mindgap.InvalidModel, match="Gaussian"):
        shared.with_prior(reward_sd=0.5, reward_min=-10.0)
    with pytest.raises(mindgap.InvalidArgument, match="known variance"):
        mindgap.diagnose(shared, estimate_variance=True, draws=0)
    with pytest.raises(mindgap.InvalidArgument, match="reward_sd"):
        mindgap.diagnose(line().with_prior(transition_strength=5).with_shared(sd=1, length=1), draws=0)
    with pytest.raises(mindgap.InvalidArgument, match="shared_length needs shared_sd"):
        mindgap.diagnose(vans, shared_length=2.0, draws=0)


def test_a_region_that_is_wrong_as_a_whole_takes_a_smaller_pilot(vans):
    """The numbers of docs/howto/errors-that-are-shared.md: 27 and 72 % with 2 vans, 79 and 90 % with 8."""
    shared = vans.with_prior(reward_sd=0.6, transition_strength=5).with_shared(group_sd={"B": 0.8})
    removed = {}
    for name, model in (("independent", vans), ("shared", shared)):
        for units in (2, 8):
            pilot = mindgap.design(model, units=units, steps=10, coverage=VANS / "coverage.csv")
            said = pilot.to_dict()
            removed[name, units] = 1 - said["pvv_after_rounding"] / said["pvv_before"]
    assert removed["independent", 2] == pytest.approx(0.27, abs=0.02)
    assert removed["shared", 2] == pytest.approx(0.72, abs=0.02)
    assert removed["independent", 8] == pytest.approx(0.79, abs=0.02)
    assert removed["shared", 8] == pytest.approx(0.90, abs=0.02)
