"""Solves models on 1, 2 and 4 processes and compares with one process of threads: ranks.py MINDGAP MPIEXEC SOURCES"""

import json
import os
import struct
import subprocess
import sys
import tempfile
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


def refusals(folder: Path) -> None:
    nowhere = run("solve", str(folder / "none.h5"), "--engine", "petsc", ranks=2)
    check(nowhere.returncode != 0 and "none.h5" in nowhere.stderr, nowhere)
    # A row that one process has is wrong: that one speaks, all end.
    damaged = bytearray((folder / "frozenlake8.h5").read_bytes())
    at = damaged.find(struct.pack("<d", 1 / 3))
    check(at > 0, "no probability of 1/3")
    damaged[at : at + 8] = struct.pack("<d", 0.5)
    (folder / "damaged.h5").write_bytes(damaged)
    wrong = run("solve", str(folder / "damaged.h5"), "--engine", "petsc", ranks=2)
    check(wrong.returncode != 0, wrong)
    check(wrong.stderr.count("mindgap: error") == 1 and "must sum to 1" in wrong.stderr, wrong.stderr)


with tempfile.TemporaryDirectory() as name:
    for model in ("tests/models/forest3", "tests/models/frozenlake8", "tests/models/cliffwalking", "examples/vans"):
        same_bounds(model, Path(name))
    refusals(Path(name))
