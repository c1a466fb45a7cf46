"""Deploy, learn or experiment, shared by the workers of a Dask cluster.

python decide_dask.py                        a cluster of two processes on this machine
python decide_dask.py tcp://scheduler:8786   one that is there

The model is named by its path, which every worker must see; a model in memory (mindgap.Mdp) is sent to each worker once.
"""

import os
import sys
from pathlib import Path

import mindgap
from distributed import Client, LocalCluster

VANS = Path(__file__).resolve().parents[1] / "vans"
WORLDS = int(os.environ.get("WORLDS", "2000"))


def main():
    where = sys.argv[1] if len(sys.argv) > 1 else LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with Client(where) as client:
        decision = mindgap.decide(
            VANS,
            coverage=VANS / "coverage.csv",
            units=8,
            horizon=100,
            worlds=WORLDS,
            executor=client.get_executor(pure=False),
        )
        print(decision.headline)
        print(f"gain {decision.gain!r} over {decision.worlds} worlds")
    if not isinstance(where, str):
        where.close()


if __name__ == "__main__":
    main()
