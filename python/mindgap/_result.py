"""What every result can do: print itself, show itself in a notebook, give itself as data or as tables."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from . import _core
from .errors import Error

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Self


def frame_of(table: _core.Table) -> pandas.DataFrame:
    """A table as a DataFrame: missing whole numbers and flags as pandas' own missing values."""
    try:
        import pandas
    except ImportError as error:
        said = "a DataFrame is made with the package pandas, which is missing: pip install pandas"
        raise Error(said) from error
    found: dict[str, Any] = {}
    for name, (values, missing) in table.columns().items():
        if missing is None or isinstance(values, list):
            found[name] = values
        elif values.dtype == np.int64:
            found[name] = pandas.array(values, dtype="Int64")
            found[name][missing] = pandas.NA
        elif values.dtype == np.bool_:
            found[name] = pandas.array(values, dtype="boolean")
            found[name][missing] = pandas.NA
        else:
            found[name] = np.where(missing, np.nan, values)
    return pandas.DataFrame(found)


def tell(warnings_: list[str]) -> None:
    """Says to the caller of a command what the command line says beside its result."""
    for text in warnings_:
        warnings.warn(text, UserWarning, stacklevel=3)


class Result:
    """A result of the library, read-only. ``str()`` says what the command line prints, ``to_dict()`` what it
    prints with ``--format json``; its main table is ``to_frame()``, and anything that reads Arrow takes it as
    it is: ``pyarrow.table(result)``."""

    __slots__ = ("_core",)

    def __init__(self, core: Any) -> None:
        self._core = core

    def __str__(self) -> str:
        return str(self._core)

    def _headline(self) -> str:
        """The main thing, in one line."""
        return next((line.strip() for line in str(self).splitlines() if line.strip()), "")

    def __repr__(self) -> str:
        return f"<mindgap.{type(self).__name__.lstrip('_')}: {self._headline()}>"

    def __copy__(self) -> Self:
        return self  # it never changes

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"a {type(self).__name__} cannot be pickled: keep its to_dict() or to_frame(), or call for it "
            "again with its model, which can"
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything that there is to say, as plain data."""
        found = json.loads(self._core._json())
        assert isinstance(found, dict)
        return found

    def _table(self) -> _core.Table:
        raise NotImplementedError

    def to_frame(self) -> pandas.DataFrame:
        """The result's main table."""
        return frame_of(self._table())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table().__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        from ._html import notebook

        return notebook(*self._core._notebook())


class ModelResult(Result):
    """A result about one model."""

    __slots__ = ()

    @property
    def model(self) -> _core.Mdp:
        """The model it is about."""
        model: _core.Mdp = self._core.model
        return model
