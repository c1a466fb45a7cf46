"""decide() against the command line."""

import json
import re
import warnings

import pytest

import mindgap
from program import COVERAGE, PILOT, VANS, command_line, run, without_times

pytestmark = pytest.mark.filterwarnings(
    "ignore:no plan of the kind", "ignore:.*has other units", "ignore:the log refutes the simulator"
)
SMALL = dict(units=3, horizon=20, worlds=16)
WORDS = ["--units", 3, "--horizon", 20, "--worlds", 16]


@pytest.fixture(scope="module")
def decision():
    return mindgap.decide(VANS, coverage=COVERAGE, **SMALL)


@pytest.mark.parametrize(
    "options, words",
    [
        (dict(coverage=COVERAGE, odds=2.0), ["--coverage", COVERAGE, "--odds", 2]),
        (
            dict(log=PILOT, plans=["sop", "asop", "pilot-2x5"], objective="discounted", seed=9),
            ["--log", PILOT, *"--plans sop,asop,pilot-2x5 --objective discounted --seed 9".split()],
        ),
        (
            dict(plans=["asop", "pilot-3x4"], indifference=0.1, replan_every=4, target="sop", reward_sd=3.0),
            "--plans asop,pilot-3x4 --indifference 0.1 --replan-every 4 --target sop --reward-sd 3".split(),
        ),
        (
            dict(plans=["asop", "pilot-3x4"], max_share={"B": 0.25}, max_loss=5.0),
            "--plans asop,pilot-3x4 --max-share B=0.25 --max-loss 5".split(),
        ),
        (
            dict(plans=["asop", "pilot-3x4"], pilot_cost=2.0, unit_step_cost=0.5, delay=3, uptake=0.5, tornado=True),
            "--plans asop,pilot-3x4 --pilot-cost 2 --unit-step-cost 0.5 --delay 3 --uptake 0.5 --tornado".split(),
        ),
        (
            dict(plans=["asop", "pilot-3x4"], objective="cvar:0.25"),
            "--plans asop,pilot-3x4 --objective cvar:0.25".split(),
        ),
    ],
)
def test_decide_says_what_the_command_line_says(options, words, like_the_command_line):
    made = mindgap.decide(VANS, **SMALL, **options)
    said = command_line("decide", VANS, *WORDS, *words)
    assert without_times(made.to_dict()) == without_times(said)
    assert made.verdict == said["verdict"] and made.leaning == said["leaning"]
    assert made.gain == said["gain"] and list(made.interval) == said["gain_interval"]
    assert made.cost == said["cost"] and made.break_even_step == said["break_even_step"]
    assert made.probability_of_loss == said["probability_of_loss"]
    assert made.recommended == said["recommended"]["plan"]


def test_tipping():
    options = dict(units=1, horizon=4, worlds=8, plans=["sop", "pilot-1x1"], coverage=COVERAGE)
    words = ["--units", 1, "--horizon", 4, "--worlds", 8, "--plans", "sop,pilot-1x1", "--coverage", COVERAGE]
    made = mindgap.decide(VANS, tipping=True, **options)
    said = command_line("decide", VANS, *words, "--tipping")
    assert made.to_dict()["tipping"] == said["tipping"]
    cells = [(one["axis"], cell) for one in said["tipping"] for cell in one["cells"]]
    frame = made.tipping_frame()
    assert frame["verdict"].tolist() == [cell["verdict"] for _, cell in cells]
    assert frame["axis"].tolist() == [axis for axis, _ in cells]


def test_gains_over_learning_and_over_undirected_exploration():
    made = mindgap.decide(VANS, coverage=COVERAGE, plans=["sop", "asop", "beb-1", "pilot-3x4"], **SMALL)
    said = made.to_dict()
    for found, key in (
        (made.gain_over_learning, "gain_over_learning"),
        (made.gain_over_undirected, "gain_over_undirected"),
    ):
        assert found._asdict() == {**said[key], "interval": tuple(said[key]["interval"])}
    assert made.gain_over_undirected.plan == "pilot-3x4" and made.gain_over_undirected.other == "beb-1"
    assert mindgap.decide(VANS, plans=["sop", "asop"], **SMALL).gain_over_undirected is None


def test_history_and_pilots_are_told_apart():
    rows = 30
    log = {
        "unit": [f"u{i}" for i in range(rows)],
        "step": [0] * rows,
        "state": ["zone-0-0"] * rows,
        "action": ["stay"] * rows,
        "reward": [1.0] * rows,
        "next_state": ["zone-0-0"] * rows,
    }
    asked = dict(plans=["sop", "asop"], **SMALL)
    with pytest.warns(UserWarning, match="looks like history: 30 units"):
        mindgap.decide(VANS, log=log, **asked)
    with pytest.warns(UserWarning, match="was taken as history"):
        mindgap.decide(VANS, coverage=log, **asked)
    with pytest.raises(mindgap.InvalidModel, match="Give it as log"):
        mindgap.decide(VANS, coverage={**log, "probability": [0.5] * rows}, **asked)


def test_a_log_that_refutes_the_simulator_is_warned_of():
    log = {
        "unit": ["a"] * 40,
        "step": list(range(40)),
        "state": ["zone-0-0"] * 40,
        "action": ["right"] * 40,
        "reward": [0.0] * 40,
        "next_state": ["zone-3-3"] * 40,
    }
    with pytest.warns(UserWarning, match="the log refutes the simulator in 1 of the 1"):
        made = mindgap.decide(VANS, log=log, plans=["sop", "asop"], **SMALL)
    assert made.to_dict()["refuted"]["off_support"] == 40


def test_frames(decision):
    plans = decision.plans
    said = decision.to_dict()["plans"]
    assert plans["name"].tolist() == [one["name"] for one in said]
    assert plans["value"].tolist() == [one["value"] for one in said]
    assert plans["screened"].dtype == bool
    curves = decision.curves_frame()
    last = curves[(curves.plan == "sop") & (curves.step == 20)]
    assert last["mean"].item() == pytest.approx(plans.set_index("name").total["sop"])
    routes = decision.routes_frame()
    assert len(routes) > 0 and list(routes.columns) == ["unit", "step", "state", "action"]
    assert len(decision.tipping_frame()) == 0


def test_files(tmp_path, like_the_command_line):
    decision = mindgap.decide(VANS, coverage=COVERAGE, **SMALL)
    words = ["--coverage", COVERAGE, "--report", tmp_path / "theirs.html", "--out", tmp_path / "theirs.json"]
    run("decide", VANS, *WORDS, *words)
    decision.report(tmp_path / "ours.html")
    decision.write_plan(tmp_path / "ours.json")
    pages = ((tmp_path / name).read_text() for name in ("ours.html", "theirs.html"))
    # A table can be saved from a link that holds it, encoded.
    ours, theirs = (re.sub(r'href="data:text/csv[^"]*"', "", page) for page in pages)
    called = re.search("<td>Command line</td><td>(mindgap decide .*?)</td>", theirs)
    assert called and ours == theirs.replace(called[1], "called as a library")
    ours, theirs = (json.loads((tmp_path / name).read_text()) for name in ("ours.json", "theirs.json"))
    assert decision.plan() == ours
    for plan in (ours, theirs):  # the command line knows where the model lies
        plan["seconds"] = plan["study"]["model"] = None
    assert ours == theirs
    with pytest.raises(mindgap.StoreError):
        decision.report(tmp_path / "nowhere" / "page.html")
    only = mindgap.decide(VANS, plans=["sop", "asop"], **SMALL)
    with pytest.raises(mindgap.InvalidArgument, match="no pilot among the plans"):
        only.write_plan(tmp_path / "none.json")


def test_warnings_say_what_the_command_line_says():
    log = {"unit": [1], "step": [0], "state": ["zone-0-0"], "action": ["stay"], "reward": [1.0]}
    log["next_state"] = ["zone-0-0"]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        made = mindgap.decide(VANS, log=log, plans=["sop"], odds=2.0, **SMALL)
    assert [str(one.message) for one in said] == made.warnings
    assert said[0].filename == __file__
    for expected in ("log has other units than the 3", "without coverage", "no plan of the kind 'learn'"):
        assert any(expected in one for one in made.warnings), expected


@pytest.mark.parametrize(
    "options, said",
    [
        (dict(units=0), "units: expected at least one unit"),
        (dict(units=10**9), "units: at most 10,000,000 units"),
        (dict(horizon=0), "horizon"),
        (dict(worlds=1), "worlds is 1"),
        (dict(worlds="many"), "worlds is 'many'"),
        (dict(plans=["dream"]), "dream"),
        (dict(plans=["pilot-9x5"]), "pilot-9x5"),
        (dict(objective="fun"), "objective is 'fun'"),
        (dict(objective="discounted", tipping=True), "tipping"),
        (dict(indifference=-1.0), "indifference"),
        (dict(time_limit=-1.0), "time_limit"),
        (dict(positions={"unit": ["a"], "state": ["zone-0-0"]}), "1 units have .* there are to be 3"),
    ],
)
def test_bad_arguments_are_named(options, said):
    with pytest.raises(mindgap.InvalidArgument, match=said):
        mindgap.decide(VANS, **{**SMALL, **options})


def test_a_pilot_that_is_there_is_compared_with_its_very_routes(tmp_path, like_the_command_line):
    plans = ["sop", "asop", "pilot-2x5"]
    made = mindgap.decide(VANS, coverage=COVERAGE, plans=plans, **SMALL)
    made.write_plan(tmp_path / "plan.json")
    for plan in (made.plan(), tmp_path / "plan.json"):
        again = mindgap.decide(VANS, coverage=COVERAGE, plans=plans, plan=plan, **SMALL)
        values = again.plans.set_index("name")["value"]
        assert values["given-2x5"] == values["pilot-2x5"] == made.plans.set_index("name")["value"]["pilot-2x5"]
    said = command_line("decide", VANS, *WORDS, "--coverage", COVERAGE, "--plans", ",".join(plans),
                        "--plan", tmp_path / "plan.json")  # fmt: skip
    assert without_times(said) == without_times(again.to_dict())


def test_a_pilot_that_is_there_must_fit(tmp_path):
    plan = mindgap.design(VANS, units=3, steps=5).plan()
    with pytest.raises(mindgap.InvalidArgument, match="sends more units from"):
        mindgap.decide(VANS, plan=plan, units=2, horizon=20, worlds=4)
    with pytest.raises(mindgap.InvalidModel, match="no plan of mindgap"):
        mindgap.decide(VANS, plan={"format": 1}, **SMALL)


def test_draws_are_a_table_for_voi(tmp_path):
    made = mindgap.decide(VANS, units=3, horizon=20, worlds=60, plans=["sop", "asop", "pilot-3x4"])
    frame = made.draws()
    assert len(frame) == 60
    found = mindgap.voi(frame, plans=["sop", "asop", "pilot-3x4"]).to_dict()["plans"]
    assert [plan["mean"] for plan in found] == pytest.approx([plan["value"] for plan in made.to_dict()["plans"]])
    made.write_draws(tmp_path / "draws.csv")
    assert mindgap.voi(tmp_path / "draws.csv", plans=["sop", "asop"]).best in ("sop", "asop")
