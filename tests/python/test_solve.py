"""solve() against the command line, and as a long call."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import mindgap

ROOT = Path(__file__).parents[2]
VANS = ROOT / "examples/vans"


def command_line(*words):
    """What `mindgap WORDS --format json` prints."""
    program = os.environ["MINDGAP_PROGRAM"]
    said = subprocess.run([program, *map(str, words), "--format", "json"], capture_output=True, text=True, check=True)
    return json.loads(said.stdout)


def without_times(found):
    return {key: value for key, value in found.items() if key != "seconds"}


@pytest.mark.parametrize("horizon", [None, 12])
def test_solve_says_what_the_command_line_says(horizon):
    found = mindgap.solve(VANS, horizon=horizon)
    said = command_line("solve", VANS, *([] if horizon is None else ["--horizon", horizon]))
    assert without_times(found.to_dict()) == without_times(said)
    assert found.value_at_start == said["value_at_start"]
    assert list(found.bounds) == said["bounds"]


def test_solution_as_arrays_and_frame():
    found = mindgap.solve(VANS)
    model = found.model
    assert found.value.shape == (model.states,) and found.policy.shape == (model.states,)
    assert not found.value.flags.writeable
    # The value is the Bellman optimum: its own best backup, up to the certified half width.
    backup = np.array(
        [
            max(
                model.reward[k]
                + model.discount
                * found.value[model.next_state[model.row_begin[k] : model.row_begin[k + 1]]]
                @ model.probability[model.row_begin[k] : model.row_begin[k + 1]]
                for k in range(model.pair_begin[s], model.pair_begin[s + 1])
            )
            for s in range(model.states)
        ]
    )
    assert np.abs(backup - found.value).max() <= 2 * found.half_width + 1e-12
    frame = found.to_frame()
    assert list(frame.columns) == ["state", "action", "value"]
    assert frame["action"][0] == model.action_names[found.policy[0]]
    assert mindgap.solve(VANS, horizon=5).policy.shape == (5, model.states)


def test_progress_is_told_and_may_stop():
    told = []
    mindgap.solve(VANS, progress=lambda what, done, total: told.append((what, done, total)))
    assert all(what == "solving" and done <= total for what, done, total in told)
