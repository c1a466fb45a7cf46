"""compare() on what is built in: against the command line, and with planners of a user's own."""

import re
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import mindgap
from program import ROOT, command_line, run

WORLD = ROOT / "tests/models/example_e"
SIMULATOR = ROOT / "tests/models/example_e_simulator"


@pytest.mark.parametrize(
    ("case", "words", "options"),
    [
        ("treasure", ["--truth", "prior"], {"truth": "prior"}),
        ("lock", ["--errors", "2"], {"errors": 2}),
        ("deepsea", ["--shuffle=no", "--slip", "0.1"], {"shuffle": False, "slip": 0.1}),
        ("riverswim", ["--reward-sd", "0.5"], {"reward_sd": 0.5}),
        (WORLD, ["--simulator", SIMULATOR], {"simulator": SIMULATOR}),
        (WORLD, ["--transition-strength", "3"], {"transition_strength": 3}),
    ],
)
def test_compare_says_what_the_command_line_says(case, words, options):
    found = mindgap.compare(
        case,
        planners=["sop", "fisher"],
        trials=4,
        first_trial=3,
        horizons=[15, 10],
        units=6,
        seed=7,
        **options,
    )
    common = "--planners sop,fisher --trials 4 --first-trial 3 --horizons 15,10 --units 6 --seed 7".split()
    assert found.to_dict() == command_line("compare", case, *common, *words)
    assert str(found) == run("compare", case, *common, *words).stdout


def test_plans_by_name_are_those_of_the_command_line():
    asked = {"trials": 2, "horizons": 12, "units": 4}
    found = mindgap.compare("treasure", planners=["sop", "pilot-2x4", "beb-2"], **asked)
    words = "--planners sop,pilot-2x4,beb-2 --trials 2 --horizons 12 --units 4".split()
    assert found.to_dict() == command_line("compare", "treasure", *words)
    with pytest.raises(mindgap.InvalidArgument, match="pilot-5x4"):
        mindgap.compare("treasure", planners=["pilot-5x4"], **asked)


@pytest.mark.filterwarnings("ignore:no plan of the kind")
def test_a_decision_is_followed_with_its_routes():
    simulator = mindgap.read_model(SIMULATOR)
    asked = {"trials": 3, "horizons": 20, "units": 4, "simulator": simulator}
    for plan in ("pilot-4x6", "beb-2", "sop"):
        decision = mindgap.decide(simulator, units=4, horizon=20, worlds=4, plans=[plan], replan_every=5)
        found = mindgap.compare(WORLD, planners=[decision], **asked)
        assert found.planners[0] == "decision"
        if plan != "pilot-4x6":  # what else it is called
            by_name = mindgap.compare(WORLD, planners=[plan], **asked)
            assert np.array_equal(found.value[:, 0], by_name.value[:, 0])
    with pytest.raises(mindgap.InvalidArgument, match="about 4 units, but 5 act here"):
        pilot = mindgap.decide(simulator, units=4, horizon=20, worlds=4, plans=["pilot-4x6"])
        mindgap.compare(WORLD, planners={"advice": pilot}, **{**asked, "units": 5})


@pytest.mark.parametrize("case", ["vending", "hiv"])
def test_cases_with_planners_of_their_own_kind(case):
    found = mindgap.compare(case, planners=["sop"], trials=1, horizons=2, reference="sop")
    assert found.to_dict() == command_line(
        "compare", case, "--planners", "sop", "--trials", 1, "--horizons", 2, "--reference", "sop"
    )
    with pytest.raises(
        mindgap.InvalidArgument, match="planners of a kind of its own and takes no others; treasure"
    ):
        mindgap.compare(case, planners=["sop", Uniform], trials=1, horizons=2)


def test_simulator_in_memory_is_that_of_the_folder():
    asked = {"planners": ["sop", "asop"], "trials": 3, "horizons": 20}
    by_path = mindgap.compare(WORLD, simulator=SIMULATOR, **asked)
    by_model = mindgap.compare(WORLD, simulator=mindgap.read_model(SIMULATOR), **asked)
    assert np.array_equal(by_path.value, by_model.value)


def test_what_history_covered_counts_as_in_every_other_command(tmp_path):
    asked = {"planners": ["asop", "thompson"], "trials": 3, "horizons": 20}
    simulator = mindgap.read_model(SIMULATOR)
    covered = simulator.with_coverage(np.arange(simulator.pairs) * 100.0)
    mindgap.write_model(covered, tmp_path / "covered.h5")
    found = mindgap.compare(WORLD, simulator=covered, **asked)
    words = "--planners asop,thompson --trials 3 --horizons 20".split()
    by_file = command_line("compare", WORLD, "--simulator", tmp_path / "covered.h5", *words)
    assert found.to_dict()["rows"] == by_file["rows"]
    assert not np.array_equal(found.value, mindgap.compare(WORLD, simulator=simulator, **asked).value)


def test_results_and_frames():
    found = mindgap.compare("treasure", planners=["sop", "fisher"], trials=5, horizons=[30, 90])
    assert found.planners == ["sop", "fisher", "oracle", "asop"] and found.horizons == [30, 90]
    assert found.trials == [0, 1, 2, 3, 4] and found.value.shape == (5, 4, 2)
    results = found.results
    assert list(results.columns) == ["trial", "planner", "horizon", "value"] and len(results) == 40
    one = results.query("trial == 3 and planner == 'oracle' and horizon == 90")["value"]
    assert one.tolist() == [found.value[3, 2, 1]]
    frame = found.to_frame()
    assert list(frame["planner"]) == ["sop", "fisher"] * 2 and list(frame["horizon"]) == [30, 30, 90, 90]
    assert np.allclose(frame["mean"], found.value[:, :2, :].mean(axis=0).T.ravel(), rtol=1e-14)
    difference = (found.value[:, 1, :] - found.value[:, 3, :]).mean(axis=0)
    assert np.allclose(frame["mean_difference"][[1, 3]], difference, rtol=1e-13)
    # 95 % by Student's t with 4 degrees of freedom, 2.7764451 (tables).
    sd = (found.value[:, 1, 1] - found.value[:, 3, 1]).std(ddof=1)
    assert frame["mean_difference_upper"][3] - difference[1] == pytest.approx(2.7764451 * sd / 5**0.5)


def test_one_trial_has_no_intervals():
    frame = mindgap.compare("lock", planners=["sop"], trials=1, horizons=5).to_frame()
    assert frame["percent_lower"].isna().all() and frame["mean_difference_lower"].isna().all()


def test_cases_are_listed():
    by_name = {case.name: case for case in mindgap.cases()}
    assert {"treasure", "riverswim", "hiv", "vending"} <= set(by_name)
    treasure = by_name["treasure"]
    assert "oracle" in treasure.planners and "fisher" in treasure.planners
    sd = next(option for option in treasure.options if option.name == "sd_a")
    assert sd.default == "auto" and sd.meaning


def test_a_folder_keeps_results_and_shards_are_merged(tmp_path):
    asked = {"planners": ["sop", "asop"], "horizons": [5, 9], "trials": 5, "units": 3}
    whole = mindgap.compare("riverswim", out=tmp_path / "whole", **asked)
    for i in (1, 2):
        mindgap.compare("riverswim", out=tmp_path / str(i), shard=(i, 2), **asked)
    merged = mindgap.merge([tmp_path / "1", tmp_path / "2"], out=tmp_path / "all")
    assert merged.to_dict() == whole.to_dict()
    assert (tmp_path / "all/results.csv").read_bytes() == (tmp_path / "whole/results.csv").read_bytes()
    again = mindgap.compare("riverswim", out=tmp_path / "whole", **asked)  # nothing is left to do
    assert np.array_equal(again.value, whole.value)
    with pytest.raises(mindgap.InvalidArgument, match="seed was 42, now 1"):
        mindgap.compare("riverswim", out=tmp_path / "whole", seed=1, **asked)


class Uniform:
    """Any action, evenly."""

    def __init__(self, setting):
        self.model = setting.model
        self.generator = np.random.default_rng([setting.seed, setting.trial])

    def choose(self, step, states):
        first, after = self.model.pair_begin[states], self.model.pair_begin[states + 1]
        return self.model.pair_action[self.generator.integers(first, after)]


class Sop:
    """The simulator's own policy, by way of Python."""

    name = "python-sop"

    def __init__(self, setting):
        self.policy = mindgap.solve(setting.model, threads=1).policy

    def choose(self, step, states):
        return self.policy[states]

    def observe(self, step, states, actions, rewards, next_states):
        assert states.shape == actions.shape == rewards.shape == next_states.shape
        assert (actions == self.policy[states]).all()


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("case", ["treasure", "riverswim", "confounded", WORLD])
def test_a_users_planner_meets_the_same_luck(case, threads):
    # The same policy must gather the same, bit for bit, whoever carries it out.
    found = mindgap.compare(
        case, planners=["sop", Sop], trials=4, horizons=[10, 20], units=5, threads=threads
    )
    assert found.planners[:2] == ["sop", "python-sop"]
    assert np.array_equal(found.value[:, 0], found.value[:, 1])


def test_planners_may_use_the_library_from_any_thread():
    # Parallel loops inside Python inside a parallel loop: nobody waits for the interpreter while holding it.
    class Nested(Sop):
        name = "nested"

        def __init__(self, setting):
            self.model = setting.model
            self.policy = mindgap.solve(setting.model, threads=2).policy

        def choose(self, step, states):
            if step % 5 == 0:
                mindgap.compare("riverswim", planners=["asop"], trials=3, horizons=5, threads=2)
                assert np.array_equal(mindgap.solve(self.model, threads=2).policy, self.policy)
            return super().choose(step, states)

    found = mindgap.compare("confounded", planners=["sop", Nested], trials=6, horizons=20, threads=4)
    assert np.array_equal(found.value[:, 0], found.value[:, 1])


def test_a_users_planner_does_not_change_the_others():
    asked = {"trials": 3, "horizons": 30, "units": 5}
    alone = mindgap.compare("riverswim", planners=["thompson"], **asked)
    beside = mindgap.compare("riverswim", planners={"thompson": "thompson", "any": Uniform}, **asked)
    assert np.array_equal(alone.value[:, 0], beside.value[:, 0])
    assert beside.planners == ["thompson", "any", "oracle", "asop"]


def test_what_a_users_planner_is_given():
    seen = []

    class Curious(Uniform):
        uses_horizon = True

        def __init__(self, setting):
            super().__init__(setting)
            seen.append((setting.trial, setting.horizon, setting.units, setting.seed))
            belief = setting.belief
            assert belief.mean().reward.tolist() == setting.model.reward.tolist()
            before = belief.reward_sd[0], belief.transition_strength[0]
            state, action = 0, int(setting.model.pair_action[0])
            belief.observe([state], [action], [1.0], [int(setting.model.next_state[0])])
            assert belief.reward_sd[0] < before[0] and belief.transition_strength[0] == before[1] + 1
            assert setting.belief.reward_sd[0] == before[0]  # each has its own
            assert belief.sample(1, 2) == belief.sample(1, 2) != belief.sample(1, 3)

    mindgap.compare("riverswim", planners=[Curious], trials=2, horizons=[3, 6], units=4, seed=9, threads=1)
    assert seen == [(0, 3, 4, 9), (0, 6, 4, 9), (1, 3, 4, 9), (1, 6, 4, 9)]


def test_an_action_that_is_not_there_is_refused():
    class Wrong(Uniform):
        def choose(self, step, states):
            return np.full(len(states), 7 if step == 2 else 0)

    with pytest.raises(
        mindgap.InvalidArgument,
        match="planner 'Wrong' chose action 7 in state '.*' at step 2 for unit 0 of trial 0",
    ):
        mindgap.compare("riverswim", planners=[Wrong], trials=1, horizons=5)


@pytest.mark.parametrize("given", [[0.5, 0.5], [0], None, "left", [[0, 0]]])
def test_choices_that_are_no_actions_are_refused(given):
    class Wrong(Uniform):
        def choose(self, step, states):
            return given

    with pytest.raises(mindgap.InvalidArgument, match="one action for each of the 2 units"):
        mindgap.compare("riverswim", planners=[Wrong], trials=1, horizons=5, units=2)


@pytest.mark.parametrize("made", [None, 3, "asop"])
def test_a_factory_that_makes_no_planner_is_refused(made):
    with pytest.raises(
        mindgap.InvalidArgument, match=f"planner 'mine': what it makes of a Setting, {made!r}, has no choose"
    ):
        mindgap.compare("riverswim", planners={"mine": lambda setting: made}, trials=1, horizons=5)


@pytest.mark.parametrize("threads", [1, 2])
def test_what_a_planner_raises_comes_out(threads):
    class Broken(Uniform):
        def choose(self, step, states):
            if step == 3:
                raise LookupError("no idea")
            return super().choose(step, states)

    with pytest.raises(LookupError, match="no idea") as raised:
        mindgap.compare("riverswim", planners=[Broken], trials=20, horizons=5, threads=threads)
    if sys.version_info >= (3, 11):
        (note,) = raised.value.__notes__
        assert re.fullmatch(r"in planner 'Broken', trial \d+, at step 3", note)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions take no notes")
def test_where_a_planner_raises_is_said():
    class Learns(Uniform):
        def observe(self, step, states, actions, rewards, next_states):
            if step == 2:
                raise LookupError("no idea")

    def beginning(setting):
        raise LookupError("no idea")

    for mine, where in ((Learns, "trial 4, at step 2"), (beginning, "trial 4, at its beginning")):
        with pytest.raises(LookupError, match="no idea") as raised:
            mindgap.compare("riverswim", planners={"mine": mine}, trials=1, first_trial=4, horizons=5)
        assert raised.value.__notes__ == [f"in planner 'mine', {where}"]


@pytest.mark.parametrize(
    ("asked", "match"),
    [
        ({"case": "tresure"}, "there is no case or world folder 'tresure'; there are: treasure"),
        ({"case": None}, "name a case"),
        ({"planners": ["asp"]}, "there is no planner 'asp'; there are: "),
        ({"planners": ["asop", "asop"]}, "listed twice"),
        ({"planners": [lambda setting: None]}, "has no name"),
        ({"planners": {"asop": Uniform}}, "give yours another name"),
        ({"planners": {"mine": "asop"}}, "is ours"),
        ({"planners": [3]}, "has no name"),
        ({"planners": {"mine": 3}}, "must be a name or make"),
        ({"horizons": [0]}, "horizon is 0"),
        ({"trials": 0}, "trials is 0"),
        ({"trials": 2.5}, "trials is 2.5"),
        ({"seed": -1}, "seed is -1"),
        ({"units": 0}, "units is 0"),
        ({"first_trial": -3}, "first_trial is -3"),
        ({"reference": "nobody"}, "nobody"),
        ({"colour": "red"}, "colour"),
        ({"planners": [Uniform], "out": "somewhere"}, "out: "),
        ({"oracle": [0]}, "oracle: "),
        ({"simulator": mindgap.read_model(SIMULATOR)}, "brings its own"),
        ({"shard": (3, 2)}, "shard"),
    ],
)
def test_bad_arguments_are_refused(asked, match):
    with pytest.raises(mindgap.InvalidArgument, match=match):
        mindgap.compare(**{"case": "riverswim", "trials": 1, "horizons": 2, **asked})


def test_progress_is_told_and_may_end_it(every_report):
    told = []
    mindgap.compare(
        "riverswim",
        planners=["thompson"],
        trials=5,
        horizons=3000,
        progress=lambda *p: told.append(p),
        threads=1,
    )
    assert told and all(
        what == "comparing on riverswim" and done <= total == 15 for what, done, total in told
    )
    assert told[-1][1] == 15

    def refuse(what, done, total):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        mindgap.compare("confounded", trials=50, progress=refuse, threads=2)


def test_other_threads_run_meanwhile():
    counted = 0
    over = threading.Event()

    def count():
        nonlocal counted
        while not over.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    began = time.monotonic()
    mindgap.compare("confounded", planners=["thompson", "ids"], trials=4, horizons=100, threads=1)
    lasted = time.monotonic() - began
    over.set()
    thread.join()
    assert counted > 100 * lasted  # it could do about 900 a second


INTERRUPTED = """
import signal, sys, threading, time
import mindgap

class Slow:
    def reset(self, seed): return 0
    def step(self, action):
        time.sleep(.01)
        return 0.0, 0

kind, threads = sys.argv[1], int(sys.argv[2])
threading.Timer(1, lambda: signal.raise_signal(signal.SIGINT)).start()
asked = {"trials": 1000, "threads": threads}
try:
    if kind == "case":
        mindgap.compare("deepsea", planners=["ids", "thompson"], size=30, horizons=100_000, **asked)
    else:
        model = mindgap.read_model("examples/vans")
        mindgap.compare(world=Slow, simulator=model, planners=["sop", "asop"], horizons=1000, **asked)
except KeyboardInterrupt:
    began = time.monotonic()
    mindgap.compare("riverswim", planners=["sop"], trials=2, horizons=5)
    print("stopped")
"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", ["case", "world"])
def test_ctrl_c_stops_it(kind, threads):
    began = time.monotonic()
    said = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, kind, str(threads)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
    )
    assert said.stdout == "stopped\n", said.stderr
    assert time.monotonic() - began < 10  # a second until the signal, one to stop, and what it takes to start


def test_a_comparison_in_a_notebook_and_as_arrow():
    import pyarrow

    found = mindgap.compare("treasure", planners=["sop", "asop", "fisher"], trials=5, horizons=[30, 90])
    page = found._repr_html_()
    assert "fisher gathers most by 90 steps" in page and "% of oracle" in page and "<img" in page
    table = pyarrow.table(found)
    assert table.num_rows == 6 and table.column("planner").to_pylist()[2] == "fisher"
    assert table.column("mean").to_pylist() == found.to_frame()["mean"].tolist()
    alone = mindgap.compare("riverswim", planners=["asop"], trials=1, horizons=5)._repr_html_()
    assert "asop gathers most by 5 steps" in alone and "<img" not in alone
    costs = mindgap.compare("deepsea", noise=0, horizons=5, trials=3, planners=["oracle", "asop-pilot"])
    assert "asop-pilot gathers most" in costs._repr_html_()
