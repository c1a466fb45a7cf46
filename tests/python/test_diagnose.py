"""diagnose() against the command line, and what may come in beside the model."""

import re
import warnings

import numpy as np
import pandas
import pyarrow
import pytest

import mindgap
from program import COVERAGE, PILOT, ROOT, VANS, command_line, run

LOG = pandas.read_csv(PILOT)
COUNTS = pandas.read_csv(COVERAGE)


def heard(call, *args, **options):
    """What a call gives and what it warns of."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = call(*args, **options)
    return found, [str(one.message) for one in said]


@pytest.mark.parametrize(
    "options, words",
    [
        (dict(coverage=COVERAGE, odds=2.0), ["--coverage", COVERAGE, "--odds", 2]),
        (dict(log=PILOT, draws=50), ["--log", PILOT, "--draws", 50]),
        (
            dict(
                coverage=COVERAGE, log=PILOT, estimate_variance=True, drift_sd=0.5, top=0, level=0.2, draws=20
            ),
            "--estimate-variance --drift-sd 0.5 --top 0 --level 0.2 --draws 20".split()
            + ["--coverage", COVERAGE, "--log", PILOT],
        ),
        (
            dict(reward_sd=2.0, transition_strength=7.0, draws=0, support_threshold=0.01, seed=7, threads=1),
            "--reward-sd 2 --transition-strength 7 --draws 0 --support-threshold 0.01 --seed 7".split(),
        ),
    ],
)
def test_diagnose_says_what_the_command_line_says(options, words, like_the_command_line):
    found = mindgap.diagnose(VANS, **options)
    said = command_line("diagnose", VANS, *words)
    assert found.to_dict() == said
    assert str(found) == run("diagnose", VANS, *words).stdout
    assert found.evpi == said["evpi"] and found.evpi_se == said["evpi_se"]
    assert found.evpi_local == said["evpi_local"] and found.evpi_reach == said["evpi_reach"]
    assert found.sop_value == said["sop_value"] and found.pvv_prior == said["pvv_prior"]
    assert found.pvv_posterior == said.get("pvv_posterior")
    assert found.unmeasured_share == said["unmeasured_share"] and found.warnings == said["warnings"]


def test_a_truth_is_a_world_folder():
    simulator, truth = ROOT / "tests/models/example_e_simulator", ROOT / "tests/models/example_e"
    found = mindgap.diagnose(simulator, truth=truth, draws=5)
    said = command_line("diagnose", simulator, "--truth", truth, "--draws", 5)
    assert found.to_dict() == said
    pairs = found.pairs_frame()
    assert pairs["total_error_reward"].tolist() == [one["total_error"]["reward"] for one in said["pairs"]]
    assert pairs["do_variance"].tolist() == [one["do_variance"] for one in said["pairs"]]


def test_a_jacobian_is_an_array_or_a_file(tmp_path):
    matrix = [[0.5, 0.25], [0.0, 1 / 3]]
    np.savetxt(tmp_path / "j.csv", matrix, delimiter=",", fmt="%.17g")
    ours = mindgap.diagnose(VANS, draws=0, jacobian=matrix).to_dict()["contraction"]
    said = command_line("diagnose", VANS, "--draws", 0, "--jacobian", tmp_path / "j.csv")
    assert ours == said["contraction"]
    assert ours["spectral_radius"] == pytest.approx(0.5)  # the larger one on the diagonal of a triangle
    with pytest.raises(mindgap.InvalidArgument, match=r"jacobian: expected a square matrix, .* \(2, 3\)"):
        mindgap.diagnose(VANS, jacobian=np.zeros((2, 3)))


def kinds_of(frame):
    yield "frame", frame
    yield "nullable", frame.convert_dtypes()
    yield "categories", frame.astype({"state": "category", "action": "category"})
    yield "shuffled columns, another index", frame[frame.columns[::-1]].set_index(frame.index + 100)
    yield "dict of lists", frame.to_dict("list")
    yield "dict of arrays", {name: frame[name].to_numpy() for name in frame}
    yield "arrow", pyarrow.Table.from_pandas(frame, preserve_index=False)


def test_every_kind_of_table_is_the_file():
    wanted = mindgap.diagnose(VANS, coverage=COVERAGE, log=PILOT, draws=5).to_dict()
    for (kind, log), (_, counts) in zip(kinds_of(LOG), kinds_of(COUNTS)):
        assert mindgap.diagnose(VANS, coverage=counts, log=log, draws=5).to_dict() == wanted, kind


def test_coverage_is_one_number_per_pair_or_a_history(tmp_path):
    model = mindgap.read_model(VANS)
    per_pair = np.zeros(model.pairs)
    for state, action, count in COUNTS.itertuples(index=False):
        per_pair[model.find_pair(model.find_state(state), model.find_action(action))] = count
    wanted = mindgap.diagnose(VANS, coverage=COVERAGE, draws=5).to_dict()
    assert mindgap.diagnose(model, coverage=per_pair, draws=5).to_dict() == wanted
    assert mindgap.diagnose(model, coverage=list(per_pair), draws=5).to_dict() == wanted
    assert mindgap.diagnose(model, coverage=pandas.Series(per_pair), draws=5).to_dict() == wanted
    three = mindgap.diagnose(model, coverage=np.full(model.pairs, 3.0), draws=5).to_dict()
    for same in (3, 3.0, np.int64(3), np.array(3)):
        assert mindgap.diagnose(model, coverage=same, draws=5).to_dict() == three
    assert model.coverage is None
    with pytest.raises(mindgap.InvalidArgument, match="coverage: expected an array .* pair, a path, .* but got a bool"):
        mindgap.diagnose(model, coverage=True)
    with pytest.raises(mindgap.InvalidArgument, match="^coverage must have shape .*166"):
        mindgap.diagnose(model, coverage=per_pair[:-1])
    history = mindgap.diagnose(VANS, coverage=LOG, draws=5)
    assert history.to_dict() == command_line("diagnose", VANS, "--coverage", PILOT, "--draws", 5)


def test_a_history_with_an_instrument(tmp_path):
    # A lottery decides half of the time, else somebody who sees h: action a1 looks better than it is.
    rng = np.random.default_rng(1)
    rows = 2000
    h, z = rng.integers(0, 2, rows), rng.integers(0, 2, rows)
    a = np.where(rng.random(rows) < 0.5, z, h)
    frame = pandas.DataFrame(
        {
            "unit": [f"u{i % 40}" for i in range(rows)],
            "step": np.arange(rows) // 40,
            "state": [f"s{i % 3}" for i in range(rows)],
            "action": [f"a{one}" for one in a],
            "reward": 0.2 * a + h + 0.1 * rng.standard_normal(rows),
            "next_state": "s0",
            "instrument": np.where(z == 1, "drawn", "not drawn"),
        }
    )
    frame.to_csv(tmp_path / "history.csv", index=False)
    model = ROOT / "tests/models/example_e_simulator"
    found = mindgap.diagnose(model, history=frame, draws=0).to_dict()
    assert found == command_line("diagnose", model, "--history", tmp_path / "history.csv", "--draws", 0)
    for pair in found["history_test"]["instrument"]["pairs"]:
        truth = 0.5 + (0.2 if pair["action"] == "a1" else 0)
        assert abs(pair["estimate"] - truth) < 4 * pair["estimate_error"]
        assert abs(pair["mean"] - truth) > 0.1


def test_errors_in_tables_say_the_row():
    wrong = LOG.copy()
    wrong.loc[7, "state"] = "zone-9-9"
    with pytest.raises(mindgap.InvalidModel, match="^log, row 7: .*zone-9-9") as raised:
        mindgap.diagnose(VANS, log=wrong)
    assert raised.value.file == "log" and raised.value.line == 7
    # A name with a line end in it moves lines, but not rows.
    wrong["unit"] = wrong["unit"].astype(str) + "\n, \"x\""
    with pytest.raises(mindgap.InvalidModel, match="^log, row 7: "):
        mindgap.diagnose(VANS, log=wrong)
    nothing = LOG.assign(**{name: LOG[name].where(LOG.index != 3) for name in ("reward", "next_state")})
    with pytest.raises(mindgap.InvalidModel, match="log, row 3: .*neither the reward nor the next state"):
        mindgap.diagnose(VANS, log=nothing)
    with pytest.raises(mindgap.InvalidModel, match="^log:1: .*reward"):
        mindgap.diagnose(VANS, log=LOG.drop(columns="reward"))


def test_a_reward_or_a_next_state_may_be_missing(tmp_path):
    log = LOG.assign(
        reward=LOG["reward"].where(LOG.index != 3), next_state=LOG["next_state"].where(LOG.index != 5)
    )
    log.to_csv(tmp_path / "log.csv", index=False)
    assert "nan" not in (tmp_path / "log.csv").read_text()
    found = mindgap.diagnose(VANS, log=log, draws=5)
    assert found.to_dict() == command_line("diagnose", VANS, "--log", tmp_path / "log.csv", "--draws", 5)
    assert found.to_dict() != mindgap.diagnose(VANS, log=LOG, draws=5).to_dict()


def test_warnings_name_rows_of_a_table_and_lines_of_a_file(tmp_path):
    odd = pandas.concat([LOG, LOG.iloc[[4]]], ignore_index=True)
    odd.loc[2, "reward"] = 1e6
    found, said = heard(mindgap.diagnose, VANS, log=odd, draws=0)
    assert said == found.warnings and "in row 2" in said[0]
    assert re.search(f"^log: a unit and step .* in row {len(LOG)}$", said[1])
    assert found.to_dict()["large_reward_lines"] == [2] and found.to_dict()["repeated_lines"] == [len(LOG)]
    odd.to_csv(tmp_path / "odd.csv", index=False)
    found, said = heard(mindgap.diagnose, VANS, log=tmp_path / "odd.csv", draws=0)
    assert re.search("odd.csv: a reward lies .* in line 4$", said[0])
    assert found.to_dict()["large_reward_lines"] == [4]
    with pytest.raises(mindgap.InvalidArgument, match="in row 2"):
        mindgap.diagnose(VANS, log=odd, draws=0, strict=True)


@pytest.mark.parametrize(
    "options, said",
    [
        (dict(log=3), "log: expected a path, a pandas DataFrame, .* but got a int"),
        (dict(log={"unit": [1], "step": [1, 2]}), "columns of one length"),
        (dict(odds=0.5, coverage=COVERAGE), "odds"),
        (dict(level=2.0, log=PILOT), "level"),
        (dict(draws=-5), "draws"),
        (dict(reward_sd=-1.0), "reward_sd"),
        (dict(transition_strength=0.0), "transition_strength"),
        (dict(support_threshold=-1.0), "threshold"),
        (dict(threads=-1), "threads is -1"),
    ],
)
def test_bad_arguments_are_named(options, said):
    with pytest.raises(mindgap.InvalidArgument, match=said):
        mindgap.diagnose(VANS, **options)


def test_frames():
    found = mindgap.diagnose(VANS, coverage=COVERAGE, log=PILOT, top=0, draws=5)
    pairs = found.pairs_frame()
    said = found.to_dict()
    assert len(pairs) == found.model.pairs
    ranked = pairs[pairs.epi > 0].sort_values("epi", ascending=False, kind="stable")
    assert [(row.state, row.action, row.epi) for row in ranked.itertuples()] == [
        (one["state"], one["action"], one["epi"]) for one in said["epi"]
    ]
    assert (pairs.epi.to_numpy() == found.epi).all()
    covered = pairs[pairs["count"] > 0]
    assert covered["reward_residual"].tolist() == [one["reward"] for one in said["residuals"]]
    assert pairs["reward_residual"].isna().sum() == len(pairs) - len(covered)
    unreached = found.unreached_frame()
    assert unreached["state"].tolist() == [one["state"] for one in said["routes"]]
    assert set(unreached["state"]) == set(said["unreached_states"])


def test_a_million_rows_enter_in_seconds():
    import time

    from mindgap._inputs import as_csv

    rows = 200_000
    many = pandas.concat([LOG] * (rows // len(LOG) + 1), ignore_index=True).iloc[:rows].copy()
    many["step"] = np.arange(rows)
    many["reward"] = np.random.default_rng(1).normal(size=rows)
    begin = time.perf_counter()
    text = as_csv(many, "log")
    assert time.perf_counter() - begin < 5
    again = pandas.read_csv(pyarrow.BufferReader(text.encode()), float_precision="round_trip")
    assert (again["reward"] == many["reward"]).all() and (again["state"] == many["state"]).all()
