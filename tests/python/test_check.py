"""check() against the command line."""

import numpy as np
import pyarrow
import pytest

import mindgap
from mindgap import Mdp
from program import ROOT, VANS, command_line, run

MODELS = [VANS, *(ROOT / "tests/models" / name for name in ("frozenlake8", "cliffwalking", "forest3"))]


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_check_says_what_the_command_line_says(path, like_the_command_line):
    found = mindgap.check(path)
    said = command_line("check", path)
    assert found.to_dict() == said
    assert str(found) == run("check", path).stdout
    assert found.warnings == said["warnings"]
    assert (found.components, found.closed_components) == (said["components"], said["closed_components"])
    assert found.reachable_states == said["reachable_states"]
    assert len(found.absorbing) == said["absorbing_states"]
    assert str(mindgap.check(mindgap.read_model(path))) == str(found)


def odd():
    """Start in x, which is absorbing; y leads there, z nowhere else."""
    return Mdp.from_arrays(
        np.array([[[1, 0, 0], [1, 0, 0], [0, 0, 1]]], float),
        np.array([[0.0], [-5], [1]]),
        discount=1.0,
        reward_max=1.0,
        start=[1, 0, 0],
        state_names=["x", "y", "z"],
        action_names=["a"],
        layout="asS",
    )


def test_what_looks_odd(tmp_path, like_the_command_line):
    found = mindgap.check(odd())
    assert found.unreachable.tolist() == [1, 2] and not found.unreachable.flags.writeable
    assert found.absorbing.tolist() == [0, 2]
    assert (found.reachable_states, found.components, found.closed_components) == (1, 3, 2)
    assert found.warnings[0] == "2 states cannot be reached from the start by any actions: y, z"
    assert len(found.warnings) == 5  # those two, the discount, reward_max, certain moves, no prior
    assert repr(found) == "<mindgap.Findings: well formed, warnings: 5>"
    mindgap.write_model(odd(), tmp_path / "odd")
    assert str(found) == run("check", tmp_path / "odd").stdout


def test_certain_moves_are_warned_of_unless_their_doubt_is_stated():
    said = [one for one in mindgap.check(odd()).warnings if "certain moves" in one]
    assert len(said) == 1 and said[0].startswith("3 of 3 rows have one successor")
    stated = odd().with_prior(reward_sd=0.1, transition_strength=1.0, unseen=0.05)
    assert not any("certain moves" in one for one in mindgap.check(stated).warnings)


def test_states_as_a_frame():
    frame = mindgap.check(odd()).to_frame()
    assert list(frame.columns) == ["state", "reachable", "absorbing", "component", "closed"]
    assert frame["state"].tolist() == ["x", "y", "z"]
    assert frame["reachable"].tolist() == [True, False, False]
    assert frame["absorbing"].tolist() == frame["closed"].tolist() == [True, False, True]
    assert frame["component"].nunique() == 3
    assert pyarrow.table(mindgap.check(odd())).num_rows == 3


def test_what_is_wrong_is_an_error(tmp_path):
    with pytest.raises(mindgap.StoreError):
        mindgap.check(tmp_path / "none")
    with pytest.raises(mindgap.InvalidArgument, match="model must be a mindgap.Mdp or the path of one"):
        mindgap.check(3)


def test_findings_show_themselves_in_a_notebook():
    html = mindgap.check(odd())._repr_html_()
    assert "The model is well formed." in html and html.count("<td>Warning</td>") == 5
