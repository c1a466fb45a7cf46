"""executor=: draws that other processes compute have the bits of one process, whatever happens to them."""

import collections
import importlib.util
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.pool import ThreadPool
from pathlib import Path

import numpy as np
import pytest

import mindgap
from mindgap import _cluster, _core
from program import COVERAGE, VANS

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples/cluster"


def processes(workers=2):
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


@pytest.fixture(scope="module")
def pool():
    with processes() as executor:
        yield executor


def plain(value):
    """A result as plain data, without what two runs never share."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items() if key not in ("seconds", "date", "command")}
    return [plain(one) for one in value] if isinstance(value, list) else value


def decided(**more):
    options = dict(coverage=COVERAGE, units=4, horizon=20, worlds=60, plans=["sop", "asop", "beb-1", "pilot-2x5"])
    return mindgap.decide(VANS, **(options | more))


@pytest.fixture(scope="module")
def alone():
    return decided()


class Unruly(Executor):
    """Tasks in any order, by threads that come and go, some done twice, some lost."""

    def __init__(self, seed, lost=0.2):
        self._random = random.Random(seed)
        self._lost = lost
        self._losses = collections.Counter()  # of a task: who sends it three times is not to fail by bad luck
        self._waiting = []
        self._lock = threading.Lock()
        self._ends = False
        self.done = self.failed = self.repeated = 0
        self._threads = [threading.Thread(target=self._work) for _ in range(3)]
        for thread in self._threads:
            thread.start()

    def submit(self, function, /, *arguments):
        future = Future()
        with self._lock:
            self._waiting.append((future, function, arguments))
        return future

    def _work(self):
        while not self._ends:
            with self._lock:
                task = self._waiting.pop(self._random.randrange(len(self._waiting))) if self._waiting else None
                luck = self._random.random()
            if task is None:
                time.sleep(0.001)
                continue
            future, function, arguments = task
            if not future.set_running_or_notify_cancel():
                continue
            name = tuple(map(id, arguments))
            if luck < self._lost and self._losses[name] < 2:
                self._losses[name] += 1
                self.failed += 1
                if luck < self._lost / 2:  # the worker goes, and what it had done with it
                    function(*arguments)
                future.set_exception(ConnectionError("the worker is gone"))
                continue
            try:
                answer = function(*arguments)
                if luck > 0.9:
                    self.repeated += 1
                    answer = function(*arguments)
            except BaseException as error:
                future.set_exception(error)
            else:
                self.done += 1
                future.set_result(answer)

    def shutdown(self, wait=True, *, cancel_futures=False):
        self._ends = True
        for thread in self._threads:
            thread.join()


@pytest.mark.parametrize("seed", [1, 2])
def test_a_decision_has_the_same_bits_whatever_happens(alone, seed, monkeypatch):
    monkeypatch.setattr(_cluster, "_TRIES", 10_000)
    monkeypatch.setattr(_cluster, "_SECONDS", 0.01)
    monkeypatch.setattr(_cluster, "_SMALL", 0)  # inputs and earlier numbers go on demand
    with Unruly(seed) as executor:
        together = decided(executor=executor)
        assert executor.done > 20 and executor.failed > 0 and executor.repeated > 0
    assert plain(together.to_dict()) == plain(alone.to_dict())


def test_processes_decide_as_one(alone, pool, every_report):
    told = []
    together = decided(executor=pool, progress=lambda *what: told.append(what))
    assert plain(together.to_dict()) == plain(alone.to_dict())
    assert any(what == "simulating plans in sampled models" and done == total for what, done, total in told)


def test_auto_does_not_look_at_the_clock(pool):
    settled = decided(worlds="auto", plans=["sop", "asop", "beb-1"], horizon=10)
    together = decided(worlds="auto", plans=["sop", "asop", "beb-1"], horizon=10, time_limit=1e-3, executor=pool)
    ours, theirs = plain(together.to_dict()), plain(settled.to_dict())
    assert ours["plans"] == theirs["plans"] and ours["worlds"] == theirs["worlds"]


def test_a_model_in_memory_goes_to_each_worker(alone, pool):
    model = mindgap.read_model(VANS)
    together = mindgap.decide(
        model, coverage=COVERAGE, units=4, horizon=20, worlds=60, plans=["sop", "asop", "beb-1", "pilot-2x5"], executor=pool
    )
    assert plain(together.to_dict())["plans"] == plain(alone.to_dict())["plans"]


def test_the_other_commands(pool, tmp_path):
    found = [mindgap.diagnose(VANS, coverage=COVERAGE, draws=60, executor=executor) for executor in (None, pool)]
    assert plain(found[1].to_dict()) == plain(found[0].to_dict())
    found = [
        mindgap.compare("treasure", planners=["sop", "asop", "pilot-4x10"], trials=7, units=5, executor=executor)
        for executor in (None, pool)
    ]
    assert (found[1].value == found[0].value).all() and found[1].to_dict() == found[0].to_dict()
    found = [mindgap.reproduce("lock", trials=3, executor=executor) for executor in (None, pool)]
    assert found[1].to_dict() == found[0].to_dict()
    table = {"x": [i * 7919 % 301 for i in range(200)], "wait": [150] * 200}
    table["act"] = table["x"]
    table["y"] = [i * 104729 % 307 for i in range(200)]
    found = [
        mindgap.voi(table, plans=["wait", "act"], about=["x", "y"], executor=executor) for executor in (None, pool)
    ]
    assert found[1].to_dict() == found[0].to_dict()


TABLE = {"x": [i * 7919 % 301 for i in range(200)], "y": [i * 104729 % 307 for i in range(200)], "wait": [150] * 200}
TABLE["act"] = TABLE["x"]
RIVALS = ROOT / "examples/rivals"
#: All that is a sum over draws: worlds, cells of maps, drawn models, groups, trials, members of an ensemble.
CALLS = {
    "tipping": lambda executor: decided(
        executor=executor, units=2, horizon=5, worlds=8, plans=["sop", "asop", "pilot-2x2"], tipping=True
    ),
    "diagnose": lambda executor: mindgap.diagnose(VANS, coverage=COVERAGE, draws=60, executor=executor),
    "diagnose an ensemble": lambda executor: mindgap.diagnose(RIVALS, draws=40, executor=executor),
    "voi": lambda executor: mindgap.voi(TABLE, plans=["wait", "act"], about=["x", "y"], executor=executor),
    "ensemble": lambda executor: mindgap.decide(
        RIVALS, units=3, horizon=10, worlds=40, plans=["sop", "asop", "pilot-2x3"], executor=executor
    ),
    "compare": lambda executor: mindgap.compare(
        "treasure", planners=["sop", "asop", "pilot-4x10"], trials=7, units=5, executor=executor
    ),
    "reproduce": lambda executor: mindgap.reproduce("lock", trials=3, executor=executor),
}


@pytest.mark.parametrize("call", CALLS)
def test_everything_drawn_has_the_same_bits_whatever_happens(call, monkeypatch):
    monkeypatch.setattr(_cluster, "_TRIES", 10_000)
    monkeypatch.setattr(_cluster, "_SECONDS", 0.02)
    alone = plain(CALLS[call](None).to_dict())
    for seed in (3,) if call == "tipping" else (3, 4):  # which takes long
        with Unruly(seed, lost=0.3) as executor:
            assert plain(CALLS[call](executor).to_dict()) == alone
            assert executor.done + executor.failed > 0


def _walk(state, action, theta, rng):
    return np.clip(state + action - theta["slip"] + 0.1 * rng.standard_normal(1), 0, 4), float(state[0])


def test_members_and_rollouts_are_made_again_where_a_worker_is_gone():
    simulator = mindgap.Simulator(
        _walk,
        mindgap.Grid(0, 4, [9]),
        actions=[-1.0, 1.0],
        discount=0.9,
        samples=3,
        parameters={"slip": mindgap.Uniform(0, 0.5)},
    )
    plainly = simulator.ensemble(members=5, seed=1)
    with Unruly(5, lost=0.15) as executor:
        assert simulator.ensemble(members=5, seed=1, executor=executor) == plainly
    with processes() as executor:
        executor.submit(_die, None)
        assert simulator.ensemble(members=5, seed=1, executor=executor) == plainly


class Line:
    """A world of one's own: two states, the action is the next one; state 1 pays. Breaks in one trial."""

    def reset(self, seed):
        self.seed, self.at = seed, 0
        return 0

    def step(self, action):
        if self.seed % 5 == 0:
            raise OSError("the machine is off")
        self.at = action
        return float(action), self.at


def test_a_world_of_ones_own_and_where_it_breaks(pool):
    moves = [[[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, 1.0]]]
    model = mindgap.Mdp.from_arrays(moves, [[0.0, 1.0], [0.0, 1.0]], 0.9, layout="asS", start=[1.0, 0.0])
    model = model.with_prior(reward_sd=1.0, transition_strength=5.0).with_variance(0.01)
    asked = dict(world=Line, simulator=model, planners=["sop", "asop"], horizons=5, trials=8, units=1)
    with pytest.warns(UserWarning, match="the machine is off"):
        here = mindgap.compare(**asked)
    with pytest.warns(UserWarning, match="the machine is off"):
        there = mindgap.compare(**asked, executor=pool)
    assert here.failures and [f.trial for f in there.failures] == [f.trial for f in here.failures]
    assert (there.value == here.value).all()


def _die(task):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_dies_is_done_without(alone, monkeypatch):
    with processes() as executor:
        assert executor.submit(abs, -1).result() == 1
        # Seen to be dead before: on a busy machine this process could otherwise be done before it dies.
        assert executor.submit(_die, None).exception() is not None
        with pytest.warns(RuntimeWarning, match="the rest is computed in this process"):
            together = decided(executor=executor)
    assert plain(together.to_dict()) == plain(alone.to_dict())


def test_a_worker_that_dies_in_the_midst(alone):
    with processes() as executor:
        workers = []

        def kill(what, done, total):
            if what == "simulating plans in sampled models" and not workers:
                workers.extend(executor._processes)
                os.kill(workers[0], signal.SIGKILL)

        with pytest.warns(RuntimeWarning, match="the rest is computed in this process"):
            together = decided(executor=executor, worlds=400, progress=kill)
    assert plain(together.to_dict()) == plain(decided(worlds=400).to_dict())


def test_another_version_is_refused(monkeypatch):
    task = _cluster._Task("c", "0.0.1", "", 0, "worlds", (0, 1), 0, 1, b"", {})
    with pytest.raises(mindgap.InvalidArgument, match=rf"has mindgap {_core.VERSION}, but this is 0.0.1"):
        _cluster.work(task)


def test_other_inputs_are_refused(tmp_path):
    """A file that differs where the worker is: here, one that changes behind the call's back."""
    copy = tmp_path / "vans"
    shutil.copytree(VANS, copy)
    with ThreadPoolExecutor(1) as executor:
        started = threading.Event()
        executor.submit(started.wait)

        class Late(Executor):
            def submit(self, function, /, *arguments):
                rewards = copy / "rewards.csv"
                if not started.is_set():
                    text = rewards.read_text().splitlines()
                    text[1] = text[1].rsplit(",", 1)[0] + ",0.123"
                    rewards.write_text("\n".join(text) + "\n")
                    started.set()
                return executor.submit(function, *arguments)

        with pytest.raises(mindgap.InvalidArgument, match="was given other inputs"):
            mindgap.decide(copy, coverage=COVERAGE, units=2, horizon=5, worlds=4, plans=["sop", "asop"], executor=Late())


class Jobs:
    """Futures that can only be asked whether they are done, each in a thread of its own: submitit's jobs."""

    def __init__(self):
        self.submitted = 0

    def submit(self, function, /, *arguments):
        self.submitted += 1
        future = Future()

        def work():
            try:
                future.set_result(function(*arguments))
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=work).start()

        class Job:
            def done(self):
                return future.done()

            def result(self):
                return future.result()

            def cancel(self):
                return False

        return Job()


def test_jobs_and_pools_are_executors_too(alone):
    jobs = Jobs()
    assert plain(decided(executor=jobs).to_dict()) == plain(alone.to_dict())
    assert 0 < jobs.submitted < 40 * os.cpu_count()  # every one starts anew: two per processor and stage, not hundreds
    with ThreadPool(2) as pool:
        assert plain(decided(executor=pool).to_dict()) == plain(alone.to_dict())


def test_what_cannot_be_sent_is_named():
    lock = threading.Lock()
    with pytest.raises(mindgap.InvalidArgument, match="cannot be sent to other processes"):
        mindgap.compare(world=lambda: lock, simulator=lock, executor=ThreadPoolExecutor(1))
    with pytest.raises(mindgap.InvalidArgument, match="executor must be a concurrent.futures.Executor"):
        decided(executor=4)


def test_an_error_of_a_worker_is_ours(pool):
    asked = dict(plans=["sop", "pilot-2x5"], min_share={"A": 1.0, "B": 1.0})  # which only a design finds impossible
    with pytest.raises(mindgap.InvalidArgument) as here:
        decided(**asked)
    with pytest.raises(mindgap.InvalidArgument) as there:
        decided(**asked, executor=pool)
    assert str(there.value) == str(here.value)


def test_an_interruption_ends_the_call(pool):
    def interrupt(what, done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        decided(executor=pool, worlds=2000, progress=interrupt)
    assert decided(executor=pool, worlds=4).worlds == 4


def test_the_slurm_array_as_two_processes(tmp_path):
    asked = dict(os.environ, MINDGAP=os.environ["MINDGAP_PROGRAM"], SHARDS=str(tmp_path / "shards"), WORLDS="20")
    tasks = [
        subprocess.Popen(
            ["bash", EXAMPLES / "decide.sbatch"],
            env=dict(asked, SLURM_ARRAY_TASK_ID=str(i), SLURM_ARRAY_TASK_COUNT="2"),
            stdout=subprocess.PIPE,
            text=True,
        )
        for i in (1, 2)
    ]
    for task in tasks:
        said, _ = task.communicate(timeout=300)
        assert task.returncode == 0 and "every stage is complete" in said
    program = os.environ["MINDGAP_PROGRAM"]
    merged = subprocess.run(
        [program, "merge", tmp_path / "shards", "--format", "json"], capture_output=True, text=True, timeout=300
    )
    assert merged.returncode in (0, 3), merged.stderr
    whole = mindgap.decide(VANS, coverage=VANS / "coverage.csv", units=8, horizon=100, worlds=20)
    assert plain(json.loads(merged.stdout))["plans"] == plain(whole.to_dict())["plans"]


def _cluster_script(words, wanted):
    """An example in processes of its own: a cluster of Dask's or MPI's."""
    environment = dict(os.environ, WORLDS="20", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    run = subprocess.run(words, capture_output=True, text=True, timeout=300, env=environment)
    assert run.returncode == 0, run.stderr
    assert wanted in run.stdout
    return run.stdout


@pytest.fixture(scope="module")
def said():
    whole = mindgap.decide(VANS, coverage=VANS / "coverage.csv", units=8, horizon=100, worlds=20)
    return f"gain {whole.gain!r} over 20 worlds"


@pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="needs the package distributed (Dask)")
def test_a_cluster_of_dask(said):
    _cluster_script([sys.executable, EXAMPLES / "decide_dask.py"], said)


@pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None or shutil.which("mpiexec") is None, reason="needs mpi4py and an MPI"
)
def test_two_ranks_of_mpi(said):
    words = ["mpiexec", "--oversubscribe", "-n", "2", sys.executable, "-m", "mpi4py.futures", EXAMPLES / "decide_mpi.py"]
    _cluster_script(words, said)
