"""The examples run, say what their C++ twins say, and the notebooks are what the scripts make."""

import functools
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import mindgap

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples/python"
sys.path.insert(0, str(EXAMPLES))


def run(name, *words, timeout=120, cwd=ROOT):
    return subprocess.run(
        [sys.executable, EXAMPLES / name, *words],
        capture_output=True,
        text=True,
        check=True,
        cwd=cwd,
        timeout=timeout,
    ).stdout


@functools.cache
def script(name):
    """What the Python example says."""
    return run(f"{name}.py")


@functools.cache
def twin(name):
    """What the C++ example of that name says."""
    program = Path(os.environ["MINDGAP_PROGRAM"]).with_name(f"example_{name}")
    if not program.exists():
        pytest.skip(f"{program} is not built")
    return subprocess.run([program], capture_output=True, text=True, check=True, cwd=ROOT, timeout=60).stdout


def words_of(said):
    """Line by line, as words: without times, the frame's head, and how columns are padded."""
    said = re.sub(r", [0-9.e+-]+ s(?=\)|\n)", "", said).translate(str.maketrans("", "", "[]"))
    lines = [line.split() for line in said.splitlines()]
    return [line for line in lines if line and line != ["name", "kind", "value", "standard_error"]]


def numbers_in(said, what):
    """Those of the line that begins with `what`."""
    (line,) = [line for line in said.splitlines() if line.startswith(what)]
    return [float(number) for number in re.findall(r"-?\d+\.?\d*", line.removeprefix(what))]


def decided(decision, digits):
    """What the twins say of a decision."""
    return f"{decision.headline}\n" + "\n".join(
        f"{row['name']} {row['kind']} {row['value']:.{digits}f} {row['standard_error']:.{digits}f}"
        for _, row in decision.plans[~decision.plans["screened"]].iterrows()
    )


def test_solve_says_what_its_twin_says():
    said = script("01_solve")
    # Waiting is best: y = .9 (.1 y + .9 m), m = .9 (.1 y + .9 o), o = 4 + .9 (.1 y + .9 o), which 26.244,
    # 29.484 and 33.484 solve: .09 y = 2.36196, .81 m = 23.88204, .81 o = 27.12204.
    assert [line.split("+-")[0].split() for line in said.splitlines()] == [
        ["young", "->", "wait", "26.244"],
        ["middle", "->", "wait", "29.484"],
        ["old", "->", "wait", "33.484"],
    ]
    assert said == twin("01_solve")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("02_frozen_lake", ["promised:", "FrozenLake-v1: 20 trials", "crossings in each 500 steps"]),
        ("03_inventory", ["orders by stock", "day: 40 trials", "replace"]),
        ("04_testing_vans", ["Experiment: ", "Routes", "vs asop"]),
    ],
)
def test_scripts_run(name, wanted):
    said = script(name)
    for text in wanted:
        assert text in said


def mean_in(said, what):
    """The first number of the last line that begins with `what`."""
    return float(re.findall(rf"^{what} +(-?[0-9.]+)", said, re.M)[-1])


def assert_a_page(path, parameter):
    page = path.read_text()
    assert page.lower().startswith("<!doctype html>") and parameter in page


@pytest.mark.long
def test_the_pendulum_is_learnt(tmp_path):
    said = run("05_pendulum.py", timeout=300, cwd=tmp_path)
    assert_a_page(tmp_path / "pendulum.html", "Pendulum-v1")
    mass, length = numbers_in(said, "mass ")
    assert mass == pytest.approx(1.6, abs=0.3) and length == pytest.approx(0.85, abs=0.1)
    returns = [line for line in said.splitlines() if line.startswith(("nominal", "learnt", "true parameters"))]
    assert len(returns) == 6  # means, and differences


@pytest.mark.long
def test_a_shop_of_stockpyl(tmp_path):
    pytest.importorskip("stockpyl")
    said = run("06_stockpyl.py", timeout=900, cwd=tmp_path)
    assert_a_page(tmp_path / "stockpyl.html", "shop")
    assert numbers_in(said, "customers a day: ")[0] == pytest.approx(8, abs=1.5)
    assert mean_in(said, "learnt") > mean_in(said, "expected")


@pytest.mark.long
def test_an_epidemic_of_starsim(tmp_path):
    pytest.importorskip("starsim")
    said = run("07_epidemic.py", timeout=1800, cwd=tmp_path)
    assert_a_page(tmp_path / "epidemic.html", "epidemic")
    for group, rate in (("young", 0.2), ("old", 0.4)):
        assert numbers_in(said, f"transmission among the {group}:")[0] == pytest.approx(rate, abs=0.12)


@pytest.mark.parametrize(("name", "package"), [("06_stockpyl", "stockpyl"), ("07_epidemic", "starsim")])
def test_a_package_that_is_missing_is_named(name, package, tmp_path):
    code = f"import runpy, sys; sys.modules[{package!r}] = None; runpy.run_path({str(EXAMPLES / name)!r} + '.py')"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr == f"{name}.py wants {package}: pip install -r examples/python/requirements.txt\n"
    assert f"\n{package}==" in (EXAMPLES / "requirements.txt").read_text()


def test_vans_are_found_from_anywhere(tmp_path):
    path = EXAMPLES / "04_testing_vans.py"
    start = path.read_text().partition("vans = ")[0] + "print(folder)\n"  # up to where the model is read
    (tmp_path / "elsewhere.py").write_text(start)
    said = subprocess.run([sys.executable, "elsewhere.py"], capture_output=True, text=True, cwd=tmp_path)
    assert said.returncode == 1 and said.stderr.startswith("no examples/vans in a folder above "), said.stderr
    for place, name in ((tmp_path, str(path)), (ROOT, ""), (EXAMPLES, "")):  # a script, and notebooks
        code = f"exec(compile({start!r}, 'cell', 'exec'), {{'__file__': {name!r}}} if {name!r} else {{}})"
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=place)
        assert said.stdout.strip() == str(ROOT / "examples/vans"), said.stderr


def lake_from_its_table(success_rate):
    """The lake where walkers begin again, from Gymnasium's table; what the script samples."""
    table = gymnasium.make("FrozenLake-v1", success_rate=success_rate).unwrapped.P
    ends = {to for row in table.values() for entries in row.values() for _, to, _, over in entries if over}
    squares = sorted(set(table) - ends)
    P, R = np.zeros((11, 4, 11)), np.zeros((11, 4))
    for place, square in enumerate(squares):
        for action, entries in table[square].items():
            for probability, to, reward, over in entries:
                P[place, action, 0 if over else squares.index(to)] += probability
                R[place, action] += probability * reward
    return mindgap.Mdp.from_arrays(
        P,
        R,
        discount=0.99,
        layout="saS",
        start=np.eye(11)[0],
        name="the lake, as simulated",
        state_names=[str(square) for square in squares],
        action_names=["left", "down", "right", "up"],
    )


def test_frozen_lake_and_its_twin(like_the_command_line):
    said, here = twin("02_frozen_lake"), script("02_frozen_lake")
    assert said.splitlines()[0] == here.splitlines()[0]  # the table
    # The twin's simulator is the law that the script samples: the same words from Gymnasium's table.
    lake = lake_from_its_table(0.9)
    lake = lake.with_variance(0.1).with_prior(
        reward_sd=np.where(lake.reward > 0, 0.3, 0), transition_strength=2
    )
    wanted = f"promised: {mindgap.solve(lake).value_at_start:.2f} crossings, discounted\n"
    wanted += f"{mindgap.diagnose(lake, top=5)}\n"
    wanted += decided(mindgap.decide(lake, units=5, horizon=200, worlds=64), 2)
    before, _, after = said.partition("the real lake: 20 trials")
    assert words_of(before)[1:] == words_of(wanted)
    assert after
    # The script's sample is of that law. Over 12 seeds its promise has a standard deviation of 0.28: four.
    assert numbers_in(here, "promised:") == pytest.approx(numbers_in(said, "promised:"), abs=1.1)
    assert len(numbers_in(said, "one walker, crossings in each 500 steps:")) == 4


def shop_by_its_law(customers):
    P, R, variance = np.zeros((11, 5, 11)), np.zeros((11, 5)), np.zeros((11, 5))
    for stock in range(11):
        for order in range(5):
            shelf = min(10, stock + order)
            sold = np.arange(shelf + 1)
            chance = [math.exp(-customers) * customers**k / math.factorial(k) for k in range(shelf)]
            chance.append(1 - math.fsum(chance))
            earned = 5 * sold - 3 * order - 0.1 * (shelf - sold)
            P[stock, order, shelf - sold] = chance
            R[stock, order] = chance @ earned
            variance[stock, order] = chance @ (earned - R[stock, order]) ** 2
    made = mindgap.Mdp.from_arrays(P, R, discount=0.95, layout="saS", start=np.eye(11)[0], name="shop")
    return made.with_variance(variance.ravel())


def test_inventory_and_its_twin(like_the_command_line):
    said, here = twin("03_inventory"), script("03_inventory")
    shop = shop_by_its_law(0.5).with_prior(reward_sd=1.0, transition_strength=3.0)
    solution = mindgap.solve(shop)
    wanted = f"orders by stock, as simulated: {solution.policy}\n"
    wanted += f"promised: {solution.value_at_start:.2f}, discounted\n"
    wanted += decided(mindgap.decide(shop, units=3, horizon=100, worlds=64), 1)
    before, _, after = said.partition("this year: 40 trials")
    assert words_of(before) == words_of(wanted)
    orders = "orders by stock, as simulated:"
    assert numbers_in(here, orders) == numbers_in(said, orders) == [1] + 10 * [0]
    # Over 40 seeds the promise of a sample has a standard deviation of 0.76: four.
    assert numbers_in(here, "promised:") == pytest.approx(numbers_in(said, "promised:"), abs=3.0)
    # sop orders one when the shelf is empty, and what was sold the day before is one exactly when it is.
    sop, replace = (re.findall(rf"^{name}:? +([0-9.]+)", after, re.M)[-1] for name in ("sop", "replace"))
    assert float(replace) == pytest.approx(float(sop), abs=0.01)
    rows = [line.split()[1:4] for line in here.splitlines() if line.startswith(("sop ", "replace "))]
    assert rows[-2] == rows[-1]


def test_testing_vans_and_their_twin(like_the_command_line):
    said, here = twin("04_testing_vans"), script("04_testing_vans")
    ours, theirs = said.partition("a drawn city: 20 trials"), here.partition("ModelEnv: 20 trials")
    assert words_of(ours[0]) == words_of(theirs[0])
    assert len(words_of(ours[0])) > 80
    assert len(words_of(ours[2])) == len(words_of(theirs[2]))  # one table, with other luck


def test_notebooks_are_what_the_scripts_make():
    from make_notebooks import NOTEBOOKS, cells_of

    for script, notebook in NOTEBOOKS.items():
        path = EXAMPLES / f"{notebook}.ipynb"
        kept = json.loads(path.read_text())
        made = cells_of((EXAMPLES / f"{script}.py").read_text())
        assert [(cell["cell_type"], "".join(cell["source"])) for cell in kept["cells"]] == made, (
            "run make_notebooks.py"
        )
        assert path.stat().st_size < 1_000_000
        assert all(cell.get("execution_count", 1) for cell in kept["cells"])  # executed
        outputs = [output for cell in kept["cells"] for output in cell.get("outputs", [])]
        shown = [output["data"] for output in outputs if output["output_type"] == "execute_result"]
        # As text, and as a page whose pictures are images: no script, no frame.
        pages = ["".join(data["text/html"]) for data in shown if "text/html" in data]
        assert all("text/plain" in data for data in shown)
        assert any("<img" in page for page in pages)
        assert not any("<script" in page or "<iframe" in page for page in pages)
        for result in ("Decision", "Comparison") if "mindgap.compare(" in "".join(t for _, t in made) else ("Decision",):
            assert any(f"<mindgap.{result}: " in "".join(data["text/plain"]) for data in shown)


@pytest.mark.long
def test_notebooks_execute():
    run("make_notebooks.py", "--check", timeout=3600)
