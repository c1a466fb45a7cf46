"""The vending world with A-SOP in plain NumPy: the same mechanisms as src/paper/cases/vending, other random numbers.

    python bench/vending_numpy.py [--vectorised] [--trials N] [--days T]

Prints one JSON object: processor seconds of a trial (the median), and the mean cash, which bench_vending shows beside ours.
Plain: customers come one after the other and each draws when they come. Vectorised: all draws of a machine, segment
and day in one call each, and those who would not pay are left out before the loop; the loop itself remains, since each
customer finds what those before them left.
"""

import argparse
import json
import math
import statistics
import time

import numpy as np

BASE = np.array([[6, 1, 2], [2, 4, 1], [5, 0.5, 0.5], [1, 0.5, 8], [1, 6, 2]])
SIMULATOR = np.array([[5.5, 1, 2], [2, 4, 1], [5, 0.5, 0.5], [1, 0.5, 3], [1, 1.5, 1]])
DRIFT = np.array([0, 0, 0, 0.008, 0.006])
DRIFT_SD = np.array([0.01, 0.01, 0.01, 0.02, 0.02])
TREND = np.array([-0.01, 0, 0, 0, 0])
GROUP = np.array([0, 1, 0, 1, 1])
WEEKDAY = np.array([1.07, 0.93, 1.0])
WEEKEND = np.array([0.825, 1.175, 1.0])
DAY_PART = np.array([[0.40, 0.28, 0.32], [0.28, 0.36, 0.36], [0.28, 0.32, 0.40]])
PREFERENCE = np.array([[0.5, 0.3, 0.2], [0.4, 0.1, 0.5], [0.2, 0.6, 0.2]])
CUMULATIVE = PREFERENCE.cumsum(axis=1)
WEATHER = np.array([0.4, 0.1, 0.05])
WHOLESALE = np.array([0.85, 1.55, 0.75])
WILLING = np.outer([3.45, 2.80, 1.95], WHOLESALE)
SPREAD = 0.32
SUBSTITUTION = 0.65
HOLDING = np.array([0.01, 0.02, 0.015])
LIFE = [20, 27, 9]
CAPACITY, DEPOT_CAPACITY = 18, 120
MACHINES, SEGMENTS, PRODUCTS = 5, 3, 3
PRICE = 2.5 * WHOLESALE


def simulator_rates() -> np.ndarray:
    share = [0.5 * math.erfc((2.5 - m) / (SPREAD * m) / math.sqrt(2)) for m in (3.45, 2.80, 1.95)]
    return (SIMULATOR * share) @ PREFERENCE


def take_oldest(born: list[int], units: int) -> list[int]:
    """Birth days are kept oldest first."""
    taken = born[:units]
    del born[:units]
    return taken


class World:
    def __init__(self, rng: np.random.Generator, vectorised: bool):
        self.rng = rng
        self.vectorised = vectorised
        self.slot = [[[0] * 5 for _ in range(PRODUCTS)] for _ in range(MACHINES)]
        self.depot = [[0] * 30 for _ in range(PRODUCTS)]
        self.direct: list[list[dict[int, int]]] = [[{} for _ in range(PRODUCTS)] for _ in range(MACHINES)]
        self.depot_order: list[dict[int, int]] = [{} for _ in range(PRODUCTS)]
        self.hidden = np.ones(MACHINES)
        self.weather = 0.0
        self.cash = 2000.0

    def deliver(self, day: int) -> None:
        for p in range(PRODUCTS):
            for i in range(MACHINES):
                arrived = self.direct[i][p].pop(day, 0)
                stock = self.slot[i][p]
                stock.extend([day] * min(arrived, CAPACITY - len(stock)))
            arrived = self.depot_order[p].pop(day, 0)
            self.depot[p].extend([day] * min(arrived, DEPOT_CAPACITY - len(self.depot[p])))

    def arrivals(self, day: int) -> np.ndarray:
        week = WEEKDAY if day % 7 < 5 else WEEKEND
        competitor = np.ones(MACHINES)
        competitor[2] = 0.75 if day >= 60 else 1
        shock = np.ones(MACHINES)
        shock[0] = 0.45 if 50 <= day < 80 else 1
        shock[4] = 2.5 if day == 35 else 1
        groups = 1 + 0.08 * self.rng.standard_normal(2)
        machine = np.maximum(self.hidden, 0.05) * (1 + TREND * day) * competitor * shock * groups[GROUP]
        season = 1 + 0.4 * math.sin(2 * math.pi * day / 365)
        rate = BASE * machine[:, None] * (season * week * 3 * DAY_PART[:, day % 3])
        return self.rng.poisson(np.maximum(0.01, rate))

    def order_depot(self, day: int, p: int, units: int) -> None:
        coming = sum(self.depot_order[p].values())
        units = min(units, DEPOT_CAPACITY - len(self.depot[p]) - coming)
        if units <= 0:
            return
        due = day + max(1, round(self.rng.normal(1, 0.3)))
        self.depot_order[p][due] = self.depot_order[p].get(due, 0) + units
        self.cash -= units * (WHOLESALE[p] + 0.08)

    def order_direct(self, day: int, i: int, p: int, units: int) -> None:
        due = day + max(1, round(self.rng.normal(2, 0.7)))
        if self.rng.random() < 0.05:
            due += 1
        first = int(0.7 * units) if self.rng.random() < 0.08 else units
        orders = self.direct[i][p]
        orders[due] = orders.get(due, 0) + first
        orders[due + 1] = orders.get(due + 1, 0) + units - first
        self.cash -= units * (WHOLESALE[p] + 0.15)

    def ship(self, i: int, p: int, units: int) -> None:
        self.slot[i][p].extend(take_oldest(self.depot[p], units))
        self.slot[i][p].sort()
        self.cash -= 0.05 * units

    def fill(self, day: int, target: np.ndarray) -> None:
        for p in range(PRODUCTS):
            need = [max(0, int(target[i, p]) - len(self.slot[i][p])) for i in range(MACHINES)]
            available, needed = len(self.depot[p]), sum(need)
            if needed <= available:
                sent = list(need)
            else:
                sent = [n * available // needed for n in need]
                over = available - sum(sent)
                for i in range(MACHINES):
                    if over > 0 and sent[i] < need[i]:
                        sent[i] += 1
                        over -= 1
            for i in range(MACHINES):
                if sent[i]:
                    self.ship(i, p, sent[i])
                short = need[i] - sent[i] - sum(self.direct[i][p].values())
                if short > 0:
                    self.order_direct(day, i, p, short)
            level = min(int(target[:, p].sum()), DEPOT_CAPACITY)
            self.order_depot(day, p, level - len(self.depot[p]) - sum(self.depot_order[p].values()))

    def customers(self, s: int, n: int, mean: np.ndarray):
        """The product that each of n customers wants, their factor on the mean willingness to pay, and two uniforms;
        only those who would pay."""
        if self.vectorised:
            u = self.rng.random((3, n))
            z = 1 + SPREAD * self.rng.standard_normal(n)
            wanted = np.searchsorted(CUMULATIVE[s], u[0])
            for k in np.flatnonzero(PRICE[wanted] <= mean[s, wanted] * z).tolist():
                yield int(wanted[k]), z[k], u[1, k], u[2, k]
            return
        for _ in range(n):
            wanted = int(np.searchsorted(CUMULATIVE[s], self.rng.random()))
            z = 1 + SPREAD * self.rng.standard_normal()
            if PRICE[wanted] <= mean[s, wanted] * z:
                yield wanted, z, self.rng.random(), self.rng.random()

    def sell(self, day: int, up: np.ndarray) -> np.ndarray:
        arrivals = self.arrivals(day)
        mean = WILLING * (1 + WEATHER * self.weather)
        sales = np.zeros((MACHINES, PRODUCTS), dtype=int)
        for i in range(MACHINES):
            if not up[i]:
                continue
            left = [len(self.slot[i][p]) for p in range(PRODUCTS)]
            for s in range(SEGMENTS):
                for p, z, substitutes, other in self.customers(s, int(arrivals[i, s]), mean):
                    if left[p] == 0:
                        if substitutes >= SUBSTITUTION:
                            continue
                        others = [q for q in range(PRODUCTS) if q != p]
                        share = PREFERENCE[s, others[0]] / (PREFERENCE[s, others[0]] + PREFERENCE[s, others[1]])
                        p = others[0] if other < share else others[1]
                        if left[p] == 0 or PRICE[p] >= 1.1 * mean[s, p] * z:
                            continue
                    left[p] -= 1
                    sales[i, p] += 1
        return sales

    def emergencies(self, day: int) -> None:
        for i in range(MACHINES):
            for p in range(PRODUCTS):
                if not self.slot[i][p]:
                    self.ship(i, p, min(3, len(self.depot[p])))
        for p in range(PRODUCTS):
            if len(self.depot[p]) <= 4:
                self.order_depot(day, p, 10)

    def spoil_and_hold(self, day: int) -> None:
        for p in range(PRODUCTS):
            for stock in [self.slot[i][p] for i in range(MACHINES)] + [self.depot[p]]:
                spoiled = 0
                while spoiled < len(stock) and day - stock[spoiled] >= LIFE[p]:
                    spoiled += 1
                del stock[:spoiled]
                self.cash -= spoiled * WHOLESALE[p] + len(stock) * HOLDING[p]

    def day(self, day: int, target: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sales, which slots sold out, which machines were up."""
        self.deliver(day)
        self.weather = min(1.5, max(-1.5, 0.7 * self.weather + 0.3 * self.rng.standard_normal()))
        up = self.rng.random(MACHINES) >= 0.02
        self.fill(day, target)
        sales = self.sell(day, up)
        for i in range(MACHINES):
            for p in range(PRODUCTS):
                take_oldest(self.slot[i][p], int(sales[i, p]))
        self.cash += float((sales * PRICE).sum())
        sold_out = np.array([[not self.slot[i][p] for p in range(PRODUCTS)] for i in range(MACHINES)])
        self.emergencies(day)
        self.spoil_and_hold(day)
        self.cash -= 10
        self.hidden += DRIFT + DRIFT_SD * self.rng.standard_normal(MACHINES)
        return sales, sold_out, up


def run_trial(seed: int, days: int, vectorised: bool) -> float:
    world = World(np.random.default_rng(seed), vectorised)
    window = np.repeat(simulator_rates()[:, :, None], 10, axis=2)
    place = np.zeros((MACHINES, PRODUCTS), dtype=int)
    below = 0
    for day in range(days):
        target = np.minimum(CAPACITY, np.maximum(1, np.floor(2 * window.mean(axis=2) + 0.5)))
        sales, sold_out, up = world.day(day, target)
        below = below + 1 if world.cash < 0 else 0
        if below == 5:
            break
        i, p = np.nonzero(~sold_out & up[:, None])
        window[i, p, place[i, p] % 10] = sales[i, p]
        place[i, p] += 1
    return world.cash


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--vectorised", action="store_true")
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--days", type=int, default=1600)
    options = parser.parse_args()
    seconds, cash = [], []
    for trial in range(options.trials):
        begin = time.process_time()
        cash.append(run_trial(trial, options.days, options.vectorised))
        seconds.append(time.process_time() - begin)
    record = {"kind": "vectorised" if options.vectorised else "plain", "trials": options.trials, "days": options.days, "seconds": statistics.median(seconds),
              "mean_cash": sum(cash) / len(cash)}
    print(json.dumps(record))


if __name__ == "__main__":
    main()
