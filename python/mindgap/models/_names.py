"""What callers call states and actions: one rule for all of the package.

A text is a name; where there are no names, numbers stand for names. An integer is the number, unless there
are names that are integers and not their own numbers, as with states "1", "2", "3" or where sampling left
some out: then it is the name, and an integer that is no name is nothing.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from .. import _core
from ..errors import InvalidArgument

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")


def integer_names(names: Sequence[str] | None) -> dict[int, int] | None:
    """Numbers by name, where integers are names; None where they are numbers."""
    if names is None:
        return None
    found = {int(name): at for at, name in enumerate(names) if _INTEGER.fullmatch(name)}
    return None if all(name == at for name, at in found.items()) else found


def as_integer(given: Any) -> int | None:
    """An integer of Python's or NumPy's, also an array of no dimensions; truth values are none."""
    if isinstance(given, (bool, np.bool_)) or isinstance(given, np.ndarray) and given.dtype.kind not in "iu":
        return None
    try:
        return operator.index(given)
    except TypeError:
        return None


class Names:
    """The numbers of `size` states or actions, by what callers call them. What an adapter's own callers call
    them, `labels`, goes first."""

    def __init__(
        self, size: int, names: Sequence[str] | None, labels: Mapping[Any, int] | None = None
    ) -> None:
        self.size = size
        self.integers = integer_names(names)
        self._names = names
        self._labels: Mapping[Any, int] = labels or {}

    @classmethod
    def of_states(cls, model: _core.Mdp) -> Names:
        return cls(model.states, model.state_names if model.has_state_names else None)

    @classmethod
    def of_actions(cls, model: _core.Mdp) -> Names:
        """Integers are names only where all names are, so that each action has an integer to answer with."""
        found = cls(model.actions, model.action_names if model.has_action_names else None)
        if found.integers is not None and len(found.integers) < found.size:
            found.integers = None
        return found

    @cached_property
    def _texts(self) -> dict[str, int] | None:
        return None if self._names is None else {name: at for at, name in enumerate(self._names)}

    def find(self, label: Any) -> int | None:
        """The number of what is called so; None where nothing is."""
        if is_known(label, self._labels):
            return self._labels[label]
        if isinstance(label, str):
            if self._texts is not None:
                return self._texts.get(label)
            return self._in_range(int(label)) if _INTEGER.fullmatch(label) else None
        integer = as_integer(label)
        if integer is None:
            return None
        return self._in_range(integer) if self.integers is None else self.integers.get(integer)

    def find_observed(self, observation: Any) -> int | None:
        """The same for what a Gymnasium environment shows, which may be a tuple, a mapping or an array."""
        if isinstance(observation, (tuple, Mapping)) or getattr(observation, "ndim", 0) > 0:
            return None if self._texts is None else self._texts.get(str(label_of(observation)))
        return self.find(observation)

    def number(self, label: Any, said_by: str) -> int:
        """The same, or an error: `said_by` names the state."""
        found = self.find(label)
        if found is None:
            raise InvalidArgument(f"{said_by} the state {label!r}, which does not exist{self.hint(label)}")
        return found

    def _in_range(self, number: int) -> int | None:
        return number if 0 <= number < self.size else None

    def hint(self, label: Any) -> str:
        """Why an integer that is a number may be nothing."""
        if self.integers is None or as_integer(label) is None:
            return ""
        shown = ", ".join(map(str, list(self.integers)[:5]))
        return f": integers are names here ({shown}{', ...' if len(self.integers) > 5 else ''})"


def is_known(label: Any, labels: Mapping[Any, int]) -> bool:
    """Whether it is one of them. True is not there because 1 is."""
    if isinstance(label, (bool, np.bool_)):
        return any(isinstance(known, bool) and known == label for known in labels)
    try:
        return label in labels
    except TypeError:  # not hashable, so no label
        return False


def label_of(value: Any) -> Any:
    """An observation as something hashable that prints well."""
    if isinstance(value, np.ndarray):
        return label_of(value.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return tuple((key, label_of(value[key])) for key in sorted(value))
    if isinstance(value, (tuple, list)):
        return tuple(label_of(part) for part in value)
    return value
