"""What comes in beside a model: files and tables.

A table (a pandas DataFrame, anything with the Arrow PyCapsule interface, a dict of columns) becomes the text
of the file that the command line would read, so both are checked by the same parser and have its messages;
places in a table are rows from 0.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import operator
import os
from typing import Any, Iterator, Mapping, Protocol, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .errors import InvalidArgument, InvalidModel
from .models._given import numbers


class ArrowTable(Protocol):
    """Anything that gives itself as an Arrow stream: pyarrow and polars tables, results of mindgap."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


#: A table: the file it is in, a pandas DataFrame, an Arrow table or a dict of columns.
TableLike = Union[
    str, "os.PathLike[str]", ArrowTable, Mapping[str, Sequence[Any]], Mapping[str, NDArray[Any]], Any
]

#: A pilot's plan: what :meth:`Design.plan` and :meth:`Decision.plan` give, or the file it is in.
PlanLike = Union[Mapping[str, Any], str, "os.PathLike[str]"]

# Columns of numbers; in all others a number is a name, and 3.0 is the state "3".
_NUMBERS = frozenset({"reward", "probability", "count", "cost", "per_step"})


def _series(values: Any) -> list[Any]:
    """A pandas column, with None for what is missing."""
    if isinstance(values.dtype, np.dtype):
        found = values.tolist()
    else:
        found = values.astype(object).where(values.notna(), None).tolist()
    assert isinstance(found, list)
    return found


def _columns(table: Any, what: str, other: str) -> dict[str, list[Any]]:
    if isinstance(table, Mapping):
        return {
            str(name): values if isinstance(values, list) else np.asarray(values).tolist()
            for name, values in table.items()
        }
    if hasattr(table, "columns") and hasattr(table, "iloc"):  # a pandas DataFrame
        return {str(name): _series(table[name]) for name in table.columns}
    if hasattr(table, "__arrow_c_stream__"):
        try:
            import pyarrow  # type: ignore[import-untyped]
        except ImportError as error:
            said = f"{what}: an Arrow table is read with the package pyarrow, which is missing"
            raise InvalidArgument(said) from error
        arrow = pyarrow.table(table)
        return {
            name: column.to_numpy(zero_copy_only=False).tolist()
            for name, column in zip(arrow.column_names, arrow.columns)
        }
    raise InvalidArgument(
        f"{what}: expected {other}a path, a pandas DataFrame, an Arrow table or a dict of columns, but got a "
        f"{type(table).__name__}"
    )


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _quoted(text: str) -> str:
    if any(c in text for c in ',"\r\n') or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text


def _name(value: Any) -> str:
    if _is_missing(value):
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return _quoted(str(value))


def _number(value: Any) -> str:
    if type(value) is float:
        return repr(value) if value == value else ""
    return _name(value)


def _cells(name: str, values: list[Any]) -> list[str]:
    if name in _NUMBERS:
        return [_number(value) for value in values]
    try:
        said = {value: _name(value) for value in set(values)}  # few different ones, as a rule
        return [said[value] for value in values]
    except TypeError:
        return [_name(value) for value in values]


def as_csv(table: Any, what: str, other: str = "") -> str:
    """The text of a table's file."""
    columns = _columns(table, what, other)
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidArgument(f"{what}: expected columns of one length, but they have {lengths}")
    head = ",".join(_quoted(name) for name in columns) + "\n"
    if not columns or not next(iter(lengths.values())):
        return head
    cells = [_cells(name, values) for name, values in columns.items()]
    rows = cells[0] if len(cells) == 1 else map(",".join, zip(*cells))
    return head + "\n".join(rows) + "\n"


def is_counts(value: Any) -> bool:
    """One number or an array of them, of NumPy's, pandas' (a Series) or Python's: no table."""
    if isinstance(value, (int, float, list, tuple)):
        return not isinstance(value, bool)
    return hasattr(value, "__array__") and not hasattr(value, "columns")


def whole(what: str, value: Any, least: int = -(2**63), most: int = 2**63 - 1) -> int:
    """A whole number of Python's or NumPy's; ``what`` it is called in messages."""
    try:
        found = None if isinstance(value, (bool, np.bool_)) else operator.index(value)
    except TypeError:
        found = None
    if found is None or not least <= found <= most:
        upto = "on" if most == 2**63 - 1 else f"to {most}"
        where = "" if found is None and least < 0 else f" from {least} {upto}"
        raise InvalidArgument(f"{what} is {value!r}, but must be a whole number{where}")
    return found


def seed_of(value: Any) -> int:
    """Root of every random number."""
    return whole("seed", value, 0, 2**64 - 1)


def threads_of(value: Any) -> int:
    """How many; 0: all cores."""
    return whole("threads", value, 0, 4096)


def real(what: str, value: Any, low: float = -math.inf, high: float = math.inf) -> float:
    """A number, from ``low`` to ``high`` where that is said."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgument(f"{what} must be a number, but is {value!r}") from None
    if (low, high) != (-math.inf, math.inf) and not low <= found <= high:
        raise InvalidArgument(f"{what} is {value!r}, but must be from {low:g} to {high:g}")
    return found


def maybe(what: str, value: Any) -> float | None:
    """A number, or nothing."""
    return None if value is None else real(what, value)


def limit_of(value: Any) -> float | None:
    """Seconds that a call may take; None where there is no limit: of None, and of 0, as on the command
    line."""
    if value is None:
        return None
    found = real("time_limit", value)
    if not found >= 0:
        raise InvalidArgument(f"time_limit is {value!r}, but must be seconds: zero (no limit) or more")
    return found or None


def text(what: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidArgument(f"{what} must be a text, but is {value!r}")
    return value


def flag(what: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidArgument(f"{what} must be True or False, but is {value!r}")
    return bool(value)


def path_of(what: str, value: Any) -> str:
    """A path, as a text."""
    found = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
    if not isinstance(found, str):
        raise InvalidArgument(f"{what} must be a path, as a text or a pathlib.Path, but is {value!r}")
    return found


def target_of(value: Any) -> str:
    """A target of designs by its name, or a policy file by its path; a pathlib.Path is always a file."""
    if not isinstance(value, os.PathLike):
        return text("target", value)
    path = path_of("target", value)
    return path if os.path.dirname(path) else os.path.join(os.curdir, path)


class Sources:
    """The sources of one call. Errors in tables say the row instead of the line of a file."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def take(self, value: TableLike | None, what: str, other: str = "") -> _core.Source | None:
        """A table of any kind as the library takes it; ``what`` it is called in messages, and what ``other``
        things are wanted in its place."""
        if value is None:
            return None
        if isinstance(value, (str, os.PathLike)):
            return _core.Source.of_file(path_of(what, value))
        return self._text(what, as_csv(value, what, other))

    def plan(self, value: PlanLike | None) -> _core.Source | None:
        """A pilot's plan: a dict as :meth:`Design.plan` gives it, or the file it is in."""
        if isinstance(value, Mapping):
            return _core.Source.of_table("plan", json.dumps(value).encode())
        return None if value is None else _core.Source.of_file(path_of("plan", value))

    def matrix(self, value: ArrayLike | str | os.PathLike[str] | None, what: str) -> _core.Source | None:
        """A square matrix: an array, or the file it is in."""
        if value is None:
            return None
        if isinstance(value, (str, os.PathLike)):
            return _core.Source.of_file(path_of(what, value))
        found = numbers(what, value)
        if found.ndim != 2 or found.shape[0] != found.shape[1] or found.size == 0:
            raise InvalidArgument(f"{what}: expected a square matrix, but the shape is {found.shape}")
        lines = (",".join(map(repr, row)) for row in found.tolist())
        return self._text(what, "\n".join(lines) + "\n", header=False)

    def coverage(
        self, value: TableLike | ArrayLike | None, model: _core.Mdp
    ) -> tuple[_core.Source | None, _core.Mdp]:
        """A table or a history's log, or one number per pair, which goes into the model."""
        if not is_counts(value):
            return self.take(value, "coverage", "an array with one number per pair, "), model
        return None, model.with_coverage(value)

    def new_states(
        self, model: _core.Mdp, states: str, *sources: _core.Source | None
    ) -> tuple[_core.Mdp, list[str]]:
        """With ``states="all"``, the model with the states that the sources name and it does not have, and what
        to say about them."""
        if states not in ("known", "all"):
            raise InvalidArgument(f"states is {states!r}, but must be 'known' or 'all'")
        if states == "known":
            return model, []
        for source in sources:
            names = [] if source is None else source.unknown_states(model)
            model = _core.with_states(model, names)
        return model, [said] if (said := _core.new_states_in_words(model)) else []

    def _text(self, what: str, text: str, header: bool = True) -> _core.Source:
        if header:
            self._texts[what] = text
        return _core.Source.of_table(what, text.encode("utf-8", "surrogateescape"))

    def _row(self, name: str, line: int) -> int:
        reader = csv.reader(io.StringIO(self._texts[name], newline=""))
        before = 0
        for number, _ in enumerate(reader):
            if before < line <= reader.line_num:
                return number - 1
            before = reader.line_num
        return line - 2

    @contextlib.contextmanager
    def named(self) -> Iterator[None]:
        """Around the call that reads them."""
        try:
            yield
        except InvalidModel as error:
            if error.file not in self._texts or error.line < 2:
                raise
            row = self._row(error.file, error.line)
            said = str(error).replace(f"{error.file}:{error.line}: ", f"{error.file}, row {row}: ", 1)
            better = InvalidModel(said)
            better.file, better.line, better.state = error.file, row, error.state
            better.action, better.value = error.action, error.value
            raise better from None


def shares(what: str, given: Mapping[str, float]) -> list[tuple[str, float]]:
    """Shares of groups, each from 0 to 1."""
    if not isinstance(given, Mapping):
        raise InvalidArgument(f"{what}: expected shares by group, {{group: share}}, but got {given!r}")
    found = []
    for group, share in given.items():
        share = real(f"{what}: the share of group '{group}'", share)
        if not 0 <= share <= 1:
            raise InvalidArgument(f"{what}: the share of group '{group}' is {share}; expected 0 to 1")
        found.append((str(group), share))
    return found
