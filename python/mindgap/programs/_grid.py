"""Points of a box of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._inputs import real, text, whole
from ..errors import InvalidArgument
from ..models._given import numbers

#: How many points an axis has, or which.
Points = Union[int, ArrayLike]


class Grid:
    """All combinations of the points of some axes. A state between them is spread over the corners of its cell
    with multilinear weights; one outside goes to the nearest face.

    Nearest corners or bins are not offered: a step that is shorter than half a cell would never leave its corner
    (on MountainCar such a table never arrives).

    :param low: where each axis begins: a number, or one per axis.
    :param high: where it ends.
    :param points: how many points each axis has (two at least, evenly spaced, both ends among them), or a list of
        them. For several axes a list with one of these per axis.
    :param periodic: which axes wrap, as angles do: there ``low`` and ``high`` are one place. A truth value, or one
        per axis.
    :param names: what axes are called; without it x0, x1, ...
    """

    __slots__ = ("_core", "_states")

    def __init__(
        self,
        low: ArrayLike,
        high: ArrayLike,
        points: Points | Sequence[Points],
        periodic: bool | Sequence[bool] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        lows, highs = _numbers("low", low), _numbers("high", high)
        if lows.shape != highs.shape:
            raise InvalidArgument(f"low has {lows.size} numbers and high {highs.size}: expected one per axis")
        size = lows.size
        given = _per_axis("points", points, size)
        wraps = [False] * size if periodic is None else _truths(periodic, size)
        called = [f"x{a}" for a in range(size)] if names is None else _names(names, size)
        self._core = _core.Grid(
            [_axis(called[a], lows[a], highs[a], given[a], wraps[a]) for a in range(size)]
        )
        self._states: NDArray[np.float64] | None = None

    @classmethod
    def _of(cls, core: _core.Grid) -> Grid:
        grid = cls.__new__(cls)
        grid._core, grid._states = core, None
        return grid

    @property
    def dimension(self) -> int:
        """How many axes there are."""
        return self._core.dimension

    @property
    def corners(self) -> int:
        """How many corners there are."""
        return self._core.corners

    @property
    def shape(self) -> tuple[int, ...]:
        """How many points each axis has."""
        return tuple(len(points) for _, points, _ in self._core.axes)

    @property
    def names(self) -> list[str]:
        """What axes are called."""
        return [name for name, _, _ in self._core.axes]

    @property
    def points(self) -> list[NDArray[np.float64]]:
        """The points of each axis."""
        return [np.array(points) for _, points, _ in self._core.axes]

    @property
    def periodic(self) -> list[bool]:
        """Which axes wrap."""
        return [period > 0 for _, _, period in self._core.axes]

    @property
    def states(self) -> NDArray[np.float64]:
        """The coordinates of each corner, one row each; the last axis is the fastest."""
        if self._states is None:
            self._states = self._core.states()
        return self._states

    @property
    def corner_names(self) -> list[str]:
        """What each corner is called: ``angle=0.5 speed=-1``."""
        return self._core.names()

    def weights(self, state: ArrayLike) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The corners around a state and their weights, which sum to 1."""
        return self._core.weights(self.state(state))

    def state(self, given: Any, what: str = "the state") -> NDArray[np.float64]:
        """A state as an array of one number per axis."""
        found = np.atleast_1d(numbers(what, given))
        if found.shape != (self.dimension,):
            raise InvalidArgument(
                f"{what} must be {self.dimension} numbers ({', '.join(self.names)}), but has shape {found.shape}"
            )
        return found

    def coarser(self, axis: int | str | None = None) -> Grid:
        """The grid of every second point, of one axis or of all; ends stay."""
        if axis is None:
            found = self
            for number in range(self.dimension):
                found = found.coarser(number)
            return found
        if isinstance(axis, str):
            if axis not in self.names:
                raise InvalidArgument(f"the grid has no axis {axis!r}: it has {', '.join(self.names)}")
            axis = self.names.index(axis)
        return Grid._of(self._core.coarser(whole("axis", axis, 0, self.dimension - 1)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Grid) and self._core.axes == other._core.axes

    def __hash__(self) -> int:
        return hash(self.shape)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._core.axes,)

    def __repr__(self) -> str:
        said = [
            f"{name} {points[0]:.6g} to {points[0] + period if period else points[-1]:.6g} ({len(points)})"
            for name, points, period in self._core.axes
        ]
        return f"<mindgap.Grid of {self.corners} corners: {', '.join(said)}>"


def _restored(axes: list[tuple[str, list[float], float]]) -> Grid:
    return Grid._of(_core.Grid(axes))


def _numbers(what: str, given: ArrayLike) -> NDArray[np.float64]:
    found = np.atleast_1d(numbers(what, given))
    if found.ndim != 1 or found.size == 0:
        raise InvalidArgument(f"{what} must be a number, or one per axis, but has shape {found.shape}")
    return found


def _is_count(given: Any) -> bool:
    return isinstance(given, (int, np.integer)) and not isinstance(given, bool)


def _per_axis(what: str, given: Any, size: int) -> list[Any]:
    """One count or list of points per axis."""
    if _is_count(given):
        return [given] * size
    try:
        found = list(given)
    except TypeError:
        raise InvalidArgument(f"{what} must be a whole number or a list, but is {given!r}") from None
    if size == 1 and (len(found) != 1 or not _is_count(found[0])) and not any(np.ndim(one) > 0 for one in found):
        return [found]  # the points of the one axis
    if len(found) != size:
        raise InvalidArgument(f"{what} has {len(found)} elements, but there are {size} axes")
    return found


def _truths(given: Any, size: int) -> list[bool]:
    found = [given] * size if isinstance(given, (bool, np.bool_)) else list(given)
    if len(found) != size or not all(isinstance(one, (bool, np.bool_)) for one in found):
        raise InvalidArgument(f"periodic must be True or False for each of {size} axes, but is {given!r}")
    return [bool(one) for one in found]


def _names(given: Sequence[str], size: int) -> list[str]:
    found = [given] if isinstance(given, str) else list(given)
    if len(found) != size:
        raise InvalidArgument(f"names has {len(found)} names, but there are {size} axes")
    return [text("names: the name of an axis", name) for name in found]


def _axis(name: str, low: float, high: float, points: Any, wraps: bool) -> tuple[str, list[float], float]:
    if _is_count(points):
        return _core.even_axis(name, real("low", low), real("high", high), whole("points", points, 0, 2**31 - 1), wraps)
    found = _numbers(f"points of axis {name!r}", points)
    if not low < high:
        raise InvalidArgument(f"axis {name!r} goes from {low} to {high}, but low must be below high")
    if found.size and (found.min() < low or found.max() > high):
        raise InvalidArgument(f"axis {name!r} goes from {low} to {high}, but has points from {found.min()} to {found.max()}")
    return name, found.tolist(), float(high - low) if wraps else 0.0
