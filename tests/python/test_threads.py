"""Several threads of Python at one object, and threads that are at work when the program ends."""

import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
import scipy.sparse

import mindgap

SMALL = """
import threading, time
import numpy as np, mindgap
generator = np.random.default_rng(0)
move = generator.random((3, 30, 30))
move /= move.sum(2, keepdims=True)
small = mindgap.Mdp.from_arrays(move, generator.random((30, 3)), 0.9)
small = small.with_prior(reward_sd=1.0, transition_strength=10.0).with_variance(1.0)

def at_once(work, seconds=3.0, threads=4):
    def go(end):
        generator = np.random.default_rng()
        while time.time() < end:
            work(generator)
    all_of_them = [threading.Thread(target=go, args=(time.time() + seconds,)) for _ in range(threads)]
    for thread in all_of_them:
        thread.start()
    for thread in all_of_them:
        thread.join()
"""


def run(text, begin=SMALL):
    """A program of its own: what is tested here ends a process where it fails."""
    done = subprocess.run(
        [sys.executable, "-c", begin + textwrap.dedent(text)], capture_output=True, text=True, timeout=100
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("name", ["ids", "thompson"])
def test_threads_take_turns_at_a_planner(name):
    run(f"""
    planner = mindgap.planners.make({name!r}, simulator=small, units=50, horizon=10**6)
    def work(generator):
        states = generator.integers(0, 30, 50)
        planner.observe(states, planner.choose(states), generator.random(50), generator.integers(0, 30, 50))
    at_once(work)
    """)


def test_threads_take_turns_at_a_planner_of_one_unit():
    run("""
    planner = mindgap.planners.make("ids", simulator=small, horizon=10**6)
    def work(generator):
        state = int(generator.integers(0, 30))
        planner.observe(state, planner.act(state), 1.0, int(generator.integers(0, 30)))
    at_once(work)
    """)


def test_a_belief_is_of_one_moment():
    # Each call tells of two pairs, as often of one as of the other, first all of one. From strength 10 and
    # probability q, n moves to state 0 make it p = (10 q + n) / (10 + n).
    run("""
    belief = mindgap.planners.Belief(small)
    states = np.repeat([0, 1], 4000)
    def seen(model, pair):
        q, p = (m.probability[m.row_begin[pair]] for m in (small, model))
        return 10 * (p - q) / (1 - p)
    def work(generator):
        if generator.random() < 0.2:
            belief.observe(states, 0 * states, np.ones(8000), 0 * states)
        else:
            mean = belief.mean()
            assert abs(seen(mean, 0) - seen(mean, 3)) < 2000, "one pair is ahead of the other"
            belief.sample(1, 2)
    at_once(work, 2.0)
    """)


def test_a_planner_has_its_own_copy_of_the_states():
    # Found to be good, then changed by another thread while it plans.
    states = 20_000
    s = np.arange(states)
    moves = scipy.sparse.csr_array(
        (
            np.tile([0.4, 0.6, 0.6, 0.4], states),
            np.repeat(np.stack([(s - 1) % states, (s + 1) % states], 1), 2, 0).ravel(),
            np.arange(0, 4 * states + 1, 2),
        ),
        shape=(2 * states, states),
    )
    rewards = np.zeros(2 * states)
    rewards[0] = 1
    ring = mindgap.Mdp.from_scipy(moves, rewards, 0.9999999)
    ring = ring.with_prior(reward_sd=1.0, transition_strength=10.0).with_variance(1.0)

    def chosen(change):
        planner = mindgap.planners.make("thompson-shared", simulator=ring, units=1000, horizon=100)
        places = np.arange(1000, dtype=np.int32)
        changes = threading.Timer(0.1, lambda: places.fill(change))
        changes.start()
        actions = planner.choose(places)
        assert changes.finished.is_set()  # it took long enough
        return actions.tolist()

    assert chosen(2999) == chosen(1500)


LARGE = """
import os, sys, threading, time
sys.path.insert(0, {folder!r})
import mindgap
from test_long_calls import slow_model
large = slow_model()
known = large.with_prior(reward_sd=1.0, transition_strength=5.0).with_variance(1.0)

def aside(work):
    threading.Thread(target=work, daemon=True).start()
    time.sleep(0.5)
""".format(folder=os.path.dirname(os.path.abspath(__file__)))


@pytest.mark.parametrize(
    "work",
    [
        "mindgap.solve(large, tolerance=1e-14, threads=2)",
        "mindgap.compare('riverswim', trials=10**5, threads=2)",
        "mindgap.planners.make('sop', simulator=known, horizon=100)",
    ],
)
def test_a_program_ends_while_a_thread_is_at_work(work):
    begin = time.perf_counter()
    run(f"aside(lambda: {work})", LARGE)
    assert time.perf_counter() - begin < 30


def test_what_a_thread_begins_as_the_program_ends_is_refused():
    said = run(
        """
        import atexit

        def go():
            try:
                mindgap.solve(large, tolerance=1e-14)
            except SystemExit:
                print("ended")
                try:
                    mindgap.solve(large, tolerance=1e-14)
                except SystemExit:
                    print("refused")
                    gone.set()

        gone = threading.Event()
        atexit.register(lambda: print(mindgap.solve(large, tolerance=1).status))  # the main thread may
        atexit.register(gone.wait)
        aside(go)
        """,
        LARGE,
    )
    assert said.split() == ["ended", "refused", "converged"]


def test_a_child_does_not_wait_for_threads_it_does_not_have():
    run(
        """
        import warnings

        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads, from Python 3.12 on
        aside(lambda: mindgap.solve(large, tolerance=1e-14))
        child = os.fork()
        if child == 0:
            sys.exit(0)
        end = time.monotonic() + 20
        while (done := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < end:
            time.sleep(0.05)
        if done == (0, 0):
            os.kill(child, 9)
        assert done == (child, 0)
        """,
        LARGE,
    )
