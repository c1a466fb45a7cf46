"""Progress bars for people who wait: in terminals and notebooks, and nowhere else."""

from __future__ import annotations

import contextlib
import sys
import warnings
from typing import Any, Callable, Protocol

from .errors import InvalidArgument

#: Told now and then how far a call is: what is being done, how much of it, of how much (0 or 1: not known).
Report = Callable[[str, int, int], None]


class _Bar(Protocol):
    n: float

    def update(self, n: float) -> Any: ...
    def close(self) -> None: ...


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


def _can_write() -> bool:
    """Whether there is a place for a bar: windowed programs and some servers have no standard error."""
    return callable(getattr(sys.stderr, "write", None)) and not getattr(sys.stderr, "closed", False)


def _on_terminal() -> bool:
    isatty = getattr(sys.stderr, "isatty", None)
    return isatty is not None and bool(isatty())


class Progress:
    """One bar after another, as a long call goes from one thing to the next; closes with the call.

    ``wanted`` is True, False, None (only in a terminal or a notebook) or a function that is
    called instead. A bar that cannot be drawn is left out; the call goes on.
    """

    __slots__ = ("_bar", "_shown", "_wanted", "_what")

    def __init__(self, wanted: bool | Report | None) -> None:
        if not (wanted is None or isinstance(wanted, bool) or callable(wanted)):
            raise InvalidArgument(
                "progress must be True, False, None or a function of (what, done, total), but is "
                f"{wanted!r}"
            )
        self._wanted = wanted
        self._shown: bool | None = None  # whether somebody looks is found out when there is something to see
        self._bar: _Bar | None = None
        self._what = ""

    def report(self) -> Report | None:
        """What a call of the library takes."""
        if self._wanted is None or self._wanted is True:
            return self._draw
        return self._wanted or None

    def _draw(self, what: str, done: int, total: int) -> None:
        try:
            if self._shown is None:
                seen = self._wanted is True or _in_notebook() or (_can_write() and _on_terminal())
                self._shown = seen and _can_write()
            if self._shown:
                self._update(what, done, total)
        except (AttributeError, OSError, ValueError):  # standard error is closed, or was meanwhile
            self._shown, self._bar = False, None

    def _update(self, what: str, done: int, total: int) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # in notebooks it asks for widgets, and does without
            from tqdm.auto import tqdm  # importing it takes longer than most calls

        if self._bar is None or what != self._what:
            self._close()
            self._bar = tqdm(desc=what, total=total if total > 1 else None, leave=False)
            self._what = what
        self._bar.update(max(0, done - self._bar.n))

    def _close(self) -> None:
        if self._bar is not None:
            with contextlib.suppress(AttributeError, OSError, ValueError):
                self._bar.close()
            self._bar = None

    def __enter__(self) -> Report | None:
        return self.report()

    def __exit__(self, *_: object) -> None:
        self._close()
