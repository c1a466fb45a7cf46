"""A study by functions and by the command line: the same assignments, numbers and files."""

import json
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pandas
import pyarrow
import pytest

import mindgap
from program import COVERAGE, VANS, command_line, run

UNITS = pandas.DataFrame(
    {
        "unit": [f"van {i}" for i in range(12)],
        "state": ["zone-0-0", "zone-1-0", "zone-2-1", "zone-0-0", "zone-3-1", "zone-1-1"] * 2,
    }
)
MODEL = mindgap.read_model(VANS)
BEGIN = dict(model=VANS, units=UNITS, control_share=0.5)


def timeless(found):
    """Without hashes and times, which are the writer's."""
    if isinstance(found, dict):
        return {key: timeless(value) for key, value in found.items() if key not in ("head", "time", "since")}
    return [timeless(one) for one in found] if isinstance(found, list) else found


def results_of(assignments, seed=0):
    """What the field brings back: the simulator's rewards and some noise, and its likeliest move."""
    rng = np.random.default_rng(seed)
    rows = []
    for one in assignments.itertuples():
        pair = MODEL.find_pair(MODEL.find_state(one.state), MODEL.find_action(one.action))
        begin, end = MODEL.row_begin[pair], MODEL.row_begin[pair + 1]
        best = begin + int(np.argmax(MODEL.probability[begin:end]))
        rows.append((one.unit, one.step, one.state, one.action, float(MODEL.reward[pair] + rng.normal()),
                     MODEL.state_names[MODEL.next_state[best]]))  # fmt: skip
    return pandas.DataFrame(rows, columns=["unit", "step", "state", "action", "reward", "next_state"])


@pytest.fixture
def study(tmp_path):
    return mindgap.Study.init(tmp_path / "ours", horizon=12, coverage=COVERAGE, **BEGIN)


def test_a_study_goes_as_on_the_command_line(study, tmp_path):
    theirs = tmp_path / "theirs"
    UNITS.to_csv(tmp_path / "units.csv", index=False)
    said = command_line("study", "init", theirs, "--model", VANS, "--units", tmp_path / "units.csv",
                        "--horizon", 12, "--coverage", COVERAGE, "--control-share", 0.5)  # fmt: skip
    assert timeless(study.begun.to_dict()) == timeless(said)
    for round_ in range(3):
        assigned = study.assign()
        assert timeless(assigned.to_dict()) == timeless(command_line("study", "assign", theirs))
        assert assigned.added == len(UNITS) and assigned.finished == 0
        results = results_of(assigned.to_frame(), round_)
        results.to_csv(tmp_path / "results.csv", index=False)
        recorded = study.record(results)
        assert timeless(recorded.to_dict()) == timeless(command_line("study", "record", theirs, tmp_path / "results.csv"))
        assert recorded.recorded == len(results)
    status = study.status()
    said = command_line("study", "status", theirs)
    assert timeless(status.to_dict()) == timeless(said)
    assert status.phase == said["phase"] and status.net == said["next_batch"]["net"]
    assert status.go_on == said["next_batch"]["go_on"]
    assert list(status.interval) == said["next_batch"]["interval"]
    assert timeless(study.redesign().to_dict()) == timeless(command_line("study", "redesign", theirs))
    assert timeless(study.redesign(follow=True).to_dict()) == timeless(
        command_line("study", "redesign", theirs, "--follow")
    )
    ours = study.stop("it does not pay")
    said = command_line("study", "stop", theirs, "--why", "it does not pay")
    assert timeless(ours.to_dict()) == timeless(said)
    assert timeless(study.verify().to_dict()) == timeless(command_line("study", "verify", theirs))
    assert study.verify() and study.status().phase == "stopped"
    noted = study.verify(head=study.begun.head)
    assert noted.good and noted.events_since == noted.to_dict()["events_since_head"] > 0
    assert study.verify(head="0" * 64).problem
    with pytest.raises(mindgap.InvalidArgument, match="stop"):
        study.assign()


def test_both_may_write_to_one_study(study, tmp_path):
    theirs = command_line("study", "assign", study.folder)
    again = study.assign()
    assert again.added == 0 and again.to_dict()["assignments"] == theirs["assignments"]
    results_of(again.to_frame()).to_csv(tmp_path / "results.csv", index=False)
    command_line("study", "record", study.folder, tmp_path / "results.csv")
    assert study.record(tmp_path / "results.csv").already == len(UNITS)
    assert study.verify().good and str(study) == run("study", "status", study.folder).stdout


def test_tables(study):
    assigned = study.assign()
    frame = assigned.to_frame()
    assert frame["unit"].tolist() == UNITS["unit"].tolist()
    listed = assigned.to_dict()["assignments"]
    routes = [None if route is pandas.NA else route for route in frame["route"]]
    assert routes == [one["route"] for one in listed]
    arrow = pyarrow.table(assigned)
    assert arrow.column_names == list(frame.columns)
    assert arrow["route"].null_count == frame["route"].isna().sum()
    assert len(study.status().waiting_frame()) == len(UNITS)
    recorded = study.record(pyarrow.Table.from_pandas(results_of(frame), preserve_index=False))
    assert recorded.to_frame()["unit"].tolist() == UNITS["unit"].tolist()
    pairs = study.status().to_frame()
    assert pairs["count"].sum() == len(UNITS) and len(study.status().waiting_frame()) == 0
    assert study.begun.to_frame()["arm"].value_counts().to_dict() == {"explore": 6, "control": 6}
    assert len(study.redesign().to_frame()) == 1 and study.verify().to_frame()["verified"].tolist() == [True]


def test_results_that_come_later_and_are_corrected(study):
    results = results_of(study.assign().to_frame())
    partly = results.assign(reward=results["reward"].where(results.index > 1))
    first = study.record(partly)
    assert first.to_frame()["reward"].isna().sum() == 2
    assert study.record(results).to_dict()["completed"] == 2
    other = results.assign(reward=results["reward"] + 1)
    with pytest.raises(mindgap.InvalidModel, match="^results, row 0: "):
        study.record(other)
    assert study.record(other, correct=True).to_dict()["corrected"] == len(UNITS)
    other.loc[4, "state"] = "nowhere"
    with pytest.raises(mindgap.InvalidModel, match="^results, row 4: .*nowhere"):
        study.record(other)
    with pytest.raises(mindgap.InvalidArgument, match="results: expected a table"):
        study.record(None)


def test_a_model_in_memory_and_counts_per_pair(tmp_path):
    model = MODEL.with_discount(0.9)
    begin = {**BEGIN, "horizon": 5}
    study = mindgap.Study.init(tmp_path / "a", **{**begin, "model": model}, coverage=np.ones(model.pairs))
    table = pandas.DataFrame({"state": ["zone-0-0"], "action": ["stay"], "count": [1]})
    assert study.begun.to_dict()["discount"] == 0.9
    assert study.assign().added == len(UNITS) and study.verify()
    other = mindgap.Study.init(tmp_path / "b", **begin, coverage=np.ones(MODEL.pairs))
    assert other.status().warnings == []  # the model is the one at its path
    with pytest.raises(mindgap.InvalidArgument, match="coverage must have shape"):
        mindgap.Study.init(tmp_path / "c", **begin, coverage=np.ones(3))
    mindgap.Study.init(tmp_path / "d", **begin, coverage=table)


def test_files(study, tmp_path):
    study.record(results_of(study.assign().to_frame()))
    study.export(tmp_path / "data")
    assert len(pandas.read_csv(tmp_path / "data/observations.csv")) == len(UNITS)
    assert len(study.to_dict()["observations"]) == len(UNITS)
    said = run("study", "export", study.folder, "--format", "json")
    assert study.to_dict() == json.loads(said.stdout)
    study.report(tmp_path / "ours.html")
    command_line("study", "report", study.folder, "--out", tmp_path / "theirs.html")
    assert (tmp_path / "ours.html").read_text() == (tmp_path / "theirs.html").read_text()
    html = study._repr_html_()
    assert "<img" in html and 'class="headline"' in html and len(html) < 1_000_000


def test_what_is_no_study(tmp_path, study):
    with pytest.raises(mindgap.StoreError, match="there is no study"):
        mindgap.Study(tmp_path / "nowhere")
    with pytest.raises(mindgap.StoreError):
        mindgap.Study.init(study.folder, model=VANS, units=UNITS, horizon=12)
    with pytest.raises(mindgap.InvalidModel, match="^units, row 1: .*nowhere"):
        units = {"unit": [1, 2], "state": ["zone-0-0", "nowhere"]}
        mindgap.Study.init(tmp_path / "x", model=VANS, units=units, horizon=3)
    with pytest.raises(mindgap.InvalidArgument, match="horizon"):
        mindgap.Study.init(tmp_path / "x", model=VANS, units=UNITS, horizon=0)
    assert repr(mindgap.Study(study.folder)) == f"mindgap.Study({study.folder!r})"


def test_few_units_are_warned_of(tmp_path):
    with pytest.warns(UserWarning, match="fewer than 5 in an arm"):
        mindgap.Study.init(tmp_path / "few", model=VANS, units=UNITS[:4], horizon=5)


def test_odd_results_are_kept_and_said(study):
    results = results_of(study.assign().to_frame())
    results.loc[3, "reward"] = 1e6
    with pytest.warns(UserWarning, match="^row 3: the reward 1000000 is more than"):
        study.record(results)
    assert study.verify()


# Another SQLite program that only reads; it closes the file when its input ends.
READER = """
import sqlite3, sys
other = sqlite3.connect(sys.argv[1])
print(other.execute("SELECT count(*) FROM event").fetchone()[0], flush=True)
sys.stdin.read()
other.close()
"""


def test_pages_are_signed_anew_where_the_log_is_whole(study):
    """Who closes last writes what waits into the file, without our checksums."""
    file = f"{study.folder}/study.db"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", READER, file], stdin=pipe, stdout=pipe) as reader:
        reader.stdout.readline()
        study.record(results_of(study.assign().to_frame()))
        noted = study.verify()
        assert noted
        reader.communicate()
    with pytest.raises(mindgap.StoreError, match=r"Study\.verify\(sign=True, head=\.\.\.\)"):
        study.assign()
    assert "Study.verify(sign=True, head=...)" in study.verify().problem
    assert not study.verify(sign=True, head="0" * 64) and not study.verify()
    signed = study.verify(sign=True, head=noted.head)
    assert signed and signed.events_since == 0
    assert study.assign().added == len(UNITS)
    assert study.verify().to_dict() == command_line("study", "verify", study.folder)


def test_rows_that_do_not_follow_are_not_signed(study):
    change = """
import sqlite3, sys
other = sqlite3.connect(sys.argv[1])
other.executescript("DROP TRIGGER event_keeps_content; UPDATE event SET time = 'x' WHERE number = 1")
other.close()
"""
    file = f"{study.folder}/study.db"
    subprocess.run([sys.executable, "-c", change, file], check=True)
    with open(file, "rb") as changed:
        before = changed.read()
    with pytest.raises(mindgap.InvalidArgument, match="accept_loss=True"):
        study.verify(sign=True)
    assert not study.verify(sign=True, accept_loss=True)
    with open(file, "rb") as changed:
        assert changed.read() == before


def test_the_verbs_say_how_far_they_are(tmp_path, every_report):
    """Of 3,000 units."""
    units = {"unit": [f"van {i}" for i in range(3_000)], "state": MODEL.state_names[:30] * 100}
    designing = {"drawing the target", "minimising", "improving routes"}
    told = []

    def report(*one):
        told.append(one)

    begin = dict(model=VANS, units=units, horizon=12, coverage=COVERAGE)
    study = mindgap.Study.init(tmp_path / "large", **begin, progress=report)
    assert designing & {what for what, _, _ in told}
    for _ in range(2):
        study.record(results_of(study.assign(progress=report).to_frame()), progress=report)
    study.status(progress=report)
    told.clear()
    study.redesign(progress=report)
    assert designing & {what for what, _, _ in told}
    told.clear()
    assert study.verify(progress=report)
    verifying = [one for one in told if one[0] == "verifying"]
    assert verifying and all(0 <= done < total for _, done, total in verifying)
    assert not designing & {what for what, _, _ in told}  # one bar for all events
    with pytest.raises(ZeroDivisionError):
        study.redesign(progress=lambda *_: 1 / 0)
    assert study.verify() and study.assign().added == 3_000


def test_a_bar_may_be_asked_for(study):
    assert study.verify(progress=True) and study.status(progress=False)


def test_coverage_is_taken_as_by_every_other_function(tmp_path):
    def design(coverage):
        name = f"study {len(list(tmp_path.iterdir()))}"
        study = mindgap.Study.init(tmp_path / name, **BEGIN, horizon=5, coverage=coverage)
        return {key: value for key, value in study.begun.to_dict().items() if key not in ("study", "head")}

    counts = [3.0] * MODEL.pairs
    expected = design(counts)
    for same in (3.0, pandas.Series(counts), np.array(counts)):
        assert design(same) == expected
    assert design(3000) != expected
    with pytest.raises(mindgap.InvalidArgument, match="folder must be a path"):
        mindgap.Study(None)


def test_open_conflicts_are_named(tmp_path):
    (tmp_path / "pilot").mkdir()
    older = pathlib.Path(__file__).parents[1] / "study" / "older" / "0.2.0" / "study.db"
    shutil.copy(older, tmp_path / "pilot" / "study.db")
    status = mindgap.Study(tmp_path / "pilot").status()
    assert status.open_conflicts == 1 and status.to_dict()["open_conflicts"] == 1
    frame = status.conflicts_frame()
    assert frame[["conflict", "unit", "step", "reward", "who", "reason"]].values.tolist() == [
        [8, "m1", 1, 7.0, "bo", "contradicts"]
    ]
    assert "conflict 8: bo sent m1, step 1: reward 7" in str(status)
