"""Solves models on 1, 2 and 4 processes and compares with one process of threads: ranks.py MINDGAP MPIEXEC SOURCES"""

import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

program, mpiexec, sources = sys.argv[1], sys.argv[2], Path(sys.argv[3])
# Processes of these tests share the machine, whoever runs them, and stay on it.
environment = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}


def run(*arguments: str, ranks: int = 0) -> subprocess.CompletedProcess[str]:
    command = [mpiexec, "-n", str(ranks), program] if ranks else [program]
    return subprocess.run([*command, *arguments], env=environment, capture_output=True, text=True, timeout=60)


def check(good: bool, *what: object) -> None:
    if not good:
        sys.exit(" ".join(str(part) for part in what))


def same_bounds(model: str, folder: Path) -> None:
    file = folder / f"{Path(model).name}.h5"
    check(run("convert", str(sources / model), str(file)).returncode == 0, "convert", model)
    options = ("--format", "json", "--discount", ".95", "--tolerance", "1e-13")
    alone = run("solve", str(file), "--method", "pi", "--out", str(folder / "alone.csv"), *options)
    wanted = json.loads(alone.stdout)
    for ranks in (1, 2, 4):
        policy = folder / f"ranks{ranks}.csv"
        done = run("solve", str(file), "--engine", "petsc", "--out", str(policy), *options, ranks=ranks)
        check(done.returncode == alone.returncode, model, ranks, done.stdout, done.stderr)
        found = json.loads(done.stdout)
        check(found["ranks"] == ranks and found["engine"] == "petsc", found)
        check(found["states"] == wanted["states"] and found["nonzeros"] == wanted["nonzeros"], found, wanted)
        for end in (0, 1):
            check(abs(found["bounds"][end] - wanted["bounds"][end]) <= 1e-9, model, ranks, found, wanted)
        check(len(policy.read_text().splitlines()) == wanted["states"] + 1, "policy", model, ranks)


def damaged(folder: Path, at: int) -> Path:
    """The lake with a row that does not sum to 1: `at` is the place of one of its probabilities."""
    content = bytearray((folder / "frozenlake8.h5").read_bytes())
    content[at : at + 8] = struct.pack("<d", 0.5)
    file = folder / "damaged.h5"
    file.write_bytes(content)
    return file


def one_message(words: list[object], wanted: str, what: str) -> str:
    """All processes end within seconds, with status 2 and one message."""
    begun = time.monotonic()
    done = subprocess.run([mpiexec, *map(str, words)], env=environment, capture_output=True, text=True, timeout=60)
    check(time.monotonic() - begun < 20, what, "took", time.monotonic() - begun, "seconds")
    check(done.returncode == 2, what, done)
    check(done.stderr.count("mindgap: error") == 1 and wanted in done.stderr, what, done.stderr)
    return done.stderr


def refusals(folder: Path) -> None:
    file = folder / "frozenlake8.h5"
    one_message(["-n", 2, program, "solve", folder / "none.h5", "--engine", "petsc"], "none.h5", "no such file")
    content = file.read_bytes()
    # Two rows of thirds that sum to 1 exactly: the first are in the part of rank 0, the last in that of rank 1.
    rows = 2 * struct.pack("<3d", 0.33333333333333337, 1 / 3, 0.33333333333333337)
    for rank, at in enumerate((content.find(rows), content.rfind(rows))):
        check(at > 0, "no rows of thirds")
        words = ["-n", 2, program, "solve", damaged(folder, at), "--engine", "petsc"]
        said = one_message(words, "must sum to 1", f"a damaged row of rank {rank}")
        state = int(re.search(r"state '?(\d+)", said)[1])
        check((state >= 32) == (rank == 1), said)
    solve = [program, "solve", file, "--engine", "petsc"]
    nowhere = folder / "nowhere" / "policy.csv"
    one_message(["-n", 2, *solve, "--out", nowhere], "nowhere", "a policy that cannot be written")
    # One process is given something else than the others.
    one_message(["-n", 1, *solve, ":", "-n", 1, *solve, "--discount", ".5"], "different models or options", "options")
    other = [program, "solve", folder / "none.h5", "--engine", "petsc"]
    one_message(["-n", 1, *solve, ":", "-n", 1, *other], "none.h5", "a file that one process does not have")
    # PETSc refuses to go on, in all of them.
    environment["PETSC_OPTIONS"] = "-ksp_type nonsense"
    one_message(["-n", 2, *solve], "PETSc", "an error of PETSc's")
    del environment["PETSC_OPTIONS"]


def random_model(folder: Path, states: int) -> str:
    """A model whose moves lead anywhere: nearly all values of the others are wanted, so processes share them."""
    numbers = random.Random(1)
    folder.mkdir()
    (folder / "model.toml").write_text(
        'format = "mindgap-model/1"\nname = "anywhere"\ndiscount = 0.95\nstates = "states.csv"\n'
        'actions = ["a", "b"]\nrewards = "rewards.csv"\ntransitions = "transitions.csv"\n'
    )
    pairs = [(s, a) for s in range(states) for a in "ab"]
    rewards = [f"s{s},{a},{numbers.random():.6f}" for s, a in pairs]
    moves = [f"s{s},{a},s{numbers.randrange(states)},0.25" for s, a in pairs for _ in range(4)]
    (folder / "states.csv").write_text("\n".join(["name", *(f"s{s}" for s in range(states))]) + "\n")
    (folder / "rewards.csv").write_text("\n".join(["state,action,reward", *rewards]) + "\n")
    (folder / "transitions.csv").write_text("\n".join(["state,action,next_state,probability", *moves]) + "\n")
    return str(folder)


with tempfile.TemporaryDirectory() as name:
    same_bounds(random_model(Path(name) / "anywhere", 500), Path(name))
    for model in ("tests/models/forest3", "tests/models/frozenlake8", "tests/models/cliffwalking", "examples/vans"):
        same_bounds(model, Path(name))
    refusals(Path(name))
