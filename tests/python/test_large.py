"""Models too large for the usual way: lump=True, mapped=True and engine="petsc" against the command line."""

import os
import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import mindgap
from program import ROOT, VANS, command_line, run, without_times

LAKE = ROOT / "tests/models/frozenlake8"
LIBRARY = Path(os.environ["MINDGAP_PROGRAM"]).parent / "libmindgap_mpi.so"
needs_engine = pytest.mark.skipif(
    not LIBRARY.exists() or shutil.which("mpiexec") is None, reason="needs the engine on PETSc, and mpiexec"
)


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    file = tmp_path_factory.mktemp("lake") / "lake.h5"
    mindgap.write_model(mindgap.read_model(LAKE), file)
    return file


def plain(said):
    """Without times, of which a lumped solve has one more."""
    found = without_times(said)
    if "lumped" in found:
        found["lumped"] = without_times(found["lumped"])
    return found


def test_lump_and_mapped_say_what_the_command_line_says(lake, tmp_path):
    for flags in (["lump"], ["mapped"], ["lump", "mapped"]):
        found = mindgap.solve(lake, **{flag: True for flag in flags})
        said = command_line("solve", lake, *(f"--{flag}" for flag in flags))
        assert plain(found.to_dict()) == plain(said)
    found = mindgap.solve(LAKE, lump=True)
    assert found.classes == said["lumped"]["classes"] < found.model.states
    found.write_classes(tmp_path / "ours.csv")
    run("solve", LAKE, "--lump", "--classes", tmp_path / "theirs.csv")
    assert (tmp_path / "ours.csv").read_text() == (tmp_path / "theirs.csv").read_text()


def test_classes_have_the_values_of_their_states(lake):
    model = mindgap.read_model(lake)
    lumping = model.lump()
    whole, small = mindgap.solve(model), mindgap.solve(lumping.model)
    assert len(lumping.first_state) == lumping.model.states == mindgap.solve(model, lump=True).classes
    assert (lumping.class_of_state == mindgap.solve(model, lump=True).class_of_state).all()
    assert (lumping.class_of_state[lumping.first_state] == np.arange(lumping.model.states)).all()
    assert np.abs(small.value[lumping.class_of_state] - whole.value).max() <= whole.half_width + small.half_width + 1e-12
    assert small.value_at_start == pytest.approx(whole.value_at_start, abs=1e-9)
    assert lumping.reward_error == 0 and lumping.probability_error <= 1e-12
    assert "classes" in repr(lumping)


def test_what_does_not_go_together_is_refused(lake):
    model = mindgap.read_model(lake)
    for wrong, message in (
        (dict(model=model, mapped=True), "wants the path of an HDF5 file"),
        (dict(model=model, engine="petsc"), "wants the path of an HDF5 file"),
        (dict(model=lake, engine="spark"), "engine must be 'threads' or 'petsc'"),
        (dict(model=lake, engine="petsc", lump=True), "lump cannot be combined with engine='petsc'"),
        (dict(model=lake, engine="petsc", method="vi"), "method cannot be combined with engine='petsc'"),
        (dict(model=lake, lump=True, horizon=3), "lump cannot be combined with horizon"),
        (dict(model=lake, lump=1), "lump must be True or False"),
    ):
        with pytest.raises(mindgap.InvalidArgument, match=message):
            mindgap.solve(**wrong)
    with pytest.raises(mindgap.Error, match="is a folder, expected a file"):
        mindgap.solve(VANS, mapped=True)
    plainly = mindgap.solve(lake)
    assert plainly.classes is None and plainly.class_of_state is None
    with pytest.raises(mindgap.InvalidArgument, match="lump=True"):
        plainly.write_classes("nowhere")


def test_a_mapped_file_that_shrinks_is_noticed(lake, tmp_path):
    copy = tmp_path / "copy.h5"
    shutil.copy(lake, copy)
    found = mindgap.solve(copy, mapped=True)
    os.truncate(copy, 4096)
    with pytest.raises(mindgap.StoreError, match="copy.h5"):
        found.to_dict()  # which follows the policy through the file


def test_the_engine_says_what_to_install(lake):
    """In a process of its own: the package itself brings no engine, and does without MPI."""
    code = f"import mindgap; mindgap.solve({str(lake)!r}, engine='petsc')"
    environment = dict(os.environ, MINDGAP_MPI_LIBRARY="/nowhere/libmindgap_mpi.so")
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)
    assert said.returncode == 1
    assert "engine='petsc': libmindgap_mpi.so cannot be loaded" in said.stderr
    assert "apt-get install libpetsc-real-dev libopenmpi-dev openmpi-bin" in said.stderr
    import ctypes

    process = ctypes.CDLL(None)
    assert not hasattr(process, "MPI_Init")


def on_ranks(tmp_path, code, ranks=2):
    """A script in processes of MPI, each with its say in a file of its own; and how long it took."""
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(code))
    environment = dict(
        os.environ,
        MINDGAP_MPI_LIBRARY=str(LIBRARY),
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        OMPI_MCA_rmaps_base_oversubscribe="1",
        OMPI_MCA_mpi_yield_when_idle="1",
        OMPI_MCA_btl="self,vader",
        OMPI_MCA_btl_vader_single_copy_mechanism="none",
    )
    begun = time.monotonic()
    done = subprocess.run(
        ["mpiexec", "-n", str(ranks), sys.executable, script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
    )
    return done, time.monotonic() - begun


@needs_engine
def test_two_processes_find_what_one_finds(lake, tmp_path):
    code = f"""
        import numpy, mindgap
        for again in range(2):
            found = mindgap.solve({str(lake)!r}, engine="petsc", discount=0.95, tolerance=1e-13)
        found.write_policy("policy.csv")
        numpy.savez(f"rank{{found.rank}}", value=found.value, policy=found.policy, first=found.first_state)
        if found.rank == 0:
            print(found.value_at_start, *found.bounds, found.ranks, found.states, len(found.to_frame()))
    """
    done, _ = on_ranks(tmp_path, code)
    assert done.returncode == 0, done.stderr
    alone = mindgap.solve(lake, discount=0.95, tolerance=1e-13, method="pi")
    at_start, low, high, ranks, states, rows = map(float, done.stdout.split())
    assert abs(low - alone.bounds[0]) <= 1e-9 and abs(high - alone.bounds[1]) <= 1e-9 and low <= at_start <= high
    assert ranks == 2 and states == alone.model.states
    parts = [np.load(tmp_path / f"rank{rank}.npz") for rank in (0, 1)]
    assert parts[0]["first"] == 0 and parts[1]["first"] == len(parts[0]["value"]) == rows
    assert np.abs(np.concatenate([part["value"] for part in parts]) - alone.value).max() <= 1e-9
    policy = [line.split(",") for line in (tmp_path / "policy.csv").read_text().splitlines()]
    assert policy[0] == ["state", "action", "probability"]
    names = alone.model.action_names
    assert [line[1] for line in policy[1:]] == [names[a] for part in parts for a in part["policy"]]
    run("solve", lake, "--engine", "threads", "--discount", 0.95, "--out", tmp_path / "theirs.csv")
    theirs = (tmp_path / "theirs.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in theirs] == [line[0] for line in policy]


@needs_engine
def test_an_error_of_one_process_ends_all(lake, tmp_path):
    missing = f"""
        import mindgap
        mindgap.solve("nowhere.h5", engine="petsc")
    """
    alone = f"""
        import mindgap
        found = mindgap.solve({str(lake)!r}, engine="petsc")
        if found.rank == 1:
            raise ValueError("rank 1 has had enough")
        mindgap.solve({str(lake)!r}, engine="petsc")
    """
    # Progress is told by the first process only: it stops in the midst of what all do together.
    amidst = f"""
        import mindgap, numpy
        def tell(what, done, total):
            raise KeyboardInterrupt
        mindgap.solve("big.h5", engine="petsc", discount=0.9999, tolerance=1e-13, progress=tell)
    """
    draw = np.random.default_rng(1)
    states = 200_000
    rows = np.arange(states).repeat(2)
    near = np.clip(rows[:, None] + draw.integers(-3, 4, (2 * states, 3)), 0, states - 1)
    near.sort(axis=1)
    import scipy.sparse

    moves = scipy.sparse.csr_matrix((np.full(6 * states, 1 / 3), near.ravel(), np.arange(0, 6 * states + 1, 3)))
    model = mindgap.Mdp.from_scipy(moves, draw.random((states, 2)), 0.9)
    mindgap.write_model(model, tmp_path / "big.h5")
    for code, wanted in ((missing, "nowhere.h5"), (alone, "rank 1 has had enough"), (amidst, "KeyboardInterrupt")):
        done, seconds = on_ranks(tmp_path, code)
        assert done.returncode != 0 and done.stderr.count("Traceback") <= 2
        assert wanted in done.stderr and seconds < 40, done.stderr
