"""What every result can do: print itself, show itself in a notebook, give itself as plain data or as a table."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pandas


class Core(Protocol):
    """A result of the library as the bindings give it."""

    def _json(self) -> str: ...


class Result:
    """A result of the library, read-only. ``str()`` says what the command line prints, ``to_dict()`` what it
    prints with ``--format json``."""

    __slots__ = ("_core",)

    def __init__(self, core: Any) -> None:
        self._core = core

    def __str__(self) -> str:
        return str(self._core)

    def to_dict(self) -> dict[str, Any]:
        """Everything that there is to say, as plain data."""
        found = json.loads(self._core._json())
        assert isinstance(found, dict)
        return found

    def to_frame(self) -> pandas.DataFrame:
        """The result's main table."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"
