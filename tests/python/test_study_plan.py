"""From a decision to a study, units that join, and what a study knows."""

import json
import warnings

import numpy as np
import pytest

import mindgap
from program import COVERAGE, VANS, command_line, run

MODEL = mindgap.read_model(VANS)


@pytest.fixture(scope="module")
def decision():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mindgap.decide(
            VANS, units=8, horizon=20, coverage=COVERAGE, worlds=16, plans=["sop", "asop", "pilot-4x3"], threads=1
        )


def results_of(assignments):
    """The simulator's own rewards and its likeliest moves."""
    rows = {name: list(assignments[name]) for name in ("unit", "step", "state", "action")}
    rows["reward"], rows["next_state"] = [], []
    for state, action in zip(rows["state"], rows["action"]):
        pair = MODEL.find_pair(MODEL.find_state(state), MODEL.find_action(action))
        begin, end = MODEL.row_begin[pair], MODEL.row_begin[pair + 1]
        best = begin + int(np.argmax(MODEL.probability[begin:end]))
        rows["reward"].append(float(MODEL.reward[pair]))
        rows["next_state"].append(MODEL.state_names[MODEL.next_state[best]])
    return rows


def begin(*given, **words):
    """A study, and what it was said to lack: few units, or arms that nobody drew."""
    with pytest.warns(UserWarning, match="compared|nobody explores|no control"):
        return mindgap.Study.init(*given, **words)


def play(study, steps):
    for _ in range(steps):
        study.record(results_of(study.assign().to_frame()))


def test_a_study_begins_what_was_recommended(decision, tmp_path):
    study = begin(tmp_path / "s", plan=decision.plan(), model=decision.model)
    plan = decision.plan()
    units = study.begun.to_frame()
    assert list(units["unit"]) == [unit["unit"] for unit in plan["study"]["units"]]
    assert (units["arm"] == "explore").sum() == 4
    begun = study.begun.to_dict()
    assert (begun["plan"], begun["horizon"], begun["batch_steps"]) == ("pilot-4x3", 20, 3)
    # The first actions of the explorers are those of the plan's routes, by the state they are in.
    first = study.assign().to_frame()
    for row in first[first["arm"] == "explore"].itertuples():
        at = plan["states"].index(row.state)
        assert plan["routes"][int(row.route)]["actions"][0][at] == row.action
    wanted = sorted((one["state"], one["route"]) for one in plan["assignment"])
    explorers = first[first["arm"] == "explore"]
    assert sorted(zip(explorers["state"], explorers["route"].astype(int))) == wanted
    play(study, 5)
    assert study.verify()


def test_the_decision_itself_says_what_to_run(decision, tmp_path):
    study = begin(tmp_path / "s", decision)
    assert study.begun.to_dict()["plan"] == decision.recommended
    play(study, 4)
    assert study.verify()


def test_a_plan_that_no_study_can_run_is_refused(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of kinds that are not compared
        undirected = mindgap.decide(
            VANS, units=4, horizon=10, coverage=COVERAGE, worlds=4, plans=["thompson"], threads=1
        )
    with pytest.raises(mindgap.InvalidArgument, match="recommends thompson, which a study cannot run"):
        mindgap.Study.init(tmp_path / "s", undirected)
    assert not (tmp_path / "s").exists()


def test_the_command_line_takes_the_plan_of_python(decision, tmp_path):
    decision.write_plan(tmp_path / "plan.json")
    here = begin(tmp_path / "a", plan=tmp_path / "plan.json", model=VANS).begun.to_dict()
    there = command_line("study", "init", tmp_path / "b", "--plan", tmp_path / "plan.json", "--model", VANS)
    assert {**here, "head": ""} == {**there, "head": ""}


def test_the_plan_of_the_command_line_needs_nothing_else(tmp_path):
    command_line(
        "decide", VANS, "--units", 8, "--horizon", 20, "--coverage", COVERAGE, "--worlds", 16,
        "--plans", "sop,asop,pilot-4x3", "--out", tmp_path / "plan.json",
    )  # fmt: skip
    begun = command_line("study", "init", tmp_path / "s", "--plan", tmp_path / "plan.json")
    assert begun["plan"] == "pilot-4x3" and len(begun["units"]) == 8
    contradiction = run("study", "init", tmp_path / "t", "--plan", tmp_path / "plan.json", "--horizon", 9)
    assert contradiction.returncode == 2 and "leave --horizon" in contradiction.stderr
    again = begin(tmp_path / "u", plan=tmp_path / "plan.json")
    assert {**again.begun.to_dict(), "head": ""} == {**begun, "head": ""}
    for said in ({"horizon": 9}, {"odds": 2.0}, {"coverage": COVERAGE}):
        with pytest.raises(mindgap.InvalidArgument, match="leave horizon, coverage and what is said of the prior out"):
            mindgap.Study.init(tmp_path / "t", plan=tmp_path / "plan.json", **said)
    broken = json.loads((tmp_path / "plan.json").read_text())
    broken["format"] = "another"
    with pytest.raises(mindgap.InvalidModel, match="mindgap-plan/1"):
        mindgap.Study.init(tmp_path / "v", plan=broken)


def test_what_a_study_knows(decision, tmp_path):
    study = begin(tmp_path / "s", decision)
    assert study.model.states == MODEL.states
    assert study.policy.shape == (MODEL.states,)
    best = mindgap.solve(study.belief.mean)
    assert np.array_equal(study.policy, best.policy)
    before = study.belief.to_frame()
    assert list(before.columns) == [
        "state", "action", "count", "simulated_reward", "reward_mean", "reward_sd", "transition_strength"
    ]  # fmt: skip
    assert (before["count"] == 0).all()
    play(study, 1)
    after = study.belief.to_frame()
    seen = after["count"] > 0
    assert after["count"].sum() == 8
    assert (after["reward_sd"][seen] < before["reward_sd"][seen]).all()
    assert (after["reward_sd"][~seen] == before["reward_sd"][~seen]).all()


def test_units_join(decision, tmp_path):
    study = begin(tmp_path / "s", decision)
    play(study, 2)
    joined = study.add_units({"unit": ["late-1", "late-2"], "state": ["zone-0-0", "zone-1-0"]})
    assert list(joined.to_frame()["unit"]) == ["late-1", "late-2"]
    assert joined.to_dict()["compared_units"] == 8
    assert len(study.assign().to_frame()) == 10
    with pytest.raises(mindgap.InvalidModel, match="in the study already"):
        study.add_units({"unit": ["late-1"], "state": ["zone-0-0"]})
    more = tmp_path / "more.csv"
    more.write_text("unit,state\nlate-3,zone-0-0\n")
    assert command_line("study", "add-units", tmp_path / "s", more)["all_units"] == 11
    assert study.verify()


def test_few_units_are_compared_by_permutation(tmp_path):
    units = {"unit": list("abcdefgh"), "state": ["zone-0-0"] * 8}
    with pytest.warns(UserWarning, match="compared by permutation"):
        study = mindgap.Study.init(
            tmp_path / "s", model=VANS, coverage=COVERAGE, units=units, horizon=6, control_share=0.25
        )
    play(study, 2)
    found = study.status().to_dict()["difference_to_control"]
    assert found["interval"] is None
    assert found["permutation"]["method"] == "exact" and found["permutation"]["arrangements"] == 28
    assert "by exact permutation" in str(study.status())


def test_new_states_in_a_study(tmp_path):
    units = {"unit": ["a", "b"], "state": ["zone-0-0"] * 2}
    asked = {"model": VANS, "coverage": COVERAGE, "units": units, "horizon": 6}
    for states in ("known", "all"):
        study = begin(tmp_path / states, states=states, **asked)
        results = results_of(study.assign().to_frame())
        results["next_state"][0] = "garage"
        if states == "known":
            with pytest.raises(mindgap.InvalidModel, match=r'Study.init\(states="all"\)'):
                study.record(results)
            continue
        with pytest.warns(UserWarning, match="garage"):
            assert study.record(results).to_dict()["new_states"] == ["garage"]
        assert study.model.new_states == ["garage"]
        assert "garage" in list(study.assign().to_frame()["state"])
        assert study.verify()


def test_what_is_missing_is_named_together(tmp_path):
    with pytest.raises(mindgap.InvalidArgument, match="units and horizon must be given"):
        mindgap.Study.init(tmp_path / "s", model=VANS)
    with pytest.raises(mindgap.InvalidArgument, match="model must be given"):
        mindgap.Study.init(tmp_path / "s", units={"unit": ["a"], "state": ["zone-0-0"]}, horizon=3)


def test_a_study_keeps_to_the_limits_of_the_decision(tmp_path):
    forbid = {"state": [MODEL.state_names[0]], "action": [MODEL.action_names[MODEL.pair_action[0]]]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        limited = mindgap.decide(
            VANS, units=8, horizon=20, worlds=8, plans=["sop", "asop", "pilot-4x3"], max_share={"B": 0.5}, forbid=forbid
        )
    limits = limited.plan()["study"]["limits"]
    assert limits["max_share"] == [{"group": "B", "share": 0.5}]
    assert limits["forbidden"] == [1] + [0] * (MODEL.pairs - 1)
    begin(tmp_path / "study", plan=limited.plan(), model=VANS)


def test_explorers_keep_to_limits(tmp_path):
    asked = dict(
        model=VANS,
        units={"unit": ["a", "b", "c"], "state": [MODEL.state_names[1]] * 3},
        horizon=9,
        control_share=0,
    )

    def first_moves(name, **limits):
        begin(tmp_path / name, **asked, **limits)
        assigned = mindgap.Study(tmp_path / name).assign().to_frame()
        return list(zip(assigned["state"], assigned["action"]))

    free = first_moves("free")
    state, action = free[0]
    limited = first_moves("limited", forbid={"state": [state], "action": [action]})
    assert (state, action) in free and (state, action) not in limited and len(limited) == len(free)
