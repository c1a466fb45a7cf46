"""What the field showed, in numbers.

A log of a program is a table (CSV, DataFrame, Arrow, dict) with one row per step and the columns

- the name of each axis: the state, as ``angle, speed``;
- ``next_`` and the name of each axis: the next state, as ``next_angle, next_speed``; all empty where it is missing;
- ``action``: as the simulator's tables call it, or as the program does;
- ``reward``: empty where it is missing;
- perhaps ``terminated`` (0 or 1): whether the episode ended with the step.

Other columns are not looked at.
"""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._inputs import TableLike, _columns, path_of
from ..errors import InvalidArgument, StoreError

if TYPE_CHECKING:
    from ._space import Space


@dataclass(frozen=True)
class Seen:
    """Steps that really happened, as the library takes them."""

    state: NDArray[np.float64]
    action: NDArray[np.int32]
    reward: NDArray[np.float64]
    next_state: NDArray[np.float64]
    terminated: NDArray[np.uint8]


def is_continuous(log: Any, space: Space) -> bool:
    """Whether it is a log of a program: it has a column for each axis."""
    try:
        names = set(_table(log))
    except (InvalidArgument, StoreError, OSError):
        return False
    return all(name in names for name in space.grid.names)


def seen_in(log: TableLike, space: Space) -> Seen:
    """The steps of a log. Throws :class:`InvalidArgument` with the row, from 0."""
    table = _table(log)
    axes = space.grid.names
    wanted = [*axes, "action", "reward", *(f"next_{name}" for name in axes)]
    missing = [name for name in wanted if name not in table]
    if missing:
        raise InvalidArgument(
            f"log: the columns {', '.join(missing)} are missing; a log of this simulator has {', '.join(wanted)} and "
            "perhaps terminated"
        )
    size = len(table["action"])
    if size == 0:
        raise InvalidArgument("log: there are no rows")
    state = np.column_stack([_numbers(table, name) for name in axes])
    next_state = np.column_stack([_numbers(table, f"next_{name}") for name in axes])
    reward = _numbers(table, "reward")
    over = _flags(table["terminated"]) if "terminated" in table else np.zeros(size, dtype=np.uint8)
    lost = np.isnan(next_state)
    _refuse(~np.isfinite(state).all(axis=1), "the state must be finite numbers", state)
    _refuse(np.isinf(reward), "the reward must be finite, or missing", reward)
    _refuse(np.isinf(next_state).any(axis=1), "the next state must be finite numbers, or missing", next_state)
    _refuse(lost.any(axis=1) & ~lost.all(axis=1), "the next state is missing in part", next_state)
    _refuse(np.isnan(reward) & lost.all(axis=1) & (over == 0), "both the reward and the next state are missing", reward)
    action = np.array([_action(space, one, row) for row, one in enumerate(table["action"])], dtype=np.int32)
    return Seen(state, action, reward, next_state, over)


def _table(log: Any) -> dict[str, list[Any]]:
    if isinstance(log, (str, os.PathLike)):
        try:
            with open(path_of("log", log), newline="", encoding="utf-8-sig") as file:
                rows = list(csv.reader(file))
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(f"log: {os.fspath(log)!r} cannot be read: {error}") from error
        if not rows:
            raise InvalidArgument("log: the file is empty")
        head, rows = [name.strip() for name in rows[0]], [row for row in rows[1:] if row]
        for number, row in enumerate(rows):
            if len(row) != len(head):
                raise InvalidArgument(f"log, row {number}: there are {len(row)} fields, but the head has {len(head)}")
        return {name: [row[at] for row in rows] for at, name in enumerate(head)}
    return _columns(log, "log", "")


def _numbers(table: dict[str, list[Any]], name: str) -> NDArray[np.float64]:
    found = np.empty(len(table[name]))
    for row, value in enumerate(table[name]):
        try:
            found[row] = np.nan if value is None or value == "" else float(value)
        except (TypeError, ValueError):
            raise InvalidArgument(f"log, row {row}: {name} is {value!r}, but must be a number") from None
    return found


def _flags(values: list[Any]) -> NDArray[np.uint8]:
    said = {"": 0, "0": 0, "1": 1, "false": 0, "true": 1, "0.0": 0, "1.0": 1, "nan": 0, "none": 0}
    found = np.zeros(len(values), dtype=np.uint8)
    for row, value in enumerate(values):
        flag = said.get(str(value).strip().lower())
        if flag is None:
            raise InvalidArgument(f"log, row {row}: terminated is {value!r}, but must be 0 or 1")
        found[row] = flag
    return found


def _refuse(bad: Any, problem: str, values: NDArray[np.float64]) -> None:
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise InvalidArgument(f"log, row {row}: {problem}, but is {values[row].tolist()}")


def _action(space: Space, given: Any, row: int) -> int:
    names = space.action_names
    if isinstance(given, str):
        given = given.strip()
        if given in names:
            return names.index(given)
        try:
            given = float(given)
        except ValueError:
            pass
    try:
        return space._nearly(given)
    except InvalidArgument as error:
        raise InvalidArgument(f"log, row {row}: {error}") from None
