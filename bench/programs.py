"""How fast programs become tables, and how much memory that takes.

    PYTHONPATH=build/release/python build/venv/bin/python bench/programs.py [vectorised] [plain] [memory]

Without words all three: a vectorised pendulum on 201 x 201 points with 11 torques (wanted: under 1 s); a million
corner-actions of a plain Python step against a loop that only calls it, 50,000 at a time and turn by turn (wanted: at most 20 % more);
a million corners with 5 actions in two dimensions in a process of its own (wanted: within 2 GiB).
"""

import math
import resource
import statistics
import subprocess
import sys
import time

import numpy as np

import mindgap

PI = np.pi


def many(state, action, theta, rng):
    """Gymnasium's pendulum, for an array of states."""
    angle, speed = state[:, 0], state[:, 1]
    cost = ((angle + PI) % (2 * PI) - PI) ** 2 + 0.1 * speed**2 + 0.001 * action**2
    speed = np.clip(speed + (15 * np.sin(angle) + 3 * action) * 0.05, -8, 8)
    return np.stack([angle + speed * 0.05, speed], axis=1), -cost


def one(state, action, theta, rng):
    """The same for one state, as a user writes it first."""
    angle, speed = state
    cost = ((angle + PI) % (2 * PI) - PI) ** 2 + 0.1 * speed**2 + 0.001 * action**2
    speed = min(max(speed + (15 * math.sin(angle) + 3 * action) * 0.05, -8), 8)
    return (angle + speed * 0.05, speed), -cost


def grid(points):
    return mindgap.Grid([-PI, -8], [PI, 8], points, periodic=[True, False], names=["angle", "speed"])


def seconds(work, clock=time.perf_counter):
    begin = clock()
    work()
    return clock() - begin


def vectorised():
    simulator = mindgap.Simulator(many, grid(201), list(np.linspace(-2, 2, 11)), discount=0.99, vectorized=True)
    times = [seconds(simulator.model) for _ in range(5)]
    print(f"vectorised, 201 x 201 x 11: {statistics.median(times):.3f} s, fastest {min(times):.3f} s   wanted: under 1 s")


def plain():
    actions = [-2.0, -1.0, 0.0, 1.0, 2.0]
    simulator = mindgap.Simulator(one, grid(100), actions, discount=0.99)
    states, theta, rng = simulator.grid.states, {}, np.random.default_rng(1)

    def only_call():
        for state in states:
            for action in actions:
                one(state, action, theta, rng)

    # Twenty short turns each, of which the fastest count: other work on the machine then meets both alike.
    turns = [(seconds(only_call, time.process_time), seconds(simulator.model, time.process_time)) for _ in range(20)]
    called, tabulated = (min(times) for times in zip(*turns))
    print(
        f"plain, 20 x {len(states) * len(actions):,} calls: only called {20 * called:.2f} s of the processor, "
        f"tabulated {20 * tabulated:.2f} s, {100 * (tabulated / called - 1):.0f} % more   wanted: at most 20 % more"
    )


def memory():
    subprocess.run([sys.executable, __file__, "memory-alone"], check=True)


def memory_alone():
    simulator = mindgap.Simulator(many, grid(1000), [-2.0, -1.0, 0.0, 1.0, 2.0], discount=0.99, vectorized=True)
    took = seconds(lambda: simulator.model())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"memory, 1000 x 1000 x 5: peak {peak:.2f} GiB in {took:.1f} s   wanted: within 2 GiB")


if __name__ == "__main__":
    for word in sys.argv[1:] or ["vectorised", "plain", "memory"]:
        {"vectorised": vectorised, "plain": plain, "memory": memory, "memory-alone": memory_alone}[word]()
