"""Progress bars for people who wait: in terminals and notebooks, and nowhere else."""

from __future__ import annotations

import sys
from typing import Any, Callable, Protocol

#: Told now and then how far a call is: what is being done, how much of it, of how much (0 or 1: not known).
Report = Callable[[str, int, int], None]


class _Bar(Protocol):
    n: float

    def update(self, n: float) -> Any: ...
    def close(self) -> None: ...


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


class Progress:
    """One bar after another, as a long call goes from one thing to the next; closes with the call.

    ``wanted`` is True, False, None (where somebody looks: a terminal or a notebook) or a function that is called
    instead.
    """

    def __init__(self, wanted: bool | Report | None) -> None:
        self._own = wanted if callable(wanted) else None
        self._shown = bool(wanted) if wanted is not None else sys.stderr.isatty() or _in_notebook()
        self._bar: _Bar | None = None
        self._what = ""

    def report(self) -> Report | None:
        """What a call of the library takes."""
        if self._own is not None:
            return self._own
        return self._draw if self._shown else None

    def _draw(self, what: str, done: int, total: int) -> None:
        from tqdm.auto import tqdm  # importing it takes longer than most calls

        if self._bar is None or what != self._what:
            self._close()
            self._bar = tqdm(desc=what, total=total if total > 1 else None, leave=False)
            self._what = what
        self._bar.update(max(0, done - self._bar.n))

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> Report | None:
        return self.report()

    def __exit__(self, *_: object) -> None:
        self._close()
