"""States that the simulator has never seen."""

import csv
import warnings

import numpy as np
import pytest

import mindgap
from program import command_line, run


def model():
    P = np.array([[[0.9, 0.1], [0.0, 1.0]], [[0.5, 0.5], [1.0, 0.0]]])
    found = mindgap.Mdp.from_arrays(
        P, [[1.0, 0.0], [2.0, 0.5]], 0.9, layout="asS", state_names=["low", "high"], action_names=["wait", "push"]
    )
    return found.with_prior(reward_sd=0.5, transition_strength=5).with_variance(1.0)


LOG = {
    "unit": ["a", "a", "b", "b"],
    "step": [0, 1, 0, 1],
    "state": ["low", "broken", "low", "high"],
    "action": ["push", "wait", "wait", "wait"],
    "reward": [0.1, -3.0, 1.2, 2.1],
    "next_state": ["broken", "low", "low", "high"],
}


def test_they_are_refused_with_the_remedy():
    for ask in (
        lambda: mindgap.diagnose(model(), log=LOG, draws=0),
        lambda: mindgap.decide(model(), units=2, horizon=5, log=LOG, worlds=16),
        lambda: mindgap.design(model(), units=2, steps=3, log=LOG),
    ):
        with pytest.raises(mindgap.InvalidModel, match=r'log, row 0.*never seen it.*states="all"'):
            ask()


def told(ask):
    """What a call gives, and all that it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = ask()
    return found, "\n".join(str(one.message) for one in caught)


def test_they_are_taken_and_listed():
    found, said = told(lambda: mindgap.diagnose(model(), log=LOG, draws=0, states="all"))
    assert "1 state that the simulator does not have: broken" in said
    assert found.to_dict()["new_states"] == ["broken"] and "1 of them new to the simulator: broken" in str(found)
    decision, said = told(
        lambda: mindgap.decide(
            model(), units=2, horizon=6, log=LOG, worlds=16, states="all", plans=["sop", "asop"]
        )
    )
    assert "broken" in said
    assert decision.to_dict()["new_states"] == ["broken"]
    assert decision.model.new_states == ["broken"] and decision.model.states == 3


def test_without_new_ones_nothing_changes():
    log = {name: [values[i] for i in (2, 3)] for name, values in LOG.items()}
    one, said = told(lambda: mindgap.diagnose(model(), log=log, draws=0).to_dict())
    assert told(lambda: mindgap.diagnose(model(), log=log, draws=0, states="all").to_dict()) == (one, said)
    assert "new_states" not in one


def test_bad_words_are_refused():
    with pytest.raises(mindgap.InvalidArgument, match="states is 'some', but must be 'known' or 'all'"):
        mindgap.diagnose(model(), log=LOG, states="some")
    with pytest.raises(mindgap.InvalidModel, match="there already"):
        model().with_states(["low"])


def test_the_command_line_does_the_same(tmp_path):
    mindgap.write_model(model(), tmp_path / "m")
    with open(tmp_path / "log.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(LOG)
        writer.writerows(zip(*LOG.values()))
    words = ["diagnose", tmp_path / "m", "--log", tmp_path / "log.csv", "--draws", "0"]
    refused = run(*words)
    assert refused.returncode == 2 and "--allow-new-states" in refused.stderr
    taken = command_line(*words, "--allow-new-states")
    assert taken["new_states"] == ["broken"]
    here, said = told(
        lambda: mindgap.diagnose(tmp_path / "m", log=tmp_path / "log.csv", draws=0, states="all").to_dict()
    )
    assert "broken" in said
    assert here == {**taken, "seconds": here["seconds"]} if "seconds" in here else here == taken
