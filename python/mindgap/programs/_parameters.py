"""What is not known about a program: its parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._inputs import _columns, real, text
from ..errors import InvalidArgument
from ..models._given import numbers

_INFINITY = math.inf


class Distribution:
    """How likely each value of a parameter is. Made by one of the classes below."""

    __slots__ = ("_core", "_given")

    def _make(
        self,
        law: _core.Law,
        a: float = 0,
        b: float = 1,
        low: Any = None,
        high: Any = None,
        values: Sequence[float] = (),
        weights: Sequence[float] = (),
        *,
        given: tuple[Any, ...],
    ) -> None:
        name = type(self).__name__
        self._core = _core.Distribution(
            name,
            law,
            real(name, a),
            real(name, b),
            -_INFINITY if low is None else real("low", low),
            _INFINITY if high is None else real("high", high),
            list(values),
            list(weights),
        )
        self._given = given

    @property
    def low(self) -> float:
        """The smallest value that is possible."""
        return self._core.lowest

    @property
    def high(self) -> float:
        """The largest value that is possible."""
        return self._core.highest

    @property
    def median(self) -> float:
        """As many values are likely above as below."""
        return self._core.quantile(0.5)

    def quantile(self, u: float) -> float:
        """The value with this share of the probability below it."""
        if not 0 < real("u", u) < 1:
            raise InvalidArgument(f"u is {u!r}, but must be between 0 and 1")
        return self._core.quantile(u)

    def __repr__(self) -> str:
        return f"mindgap.{type(self).__name__}({', '.join(str(one) for one in self._given if one is not None)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._given


class Uniform(Distribution):
    """Every value from ``low`` to ``high`` is as likely."""

    __slots__ = ()

    def __init__(self, low: float, high: float) -> None:
        self._make(_core.Law.uniform, low, high, given=(low, high))


class Normal(Distribution):
    """Mean and standard deviation; ``low`` and ``high`` cut it off."""

    __slots__ = ()

    def __init__(self, mean: float, sd: float, low: float | None = None, high: float | None = None) -> None:
        self._make(_core.Law.normal, mean, sd, low, high, given=(mean, sd, low, high))


class Lognormal(Distribution):
    """The logarithm has this mean and standard deviation; ``low`` and ``high`` cut the value off."""

    __slots__ = ()

    def __init__(self, log_mean: float, log_sd: float, low: float | None = None, high: float | None = None) -> None:
        self._make(_core.Law.lognormal, log_mean, log_sd, low, high, given=(log_mean, log_sd, low, high))


class Beta(Distribution):
    """The shapes ``alpha`` and ``beta``, stretched from [0, 1] to [``low``, ``high``]."""

    __slots__ = ()

    def __init__(self, alpha: float, beta: float, low: float = 0, high: float = 1) -> None:
        self._make(_core.Law.beta, alpha, beta, low, high, given=(alpha, beta, low, high))


class Gamma(Distribution):
    """Shape and scale; the mean is their product. ``low`` and ``high`` cut it off."""

    __slots__ = ()

    def __init__(self, shape: float, scale: float, low: float | None = None, high: float | None = None) -> None:
        self._make(_core.Law.gamma, shape, scale, low, high, given=(shape, scale, low, high))


class Choice(Distribution):
    """One of some numbers; ``weights`` says how likely each is."""

    __slots__ = ()

    def __init__(self, values: ArrayLike, weights: ArrayLike | None = None) -> None:
        found = np.atleast_1d(numbers("values", values)).tolist()
        given = [] if weights is None else np.atleast_1d(numbers("weights", weights)).tolist()
        self._make(_core.Law.choice, values=found, weights=given, given=(found, given or None))


#: Distributions by name, or a table of draws: one column per parameter and perhaps ``weight``.
ParametersLike = Union[Mapping[str, Distribution], Mapping[str, ArrayLike], Any]

_WEIGHT = "weight"


class Parameters:
    """The parameters of a program and draws of them."""

    __slots__ = ("_draws", "_laws", "_weights", "names")

    def __init__(self, given: ParametersLike | None) -> None:
        self._laws: dict[str, Distribution] | None = {}
        self._draws: NDArray[np.float64] | None = None
        self._weights: NDArray[np.float64] | None = None
        self.names: list[str] = []
        if given is None or (isinstance(given, Mapping) and not given):
            return
        if isinstance(given, Mapping) and any(isinstance(one, Distribution) for one in given.values()):
            for name, law in given.items():
                if not isinstance(law, Distribution):
                    raise InvalidArgument(
                        f"parameters[{name!r}] is {law!r}, but must be a distribution, such as mindgap.Uniform(0, 1)"
                    )
                self._laws[text("parameters: a name", name)] = law
            self.names = list(self._laws)
        else:
            self._take(given)

    def _take(self, given: Any) -> None:
        columns = _columns(given, "parameters", "distributions by name, ")
        table = {name: np.atleast_1d(numbers(f"parameters[{name!r}]", values)) for name, values in columns.items()}
        lengths = {len(values) for values in table.values()}
        if len(lengths) != 1 or lengths == {0}:
            raise InvalidArgument("parameters: expected columns of one length, one row per draw")
        weights = table.pop(_WEIGHT, None)
        for name, values in table.items():
            if not np.isfinite(values).all():
                raise InvalidArgument(f"parameters[{name!r}] has numbers that are not finite")
        if weights is not None:
            if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0):
                raise InvalidArgument("parameters['weight'] must be numbers from 0 on, not all of them 0")
            weights = weights / weights.sum()
        self._laws, self._weights, self.names = None, weights, list(table)
        self._draws = np.column_stack([table[name] for name in self.names])

    @property
    def is_table(self) -> bool:
        """Whether draws were given, not distributions."""
        return self._laws is None

    def draws(self, members: int | None, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """Draws of all parameters, a row each, and their weights (None: equal)."""
        if self._laws is None:
            assert self._draws is not None
            if members is not None and members != len(self._draws):
                raise InvalidArgument(
                    f"members is {members}, but parameters is a table of {len(self._draws)} draws: leave members out"
                )
            return self._draws, self._weights
        size = 64 if members is None else members
        if not self._laws:
            raise InvalidArgument("an ensemble wants parameters that are not known: give the simulator some")
        laws = [law._core for law in self._laws.values()]
        return _core.latin_hypercube(laws, size, seed), None

    def middle(self) -> dict[str, float]:
        """One value each: the median, or the mean of draws."""
        if self._laws is None:
            assert self._draws is not None
            means = np.average(self._draws, axis=0, weights=self._weights)
            return dict(zip(self.names, means.tolist()))
        return {name: law.median for name, law in self._laws.items()}

    def theta(self, given: Mapping[str, float] | None) -> dict[str, float]:
        """The values of all parameters: those given, and for the others their middle."""
        found = self.middle()
        if given is None:
            return found
        if not isinstance(given, Mapping):
            raise InvalidArgument(f"theta must be a dict of parameters, but is {given!r}")
        for name, value in given.items():
            if name not in found:
                known = ", ".join(self.names) or "none"
                raise InvalidArgument(f"theta names the parameter {name!r}, but the simulator has {known}")
            found[name] = self._inside(name, real(f"theta[{name!r}]", value))
        return found

    def _inside(self, name: str, value: float) -> float:
        if not math.isfinite(value):
            raise InvalidArgument(f"theta[{name!r}] is {value}, but must be finite")
        if self._laws is not None:
            law = self._laws[name]
            if not law.low <= value <= law.high:
                raise InvalidArgument(f"theta[{name!r}] is {value}, but {law!r} is from {law.low:g} to {law.high:g}")
        return value
