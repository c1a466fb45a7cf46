#!/usr/bin/env python3
"""Thompson sampling on the HIV testing case, 400 days, in plain NumPy: the measure for our speed.

One trial as one would write it: arrays over zones, a loop over days and teams. Prints the median seconds of a
trial and the mean number of cases found, which must agree with ours.
"""
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


def trial(seed, graph, in_b, people):
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
        share = (prevalence * np.maximum(0, people - diagnosed) + 0.1 * diagnosed) / people
        force = 0.002 * share + 0.0005 * (graph @ share)
        prevalence = np.clip(prevalence + (1 - prevalence) * force, 0.001, 0.80)
    return found


def main():
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    in_b = np.arange(ZONES) % COLUMNS >= WALL
    people = np.where(in_b, 300.0, 500.0)
    graph = adjacency()
    trial(0, graph, in_b, people)
    seconds, found = [], []
    for seed in range(trials):
        begin = time.perf_counter()
        found.append(trial(seed, graph, in_b, people))
        seconds.append(time.perf_counter() - begin)
    print(json.dumps({"seconds": statistics.median(seconds), "cases": float(np.mean(found)), "trials": trials}))


if __name__ == "__main__":
    main()
