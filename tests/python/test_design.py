"""design() against the command line."""

import json

import pandas
import pytest

import mindgap
from program import COVERAGE, PILOT, VANS, command_line, run, without_times

POSITIONS = {"unit": ["a", "b", "c"], "state": ["zone-0-0", "zone-1-1", "zone-0-0"]}
FORBIDDEN = {"state": ["zone-0-0"], "action": ["down"]}
CAPACITY = {"state": ["zone-0-1"], "per_step": [1]}
COSTS = {"state": ["zone-0-0", "zone-1-1"], "action": ["stay", "down"], "cost": [2.5, 1]}


def words_for(tmp_path, **tables):
    """Options with the tables as files."""
    words = []
    for name, table in tables.items():
        path = tmp_path / f"{name}.csv"
        pandas.DataFrame(table).to_csv(path, index=False)
        words += [f"--{name}", path]
    return words


@pytest.mark.parametrize(
    "options, words",
    [
        (dict(coverage=COVERAGE), ["--coverage", COVERAGE]),
        (
            dict(log=PILOT, target="sop", others=3, credit=False),
            ["--log", PILOT, *"--target sop --others 3 --no-credit".split()],
        ),
        (
            dict(occupancy="discounted", method="interior-point", block="rewards", gap=1e-4, seed=3, top=0),
            "--occupancy discounted --method interior-point --block rewards".split()
            + "--gap 1e-4 --seed 3 --top 0".split(),
        ),
        (
            dict(min_share={"B": 0.3}, max_share={"A": 0.65}, max_loss=100.0),
            "--min-share B=0.3 --max-share A=0.65 --max-loss 100".split(),
        ),
    ],
)
def test_design_says_what_the_command_line_says(options, words, tmp_path, like_the_command_line):
    made = mindgap.design(VANS, units=2, steps=12, **options)
    plan = tmp_path / "plan.json"
    said = command_line("design", VANS, "--units", 2, "--steps", 12, "--out", plan, *words)
    assert without_times(made.to_dict()) == without_times(said)
    assert made.pvv_after == said["pvv_after"] and made.gap == said["gap"] and made.status == said["status"]
    assert made.expected_loss == said["expected_loss"]
    theirs = json.loads(plan.read_text())
    ours = made.plan()
    assert {**ours, "seconds": 0} == {**theirs, "seconds": 0}
    made.write_plan(tmp_path / "ours.json")
    assert json.loads((tmp_path / "ours.json").read_text()) == ours


def test_tables_are_the_files(tmp_path):
    words = words_for(tmp_path, positions=POSITIONS, forbid=FORBIDDEN, capacity=CAPACITY, costs=COSTS)
    said = command_line("design", VANS, "--units", 2, "--steps", 8, *words, "--cost-budget", 30)
    made = mindgap.design(
        VANS,
        units=2,
        steps=8,
        positions=POSITIONS,
        forbid=FORBIDDEN,
        capacity=CAPACITY,
        costs=COSTS,
        cost_budget=30,
    )
    assert without_times(made.to_dict()) == without_times(said)
    assert [one["unit"] for one in made.plan()["assignment"]] == ["a", "b"]
    assert made.routes_frame()["unit"].unique().tolist() == ["a", "b"]


def test_frames():
    made = mindgap.design(VANS, units=3, steps=10, coverage=COVERAGE)
    pairs = made.pairs_frame()
    seen = pairs[pairs.expected > 0]
    assert [(row.state, row.action, row.expected) for row in seen.itertuples()] == [
        tuple(one.values()) for one in made.to_dict()["counts"]
    ]
    assert seen.expected.sum() == pytest.approx(3 * 10)  # every unit observes one pair a step
    assert pairs.pvv_before.sum() == pytest.approx(made.pvv_before)
    assert pairs.pvv_after.sum() == pytest.approx(made.pvv_after_rounding)
    routes = made.routes_frame()
    assert len(routes) == 3 * 10 and list(routes.columns) == ["unit", "route", "step", "state", "action"]


@pytest.mark.parametrize(
    "options, said",
    [
        (dict(units=0), "units"),
        (dict(method="magic"), "there is no method of design 'magic'; there are auto, columns"),
        (dict(block="all"), "there is no block 'all'"),
        (dict(occupancy="some"), "occupancy is 'some'"),
        (dict(target="nobody"), "nobody"),
        (dict(costs=COSTS), "costs and cost_budget go together"),
        (dict(min_share={"B": 1.5}), "the share of group 'B' is 1.5"),
        (dict(min_share={"nowhere": 0.5}), "nowhere"),
        (dict(positions={"unit": ["a"], "state": ["zone-0-0"]}), "1 units have .* pilot is to have 2"),
        (dict(positions=POSITIONS, others=4), "1 units are left for the others, but there are to be 4"),
        (dict(gap=0.0), "gap"),
    ],
)
def test_bad_arguments_are_named(options, said):
    with pytest.raises(mindgap.InvalidArgument, match=said):
        mindgap.design(VANS, **{"units": 2, "steps": 5, **options})


def test_text_is_the_command_lines():
    made = str(mindgap.design(VANS, units=2, steps=6)).splitlines()
    said = run("design", VANS, "--units", 2, "--steps", 6).stdout.splitlines()
    timeless = [[line for line in lines if "certificate" not in line] for lines in (made, said)]
    assert timeless[0] == timeless[1] and len(timeless[0]) == len(made) - 1
