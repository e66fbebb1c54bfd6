# SPDX-License-Identifier: Apache-2.0
"""The domains of every parameter of a law, checked in one place for all coins.

A refusal echoes what the caller chose: a count, a probability, a scale. Levels and numerators are made from
records, so of these it names only the type and the requirement, never a value.
"""

from __future__ import annotations

from collections.abc import Callable, Sized
from fractions import Fraction
from operator import lt
from typing import cast

import numpy as np
from numpy.typing import NDArray

from discreet.errors import ParameterError

EXACT = "pass an exact one such as Fraction(1, 3)"

LONGEST_ECHO = 80
WIDEST_NUMBER = 256
"""Bits beyond which a number is not printed: Python refuses to print the longest ones at all."""


def refusal(name: str, requirement: str, got: str, repair: str) -> ParameterError:
    """The one sentence in which every parameter is refused."""
    return ParameterError(f"`{name}` must be {requirement}, got {got}; {repair}.")


def shown(value: object) -> str:
    """What the caller chose, in at most `LONGEST_ECHO` characters; containers by their type alone."""
    if isinstance(value, int | Fraction) and max(abs(value.numerator), value.denominator) >> WIDEST_NUMBER:
        return f"a number of more than {WIDEST_NUMBER} bits"
    if value is None or isinstance(value, bool | int | Fraction | float | complex | str | bytes):
        return repr(value)[:LONGEST_ECHO]
    return f"a {type(value).__name__}"


def require_integer(name: str, value: object, least: int | None = None, most: int | None = None) -> None:
    """Refuse all but a Python integer from `least` to `most`; a Boolean is none."""
    if type(value) is int and (least is None or value >= least) and (most is None or value <= most):
        return
    bounds = "" if least is None else f" >= {least}" if most is None else f" from {least} to {most}"
    raise refusal(name, f"an integer{bounds}", shown(value), "pass a Python int in that range")


def require_probability(value: object) -> None:
    """Refuse all but an exact rational from 0 to 1."""
    if (type(value) is Fraction or type(value) is int) and 0 <= value.numerator <= value.denominator:
        return
    raise refusal("probability", "a Fraction from 0 to 1", shown(value), EXACT)


def require_nonnegative(name: str, value: object) -> None:
    """Refuse all but an exact rational >= 0."""
    if (type(value) is Fraction or type(value) is int) and value.numerator >= 0:
        return
    raise refusal(name, "a Fraction >= 0", shown(value), EXACT)


def require_numerators(value: object) -> None:
    """Refuse all but a vector of uint64."""
    got = f"a {type(value).__name__}"
    if isinstance(value, np.ndarray):
        array = cast("NDArray[np.generic]", value)
        if array.ndim == 1 and array.dtype == np.uint64:
            return
        got = f"{array.ndim} dimensions of {array.dtype}"
    raise refusal("numerators", "a vector of uint64", got, "convert it with np.array(..., np.uint64)")


def require_levels(name: str, value: object, *parts: str) -> None:
    """Refuse all but a nonempty object that has these parts."""
    if not isinstance(value, Sized) or not all(hasattr(value, part) for part in parts):
        raise refusal(name, f"levels with {', '.join(parts)}", f"a {type(value).__name__}", "pass Levels(...)")
    if not len(value):
        raise refusal(name, "at least one level", "none", "give a class of hypotheses that is not empty")


def require_ladder(errors: object, sizes: object) -> None:
    """Refuse all but two tuples of integers of one length: strictly increasing errors and positive sizes."""
    ladder = _require_integers("errors", errors, "strictly increasing integers", _increase)
    if len(ladder) != len(_require_integers("sizes", sizes, "positive integers", _positive)):
        raise refusal("sizes", "as many as `errors`", "another number of them", "give each level one size")


def _increase(values: tuple[int, ...]) -> bool:
    return all(map(lt, values, values[1:]))


def _positive(values: tuple[int, ...]) -> bool:
    return min(values) > 0


def _require_integers(name: str, value: object, what: str, holds: Callable[[tuple[int, ...]], bool]) -> tuple[int, ...]:
    requirement = f"a tuple of {what}"
    if not isinstance(value, tuple):
        raise refusal(name, requirement, f"a {type(value).__name__}", "convert it with tuple(...)")
    integers = cast("tuple[int, ...]", value)
    if not integers:
        raise refusal(name, requirement, "an empty one", "give at least one level")
    if not set(map(type, integers)) <= {int}:
        raise refusal(name, requirement, "other types in it", "convert each with int(...)")
    if not holds(integers):
        raise refusal(name, requirement, "others", "sort the levels, merge equal ones and drop empty ones")
    return integers
