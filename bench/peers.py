"""Solves a model file with other people's solvers: how long each takes to the same certified gap.

    peers.py CASE MODEL.h5 [--peers mdpsolver,scipy] [--tune]     prints one JSON object per peer

Every peer runs alone in a process of its own, on one thread, and is given `LIMIT` seconds to set up and again
for each solve. Only the solve is timed, from a fresh object each time, never warm-started. Tolerances are
given as multiples of the target gap, 1e-6 max|r| / (1 - discount); since each peer means something else by
"tolerance", the multiple is tuned like the other options and the gap really reached is printed.
"""

import os

for _name in ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"  # before NumPy is loaded

import argparse
import dataclasses
import itertools
import json
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any

import h5py
import numpy as np
from scipy.sparse import csr_array

LIMIT = 600.0  # seconds
REPEAT_FOR = 60.0  # no further repetition once the runs took this many seconds together
GAP = 1e-6  # of max|r| / (1 - discount)

Options = dict[str, Any]
Array = np.ndarray
# Solve once; return the value. What comes before the solve is set-up, what reads the value out is not timed.
Solver = Callable[[], Callable[[], Array]]


@dataclasses.dataclass
class Model:
    """Rows are pairs, state by state; every action is available in every state."""

    discount: float
    transitions: csr_array  # pairs x states
    reward: Array  # pairs
    states: int
    actions: int

    @property
    def target(self) -> float:
        return GAP * float(np.abs(self.reward).max()) / (1 - self.discount)

    def gap(self, value: Array) -> float:
        """Width of the bounds on the optimal value that one Bellman sweep from `value` proves."""
        q = self.reward + self.discount * (self.transitions @ value)
        change = q.reshape(self.states, self.actions).max(axis=1) - value
        return self.discount / (1 - self.discount) * float(np.ptp(change))

    def by_action(self) -> tuple[csr_array, Array]:
        """The rows sorted by action, then state: all states of action 0, then of action 1, ..."""
        order = np.arange(self.states * self.actions).reshape(self.states, self.actions).T.ravel()
        return self.transitions[order], self.reward[order]


def read_model(path: str) -> Model:
    with h5py.File(path) as file:
        state, action = file["state_of_row"][:], file["action_of_row"][:]
        states, actions = int(state[-1]) + 1, int(action.max()) + 1
        if len(state) != states * actions:
            raise SystemExit(f"{path}: the peers are only given models where every action is available")
        rows = (file["data"][:], file["indices"][:], file["indptr"][:].astype(np.int32))
        transitions = csr_array(rows, shape=(len(state), states))
        return Model(float(file.attrs["discount"]), transitions, file["reward"][:], states, actions)


def tiny_model() -> Model:
    return Model(0.9, csr_array(np.array([[0.5, 0.5], [1.0, 0.0]])), np.array([1.0, 0.0]), 2, 1)


# --- the peers: each turns the model into what it wants (inputs) and makes fresh solvers from that -----------


class SciPy:
    """Modified policy iteration with span stopping, as one writes it in plain SciPy."""

    def inputs(self, model: Model) -> Any:
        return (model, *model.by_action())

    def make(self, inputs: Any, options: Options) -> Solver:
        model, transitions, reward = inputs
        return lambda: self._value(self._solve(model, transitions, reward, **options))

    def candidates(self) -> Iterator[Options]:
        for start, inner, sweeps in itertools.product(
            ("max", "low"), (0.01, 0.03, 0.1, 0.2), (10, 30, 100, 1000)
        ):
            yield {"start": start, "inner": inner, "sweeps": sweeps}

    @staticmethod
    def _value(value: Array) -> Callable[[], Array]:
        return lambda: value

    @staticmethod
    def _solve(
        m: Model, transitions: csr_array, reward: Array, start: str, inner: float, sweeps: int
    ) -> Array:
        gamma, states = m.discount, np.arange(m.states)
        value = np.full(m.states, reward.max() if start == "max" else reward.min() / (1 - gamma))
        while True:
            q = transitions @ value
            q *= gamma
            q += reward
            q = q.reshape(m.actions, m.states)
            best = q.max(axis=0)
            change = best - value
            low, high = change.min(), change.max()
            if gamma / (1 - gamma) * (high - low) <= m.target:
                return best + gamma / (1 - gamma) * (low + high) / 2
            rows = q.argmax(axis=0) * m.states + states
            policy_transitions, policy_reward = transitions[rows], reward[rows]
            value = best
            for _ in range(sweeps):
                updated = policy_transitions @ value
                updated *= gamma
                updated += policy_reward
                spread = np.ptp(updated - value)
                value = updated
                if spread <= inner * (high - low):
                    break


class MdpSolver:
    """mdpsolver: C++ behind nested Python lists."""

    def inputs(self, model: Model) -> Any:
        begin = model.transitions.indptr.tolist()
        pairs = range(model.states * model.actions)

        def nested(flat: list[Any]) -> list[Any]:
            rows = [flat[begin[k] : begin[k + 1]] for k in pairs]
            return [rows[k : k + model.actions] for k in pairs[:: model.actions]]

        reward = model.reward.reshape(model.states, model.actions).tolist()
        data, indices = model.transitions.data.tolist(), model.transitions.indices.tolist()
        return model.discount, model.target, reward, nested(data), nested(indices)

    def make(self, inputs: Any, options: Options) -> Solver:
        import mdpsolver

        discount, target, reward, probabilities, columns = inputs
        solver = mdpsolver.model()
        solver.mdp(discount=discount, rewards=reward, tranMatProbs=probabilities, tranMatColumns=columns)
        arguments = {**options, "tolerance": options["tolerance"] * target, "parallel": False}

        def solve() -> Callable[[], Array]:
            solver.solve(**arguments)
            return lambda: np.array(solver.getValueVector())

        return solve

    def candidates(self) -> Iterator[Options]:
        for update in ("standard", "gs"):
            for limit in (1, 2, 5, 20, 50, 100, 500):
                yield {"algorithm": "mpi", "update": update, "parIterLim": limit, "tolerance": 1.0}
            yield {"algorithm": "vi", "update": update, "tolerance": 1.0}
            yield {"algorithm": "pi", "update": update, "tolerance": 1.0}
        sor = {"update": "sor", "SORrelaxation": 1.2}
        yield {"algorithm": "mpi", **sor, "parIterLim": 100, "tolerance": 1.0}


class QuantEcon:
    """quantecon.markov.DiscreteDP with sparse state-action pairs: SciPy and Numba."""

    def inputs(self, model: Model) -> Any:
        tiny = tiny_model()
        self.make((tiny, *self._indices(tiny)), {"method": "mpi", "tolerance": 1.0})()  # Numba compiles now
        return (model, *self._indices(model))

    def make(self, inputs: Any, options: Options) -> Solver:
        from quantecon.markov import DiscreteDP
        from scipy.sparse import csr_matrix

        model, state, action = inputs
        problem = DiscreteDP(model.reward, csr_matrix(model.transitions), model.discount, state, action)
        arguments = {"max_iter": 10**6, **options}
        if "tolerance" in arguments:
            arguments["epsilon"] = arguments.pop("tolerance") * model.target
        if arguments.pop("start", "default") == "max":
            arguments["v_init"] = np.full(model.states, model.reward.max())

        def solve() -> Callable[[], Array]:
            value = problem.solve(**arguments).v
            return lambda: value

        return solve

    def candidates(self) -> Iterator[Options]:
        for start, inner in itertools.product(("max", "default"), (2, 3, 5, 10, 20, 50, 100, 500)):
            yield {"method": "mpi", "start": start, "k": inner, "tolerance": 1.0}
        yield {"method": "vi", "tolerance": 1.0}
        yield {"method": "pi"}

    @staticmethod
    def _indices(model: Model) -> tuple[Array, Array]:
        pairs = np.arange(model.states * model.actions)
        return pairs // model.actions, pairs % model.actions


class MdpToolbox:
    """pymdptoolbox with sparse matrices. Skipped in its favour: its check of the model, which makes sparse
    matrices dense, and the bound on the number of iterations that its ValueIteration starts with, one column
    slice per state and action. Its policy iterations make the policy's matrix dense; its Gauss-Seidel works
    in Python, state by state."""

    def inputs(self, model: Model) -> Any:
        transitions, _ = model.by_action()
        blocks = [transitions[a * model.states : (a + 1) * model.states] for a in range(model.actions)]
        return model, blocks, model.reward.reshape(model.states, model.actions)

    def make(self, inputs: Any, options: Options) -> Solver:
        from mdptoolbox import mdp, util

        util.check = lambda transitions, reward: None
        model, blocks, reward = inputs
        arguments = dict(options)
        kind = getattr(mdp, arguments.pop("class"))
        if hasattr(kind, "_boundIter"):
            kind = type(kind.__name__, (kind,), {"_boundIter": lambda self, epsilon: None})
            arguments["max_iter"] = 10**6
        epsilon = arguments.pop("tolerance") * model.target
        problem = kind(blocks, reward, model.discount, epsilon=epsilon, **arguments)

        def solve() -> Callable[[], Array]:
            problem.run()
            return lambda: np.array(problem.V)

        return solve

    def candidates(self) -> Iterator[Options]:
        yield {"class": "ValueIteration", "tolerance": 1.0}
        yield {"class": "PolicyIterationModified", "max_iter": 20, "tolerance": 1.0}
        yield {"class": "ValueIterationGS", "tolerance": 1.0}


PEERS: dict[str, Any] = {
    "mdpsolver": MdpSolver(),
    "quantecon": QuantEcon(),
    "pymdptoolbox": MdpToolbox(),
    "scipy": SciPy(),
}

# By case and peer. random and pendulum: what --tune chose (quantecon there without start "max"); maze and walls:
# the best of a shorter sweep by hand. All on a busy machine, so --tune should be repeated on a quiet one.
TUNED: dict[str, dict[str, Options]] = {
    "random": {
        "mdpsolver": {"algorithm": "mpi", "update": "standard", "parIterLim": 2, "tolerance": 8.5},
        "quantecon": {"method": "mpi", "start": "default", "k": 2, "tolerance": 24.0},
        "pymdptoolbox": {"class": "ValueIteration", "tolerance": 3.0},
        "scipy": {"start": "low", "inner": 0.03, "sweeps": 100},
    },
    "maze": {
        "mdpsolver": {"algorithm": "mpi", "update": "gs", "parIterLim": 2, "tolerance": 3.0},
        "quantecon": {"method": "mpi", "start": "max", "k": 20, "tolerance": 1.0},
        "pymdptoolbox": {"class": "ValueIteration", "tolerance": 1.0},
        "scipy": {"start": "max", "inner": 0.01, "sweeps": 30},
    },
    "walls": {
        "mdpsolver": {"algorithm": "mpi", "update": "gs", "parIterLim": 2, "tolerance": 4.0},
        "quantecon": {"method": "mpi", "start": "max", "k": 10, "tolerance": 2.0},
        "pymdptoolbox": {"class": "ValueIteration", "tolerance": 1.0},
        "scipy": {"start": "max", "inner": 0.1, "sweeps": 20},
    },
    "pendulum": {
        "mdpsolver": {"algorithm": "mpi", "update": "gs", "parIterLim": 2, "tolerance": 8.5},
        "quantecon": {"method": "mpi", "start": "default", "k": 20, "tolerance": 1.4},
        "pymdptoolbox": {"class": "ValueIteration", "tolerance": 1.0},
        "scipy": {"start": "low", "inner": 0.01, "sweeps": 30},
    },
}


# --- measuring -----------------------------------------------------------------------------------------------


def child(
    connection: Connection, model: Model, peer: Any, inputs: Any, options: Options, repeat: int
) -> None:
    """Sends "ready" before and (seconds, processor seconds, gap, peak bytes) after each solve, and "done" at
    the end; or what went wrong."""
    try:
        os.dup2(2, 1)  # what peers print is not ours
        available = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (available * 9 // 10,) * 2)  # fail, do not drag others down
        inputs = peer.inputs(model) if inputs is None else inputs
        total = 0.0
        for _ in range(repeat):
            solve = peer.make(inputs, options)
            connection.send("ready")
            begin, begin_processor = time.perf_counter(), time.process_time()
            value = solve()
            seconds, processor = time.perf_counter() - begin, time.process_time() - begin_processor
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            connection.send((seconds, processor, model.gap(value()), peak))
            total += seconds
            if total > REPEAT_FOR:
                break
        connection.send("done")
    except MemoryError:
        connection.send("error: out of memory")
    except BaseException as error:  # SystemExit too: it is how mdpsolver reports
        connection.send(f"error: {type(error).__name__}: {error}")


def measure(
    model: Model, peer: Any, options: Options, repeat: int, limit: float = LIMIT, inputs: Any = None
) -> dict[str, Any]:
    """The fastest of `repeat` solves in a process of its own; "error" where there is none."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=child, args=(theirs, model, peer, inputs, options, repeat))
    process.start()
    theirs.close()
    runs: list[tuple[float, float, float, int]] = []
    error = ""
    wait = LIMIT
    while not error:
        try:
            message = ours.recv() if ours.poll(wait) else f"> {wait:.3g} s"
        except EOFError:
            message = "error: killed"
        if message == "done":
            break
        if isinstance(message, tuple):
            runs.append(message)
        elif message != "ready":
            error = message.removeprefix("error: ")
        wait = limit
    process.kill()
    process.join()
    if not runs:
        return {"error": error, "options": options}
    seconds, processor, gaps, peaks = zip(*runs)
    return {
        "seconds": min(seconds),
        "processor_seconds": min(processor),
        "runs": len(runs),
        "gap": max(gaps),
        "bytes": max(peaks),
        "options": options,
    }


def tune(model: Model, peer: Any) -> Options:
    """The options with the fastest solve that reaches the target gap. Each candidate is tried with the target
    as its tolerance, then with the tolerance that would have just reached the target had the gap been
    proportional to it. Compares processor time, so that a busy machine misleads less."""
    inputs = peer.inputs(model)
    best: dict[str, Any] = {"processor_seconds": LIMIT, "options": {}}

    def attempt(options: Options) -> dict[str, Any]:
        nonlocal best
        limit = min(LIMIT, 3 * best["processor_seconds"] + 1)
        result = measure(model, peer, options, 1, limit, inputs)
        if result.get("seconds", LIMIT) < 3:
            result = measure(model, peer, options, 5, limit, inputs)
        print(json.dumps(result), file=sys.stderr, flush=True)
        best["options"] = best["options"] or options
        reached = result.get("gap", np.inf) <= model.target
        if reached and result["processor_seconds"] < best["processor_seconds"]:
            best = result
        return result

    for candidate in peer.candidates():
        gap = attempt(candidate).get("gap", np.nan)
        if "tolerance" in candidate and 0 < gap < np.inf:
            scale = float(f"{np.clip(0.8 * model.target / gap, 1e-3, 50):.2g}")
            attempt({**candidate, "tolerance": scale})
    return best["options"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("case", help="random, maze, walls or pendulum: whose tuned options to use")
    parser.add_argument("model")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--tune", action="store_true", help="search for the best options first (slow)")
    arguments = parser.parse_args()
    model = read_model(arguments.model)
    for name in arguments.peers.split(","):
        peer = PEERS[name]
        options = tune(model, peer) if arguments.tune else TUNED[arguments.case][name]
        result = measure(model, peer, options, arguments.repeat)
        record = {"case": arguments.case, "peer": name, "target": model.target, **result}
        print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main()
