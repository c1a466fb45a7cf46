"""The examples run, say what their C++ twins say, and the notebooks are what the scripts make."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples/python"
sys.path.insert(0, str(EXAMPLES))


def run(name, *words, timeout=120):
    return subprocess.run(
        [sys.executable, EXAMPLES / name, *words],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        timeout=timeout,
    ).stdout


def test_solve_says_what_its_twin_says():
    said = run("01_solve.py")
    # Waiting is best: y = .9 (.1 y + .9 m), m = .9 (.1 y + .9 o), o = 4 + .9 (.1 y + .9 o), which 26.244, 29.484
    # and 33.484 solve: .09 y = 2.36196, .81 m = 23.88204, .81 o = 27.12204.
    assert [line.split("+-")[0].split() for line in said.splitlines()] == [
        ["young", "->", "wait", "26.244"],
        ["middle", "->", "wait", "29.484"],
        ["old", "->", "wait", "33.484"],
    ]
    twin = Path(os.environ["MINDGAP_PROGRAM"]).with_name("example_01_solve")
    if twin.exists():
        assert said == subprocess.run([twin], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("02_frozen_lake.py", ["promised:", "FrozenLake-v1: 20 trials", "crossings in each 500 steps"]),
        ("03_inventory.py", ["orders by stock", "day: 40 trials", "replace"]),
        ("04_testing_vans.py", ["Experiment: a pilot of", "Routes", "vs asop"]),
    ],
)
def test_scripts_run(name, wanted):
    said = run(name)
    for text in wanted:
        assert text in said


def test_notebooks_are_what_the_scripts_make():
    from make_notebooks import NOTEBOOKS, cells_of

    for script, notebook in NOTEBOOKS.items():
        path = EXAMPLES / f"{notebook}.ipynb"
        kept = json.loads(path.read_text())
        made = cells_of((EXAMPLES / f"{script}.py").read_text())
        assert [(cell["cell_type"], "".join(cell["source"])) for cell in kept["cells"]] == made, (
            "run make_notebooks.py"
        )
        assert path.stat().st_size < 100_000
        assert all(cell.get("execution_count", 1) for cell in kept["cells"])  # executed


@pytest.mark.long
def test_notebooks_execute():
    run("make_notebooks.py", "--check", timeout=600)
