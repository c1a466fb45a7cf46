"""Models as tables: pandas, or anything that speaks Arrow. Columns are called as in the model files."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidArgument, InvalidModel
from ._given import Numbers, array, package
from ._rows import Rows, Stated, build, check_size, rows_of_entries, sums

if TYPE_CHECKING:
    from pandas import DataFrame

Codes = NDArray[np.int64]


def is_table(given: Any) -> bool:
    if _is_pandas(given) or isinstance(given, Mapping):
        return True
    return hasattr(given, "__arrow_c_stream__") and not isinstance(given, np.ndarray)


def _is_pandas(given: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(given, pandas.DataFrame)


def _frame_of(what: str, columns: Mapping[Any, Any]) -> Any:
    try:
        return package("pandas", "a table given as a dict of columns").DataFrame(dict(columns))
    except (ValueError, TypeError) as error:
        raise InvalidArgument(f"{what} must be a dict of columns of one length: {error}") from error


class Table:
    """The columns of a pandas or Arrow table."""

    def __init__(self, what: str, given: Any, wanted: tuple[str, ...]) -> None:
        self.what = what
        if isinstance(given, Mapping):
            given = _frame_of(what, given)
        self._pandas = _is_pandas(given)
        if not is_table(given):
            raise InvalidArgument(
                f"{what} must be a pandas DataFrame or a table that speaks Arrow (pyarrow, polars, duckdb) "
                f"or a dict of columns, but is a {type(given).__name__}"
            )
        self._table = given if self._pandas else package("pyarrow", "a table that speaks Arrow").table(given)
        self.columns = [str(c) for c in (self._table.columns if self._pandas else self._table.column_names)]
        twice = [column for at, column in enumerate(self.columns) if column in self.columns[:at]]
        if twice:
            raise InvalidArgument(f"{what} must have one column {twice[0]}, but has two")
        missing = [column for column in wanted if column not in self.columns]
        if missing:
            raise InvalidArgument(
                f"{what} must have the columns {', '.join(wanted)}, but has not got "
                f"{', '.join(missing)}; it has {', '.join(self.columns)}"
            )

    def numbers(self, column: str) -> Numbers:
        values = self._table[column]
        try:
            found = values.to_numpy(dtype=np.float64, na_value=np.nan) if self._pandas else values.to_numpy()
        except (ValueError, TypeError) as error:
            raise InvalidArgument(f"{self.what}: the column {column} must hold numbers: {error}") from error
        return np.ascontiguousarray(array(f"the column {column} of {self.what}", found), dtype=np.float64)

    def labels(self, column: str, may_miss: bool = False) -> tuple[Codes, list[Any]]:
        """What stands in a column: its distinct texts or integers in the order in which they come, and which
        of them stands in each line (-1: none)."""
        found: list[Any]
        if self._pandas:
            codes, distinct = package("pandas", "a DataFrame").factorize(self._table[column])
            found = list(distinct)
        else:
            values = self._table[column]
            if hasattr(values.type, "value_type") and hasattr(values.type, "index_type"):
                values = values.cast(values.type.value_type)  # a dictionary may hold what no line says
            values = values.combine_chunks().dictionary_encode()
            codes = values.indices.fill_null(-1).to_numpy(zero_copy_only=False)
            found = values.dictionary.to_pylist()
        if not may_miss and (codes < 0).any():
            line = int(np.flatnonzero(codes < 0)[0])
            raise InvalidModel(f"{self.what}: line {line} has no {column}")
        for at, label in enumerate(found):
            if isinstance(label, np.generic):
                found[at] = label = label.item()
            if not isinstance(label, (str, int)) or isinstance(label, bool):
                raise InvalidArgument(
                    f"{self.what}: the column {column} must hold texts or integers, but has {label!r}"
                )
        return codes.astype(np.int64), found


class Numbering:
    """The numbers of labels: those of `known` in that order, or all that are seen, integers in their own
    order. Integers 0 .. n-1 need no names."""

    def __init__(self, what: str, seen: list[list[Any]], known: list[Any] | None) -> None:
        self._what = what
        distinct = (
            list(dict.fromkeys(label for labels in seen for label in labels)) if known is None else known
        )
        if known is None and all(isinstance(label, int) for label in distinct):
            distinct.sort()
        texts = [str(label) for label in distinct]
        self._numbers = {text: at for at, text in enumerate(texts)}
        self.names: list[str] | None = None if distinct == list(range(len(distinct))) else texts

    def __len__(self) -> int:
        return len(self._numbers)

    def of(self, table: Table, column: str, labels: tuple[Codes, list[Any]]) -> Codes:
        codes, distinct = labels
        numbers = np.array([self._numbers.get(str(label), -1) for label in distinct], dtype=np.int64)
        if (numbers < 0).any():
            label = distinct[int(np.flatnonzero(numbers < 0)[0])]
            raise InvalidModel(
                f"{table.what}: the column {column} names {label!r}, a {self._what} that does not exist"
            )
        return numbers[codes] if len(codes) else codes


def from_frame(
    transitions: Any,
    rewards: Any = None,
    states: Any = None,
    *,
    discount: float,
    coverage: Any = None,
    **stated: Any,
) -> _core.Mdp:
    """See :meth:`mindgap.Mdp.from_frame`."""
    said = Stated.by("from_frame", stated)
    table = Table("transitions", transitions, ("state", "action", "next_state", "probability"))
    known = None if said.state_names is None else list(said.state_names)
    if states is not None:
        known = _read_states(states, said)
    column = {name: table.labels(name) for name in ("state", "action", "next_state")}
    by_state = Numbering("state", [column["state"][1], column["next_state"][1]], known)
    by_action = Numbering(
        "action", [column["action"][1]], None if said.action_names is None else list(said.action_names)
    )
    said.state_names, said.action_names = by_state.names, by_action.names
    check_size("states", len(by_state))
    pair = by_state.of(table, "state", column["state"]) * len(by_action)
    pair += by_action.of(table, "action", column["action"])
    next_state = by_state.of(table, "next_state", column["next_state"])
    probability = table.numbers("probability")

    rows, pairs = rows_of_entries(len(by_state), len(by_action), pair, next_state, probability)
    if rewards is None:
        if "reward" not in table.columns:
            raise InvalidArgument("rewards must be given, or transitions must have a column reward")
        # A probability that is no number is named as such, and not as a reward that it made none.
        worth = table.numbers("reward") * np.where(np.isfinite(probability), probability, 0)
        rows.reward = sums(np.searchsorted(pairs, pair), worth, len(pairs))
    else:
        _read_rewards(rewards, rows, pairs, by_state, by_action, said)
    model = build(rows, discount, said)
    return model if coverage is None else _core.with_coverage(model, coverage_column(model, coverage))


def _read_states(given: Any, said: Stated) -> list[Any]:
    """name, and where they are there group, x and y, start."""
    table = Table("states", given, ("name",))
    codes, distinct = table.labels("name")
    if len(distinct) < len(codes):
        twice = distinct[int(np.flatnonzero(np.bincount(codes) > 1)[0])]
        raise InvalidModel(f"states: the state {twice!r} has two lines")
    if "start" in table.columns and said.start is None:
        said.start = np.nan_to_num(table.numbers("start"))
    if "x" in table.columns and "y" in table.columns and said.coordinates is None:
        said.coordinates = np.stack([table.numbers("x"), table.numbers("y")], axis=1)
    if "group" in table.columns and said.groups is None:
        group, groups = table.labels("group", may_miss=True)
        said.groups = [str(groups[at]) if at >= 0 else None for at in group]
    return distinct


def _read_rewards(
    given: Any, rows: Rows, pairs: Codes, by_state: Numbering, by_action: Numbering, said: Stated
) -> None:
    """state, action, reward, and where they are there variance and count or samples."""
    table = Table("rewards", given, ("state", "action", "reward"))
    at = by_state.of(table, "state", table.labels("state")) * len(by_action)
    at += by_action.of(table, "action", table.labels("action"))

    def name(pair: int) -> str:
        state, action = divmod(int(pair), len(by_action))
        return (
            f"state {by_state.names[state] if by_state.names else state!r}, "
            f"action {by_action.names[action] if by_action.names else action!r}"
        )

    found = np.searchsorted(pairs, at)
    strange = (found == len(pairs)) | (pairs[np.minimum(found, len(pairs) - 1)] != at)
    if strange.any():
        raise InvalidModel(f"rewards: {name(at[strange][0])}: the pair has a reward but no transitions")
    count = np.bincount(found, minlength=len(pairs))
    if (count != 1).any():
        problem = "has two rewards" if count.max() > 1 else "has transitions but no reward"
        wrong = count > 1 if count.max() > 1 else count == 0
        raise InvalidModel(f"rewards: {name(pairs[wrong][0])}: the pair {problem}")

    def column(which: str) -> Numbers:
        values = np.empty(len(pairs))
        values[found] = table.numbers(which)
        return values

    rows.reward = column("reward")
    if "variance" in table.columns:
        said.variance = column("variance")
    if "count" in table.columns and "samples" in table.columns:
        raise InvalidModel("rewards: count is of the real system, samples of a simulator: a model has one of the two")
    for which in ("count", "samples"):
        if which in table.columns:
            said.coverage = column(which)
            said.coverage_is_sampled = which == "samples"


def coverage_column(model: _core.Mdp, given: Any) -> Numbers:
    """The count of each pair of a model from a table state, action, count, or from a log; what is missing was
    never seen."""
    return pair_column(model, given, "coverage", "count", 0.0)


def pair_column(
    model: _core.Mdp, given: Any, what: str, column: str, missing: float | None = None
) -> Numbers:
    """A number for each pair of a model from a table state, action, `column`; counts also from a log."""
    is_log = column == "count" and is_table(given) and "count" not in _column_names(given)
    table = Table(what, given, ("state", "action", "next_state") if is_log else ("state", "action", column))
    known = [str(name) for name in model.state_names], [str(name) for name in model.action_names]
    state = Numbering("state", [], known[0]).of(table, "state", table.labels("state"))
    action = Numbering("action", [], known[1]).of(table, "action", table.labels("action"))
    pairs = np.repeat(np.arange(model.states, dtype=np.int64), np.diff(model.pair_begin)) * model.actions
    pairs += model.pair_action
    at = state * model.actions + action
    found = np.searchsorted(pairs, at)
    strange = np.flatnonzero((found == len(pairs)) | (pairs[np.minimum(found, len(pairs) - 1)] != at))

    def name(line: int) -> str:
        return f"state {known[0][state[line]]!r}, action {known[1][action[line]]!r}"

    if strange.size > 0:
        raise InvalidModel(f"{what}: {name(strange[0])}: the action is not available there")
    seen = np.bincount(found, minlength=len(pairs))
    if is_log:
        return seen.astype(np.float64)
    if seen.max(initial=0) > 1:
        line = int(np.flatnonzero(seen[found] > 1)[0])
        raise InvalidModel(f"{what}: {name(line)}: the pair has a second line")
    if missing is None and (seen == 0).any():
        pair = int(pairs[np.flatnonzero(seen == 0)[0]])
        where = f"state {known[0][pair // model.actions]!r}, action {known[1][pair % model.actions]!r}"
        raise InvalidModel(f"{what}: {where}: the pair has no line")
    given_numbers = table.numbers(column)
    if np.isnan(given_numbers).any():
        line = int(np.flatnonzero(np.isnan(given_numbers))[0])
        raise InvalidModel(f"{what}: line {line}: {name(line)}: {column} must be a number, but is missing")
    values = np.full(len(pairs), np.nan if missing is None else missing, dtype=np.float64)
    values[found] = given_numbers
    return values


def _column_names(given: Any) -> list[str]:
    return Table("table", given, ()).columns


def to_frame(
    model: _core.Mdp, table: Literal["transitions", "rewards", "states"] = "transitions"
) -> DataFrame:
    """See :meth:`mindgap.Mdp.to_frame`."""
    state: NDArray[Any] = np.arange(model.states)
    action: NDArray[Any] = np.arange(model.actions)
    if model.has_state_names:
        state = np.array(model.state_names, dtype=object)
    if model.has_action_names:
        action = np.array(model.action_names, dtype=object)
    of_pair = np.repeat(np.arange(model.states), np.diff(model.pair_begin))
    columns: dict[str, Any]
    if table == "transitions":
        pair = np.repeat(np.arange(model.pairs), np.diff(model.row_begin))
        columns = {"state": state[of_pair[pair]], "action": action[model.pair_action[pair]]}
        columns.update(next_state=state[model.next_state], probability=model.probability)
    elif table == "rewards":
        columns = {"state": state[of_pair], "action": action[model.pair_action], "reward": model.reward}
        if model.variance is not None:
            columns["variance"] = model.variance
        if model.coverage is not None:
            columns["samples" if model.coverage_is_sampled else "count"] = model.coverage
    elif table == "states":
        columns = {"name": state}
        if model.groups is not None:
            columns["group"] = [group or "" for group in model.groups]
        if model.coordinates is not None:
            columns.update(x=model.coordinates[:, 0], y=model.coordinates[:, 1])
        columns["start"] = model.start
    else:
        raise InvalidArgument(f"table must be 'transitions', 'rewards' or 'states', but is {table!r}")
    found: DataFrame = package("pandas", "Mdp.to_frame").DataFrame(columns)
    return found


def to_scipy(model: _core.Mdp) -> Any:
    """See :meth:`mindgap.Mdp.to_scipy`."""
    sparse = package("scipy.sparse", "Mdp.to_scipy")
    # SciPy copies next states where the other index has another type.
    begin = model.row_begin.astype(np.int32) if model.nonzeros < 2**31 else model.row_begin
    entries = (model.probability, model.next_state, begin)
    return sparse.csr_array(entries, shape=(model.pairs, model.states))
