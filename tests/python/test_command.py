"""The command that comes with the package is the program."""

import os
import subprocess
import sys

import pytest

from program import VANS, run


def module(*words):
    """What `python -m mindgap WORDS` does."""
    return subprocess.run([sys.executable, "-m", "mindgap", *map(str, words)], capture_output=True, text=True, env=os.environ)


@pytest.mark.parametrize(
    "words",
    [
        ["--version"],
        ["help", "decide"],
        ["check", VANS],
        ["solve", VANS],
        ["decied", VANS],
        ["solve", "nowhere"],
        ["decide", VANS, "--unit", "8", "--horizon", "5"],
        ["decide", VANS, "--units", "2", "--horizon", "5", "--worlds", "8", "--plans", "sop,asop", "--format", "json"],
    ],
    ids=lambda words: " ".join(str(word) for word in words[:1]),
)
def test_says_what_the_program_says(words):
    ours, theirs = module(*words), run(*words)
    assert (ours.returncode, ours.stderr) == (theirs.returncode, theirs.stderr)
    times = [line for line in theirs.stdout.splitlines() if "second" in line or " s" in line]
    for line, other in zip(ours.stdout.splitlines(), theirs.stdout.splitlines(), strict=True):
        assert line == other or other in times
