#!/usr/bin/env python3
"""Thompson sampling on the HIV testing case, 400 days, in plain NumPy: the measure for our speed.

    hiv_numpy.py [--vectorised] [TRIALS]

Written as the paper's appendix states it: arrays over zones, loops over days, teams and, for the spread, zones
and their neighbours. --vectorised spreads by one matrix product instead: the loop over teams stays. Prints the
median processor seconds of a trial and the mean number of cases found, which must agree with ours.
"""
import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import json
import statistics
import sys
import time

import numpy as np

ROWS, COLUMNS, WALL, CORRIDOR = 5, 8, 4, 2
ZONES, TEAMS, DAYS = ROWS * COLUMNS, 8, 400
MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))


def is_open(r1, c1, r2, c2):
    if not (0 <= r2 < ROWS and 0 <= c2 < COLUMNS):
        return False
    return (c1 < WALL) == (c2 < WALL) or (r1 == r2 == CORRIDOR)


def adjacency():
    matrix = np.zeros((ZONES, ZONES))
    for zone in range(ZONES):
        row, column = divmod(zone, COLUMNS)
        for down, right in MOVES:
            if is_open(row, column, row + down, column + right):
                matrix[zone, (row + down) * COLUMNS + column + right] = 1
    return matrix


NEIGHBOURS = [np.flatnonzero(row).tolist() for row in adjacency()]


def blind_step(position, target):
    row, column = divmod(position, COLUMNS)
    down = target // COLUMNS - row
    right = target % COLUMNS - column
    if down == 0 and right == 0:
        return position
    if abs(down) > abs(right):
        move = (int(np.sign(down)), 0)
    else:
        move = (0, int(np.sign(right)))
    if not is_open(row, column, row + move[0], column + move[1]):
        return position
    return (row + move[0]) * COLUMNS + column + move[1]


def draw_maps(rng, in_b):
    truth = np.where(in_b, 0.04, 0.05) + rng.normal(0, 0.005, ZONES)
    simulator = np.where(in_b, rng.normal(0.02, 0.002, ZONES), rng.normal(0.05, 0.003, ZONES))
    truth, simulator = np.clip(truth, 0.001, 0.5), np.clip(simulator, 0.001, 0.5)
    truth[[38, 30, 31]] = 0.18
    truth[39] = 0.30
    return truth, simulator


def spread_by_loops(prevalence, diagnosed, people, graph):
    infectious = prevalence * np.maximum(0, people - diagnosed) + 0.1 * diagnosed
    force = np.zeros(ZONES)
    for zone in range(ZONES):
        force[zone] = 0.002 * infectious[zone] / people[zone]
        for neighbour in NEIGHBOURS[zone]:
            force[zone] += 0.0005 * infectious[neighbour] / people[neighbour]
    return np.clip(prevalence + (1 - prevalence) * force, 0.001, 0.80)


def spread_by_matrix(prevalence, diagnosed, people, graph):
    share = (prevalence * np.maximum(0, people - diagnosed) + 0.1 * diagnosed) / people
    force = 0.002 * share + 0.0005 * (graph @ share)
    return np.clip(prevalence + (1 - prevalence) * force, 0.001, 0.80)


def trial(seed, graph, in_b, people, spread):
    rng = np.random.default_rng(seed)
    prevalence, simulator = draw_maps(rng, in_b)
    alpha, beta = 10 * simulator + 1, 10 * (1 - simulator) + 1
    diagnosed = np.zeros(ZONES)
    warm = np.where(in_b, 0, 3)
    position = [0, 1, 2, 3, 8, 9, 10, 11]
    found = 0
    target = position
    for day in range(DAYS):
        if day % 5 == 0:
            draw = rng.beta(alpha, beta)
            target = np.argsort(-draw, kind="stable")[:TEAMS]
        position = [blind_step(int(p), int(t)) for p, t in zip(position, target)]
        visited = np.zeros(ZONES, dtype=bool)
        for zone in position:
            tests = max(1, rng.poisson(8))
            yields = 1.0 if warm[zone] >= 3 else 0.2
            positives = rng.binomial(tests, prevalence[zone] * yields)
            found += positives
            diagnosed[zone] = min(people[zone], diagnosed[zone] + positives)
            alpha[zone] += positives
            beta[zone] += tests - positives
            visited[zone] = True
        warm = np.where(visited, np.minimum(3, warm + 1), warm)
        prevalence = spread(prevalence, diagnosed, people, graph)
    return found


def main():
    arguments = sys.argv[1:]
    vectorised = "--vectorised" in arguments
    spread = spread_by_matrix if vectorised else spread_by_loops
    numbers = [int(argument) for argument in arguments if not argument.startswith("-")]
    trials = numbers[0] if numbers else 20
    in_b = np.arange(ZONES) % COLUMNS >= WALL
    people = np.where(in_b, 300.0, 500.0)
    graph = adjacency()
    trial(0, graph, in_b, people, spread)
    seconds, found = [], []
    for seed in range(trials):
        begin = time.process_time()
        found.append(trial(seed, graph, in_b, people, spread))
        seconds.append(time.process_time() - begin)
    result = {
        "name": "NumPy, spread vectorised" if vectorised else "NumPy, plain",
        "seconds": statistics.median(seconds),
        "cases": float(np.mean(found)),
        "trials": trials,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
