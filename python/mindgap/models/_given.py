"""What callers give, looked at before it is used: arrays that hold numbers, indices in range, packages."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidArgument

Numbers = NDArray[np.float64]
Indices = NDArray[np.int32]


def package(name: str, wanted_by: str) -> Any:
    """An optional package, or an ImportError that says what to install."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        top = name.partition(".")[0]
        raise ImportError(
            f"{wanted_by} wants {top}, which cannot be imported ({error}): pip install {top}, "
            "or pip install 'mindgap[all]'"
        ) from error


def is_masked(given: Any) -> bool:
    """Whether something in it is masked; NumPy would read what stands behind the mask."""
    if isinstance(given, (list, tuple)):
        return any(isinstance(part, np.ma.MaskedArray) and is_masked(part) for part in given)
    return isinstance(given, np.ma.MaskedArray) and bool(np.any(given.mask))


def array(what: str, given: Any) -> NDArray[Any]:
    """Any array-like as an array of integers, booleans or real numbers, in whatever layout it has."""
    if is_masked(given):
        raise InvalidArgument(
            f"{what} has masked values, which a model has no place for: fill them, as with .filled(0)"
        )
    try:
        found = np.asarray(given)
    except (ValueError, TypeError, OverflowError) as error:
        raise InvalidArgument(f"{what} must be an array of numbers: {error}") from error
    if found.dtype == object and found.size > 0:
        try:  # numbers that came in a column of objects
            found = found.astype(np.float64)
        except (ValueError, TypeError, OverflowError):
            pass
    if found.dtype.kind not in "fiub" and found.size > 0:
        raise InvalidArgument(f"{what} must hold real numbers, but its type is {found.dtype}")
    return found


def numbers(what: str, given: Any) -> Numbers:
    """Any array-like as a contiguous array of doubles; itself where it is one already."""
    return np.ascontiguousarray(array(what, given), dtype=np.float64)


def number(what: str, given: Any) -> float:
    """A number; texts are none, whatever they say."""
    try:
        if isinstance(given, (str, bytes, bytearray)):
            raise TypeError
        return float(given)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidArgument(f"{what} must be a number, but is {given!r}") from error


def shaped(what: str, given: Any, *shape: int) -> Numbers:
    """numbers() of exactly this shape."""
    found = array(what, given)
    if found.shape != shape:
        raise InvalidArgument(f"{what} must have shape {shape}, but has {found.shape}")
    return numbers(what, found)


def indices(what: str, given: Any, size: int) -> Indices:
    """Any array-like of integers, each from 0 to ``size`` - 1."""
    found = array(what, given)
    if found.ndim != 1:
        raise InvalidArgument(f"{what} must have one dimension, but has shape {found.shape}")
    if found.dtype.kind not in "iu" and found.size > 0:
        raise InvalidArgument(f"{what} must hold integers, but its type is {found.dtype}")
    if found.size > 0 and (found.min() < 0 or found.max() >= size):
        at = int(np.flatnonzero((found < 0) | (found >= size))[0])
        raise InvalidArgument(f"{what}[{at}] is {found[at]}, but must be from 0 to {size - 1}")
    return np.ascontiguousarray(found, dtype=np.int32)
