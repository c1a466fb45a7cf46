"""What goes wrong, by kind. Each is also the kind of Python error that one would expect."""

from __future__ import annotations


class Error(Exception):
    """Everything that a user's input can cause."""


class InvalidArgument(Error, ValueError):
    """An argument is out of its domain."""


class InvalidModel(Error, ValueError):
    """A model, in files or in memory, is malformed."""

    file: str = ""  #: where, or ""
    line: int = 0  #: in that file, or 0
    state: str = ""
    action: str = ""
    value: str = ""


class WorldError(Error, RuntimeError):
    """A world written in Python failed in every trial."""


class NumericalError(Error, ArithmeticError):
    """A computation broke down."""


class StoreError(Error, OSError):
    """A file or store cannot be opened, read or written."""
