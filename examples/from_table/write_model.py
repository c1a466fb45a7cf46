#!/usr/bin/env python3
"""From a Gymnasium-style table to a decision: writes a model folder, and the two CSVs that go with it.

    write_model.py FOLDER

The table is P[state][action] = [(probability, next_state, reward, terminated), ...], as env.unwrapped.P of
Gymnasium's toy-text environments is. Put yours in the place of delivery_table(). Only the standard library.
"""
import csv
import sys
from pathlib import Path

ACTIONS = ["left", "down", "right", "up"]
ROWS, COLUMNS = 3, 6


def delivery_table():
    """Couriers in a town of 3 x 6 blocks. West of the river (columns 0-2) a stop pays .5; east of it the
    simulator, fitted to days on which few crossed, says .2. The one bridge is in the middle row. A courier
    goes where it wants with probability .9 and stays where it is otherwise."""
    table = {}
    for state in range(ROWS * COLUMNS):
        row, column = divmod(state, COLUMNS)
        table[state] = {}
        for action, (down, right) in enumerate([(0, -1), (1, 0), (0, 1), (-1, 0)]):
            r, c = row + down, column + right
            crosses = {column, c} == {2, 3}
            free = 0 <= r < ROWS and 0 <= c < COLUMNS and (not crosses or row == 1)
            target = r * COLUMNS + c if free else state
            reward = 0.5 if column < 3 else 0.2
            table[state][action] = [(0.9, target, reward, False), (0.1, state, reward, False)]
    return table


def write_model(table, folder, actions, discount, name):
    """One row per outcome; outcomes that end an episode lead to a state `end` that pays nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    ends = any(done for moves in table.values() for rows in moves.values() for *_, done in rows)
    states = [f"s{state}" for state in table] + (["end"] if ends else [])
    (folder / "model.toml").write_text(
        f'format = "mindgap-model/1"\nname = "{name}"\ndiscount = {discount}\nstates = "states.csv"\n'
        f"actions = {actions!r}\n".replace("'", '"')
        + 'rewards = "rewards.csv"\ntransitions = "transitions.csv"\n\n'
        "[prior]                    # how far a mean reward may be off where history never looked\n"
        "reward_sd = 0.5\ntransition_strength = 20\n\n"
        "[observation]\nreward_variance = 0.25     # of one observed reward\n")
    with open(folder / "states.csv", "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["name", "x", "y"])
        for number, state in enumerate(states):
            writer.writerow([state, number % COLUMNS, number // COLUMNS])
    with open(folder / "rewards.csv", "w", newline="") as rewards, \
            open(folder / "transitions.csv", "w", newline="") as transitions:
        reward_rows = csv.writer(rewards, lineterminator="\n")
        move_rows = csv.writer(transitions, lineterminator="\n")
        reward_rows.writerow(["state", "action", "reward"])
        move_rows.writerow(["state", "action", "next_state", "probability"])
        for state, moves in table.items():
            for action, rows in moves.items():
                reward_rows.writerow([f"s{state}", actions[action], sum(p * r for p, _, r, _ in rows)])
                for p, target, _, done in rows:
                    move_rows.writerow([f"s{state}", actions[action], "end" if done else f"s{target}", p])
        if ends:
            reward_rows.writerow(["end", actions[0], 0])
            move_rows.writerow(["end", actions[0], "end", 1])


def write_history(folder):
    """How often history has seen each pair: all of the west, nothing of the east."""
    with open(folder / "history.csv", "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["state", "action", "count"])
        for state in range(ROWS * COLUMNS):
            if state % COLUMNS < 3:
                for action in ACTIONS:
                    writer.writerow([f"s{state}", action, 60])


def write_positions(folder):
    """Where the twelve couriers are today."""
    with open(folder / "couriers.csv", "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["unit", "state"])
        for courier in range(12):
            writer.writerow([f"courier-{courier + 1}", f"s{(courier % ROWS) * COLUMNS}"])


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "deliveries")
    write_model(delivery_table(), folder, ACTIONS, 0.95, "Deliveries")
    write_history(folder)
    write_positions(folder)


if __name__ == "__main__":
    main()
