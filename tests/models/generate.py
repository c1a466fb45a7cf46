#!/usr/bin/env python3
"""Writes the reference models beside this file and checks each against its published value.

    python3 tests/models/generate.py [FOLDER]

Needs gymnasium, pymdptoolbox and numpy. The models checked in were written with gymnasium 1.4.0,
pymdptoolbox 4.0b3 and numpy 2.4.6 under Python 3.11; their tables are read from the packages, not typed in.
"""

import csv
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import gymnasium
import mdptoolbox.example
import numpy as np


@dataclass
class Model:
    folder: str
    name: str
    origin: str
    discount: float
    states: list[str]
    actions: list[str]
    start: list[float]
    rows: dict  # (state, action) -> {next state: probability}
    rewards: dict  # (state, action) -> expected reward


def value_iteration(model: Model, horizon: int | None = None) -> np.ndarray:
    """Optimal values by plain dense sweeps: until nothing moves, or `horizon` of them from 0."""
    states, actions = len(model.states), len(model.actions)
    P = np.zeros((states, actions, states))
    r = np.full((states, actions), -np.inf)  # a pair that is not available is never chosen
    for (s, a), row in model.rows.items():
        r[s, a] = model.rewards[s, a]
        for t, p in row.items():
            P[s, a, t] = p
    v = np.zeros(states)
    for _ in range(horizon if horizon is not None else 10_000):
        new = np.max(r + model.discount * P @ v, axis=1)
        if horizon is None and np.max(np.abs(new - v)) < 1e-16:
            break
        v = new
    return v


def from_gymnasium(identifier: str, states: list[str], actions: list[str], **model) -> Model:
    """The environment's own table. An outcome flagged `terminated` pays its reward and leads to its next state,
    from which nothing more is earned: such states are absorbing with reward 0."""
    environment = gymnasium.make(identifier).unwrapped
    terminal = {t for by_action in environment.P.values() for outcomes in by_action.values()
                for _, t, _, terminated in outcomes if terminated}
    rows, rewards = {}, {}
    for s, by_action in environment.P.items():
        for a, outcomes in by_action.items():
            row, reward = defaultdict(float), 0.0
            for p, t, r, terminated in outcomes:
                assert terminated == (int(t) in terminal)
                row[int(t)] += float(p)
                reward += float(p) * float(r)
            rows[s, a], rewards[s, a] = (dict(row), reward) if s not in terminal else ({s: 1.0}, 0.0)
    start = [float(p) for p in environment.initial_state_distrib]
    assert len(states) == len(environment.P)
    return Model(states=states, actions=actions, start=start, rows=rows, rewards=rewards,
                 origin=f"Gymnasium's `{identifier}`; the states that end an episode are absorbing with reward 0.",
                 **model)


def frozen_lake(size: int) -> Model:
    return from_gymnasium("FrozenLake-v1" if size == 4 else "FrozenLake8x8-v1",
                          [f"r{i}c{j}" for i in range(size) for j in range(size)], ["left", "down", "right", "up"],
                          folder=f"frozenlake{size}", name=f"Frozen lake {size} x {size}, slippery", discount=0.95)


def cliff_walking() -> Model:
    return from_gymnasium("CliffWalking-v1", [f"r{i}c{j}" for i in range(4) for j in range(12)],
                          ["up", "right", "down", "left"],
                          folder="cliffwalking", name="Cliff walking", discount=0.9)


def forest() -> Model:
    P, R = mdptoolbox.example.forest(S=3, r1=4, r2=2, p=0.1)
    rows, rewards = {}, {}
    for s in range(3):
        for a in range(2):
            rows[s, a] = {t: float(p) for t, p in enumerate(P[a][s]) if p > 0}
            rewards[s, a] = float(R[s, a])
    return Model(folder="forest3", name="Forest of three ages", discount=0.9,
                 origin="pymdptoolbox's `example.forest(S=3, r1=4, r2=2, p=0.1)`: wait or cut while fires may come.",
                 states=["young", "middle", "old"], actions=["wait", "cut"], start=[1.0, 0.0, 0.0], rows=rows,
                 rewards=rewards)


def inventory() -> Model:
    """Stock u = s + a after ordering a. Sold: min(demand, u) at 8; cost of ordering a > 0: 4 + 2a; holding u: u.
    The expected reward is F(u) - O(a) - h(u), with demand 0, 1, 2 w.p. 1/4, 1/2, 1/4."""
    capacity, demand = 3, {0: 0.25, 1: 0.5, 2: 0.25}
    rows, rewards = {}, {}
    for s in range(capacity + 1):
        for a in range(capacity + 1 - s):
            row, sales = defaultdict(float), 0.0
            for d, p in demand.items():
                row[max(s + a - d, 0)] += p
                sales += p * 8 * min(d, s + a)
            rows[s, a] = dict(row)
            rewards[s, a] = sales - (4 + 2 * a if a > 0 else 0) - (s + a)
    return Model(folder="puterman_inventory", name="Stochastic inventory", discount=1.0,
                 origin="Puterman, Markov Decision Processes (1994), sections 3.2.2 and 4.6.1: M=3, K=4, c(u)=2u, "
                        "h(u)=u, f(u)=8u, no terminal reward. Discount 1: solve it with a horizon, as there with 3.",
                 states=[f"stock {s}" for s in range(4)], actions=[f"order {a}" for a in range(4)],
                 start=[0.25] * 4, rows=rows, rewards=rewards)


def number(value: float) -> str:
    """The shortest text that reads back as the same double."""
    text = repr(float(value))
    return text.removesuffix(".0")


def write_csv(file: Path, header: list[str], rows: list[list[str]]):
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows([header, *rows])


def write(model: Model, above: Path):
    folder = above / model.folder
    folder.mkdir(parents=True, exist_ok=True)
    actions = ", ".join(f'"{a}"' for a in model.actions)
    (folder / "model.toml").write_text(
        f'format = "mindgap-model/1"\nname = "{model.name}"\ndiscount = {float(model.discount)!r}\n'
        f'states = "states.csv"\nactions = [{actions}]\nrewards = "rewards.csv"\ntransitions = "transitions.csv"\n')
    (folder / "README.md").write_text(f"{model.origin} Written by `tests/models/generate.py`.\n")
    write_csv(folder / "states.csv", ["name", "start"],
              [[s, number(p)] for s, p in zip(model.states, model.start, strict=True)])
    write_csv(folder / "rewards.csv", ["state", "action", "reward"],
              [[model.states[s], model.actions[a], number(r)] for (s, a), r in sorted(model.rewards.items())])
    transitions = []
    for (s, a), row in sorted(model.rows.items()):
        assert abs(sum(row.values()) - 1) < 1e-9
        transitions += [[model.states[s], model.actions[a], model.states[t], number(p)]
                        for t, p in sorted(row.items()) if p > 0]
    write_csv(folder / "transitions.csv", ["state", "action", "next_state", "probability"], transitions)


def check(model: Model, got: float, wanted: float, tolerance: float):
    print(f"{model.folder:20} {got:.13f}  wanted {wanted:.13f}")
    if not abs(got - wanted) <= tolerance:
        sys.exit(f"{model.folder}: {got!r} is not within {tolerance} of {wanted!r}")


def main():
    above = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent
    for model, wanted in [(frozen_lake(4), 0.180471578397), (frozen_lake(8), 0.048250204081),
                          (cliff_walking(), -7.4581341717), (forest(), 26.244)]:
        digits = 1e-10 if model.folder == "cliffwalking" else 1e-12
        check(model, float(value_iteration(model) @ model.start), wanted, digits)
        write(model, above)
    model = inventory()
    for value, sixteenths in zip(value_iteration(model, horizon=3), [67, 129, 194, 227], strict=True):
        check(model, float(value), sixteenths / 16, 0.0)
    write(model, above)


if __name__ == "__main__":
    main()
