# SPDX-License-Identifier: Apache-2.0
"""Public parameters as exact rationals and integers, or one clear sentence.

A float is read as its shortest decimal: 0.1 is 1/10. What a person wrote is echoed; rows never come here.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any, cast

import numpy as np

from discreet.coins.domains import refusal, shown

MOST_BITS = 1200
"""A number longer than this is surely a mistake, and would only make exact arithmetic slow."""

LONGEST_TEXT = 400


def rational(name: str, value: object) -> Fraction:
    """The exact rational a person means by an integer, float, decimal, fraction or text like "1/10"."""
    try:
        parsed = _parse(value)
    except (ValueError, ZeroDivisionError):
        parsed = None
    if parsed is None:
        raise refusal(name, "a finite number", shown(_plain(value)), "write 1, 0.1 or '1/10'")
    if max(parsed.numerator.bit_length(), parsed.denominator.bit_length()) > MOST_BITS:
        raise refusal(name, f"a number of at most {MOST_BITS} bits", shown(value), "round it")
    return parsed


def positive(name: str, value: object) -> Fraction:
    """A rational > 0."""
    return _within(name, value, lambda number: number > 0, "> 0")


def nonnegative(name: str, value: object) -> Fraction:
    """A rational >= 0."""
    return _within(name, value, lambda number: number >= 0, ">= 0")


def fraction_of_one(name: str, value: object) -> Fraction:
    """A rational strictly between 0 and 1."""
    return _within(name, value, lambda number: 0 < number < 1, "> 0 and < 1")


def probability(name: str, value: object) -> Fraction:
    """A rational from 0 to 1."""
    return _within(name, value, lambda number: 0 <= number <= 1, ">= 0 and <= 1")


def integer(name: str, value: object, *, least: int, most: int | None = None) -> int:
    """An integer from `least` to `most`; a float or a Boolean is none."""
    required = f"an integer >= {least}" if most is None else f"an integer from {least} to {most}"
    plain = _plain(value)
    if type(plain) is int and plain >= least and (most is None or plain <= most):
        return plain
    raise refusal(name, required, shown(plain), "pass a whole number in that range")


def settle(instance: object, **values: object) -> None:
    """Put checked values into a frozen dataclass, from its own `__post_init__` only."""
    for name, value in values.items():
        object.__setattr__(instance, name, value)


def _within(name: str, value: object, allowed: Callable[[Fraction], bool], required: str) -> Fraction:
    number = rational(name, value)
    if not allowed(number):
        raise refusal(name, required, shown(_plain(value)), "choose another value")
    return number


def _parse(given: Any) -> Fraction | None:
    value = _plain(given)
    match value:
        case bool():
            return None
        case float():
            return Fraction(repr(value)) if isfinite(value) else None
        case int() | Fraction():
            return Fraction(value)
        case Decimal():
            return Fraction(str(value)) if value.is_finite() and abs(value.adjusted()) < LONGEST_TEXT else None
        case str():
            return Fraction(value) if len(value) <= LONGEST_TEXT and not _huge_exponent(value) else None
        case _:
            return None


def _plain(value: Any) -> Any:
    """A NumPy scalar as the Python number it is written as."""
    if not isinstance(value, np.generic):
        return value
    number = cast("np.generic", value)
    return float(str(number)) if number.dtype.kind == "f" else number.item()


def _huge_exponent(text: str) -> bool:
    """1e999999999 would fill the memory before it could be refused."""
    _, mark, exponent = text.lower().partition("e")
    return bool(mark) and len(exponent.strip(" +-0_")) > len("308")
