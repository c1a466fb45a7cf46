"""Prints what bench/run measured: table.py RESULTS"""

import json
import pathlib
import sys
from typing import Any

Record = dict[str, Any]

CASES = {  # times faster than mdpsolver, and than the fastest peer, that we want to be
    "random": (6, 3),
    "maze": (80, 20),
    "walls": (80, 20),
    "pendulum": (10, 3),
}
PEERS = ("mdpsolver", "quantecon", "pymdptoolbox", "scipy")


def read(path: pathlib.Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def cell(record: Record | None, target: float) -> str:
    """Seconds, and in brackets the gap reached as a share of the target."""
    if record is None:
        return "-"
    if "error" in record:
        return str(record["error"])[:24]
    return f"{record['seconds']:.3g} [{record['gap'] / target:.2g}]"


def verdict(value: float, wanted: float, at_least: bool = True) -> str:
    met = value >= wanted if at_least else value <= wanted
    return f"{value:.3g} ({'>=' if at_least else '<='} {wanted:g}{'' if met else ', MISSED'})"


def ratio(ours: Record, others: list[Record], wanted: float) -> str:
    """How many times the fastest of the others that reached the target gap takes."""
    seconds = [r["seconds"] for r in others if "seconds" in r and r["gap"] <= ours["target"]]
    return verdict(min(seconds) / ours["seconds"], wanted) if seconds else "-"


def show(rows: list[list[str]]) -> None:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())


def mark(results: pathlib.Path, table: str) -> None:
    """Says where the machine was not quiet while a table was measured (bench/run)."""
    for line in (results / "unsteady.txt").read_text().splitlines():
        name, before, after = line.split()
        if name == table:
            print(f"UNSTEADY: triad loops moved {before} GB/s before this was measured and {after} after")


def solving(results: pathlib.Path) -> None:
    mark(results, "solving")
    print("Seconds to solve, one thread. In brackets: the certified gap reached / the gap wanted,")
    print("which is 1e-6 max|r|/(1-discount). Ratios: times slower than ours (in brackets: wanted).\n")
    rows = [["case", "ours", *PEERS, "mdpsolver/ours", "fastest/ours", "peak memory/model"]]
    for case, (against_mdpsolver, against_fastest) in CASES.items():
        (ours,) = read(results / f"ours-{case}.json")
        peers = {record["peer"]: record for record in read(results / f"peers-{case}.json")}
        rows.append(
            [case, cell(ours, ours["target"])]
            + [cell(peers.get(name), ours["target"]) for name in PEERS]
            + [
                ratio(ours, [peers[name] for name in peers if name == "mdpsolver"], against_mdpsolver),
                ratio(ours, list(peers.values()), against_fastest),
                verdict(ours["bytes"] / ours["model_bytes"], 2, at_least=False),
            ]
        )
    show(rows)
    print()
    for case in CASES:
        (ours,) = read(results / f"ours-{case}.json")
        sweeps = f"{ours['iterations']} full and {ours['policy_sweeps']} policy sweeps"
        print(f"{case}: {ours['method']}, {sweeps}")
        for record in read(results / f"peers-{case}.json"):
            memory = f", {record['bytes'] / 1e6:.0f} MB" if "bytes" in record else ""
            print(f"  {record['peer']}: {json.dumps(record['options'])}{memory}")


def sweep(results: pathlib.Path) -> None:
    (record,) = read(results / "sweep.json")
    rates = [f"{record[name] / 1e9:.1f} GB/s" for name in ("sweep_bandwidth", "triad_bandwidth")]
    print("\nOne Bellman sweep of random against a triad loop, one thread")
    mark(results, "sweep")
    print(f"  {rates[0]} / {rates[1]} = {verdict(record['share'], 0.65)}")


def threads(results: pathlib.Path) -> None:
    (one,), (two,) = read(results / "threads-1.json"), read(results / "threads-2.json")
    print("\nTwo threads on random")
    mark(results, "threads")
    speed_up = verdict(one["seconds"] / two["seconds"], 1.7)
    print(f"  {one['seconds']:.3g} s / {two['seconds']:.3g} s = {speed_up}")


def scaling(results: pathlib.Path) -> None:
    records = [read(results / f"scale-{i}.json")[0] for i in (1, 2, 3)]
    each = [record["seconds"] / record["nonzeros"] * 1e9 for record in records]
    print("\nScaling of random, one thread")
    mark(results, "scaling")
    for record, nanoseconds in zip(records, each):
        print(
            f"  {record['states']:>9,} states: {record['seconds']:.3g} s, {nanoseconds:.2f} ns per nonzero, "
            f"{record['iterations']} + {record['policy_sweeps']} sweeps"
        )
    print(f"  growth per nonzero: {verdict(each[-1] / each[0], 3, at_least=False)}")
    large = records[-1]
    print(f"\n{large['states']:,} states from HDF5")
    peak, model, read_peak = (large[name] / 2**30 for name in ("bytes", "model_bytes", "read_bytes"))
    print(f"  read {large['read_seconds']:.2f} s, solve {large['seconds']:.2f} s")
    print(f"  peak {peak:.2f} GiB, {peak / model:.2f} of the model (reading alone {read_peak:.2f} GiB)")


def thompson(results: pathlib.Path) -> None:
    print("\nThompson sampling on a river of 50 states, 100 units: steps per second, one thread")
    mark(results, "thompson")
    for discount in (".95", ".99"):
        (ours,) = read(results / f"thompson-{discount}.json")
        line = f"  discount {discount}: {ours['steps_per_second']:,.0f}"
        for plain in read(results / f"numpy-{discount}.json"):
            times = ours["steps_per_second"] / plain["steps_per_second"]
            line += f", plain NumPy {plain['steps_per_second']:,.0f}: {verdict(times, 200)} times"
        print(line)


def main() -> None:
    results = pathlib.Path(sys.argv[1])
    solving(results)
    sweep(results)
    threads(results)
    scaling(results)
    thompson(results)
    print("\nReading CSV")
    mark(results, "csv")
    print("".join(f"  {line}\n" for line in (results / "csv.txt").read_text().splitlines()), end="")


if __name__ == "__main__":
    main()
