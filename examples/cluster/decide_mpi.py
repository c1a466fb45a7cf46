"""Deploy, learn or experiment, shared by the ranks of an MPI job.

mpiexec -n 8 python -m mpi4py.futures decide_mpi.py

Rank 0 calls, the others compute.
"""

import os
from pathlib import Path

import mindgap
from mpi4py.futures import MPIPoolExecutor

VANS = Path(__file__).resolve().parents[1] / "vans"
WORLDS = int(os.environ.get("WORLDS", "2000"))


def main():
    with MPIPoolExecutor() as executor:
        decision = mindgap.decide(
            VANS, coverage=VANS / "coverage.csv", units=8, horizon=100, worlds=WORLDS, executor=executor
        )
    print(decision.headline)
    print(f"gain {decision.gain!r} over {decision.worlds} worlds")


if __name__ == "__main__":
    main()
