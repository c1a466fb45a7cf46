"""The options that several functions take, each named once.

What an option is called, what it means and what it sets stands in the library (``command::Option``), and the command
line is made from the same tables. Here each has its type, for editors and type checkers.
"""

from __future__ import annotations

import inspect
import re
from typing import Any, Callable, Mapping, NamedTuple, TypedDict, TypeVar

from . import _core
from ._inputs import Sources, TableLike, flag, maybe, shares, text
from .errors import InvalidArgument

_Function = TypeVar("_Function", bound=Callable[..., Any])


class LimitOptions(TypedDict, total=False):
    """What a pilot must keep to; the same wherever pilots are designed."""

    min_share: Mapping[str, float] | None
    max_share: Mapping[str, float] | None
    forbid: TableLike | None
    capacity: TableLike | None
    costs: TableLike | None
    cost_budget: float | None
    max_loss: float | None
    keep_rates: float | None


class PriorOptions(TypedDict, total=False):
    """What a call says of the prior instead of the model."""

    odds: float | None
    drift_sd: float | None
    unseen: float | None
    reward_sd: float | None
    reward_min: float | None
    reward_max: float | None
    rewards: str | None
    shared_sd: float | None
    shared_length: float | None
    transition_strength: float | None


class PilotOptions(PriorOptions, LimitOptions, total=False):
    """Both."""


class TermsOptions(TypedDict, total=False):
    """What experiments cost and how recommendations are put to use."""

    pilot_cost: float | None
    unit_cost: float | None
    unit_step_cost: float | None
    pair_costs: TableLike | None
    delay: float | None
    uptake: float | None
    drift_rate: float | None


class DecideOptions(PilotOptions, TermsOptions, total=False):
    """All of them."""


class _Option(NamedTuple):
    name: str
    kind: str  # what is given: shares, table, number or word
    help: str
    needs: str  # the option that is given whenever this one is


_LIMITS = [_Option(*told) for told in _core.limit_options()]
_TERMS = [_Option(*told) for told in _core.terms_options()]
_PRIOR = [_Option(*told) for told in _core.prior_options()]


def _argument(option: re.Match[str]) -> str:
    """--reward-sd is reward_sd."""
    return option[0].removeprefix("--").replace("-", "_")


def _documentation(names: Mapping[str, Any]) -> str:
    lines = []
    for option in [*_PRIOR, *_LIMITS, *_TERMS]:
        if option.name in names:
            shape = "{group: share}: " if option.kind == "shares" else ""
            said = re.sub(r"--[a-z-]+", _argument, option.help)
            lines.append(f":param {option.name}: {shape}{said}")
    return "\n".join(lines)


def takes(options: Any) -> Callable[[_Function], _Function]:
    """For a function that ends in ``**options: Unpack[...]``: its signature and documentation name each of them."""
    hints = {name: getattr(hint, "__forward_arg__", hint) for name, hint in options.__annotations__.items()}

    def shown(function: _Function) -> _Function:
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        named = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint)
            for name, hint in hints.items()
        ]
        function.__signature__ = signature.replace(parameters=[*own, *named])  # type: ignore[attr-defined]
        function.__doc__ = f"{inspect.cleandoc(function.__doc__ or '')}\n{_documentation(hints)}"
        return function

    return shown


def refuse_others(function: str, given: Mapping[str, Any], options: Any) -> None:
    """As Python does where a function has no such argument."""
    for name in given:
        if name not in options.__annotations__:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")


def _values(given: Mapping[str, Any], table: list[_Option], sources: Sources) -> dict[str, Any]:
    """What was given of a table, as the library takes it."""
    read: dict[str, Callable[[str, Any], Any]] = {"shares": shares, "table": lambda name, table: sources.take(table, name), "number": maybe, "word": text}
    found: dict[str, Any] = {}
    for option in table:
        value = given.get(option.name)
        if option.needs and (value is None) != (given.get(option.needs) is None):
            raise InvalidArgument(f"{option.name} and {option.needs} go together")
        if value is not None:
            found[option.name] = read[option.kind](option.name, value)
    return found


def limits_of(given: Mapping[str, Any], sources: Sources) -> _core.Limits:
    """What a pilot must keep to."""
    return _core.Limits(_values(given, _LIMITS, sources))


def terms_of(given: Mapping[str, Any], sources: Sources) -> _core.Terms:
    """What experiments cost and how recommendations are put to use."""
    return _core.Terms(_values(given, _TERMS, sources))


def prior_of(given: Mapping[str, Any], estimate_variance: bool = False) -> _core.PriorOverrides:
    """What a call says of the prior instead of the model."""
    return _core.PriorOverrides(
        _values(given, _PRIOR, Sources()), flag("estimate_variance", estimate_variance)
    )
