"""The command line, to compare with."""

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
VANS = ROOT / "examples/vans"
COVERAGE = VANS / "coverage.csv"
PILOT = VANS / "pilot.csv"


def run(*words, **variables):
    """What `mindgap WORDS` does, with more variables in its environment."""
    program = os.environ["MINDGAP_PROGRAM"]
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True, env={**os.environ, **variables})


def command_line(*words):
    """What `mindgap WORDS --format json` prints; 3 is its exit status where something did not converge."""
    said = run(*words, "--format", "json")
    assert said.returncode in (0, 3), said.stderr
    return json.loads(said.stdout)


def without_times(found):
    return {key: value for key, value in found.items() if key != "seconds"}
