"""Thompson sampling as bench/thompson.cpp has it, in plain NumPy and one thread: dense arrays, a Python loop
over the units, value iteration from 0 until nothing changes by more than 1e-10. Counts processor time.

    thompson_numpy.py [--discount .99] [--steps 1000] [--repeat 1]
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import json
import time

import numpy as np

STATES, ACTIONS, UNITS = 50, 4, 100
NOISE = 0.25  # variance of one reward
REPLAN_EVERY = 5
PRIOR_SD, PRIOR_STRENGTH = 0.3, 5.0

Array = np.ndarray


def river() -> tuple[Array, Array]:
    up, down = (0, 0.25, 0.3, 0.35), (1, 0.15, 0.1, 0.05)
    rewards, rows = np.zeros((STATES, ACTIONS)), np.zeros((STATES, ACTIONS, STATES))
    for s in range(STATES):
        for a in range(ACTIONS):
            rows[s, a, max(s - 1, 0)] += down[a]
            rows[s, a, s] += 1 - up[a] - down[a]
            rows[s, a, min(s + 1, STATES - 1)] += up[a]
    rewards[0, 0], rewards[STATES - 1, 3] = 0.05, 1
    return rewards, rows


class Belief:
    def __init__(self, rewards: Array, rows: Array) -> None:
        self.means = rewards.copy()
        self.precisions = np.full(rewards.shape, 1 / PRIOR_SD**2)
        self.alpha = PRIOR_STRENGTH * rows

    def update(self, s: int, a: int, reward: float, following: int) -> None:
        before = self.precisions[s, a]
        after = before + 1 / NOISE
        self.means[s, a] = (before * self.means[s, a] + reward / NOISE) / after
        self.precisions[s, a] = after
        self.alpha[s, a, following] += 1

    def draw(self, rng: np.random.Generator) -> tuple[Array, Array]:
        rewards = rng.normal(self.means, 1 / np.sqrt(self.precisions))
        rows = rng.standard_gamma(self.alpha)
        rows /= rows.sum(axis=2, keepdims=True)
        return rewards, rows


def value_iteration(rewards: Array, rows: Array, discount: float) -> Array:
    value = np.zeros(STATES)
    while True:
        q = rewards + discount * (rows @ value)
        improved = q.max(axis=1)
        if np.max(np.abs(improved - value)) < 1e-10:
            return q.argmax(axis=1)
        value = improved


def run(discount: float, steps: int, seed: int) -> float:
    rng = np.random.default_rng(seed)
    rewards, rows = river()
    cumulative = rows.cumsum(axis=2)
    belief = Belief(rewards, rows)
    states = [0] * UNITS
    sd = NOISE**0.5
    total = 0.0
    for t in range(steps):
        if t % REPLAN_EVERY == 0:
            policy = value_iteration(*belief.draw(rng), discount).tolist()
        luck, noise = rng.random(UNITS).tolist(), (sd * rng.standard_normal(UNITS)).tolist()
        for i in range(UNITS):
            s = states[i]
            a = policy[s]
            reward = rewards[s, a] + noise[i]
            following = min(int(cumulative[s, a].searchsorted(luck[i], side="right")), STATES - 1)
            belief.update(s, a, reward, following)
            states[i] = following
            total += reward
    return total


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--discount", type=float, default=0.99)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=1)
    options = parser.parse_args()
    best, gathered = 0.0, 0.0
    for i in range(options.repeat):
        begin = time.process_time()
        gathered += run(options.discount, options.steps, i) / options.repeat
        best = max(best, options.steps / (time.process_time() - begin))
    speed = round(best, 1)
    print(json.dumps({"discount": options.discount, "steps_per_second": speed, "gathered": round(gathered, 3)}))


if __name__ == "__main__":
    main()
