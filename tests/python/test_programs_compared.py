"""Planners that are given a program, on a known truth."""

import csv

import numpy as np
import pytest

import mindgap
from programs import Hidden, walk_simulator


def slope(state, action, theta, rng):
    """On a line from -1 to 1; pays uphill or downhill, and nobody knows which."""
    x = state[0] + (0.25 if action == "right" else -0.25)
    return min(max(x, -1.0), 1.0), theta["slope"] * float(state[0])


def slope_simulator(**words):
    """Uphill is three times as likely."""
    parameters = {"slope": [-1.0, 1.0], "weight": [1, 3]}
    grid = mindgap.Grid(-1, 1, 9, names=["x"])
    given = {"discount": 0.9, "reset": [[0.0]], "parameters": parameters, **words}
    return mindgap.Simulator(slope, grid, ["left", "right"], **given)


ASKED = {"planners": ["sop", "asop"], "horizons": [20], "trials": 4, "units": 2}


def means(comparison):
    return {row["planner"]: row["mean"] for row in comparison.to_dict()["rows"]}


@pytest.mark.parametrize("given", [lambda s: s, lambda s: s.ensemble(), lambda s: s.ensemble().model])
def test_planners_learn_which_member_is_right(given):
    simulator = slope_simulator()
    truth = simulator.model({"slope": -1.0})
    found = mindgap.compare(world=truth.to_env, simulator=given(simulator), oracle=truth, **ASKED)
    # The truth pays downhill. sop goes up all the time: 0, -.25, -.5, -.75, then -1 each.
    assert means(found)["sop"] == pytest.approx(2 * -(0 + 0.25 + 0.5 + 0.75 + 16), rel=1e-6)
    assert means(found)["asop"] > 0
    by_program = mindgap.compare(
        world=truth.to_env, simulator=given(simulator), oracle=slope_simulator(parameters={"slope": [-1.0]}).model(), **ASKED
    )
    assert means(by_program) == means(found)


def test_an_oracle_may_be_a_program_without_unknowns():
    simulator = walk_simulator(6, reset=[[0.0]])
    asked = {**ASKED, "trials": 2}
    found = mindgap.compare(world=simulator.model().to_env, simulator=simulator, oracle=simulator, **asked)
    assert {row["percent_of_oracle"] for row in found.to_dict()["rows"]} == {100.0}
    with pytest.raises(mindgap.InvalidArgument, match="oracle: the program has parameters"):
        mindgap.compare(world=simulator.model().to_env, simulator=simulator, oracle=slope_simulator(), **asked)


def write_world(model, folder):
    """A world folder with the model's rows and a hidden state that does nothing."""
    folder.mkdir()
    states, actions = model.state_names, model.action_names
    lines = {
        "states.csv": [("name", "start"), *zip(states, model.start)],
        "rewards.csv": [("state", "hidden", "action", "reward", "variance")],
        "transitions.csv": [("state", "hidden", "action", "next_state", "next_hidden", "probability")],
        "behaviour.csv": [("state", "hidden", "action", "probability")],
        "calibration.csv": [("state", "hidden", "probability"), *((state, "h", 1) for state in states)],
    }
    lines["deployment.csv"] = lines["calibration.csv"]
    for pair in range(model.pairs):
        where = (states[model.pair_state[pair]], "h", actions[model.pair_action[pair]])
        lines["rewards.csv"].append((*where, model.reward[pair], 0.01))
        lines["behaviour.csv"].append((*where, 1 / len(actions)))
        for entry in range(model.row_begin[pair], model.row_begin[pair + 1]):
            row = (*where, states[model.next_state[entry]], "h", model.probability[entry])
            lines["transitions.csv"].append(row)
    for name, rows in lines.items():
        with open(folder / name, "w", newline="") as file:
            csv.writer(file).writerows([[float(v) if isinstance(v, np.floating) else v for v in row] for row in rows])
    (folder / "world.toml").write_text(
        'format = "mindgap-world/1"\nname = "Slope"\ndiscount = 0.9\nstates = "states.csv"\n'
        'actions = ["left", "right"]\nhidden = ["h"]\nrewards = "rewards.csv"\ntransitions = "transitions.csv"\n'
    )


def test_a_world_folder_takes_a_program_for_its_simulator(tmp_path):
    simulator = slope_simulator()
    write_world(simulator.model({"slope": -1.0}), tmp_path / "world")
    for given in (simulator, simulator.ensemble()):
        found = mindgap.compare(tmp_path / "world", simulator=given, **ASKED)
        assert means(found)["asop"] > means(found)["sop"]
    with pytest.raises(mindgap.InvalidArgument, match="case 'treasure' brings its own"):
        mindgap.compare("treasure", simulator=simulator, **ASKED)


def test_a_world_in_numbers_is_refused_with_the_way_round():
    with pytest.raises(mindgap.InvalidArgument, match=r"shows numbers, Box.*simulator.model\(theta\).to_env"):
        mindgap.compare(world=Hidden, simulator=walk_simulator(6), **ASKED)
