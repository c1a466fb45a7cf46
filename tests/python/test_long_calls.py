"""Long calls: other threads go on, Ctrl-C stops them, progress is shown."""

import io
import os
import signal
import sys
import threading
import time

import numpy as np
import pytest
import scipy.sparse

import mindgap
from mindgap._progress import Progress
from program import COVERAGE, VANS


def random_model(states, discount, actions=4, moves=8):
    """Uniform over `moves` random states."""
    rng = np.random.default_rng(1)
    pairs = states * actions
    rows = scipy.sparse.csr_matrix(
        (
            np.full(pairs * moves, 1 / moves),
            rng.integers(0, states, pairs * moves),
            np.arange(0, pairs * moves + 1, moves),
        ),
        shape=(pairs, states),
    )
    rows.sum_duplicates()
    return mindgap.Mdp.from_scipy(rows, rng.random(pairs), discount, name="random")


def slow_model():
    """A torus of 250,000 cells with a reward in each: solving it takes many seconds."""
    side = 500
    cells = np.arange(side * side)
    row, column = np.divmod(cells, side)
    near = [(row + i) % side * side + (column + j) % side for i, j in ((0, 1), (1, 0), (0, -1), (-1, 0))]
    pairs, states, probabilities = [], [], []
    for action in range(4):
        for turn, probability in ((0, 0.5), (1, 0.25), (3, 0.25)):
            pairs.append(4 * cells + action)
            states.append(near[(action + turn) % 4])
            probabilities.append(np.full(side * side, probability))
    rows = scipy.sparse.csr_matrix(
        (np.concatenate(probabilities), (np.concatenate(pairs), np.concatenate(states))),
        shape=(4 * side * side, side * side),
    )
    rewards = np.repeat(np.random.default_rng(1).random(side * side) ** 20, 4)
    return mindgap.Mdp.from_scipy(rows, rewards, 0.99999, name="torus")


@pytest.fixture(scope="module")
def large():
    return slow_model()


@pytest.fixture(scope="module")
def uncertain():
    model = random_model(1_000, 0.95).with_prior(reward_sd=1.0, transition_strength=5.0)
    return model.with_variance(1.0)


def calls(large, uncertain):
    many = dict(units=200, horizon=2000, coverage=COVERAGE)
    numbers = [str(i) for i in range(200)]
    study = dict(model=uncertain, units={"unit": numbers, "state": numbers}, horizon=200, batch_steps=60)
    return {
        "solve": lambda **more: mindgap.solve(large, tolerance=1e-14, **more),
        "decide": lambda **more: mindgap.decide(VANS, units=8, horizon=100, worlds=100_000, **more),
        "decide, while it designs": lambda **more: mindgap.decide(VANS, worlds=64, **many, **more),
        "design": lambda **more: mindgap.design(uncertain, units=100, steps=100, gap=1e-9, **more),
        "diagnose": lambda **more: mindgap.diagnose(uncertain, draws=1_000_000, **more),
        "Study.init": lambda **more: mindgap.Study.init("never made", **study, **more),
    }


NAMES = list(calls(None, None))


def interrupted(call):
    """Seconds from Ctrl-C to the end of a call."""
    sent = []

    def interrupt():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(0.7, interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        call()
    return time.perf_counter() - sent[0]


@pytest.mark.parametrize("name", NAMES)
def test_ctrl_c_stops_within_a_second_and_the_next_call_works(name, large, uncertain):
    took = interrupted(calls(large, uncertain)[name])
    assert took < 1.0 * (1 + os.getloadavg()[0] / (os.cpu_count() or 1))  # others may be at work here
    assert mindgap.solve(VANS).status == "converged"
    assert not os.path.exists("never made")


def test_ctrl_c_stops_a_finite_horizon(large):
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        mindgap.solve(large, horizon=500)
    assert time.perf_counter() - begin < 10


def test_ctrl_c_stops_a_call_in_a_world_in_whichever_thread(large):
    class World:
        def reset(self, seed):
            return 0

        def step(self, action):
            mindgap.solve(large, tolerance=1e-14, threads=1)
            return 0.0, 0

    simulator = random_model(10, 0.9).with_prior(reward_sd=1.0, transition_strength=5.0).with_variance(1.0)
    asked = dict(simulator=simulator, trials=2, units=1, horizons=[1], threads=2)
    took = interrupted(lambda: mindgap.compare(world=World, **asked))
    assert took < 1.0 * (1 + os.getloadavg()[0] / (os.cpu_count() or 1))


def test_ctrl_c_stops_a_planner_that_is_being_made(large):
    known = large.with_prior(reward_sd=1.0, transition_strength=5.0).with_variance(1.0)
    begin = time.perf_counter()
    interrupted(lambda: mindgap.planners.make("sop", simulator=known, horizon=100))
    assert time.perf_counter() - begin < 10  # with the interpreter held nobody could even ask


def test_other_threads_go_on(large):
    counted = [0]
    stop = threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    time.sleep(0.05)
    before = counted[0]
    mindgap.solve(large, tolerance=1e-14, time_limit=0.5)
    after = counted[0]
    stop.set()
    thread.join()
    assert after - before > 20


@pytest.mark.parametrize("name", NAMES)
def test_an_exception_of_progress_comes_out(name, large, uncertain):
    class Enough(Exception):
        pass

    def progress(what, done, total):
        assert isinstance(what, str) and done >= 0
        raise Enough(what)

    with pytest.raises(Enough):
        calls(large, uncertain)[name](progress=progress)


def test_progress_is_told_in_order(large):
    told = []
    mindgap.solve(large, progress=lambda *one: told.append(one), time_limit=0.5, tolerance=1e-14)
    assert told and all(what == "solving" and 0 <= done <= total == 1000 for what, done, total in told)
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


class FakeBar:
    made = []

    def __init__(self, desc, total, leave):
        self.desc, self.total, self.n, self.closed = desc, total, 0, False
        FakeBar.made.append(self)

    def update(self, n):
        assert n >= 0 and not self.closed
        self.n += n

    def close(self):
        self.closed = True


@pytest.fixture
def bars(monkeypatch):
    import tqdm.auto

    FakeBar.made = []
    monkeypatch.setattr(tqdm.auto, "tqdm", FakeBar)
    return FakeBar.made


def test_progress_is_a_bar_for_each_thing(bars, every_report):
    mindgap.decide(VANS, units=8, horizon=100, worlds=128, coverage=COVERAGE, progress=True)
    assert len(bars) >= 2 and all(bar.closed for bar in bars)
    assert len({bar.desc for bar in bars}) == len(bars)


def test_bars_are_shown_where_somebody_looks(bars, large, monkeypatch):
    run = dict(tolerance=1e-14, time_limit=0.3)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    mindgap.solve(large, **run)
    assert not bars
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    mindgap.solve(large, progress=False, **run)
    assert not bars
    mindgap.solve(large, **run)
    assert len(bars) == 1 and bars[0].desc == "solving" and bars[0].closed
    mindgap.solve(VANS)  # too short to look at
    assert len(bars) == 1


def test_a_bar_is_closed_when_the_call_fails(bars, large):
    threading.Timer(0.4, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        mindgap.solve(large, tolerance=1e-14, progress=True)
    assert bars and all(bar.closed for bar in bars)


def test_several_threads_may_call_at_once():
    found = [None] * 4

    def work(i):
        found[i] = mindgap.diagnose(VANS, draws=20, seed=i % 2).to_dict()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] == found[2] and found[1] == found[3] and found[0] != found[1]


class NoTerminal:
    """A stream that only writes, as servers have."""

    def __init__(self):
        self.said = ""

    def write(self, text):
        self.said += text


def closed():
    stream = io.StringIO()
    stream.close()
    return stream


@pytest.mark.parametrize("stream", [None, closed(), object(), NoTerminal()])
@pytest.mark.parametrize("wanted", [None, True])
def test_without_a_terminal_there_is_no_bar_and_no_error(stream, wanted, monkeypatch):
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress(wanted) as report:
        report("counting", 1, 10)
        report("counting", 2, 10)
        report("dividing", 1, 10)
    if isinstance(stream, NoTerminal):
        assert ("counting" in stream.said) == (wanted is True)


def test_a_terminal_that_goes_away_ends_the_bar_only(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress(True) as report:
        report("counting", 1, 10)
        assert "counting" in stream.getvalue()
        stream.close()
        report("dividing", 1, 10)
