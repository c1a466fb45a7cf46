"""How fast models come into Python's mindgap, and what a small call costs.

    PYTHONPATH=build/release/python build/venv/bin/python bench/python_models.py

Each time is the median of several, beside it the fastest and the processor time. Where BENCH_SOLVE names
that program, solving a model in Python is set against solving it in C++, turn by turn.
"""

import json
import os
import pathlib

import statistics
import subprocess
import tempfile
import time
import timeit

import numpy as np
from scipy import sparse

import mindgap

WIDTH = 46


def measure(work, repeat=15):
    """Seconds: median, fastest, and processor time (median), which a busy machine disturbs less."""
    walls, processor = [], []
    for _ in range(repeat):
        wall, used = time.perf_counter(), time.process_time()
        work()
        processor.append(time.process_time() - used)
        walls.append(time.perf_counter() - wall)
    return statistics.median(walls), min(walls), statistics.median(processor)


def show(what, work, limit=None):
    median, fastest, processor = (1e3 * seconds for seconds in measure(work))
    wanted = "" if limit is None else f"   wanted: under {limit:g} ms"
    print(f"{what:{WIDTH}} {median:9.2f} ms   fastest {fastest:7.2f}   processor {processor:7.2f}{wanted}")
    return processor


def random_rows(states, actions, per_row, seed=1):
    """A CSR matrix with `per_row` distinct, sorted next states in each of the states * actions rows."""
    rng = np.random.default_rng(seed)
    rows = states * actions
    gaps = rng.integers(1, states // per_row, size=(rows, per_row))
    next_state = (np.cumsum(gaps, axis=1) - 1).astype(np.int32)
    weight = rng.exponential(size=(rows, per_row))
    weight /= weight.sum(axis=1, keepdims=True)
    begin = np.arange(0, rows * per_row + 1, per_row, dtype=np.int32)
    matrix = sparse.csr_array((weight.ravel(), next_state.ravel(), begin), shape=(rows, states))
    return matrix, rng.normal(size=(states, actions))


def small_calls(model):
    print("\nsmall calls")
    for what, work in (
        ("model.discount", lambda: model.discount),
        ("model.find_pair(1, 1)", lambda: model.find_pair(1, 1)),
        ("model.find_state('1')", lambda: model.find_state("1")),
        ("model.probability (a view)", lambda: model.probability),
        ("model.with_discount(0.9)", lambda: model.with_discount(0.9)),
    ):
        count, spent = timeit.Timer(work).autorange()
        print(f"{what:{WIDTH}} {spent / count * 1e6:9.2f} us   wanted: under 5 us")
    P = np.array([[[0.5, 0.5], [0.2, 0.8]], [[1, 0], [0, 1]], [[0, 1], [0.3, 0.7]]])
    R = np.ones((2, 3))
    matrices = [sparse.csr_array(p) for p in P]
    for what, work in (
        ("Mdp.from_arrays, 2 states, 3 actions", lambda: mindgap.Mdp.from_arrays(P, R, 0.9)),
        ("Mdp.from_scipy, 2 states, 3 actions", lambda: mindgap.Mdp.from_scipy(matrices, R, 0.9)),
    ):
        count, spent = timeit.Timer(work).autorange()
        print(f"{what:{WIDTH}} {spent / count * 1e6:9.2f} us")


def solving(model, turns=9, repeat=15):
    """A solve around the call in Python, and around the same call in C++; the fastest of several in each turn,
    and the median of the turns' ratios."""
    program = os.environ.get("BENCH_SOLVE")
    if program is None:
        return
    ratios, python, native = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "model.h5")
        mindgap.write_model(model, path)
        model = mindgap.read_model(path)
        command = [program, path, "--threads", "1", "--repeat", str(repeat)]
        for _ in range(turns):
            python.append(min(timeit.repeat(lambda: mindgap.solve(model, tolerance=1e-6, threads=1),
                                            number=1, repeat=repeat)))
            native.append(json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["seconds"])
            ratios.append(python[-1] / native[-1])
    print(
        f"\n{'solve in Python / in C++, one thread':{WIDTH}} {statistics.median(ratios):9.3f}   "
        f"{1e3 * min(python):.2f} and {1e3 * min(native):.2f} ms; turns {min(ratios):.3f} to "
        f"{max(ratios):.3f}   wanted: 1.02"
    )


def main():
    states, actions, per_row = 25_000, 4, 10
    matrix, reward = random_rows(states, actions, per_row)
    print(f"{states} states, {actions} actions, {matrix.nnz} nonzeros")
    way_in = show(
        "from_scipy, one row per pair", lambda: mindgap.Mdp.from_scipy(matrix, reward, 0.9), limit=50
    )
    frozen = matrix.copy()
    shared = show(
        "  the same with copy=False", lambda: mindgap.Mdp.from_scipy(frozen, reward, 0.9, copy=False), limit=50
    )
    print(f"{'  without a copy / with one':{WIDTH}} {shared / way_in:9.2f}")
    pairs = np.arange(states * actions)
    s, a = pairs // actions, pairs % actions
    flat = reward.ravel()
    show(
        "from_scipy, s_indices and a_indices",
        lambda: mindgap.Mdp.from_scipy(matrix, flat, 0.9, s_indices=s, a_indices=a),
        limit=50,
    )
    per_action = [matrix[np.arange(states) * actions + action] for action in range(actions)]
    show(
        "from_scipy, a matrix per action",
        lambda: mindgap.Mdp.from_scipy(per_action, reward, 0.9),
        limit=50,
    )
    indices, begin = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    wide = sparse.csr_array((matrix.data, indices, begin), shape=matrix.shape)
    show("from_scipy, 64-bit indices", lambda: mindgap.Mdp.from_scipy(wide, reward, 0.9), limit=50)
    model = mindgap.Mdp.from_scipy(matrix, reward, 0.9)
    frame, rewards = model.to_frame(), model.to_frame("rewards")
    show("from_frame, pandas", lambda: mindgap.Mdp.from_frame(frame, rewards, discount=0.9))
    dense = np.random.default_rng(1).dirichlet(np.ones(250), size=(16, 250))
    worth = np.ones((250, 16))
    show("from_arrays, 10^6 entries, P[a, s, s']", lambda: mindgap.Mdp.from_arrays(dense, worth, 0.9))
    solving(mindgap.Mdp.from_scipy(matrix, reward, 0.99))
    small_calls(mindgap.Mdp.from_arrays(dense[:, :2, :2] * 0 + 0.5, np.ones((2, 16)), 0.9))


if __name__ == "__main__":
    main()
