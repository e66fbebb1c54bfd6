# SPDX-License-Identifier: Apache-2.0
"""A uniform real in [0, 1), known as exactly as a decision needs, and the scalar laws decided by it.

Every scalar law is *one* such uniform compared with the boundaries of the law. A cell
[numerator, numerator + 1) / 2^depth either lies between two boundaries, and the draw is decided, or it
straddles one, and the uniform is refined by one more word. So the law is exact, and at each depth there is at
most one undecided cell a boundary: that is what makes the samplers themselves enumerable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from flint import arb

from discreet.coins.balls import ball, dyadic, precision
from discreet.coins.contract import Bits

Outcome = TypeVar("Outcome", bound=int)

GUARD = 32
"""Bits of precision beyond the depth of the cell, so that a ball is much narrower than the cell."""


@dataclass(slots=True)
class Uniform:
    """A uniform real of which only the cell [numerator, numerator + 1) / 2^depth is known yet."""

    bits: Bits
    numerator: int = 0
    depth: int = 0

    def refine(self) -> None:
        """Learn one more word of it."""
        self.numerator = (self.numerator << self.bits.word_bits) | self.bits.word()
        self.depth += self.bits.word_bits

    def settle(self, decide: Callable[[int, int], Outcome | None]) -> Outcome:
        """Refine until `decide(numerator, depth)` knows the outcome of the whole cell."""
        while True:
            if self.depth and (outcome := decide(self.numerator, self.depth)) is not None:
                return outcome
            self.refine()


def working_precision(depth: int) -> int:
    """Precision for balls to be compared with a cell of this depth; few distinct values, for caches."""
    return (depth + GUARD + 63) // 64 * 64


def below(uniform: Uniform, count: int) -> int:
    """Uniform on {0, ..., count - 1}: the floor of count * U."""

    def decide(numerator: int, depth: int) -> int | None:
        low = numerator * count >> depth
        return low if ((numerator + 1) * count - 1) >> depth == low else None

    return uniform.settle(decide) if count > 1 else 0


def bernoulli(uniform: Uniform, probability: Fraction) -> bool:
    """True with a rational probability: U < p."""
    top, bottom = probability.numerator, probability.denominator

    def decide(numerator: int, depth: int) -> bool | None:
        bound = top << depth
        if (numerator + 1) * bottom <= bound:
            return True
        return False if numerator * bottom >= bound else None

    return uniform.settle(decide) if 0 < top < bottom else top > 0


def bernoulli_exp(uniform: Uniform, exponent: Fraction) -> bool:
    """True with probability e^-x: U < e^-x, decided by balls."""

    def decide(numerator: int, depth: int) -> bool | None:
        with precision(working_precision(depth)):
            bound = (-ball(exponent)).exp()
            if dyadic(numerator + 1, depth) <= bound:
                return True
            return False if dyadic(numerator, depth) >= bound else None

    return uniform.settle(decide) if exponent else True


def geometric(uniform: Uniform, scale: Fraction) -> int:
    """Two-sided geometric: k with probability (1 - r)/(1 + r) * r^|k|, r = e^(-1/scale)."""
    return stride_of_geometric(uniform, scale, 1) if scale else 0


def stride_of_geometric(uniform: Uniform, scale: Fraction, stride: int) -> int:
    """The stride in which a two-sided geometric X lies; with stride 1 it is X itself.

    For h >= 0: -h if X is in -stride*h - {0, ..., stride - 1}, 1 + h if X is in 1 + stride*h + {0, ..., stride - 1}.

    By inversion: P[X <= -j] = r^j / (1 + r). So on the left, V = U, X = -j iff r^(j+1) <= V (1 + r) < r^j,
    that is j = floor(-ln(V (1 + r)) * scale) and h = floor(j / stride). The right is its mirror image,
    V = 1 - U, where X = 1 + j has -ln(V (1 + r)) * scale in [1 + j, 2 + j).
    """

    def decide(numerator: int, depth: int) -> int | None:
        with precision(working_precision(depth)):
            low, high = dyadic(numerator, depth), dyadic(numerator + 1, depth)
            total = 1 + (-1 / ball(scale)).exp()
            if high * total <= 1:
                stride_index = _same_floor(high * total, low * total, scale, stride, 0)
                return None if stride_index is None else -stride_index
            if low * total >= 1:
                stride_index = _same_floor((1 - low) * total, (1 - high) * total, scale, stride, 1)
                return None if stride_index is None else 1 + stride_index
            return None

    return uniform.settle(decide)


def rest_of_geometric(uniform: Uniform, scale: Fraction, stride: int) -> int:
    """Where in its stride a geometric lies: i in {0, ..., stride - 1} with probability proportional to r^i.

    P[i >= k] = (r^k - r^stride) / (1 - r^stride), so i = floor(-ln(1 - U (1 - r^stride)) * scale).
    """

    def decide(numerator: int, depth: int) -> int | None:
        with precision(working_precision(depth)):
            missing = 1 - (-stride / ball(scale)).exp()
            low, high = dyadic(numerator, depth), dyadic(numerator + 1, depth)
            return _same_floor(1 - low * missing, 1 - high * missing, scale, 1, 0)

    return uniform.settle(decide) if stride > 1 else 0


def _same_floor(near: arb, far: arb, scale: Fraction, stride: int, offset: int) -> int | None:
    """floor((-ln(v) * scale - offset) / stride) if it is surely the same for all v from `far` to `near`."""
    if not far > 0:
        return None
    least, most = (((-value.log() * ball(scale) - offset) / stride).floor().unique_fmpz() for value in (near, far))
    return int(least) if least is not None and least == most else None
