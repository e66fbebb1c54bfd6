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
from numpy.typing import NDArray

from discreet.coins.domains import refusal, shown

MOST_BITS = 1200
"""A number longer than this is surely a mistake, and would only make exact arithmetic slow."""

LONGEST_TEXT = 400

LONGEST_INTEGER = 63
"""Bits of a public integer: what is longer fits no array."""

LARGEST = 10_000
"""Beyond this epsilon nothing is private, and e^-epsilon is only slow to compute."""


def rational(name: str, value: object) -> Fraction:
    """The exact rational a person means by an integer, float, decimal, fraction or text like "1/10"."""
    try:
        parsed = _parse(value)
    except (ValueError, ZeroDivisionError):
        parsed = None
    if parsed is None:
        raise refusal(name, "a finite number", shown(_plain(value)), "write 1, 0.1 or '1/10'")
    long = max(parsed.numerator.bit_length(), parsed.denominator.bit_length()) > MOST_BITS
    if long and not isinstance(value, Fraction):  # a sum of many losses is a long Fraction, and exact
        raise refusal(name, f"a number of at most {MOST_BITS} bits", shown(value), "round it")
    return parsed


def positive(name: str, value: object) -> Fraction:
    """A rational > 0, and at most LARGEST."""
    return _within(name, value, lambda number: 0 < number <= LARGEST, f"> 0 and <= {LARGEST}")


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
    if type(plain) is int and plain.bit_length() > LONGEST_INTEGER:
        required = "an integer that fits int64"
    elif type(plain) is int and plain >= least and (most is None or plain <= most):
        return plain
    raise refusal(name, required, shown(plain), "pass a whole number in that range")


def integers(name: str, value: object, *, length: int | None = None, least_length: int = 1) -> NDArray[np.integer[Any]]:
    """A NumPy vector of integers. Its length and type are public facts, its values are not looked at.

    A list is refused: NumPy would choose the type by the values in it.
    """
    if type(value) is not np.ndarray:  # a masked or labelled array would carry its secrets through arithmetic
        raise refusal(name, "a NumPy vector of integers", shown(value), "count rows into an array of int64")
    array: NDArray[Any] = value
    required = f"a vector of {length if length is not None else f'at least {least_length}'} integers"
    enough = array.ndim == 1 and (len(array) == length if length is not None else len(array) >= least_length)
    if not enough or array.dtype.kind not in "iu" or array.dtype == np.uint64:
        got = f"shape {array.shape} of {array.dtype}"
        raise refusal(name, f"{required} that fit int64", got, "count rows into an array of int64")
    return array


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
    return bool(mark) and len(exponent.strip().lstrip("+-0_")) > len("308")
