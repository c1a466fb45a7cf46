"""The package as a whole: what it exports, its types, its errors."""

import subprocess
import sys
from pathlib import Path

import pytest

import mindgap

ROOT = Path(__file__).parents[2]


def test_everything_exported_is_there_and_documented():
    for name in mindgap.__all__:
        assert hasattr(mindgap, name), name
        if not name.startswith("__"):
            assert getattr(mindgap, name).__doc__, name


def test_importing_changes_nothing():
    # No threads, no imports of what is only wanted now and then.
    code = (
        "import sys, threading, mindgap\n"
        "print(threading.active_count(), [m for m in ('pandas', 'scipy', 'gymnasium', 'tqdm', 'pyarrow') if m in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "1 []"
    assert said.stderr == ""


def test_stubs_are_those_of_the_module(tmp_path):
    written = tmp_path / "_core.pyi"
    subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "mindgap._core", "-o", str(written)], check=True
    )
    assert written.read_text() == (ROOT / "python/mindgap/_core.pyi").read_text(), "make stubs writes them anew"


def test_types_hold():
    said = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "python/mindgap", "examples/python"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert said.returncode == 0, said.stdout


def test_errors_are_typed():
    with pytest.raises(mindgap.StoreError, match="no such file") as raised:
        mindgap.read_model("nowhere")
    assert isinstance(raised.value, OSError) and isinstance(raised.value, mindgap.Error)
    with pytest.raises(mindgap.InvalidArgument, match="gauss"):
        mindgap.solve(ROOT / "examples/vans", method="magic")
