# SPDX-License-Identifier: Apache-2.0
"""Ball arithmetic: real numbers enclosed by a midpoint and a radius (`arb`), at a chosen precision.

A comparison of balls is true only when it holds for *every* pair of points in them, so a decision made
with balls is exact: where the balls overlap the caller doubles the precision instead of guessing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from fractions import Fraction
from threading import RLock

from flint import arb, ctx, fmpq

Ball = arb
Real = Fraction | Callable[[int], arb]
"""An exact real: a rational, or a function from a precision in bits to a ball that encloses it."""

_lock = RLock()
if sys.platform != "win32":  # a fork waits until no other thread is inside, else the child could never enter
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


@contextmanager
def precision(bits: int) -> Generator[None]:
    """Work at `bits` of precision. `flint.ctx.prec` belongs to the whole process, hence the lock."""
    with _lock:
        before, ctx.prec = ctx.prec, bits
        try:
            yield
        finally:
            ctx.prec = before


def ball(value: Fraction | int) -> arb:
    """The ball of a rational at the current precision."""
    return arb(fmpq(value.numerator, value.denominator))


def enclose(value: Real, bits: int) -> arb:
    """A ball around an exact real, computed with `bits` of precision."""
    with precision(bits):
        return ball(value) if isinstance(value, Fraction) else value(bits)


def dyadic(numerator: int, depth: int) -> arb:
    """numerator / 2^depth, exact if the precision holds the numerator."""
    return arb((numerator, -depth)) if numerator else arb(0)


def rational(exact: arb) -> Fraction:
    """The value of a ball of radius 0."""
    mantissa, exponent = (int(part) for part in exact.man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


def ends(value: arb) -> tuple[Fraction, Fraction]:
    """The lower and the upper end of a ball, exactly: `lower()` and `upper()` would round to the ambient precision."""
    middle, radius = rational(value.mid()), rational(value.rad())
    return middle - radius, middle + radius


def ceiling(value: Real, *, bits: int = 96) -> Fraction:
    """The least multiple of 2^-k surely >= `value` > 0, with k so that it is within a factor 1 + 2^-bits.

    This is how an irrational privacy loss is declared: rounded up, by less than any test can see.
    """
    if isinstance(value, Fraction):
        return value
    above = ends(enclose(value, 2 * bits + 64))[1]
    scale = Fraction(2) ** (bits + 1 + above.denominator.bit_length() - above.numerator.bit_length())
    return Fraction(-((-above * scale) // 1)) / scale


def round_up(value: Real, *, bits: int = 128) -> int:
    """The least integer >= `value`; the precision doubles until certain: `value` is irrational."""
    if isinstance(value, Fraction):
        return -(-value.numerator // value.denominator)
    integer = enclose(lambda bits: value(bits).ceil(), bits).unique_fmpz()
    return round_up(value, bits=2 * bits) if integer is None else int(integer)


def round_down(value: Real) -> int:
    """The greatest integer <= `value`."""
    return -round_up((lambda bits: -value(bits)) if callable(value) else -value)
