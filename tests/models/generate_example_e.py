#!/usr/bin/env python3
"""Writes example_e (a world folder) and example_e_simulator (a model folder) beside this file.

    python3 tests/models/generate_example_e.py [FOLDER]

Example E: 3 states, 2 actions, 2 hidden states; the hidden state is redrawn from the deployment law at every
step. Its simulator is fitted to history: rewards = calibration kernel + residual, transitions = .95 *
calibration kernel + .05/3. Standard library only; exact fractions until the last digit is written.
"""

import sys
from fractions import Fraction
from itertools import product
from pathlib import Path


def exact(values):
    return [exact(v) for v in values] if isinstance(values, list) else Fraction(values)


S, A, H = 3, 2, 2
REWARD = exact([[[".2", ".6"], [".5", ".9"]], [[".8", ".4"], [".1", ".3"]], [[".4", ".5"], [".6", ".2"]]])
VARIANCE = exact([[[".01", ".04"], [".02", ".03"]], [[".05", ".01"], [".02", ".02"]],
                  [[".03", ".03"], [".01", ".06"]]])
NEXT = exact([[[[".7", ".2", ".1"], [".5", ".3", ".2"]], [[".1", ".6", ".3"], [".2", ".4", ".4"]]],
              [[[".3", ".3", ".4"], [".4", ".4", ".2"]], [[".5", ".25", ".25"], [".3", ".3", ".4"]]],
              [[[".2", ".2", ".6"], [".1", ".3", ".6"]], [[".05", ".15", ".8"], [".25", ".25", ".5"]]]])
BEHAVIOUR = exact([[[".7", ".2"], [".3", ".8"]], [[".4", ".6"], [".6", ".4"]],
                   [[".5", ".25"], [".5", ".75"]]])
DEPLOYMENT = exact([[".6", ".4"], [".5", ".5"], [".3", ".7"]])
CALIBRATION = exact([[".8", ".2"], [".6", ".4"], [".5", ".5"]])
RESIDUAL = exact([[".02", "-.03"], [".01", ".04"], ["-.05", "0"]])


def write(path: Path, *lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(",".join(x if isinstance(x, str) else repr(float(x)) for x in line) for line in lines)
    path.write_text(text.replace(".0,", ",").replace(".0\n", "\n").removesuffix(".0") + "\n")


def write_world(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "README.md").write_text(
        "Example E: a truth whose history is confounded and has drifted. Written by "
        "`tests/models/generate_example_e.py`.\n")
    (folder / "world.toml").write_text(
        'format = "mindgap-world/1"\nname = "Example E"\ndiscount = 0.9\nreward_max = 1.0\n'
        'states = "states.csv"\nactions = ["a0", "a1"]\nhidden = ["h0", "h1"]\nrewards = "rewards.csv"\n'
        'transitions = "transitions.csv"\n')
    cells = list(product(range(S), range(A), range(H)))
    write(folder / "states.csv", ["name", "start"], ["s0", 1], ["s1", 0], ["s2", 0])
    write(folder / "rewards.csv", ["state", "hidden", "action", "reward", "variance"],
          *[[f"s{s}", f"h{h}", f"a{a}", REWARD[s][a][h], VARIANCE[s][a][h]] for s, a, h in cells])
    write(folder / "transitions.csv",
          ["state", "hidden", "action", "next_state", "next_hidden", "probability"],
          *[[f"s{s}", f"h{h}", f"a{a}", f"s{t}", f"h{g}", NEXT[s][a][h][t] * DEPLOYMENT[t][g]]
            for s, a, h in cells for t, g in product(range(S), range(H))])
    write(folder / "behaviour.csv", ["state", "hidden", "action", "probability"],
          *[[f"s{s}", f"h{h}", f"a{a}", BEHAVIOUR[s][a][h]] for s, a, h in cells])
    for name, law in [("calibration", CALIBRATION), ("deployment", DEPLOYMENT)]:
        write(folder / f"{name}.csv", ["state", "hidden", "probability"],
              *[[f"s{s}", f"h{h}", law[s][h]] for s, h in product(range(S), range(H))])


def hidden_given_pair(s: int, a: int) -> list[Fraction]:
    weight = [BEHAVIOUR[s][a][h] * CALIBRATION[s][h] for h in range(H)]
    return [w / sum(weight) for w in weight]


def write_simulator(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "README.md").write_text(
        "The simulator of `tests/models/example_e`, fitted to its history. Written by "
        "`tests/models/generate_example_e.py`.\n")
    (folder / "model.toml").write_text(
        'format = "mindgap-model/1"\nname = "Simulator of example E"\ndiscount = 0.9\nreward_max = 1.0\n'
        'states = "states.csv"\nactions = ["a0", "a1"]\nrewards = "rewards.csv"\n'
        'transitions = "transitions.csv"\n\n[prior]\nreward_sd = 0.2\ntransition_strength = 8.0\n\n'
        '[observation]\nreward_variance = 0.05\n')
    rewards, transitions = [], []
    for s, a in product(range(S), range(A)):
        law = hidden_given_pair(s, a)
        mean = sum(law[h] * REWARD[s][a][h] for h in range(H))
        rewards.append([f"s{s}", f"a{a}", mean + RESIDUAL[s][a]])
        for t in range(S):
            p = sum(law[h] * NEXT[s][a][h][t] for h in range(H))
            transitions.append([f"s{s}", f"a{a}", f"s{t}", Fraction(".95") * p + Fraction(".05") / 3])
    write(folder / "states.csv", ["name", "start"], ["s0", 1], ["s1", 0], ["s2", 0])
    write(folder / "rewards.csv", ["state", "action", "reward"], *rewards)
    write(folder / "transitions.csv", ["state", "action", "next_state", "probability"], *transitions)


if __name__ == "__main__":
    here = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent
    write_world(here / "example_e")
    write_simulator(here / "example_e_simulator")
