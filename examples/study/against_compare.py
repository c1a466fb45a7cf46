#!/usr/bin/env python3
"""Is a study worth what the same planner is inside `compare`? Plays studies through the commands only.

    against_compare.py BIN TRUTH [STUDIES]

BIN holds mindgap and study_field; TRUTH is treasure, confounded or vans=MODEL. Each study has 60 units for 40 steps: 9 of
them explore for 15 steps, and every 5 steps (--update-every, by default) everybody who is on no route gets the policy that
is best by now, as the planner `fisher` does it. `compare` meets the same worlds with common random numbers. Exits 1 where the mean
difference is not within its noise (paired t, 99.9 %), printing both.

The same in both: how many explore and for how long, when policies are found, what explorers should find out (an ensemble of
64 models, from where the units are) and the credit for what the others see. Not the same: who explores (a study draws its
explorers, spread over the states; the planner takes the first units), the models that are drawn, and how near to the
optimum the design is taken (0.1 % and 1 %). So single studies differ, and the mean should not.
"""
import csv
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

UNITS, STEPS, SEED = 60, 40, 42
T_999 = {3: 12.92, 4: 8.61, 5: 6.87, 9: 4.78, 11: 4.44, 14: 4.14, 19: 3.88, 29: 3.66}  # two-sided, by degrees of freedom


def call(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def play(bin, folder, truth, trial):
    study = folder / "study"
    call(bin / "study_field", "setup", folder, UNITS, truth, SEED, trial)
    call(bin / "mindgap", "study", "init", study, "--model", folder / "simulator", "--units", folder / "units.csv",
         "--horizon", STEPS, "--batch-steps", 15, "--control-share", 0.85, "--seed", trial)
    for step in range(STEPS):
        (folder / "assigned.json").write_text(call(bin / "mindgap", "study", "assign", study, "--format", "json"))
        call(bin / "study_field", "answer", folder, folder / "assigned.json", folder / "results.csv")
        call(bin / "mindgap", "study", "record", study, folder / "results.csv")
    seen = json.loads(call(bin / "mindgap", "study", "export", study, "--format", "json"))["observations"]
    return sum(one["reward"] for one in seen)


def inside_compare(bin, folder, trial):
    call(bin / "mindgap", "compare", folder / "truth", "--simulator", folder / "simulator", "--planners", "fisher", "--units",
         UNITS, "--horizons", STEPS, "--first-trial", trial, "--trials", 1, "--seed", SEED, "--out", folder / "out", "--quiet")
    with open(folder / "out" / "results.csv", newline="") as rows:
        return next(float(row["value"]) for row in csv.DictReader(rows) if row["planner"] == "fisher")


def main():
    bin, truth = Path(sys.argv[1]), sys.argv[2]
    studies = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    studied, compared = [], []
    for trial in range(studies):
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work) / "field"
            studied.append(play(bin, folder, truth, trial))
            compared.append(inside_compare(bin, folder, trial))
    differences = [a - b for a, b in zip(studied, compared)]
    mean = statistics.mean(differences)
    error = statistics.stdev(differences) / studies**0.5
    print(f"{truth}: {studies} studies gathered {statistics.mean(studied):.1f}, fisher in compare "
          f"{statistics.mean(compared):.1f}; difference {mean:.2f}, standard error {error:.2f}")
    limit = min((t for n, t in T_999.items() if n <= studies - 1), default=13.0)
    sys.exit(0 if abs(mean) <= limit * error or mean == 0 else 1)


if __name__ == "__main__":
    main()
