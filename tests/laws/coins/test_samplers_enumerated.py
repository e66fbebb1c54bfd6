# SPDX-License-Identifier: Apache-2.0
"""T6: the shipped samplers, enumerated from fair bits, have the laws they declare.

For each of 208 parameter points every bit string is tried until less than 2^-180 is undecided; the mass that
was decided for an outcome is then at most its exact probability, and short of it by at most the residual.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import pytest
from flint import arb

from discreet.coins import uniform as scalar
from discreet.coins.balls import ball
from discreet.coins.levels import Levels, chosen
from discreet.coins.uniform import Uniform
from tests.laws.coins.enumeration import Exact, enumerate_law

RESIDUAL_BITS = 180

Point = tuple[str, Callable[[Uniform], int], Exact]


def fractions(text: str) -> list[Fraction]:
    return [Fraction(word) for word in text.split()]


COUNTS = [*range(1, 41), 63, 64, 65, 100, 127, 128, 243, 255, 1000]
CHANCES = [
    *fractions("0 1 1/2 1/3 2/3 1/4 3/4 1/5 2/5 3/5 4/5 1/7 3/7 6/7 1/10 9/10 1/100 99/100 5/16 355/1130"),
    *fractions("1/1000003 999999/1000003 0.1 0.3 0.123456789 0.999999999 1e-30"),
    *(Fraction(1, 2**k) for k in (10, 53, 63, 64, 65, 170)),
    *(1 - Fraction(1, 2**k) for k in (10, 53, 64, 65, 170)),
    *(Fraction(top, 2**64) for top in (1, 2**63 + 1, 2**64 - 1, 0x123456789ABCDEF)),
    *(Fraction(1, 2) + Fraction(sign, 3 * 2**k) for k in (40, 64, 100) for sign in (-1, 1)),
]
EXPONENTS = fractions(
    "0 1e-40 1e-20 1e-9 1/1000 1/100 1/20 1/10 1/7 1/5 1/4 1/3 2/5 1/2 3/5 2/3 0.69314718 0.6931471805599453 3/4"
    " 4/5 9/10 1 1.1 5/4 3/2 2 5/2 3 22/7 4 5 6 7 8 10 15 20 25 30 44 50 64 80 100 120"
)
SCALES = fractions(
    "1/1000 1/100 1/50 1/30 1/20 1/15 1/12 1/10 1/9 1/8 1/7 1/6 1/5 2/9 1/4 2/7 3/10 1/3 2/5 3/7 1/2 3/5 2/3 1 3/2 2"
)
STRIDES = [("1", 2), ("2", 4), ("3", 5), ("5", 16), ("10", 64), ("100", 512), ("1/3", 2), ("7/2", 3), ("1000", 8192)]
RESTS = [("1", 1), ("1", 2), ("1/2", 3), ("2", 4), ("3", 5), ("5", 16), ("10", 64), ("1000", 4), ("1e6", 8), ("1e9", 2)]
LEVELS = [
    ((0,), (1,), "1"),
    ((0, 1), (1, 1), "0"),
    ((0, 1), (1, 1), "1"),
    ((0, 1), (1, 2**100), "1/10"),
    ((0, 1), (2**100, 1), "1/10"),
    ((0, 1, 2), (1, 1, 1), "1/2"),
    ((0, 1, 2), (3, 5, 7), "0"),
    ((-5, 0, 4), (1, 10, 1000), "3/2"),
    ((0, 10**30), (1, 2**1000), "1/7"),
    ((10**30, 10**30 + 1), (3, 4), "1/7"),
    ((0, 100, 200), (1, 2**150, 2**290), "1"),
    ((0, 300), (1, 2**1000), "1"),
    ((0, 1000), (1, 1), "1"),
    ((0, 1000, 1001), (1, 2**1443, 2**1440), "1"),
    (tuple(range(8)), (1,) * 8, "1/3"),
    (tuple(range(8)), tuple(math.comb(7, k) for k in range(8)), "9/10"),
    (tuple(range(0, 40, 5)), tuple(2**k for k in range(8)), "1/7"),
    (tuple(range(12)), tuple(3**k for k in range(12)), "11/10"),
    (tuple(range(20)), (1,) * 20, "0"),
    (tuple(range(70)), tuple(range(1, 71)), "5"),
    (tuple(range(0, 700, 10)), (1,) * 70, "1/1000"),
]
"""The last two are long enough for the float filter."""


def geometric_law(scale: Fraction) -> Callable[[int], arb]:
    def exact(value: int) -> arb:
        ratio = (-1 / ball(scale)).exp()
        return (1 - ratio) / (1 + ratio) * ratio ** abs(value)

    return exact


def stride_law(scale: Fraction, stride: int) -> Exact:
    """The sum of the geometric's probabilities over the stride, term by term."""
    single = geometric_law(scale)

    def exact(index: int) -> arb:
        first = -stride * -index if index <= 0 else 1 + stride * (index - 1)
        step = -1 if index <= 0 else 1
        return sum((single(first + step * offset) for offset in range(stride)), arb(0))

    return exact


def rest_law(scale: Fraction, stride: int) -> Exact:
    def exact(rest: int) -> arb:
        ratio = (-1 / ball(scale)).exp()
        return ratio**rest / sum((ratio**other for other in range(stride)), arb(0))

    return exact


def choose_law(levels: Levels) -> Exact:
    def exact(level: int) -> arb:
        weights = [
            size * (-ball(levels.rate * errors)).exp() for errors, size in zip(levels.errors, levels.sizes, strict=True)
        ]
        return weights[level] / sum(weights, arb(0))

    shift = Levels(tuple(errors - levels.errors[0] for errors in levels.errors), levels.sizes, levels.rate)
    return exact if shift == levels else choose_law(shift)


def points() -> Iterator[Point]:
    for count in COUNTS:
        yield f"below {count}", lambda u, n=count: scalar.below(u, n), lambda _, n=count: Fraction(1, n)
    for p in CHANCES:
        yield f"bernoulli {p}", lambda u, p=p: scalar.bernoulli(u, p), lambda v, p=p: p if v else 1 - p
    for x in EXPONENTS:
        yield f"exp -{x}", lambda u, x=x: scalar.bernoulli_exp(u, x), lambda v, x=x: exponential(x, v)
    for s in SCALES:
        yield f"geometric {s}", lambda u, s=s: scalar.geometric(u, s), geometric_law(s)
    for text, n in STRIDES:
        s = Fraction(text)
        yield f"stride {s} {n}", lambda u, s=s, n=n: scalar.stride_of_geometric(u, s, n), stride_law(s, n)
    for text, n in RESTS:
        s = Fraction(text)
        yield f"rest {s} {n}", lambda u, s=s, n=n: scalar.rest_of_geometric(u, s, n), rest_law(s, n)
    for errors, sizes, rate in LEVELS:
        levels = Levels(errors, sizes, Fraction(rate))
        yield f"choose {len(sizes)} {rate}", lambda u, levels=levels: chosen(u, levels), choose_law(levels)


def exponential(exponent: Fraction, value: int) -> arb:
    chance = (-ball(exponent)).exp()
    return chance if value else 1 - chance


POINTS = list(points())


def test_at_least_two_hundred_points_are_enumerated():
    assert len(POINTS) == 208


@pytest.mark.parametrize(("name", "law", "exact"), POINTS, ids=[point[0] for point in POINTS])
def test_the_enumerated_law_is_the_declared_one(name: str, law: Callable[[Uniform], int], exact: Exact):
    """decided(v) <= P[v] <= decided(v) + residual for every outcome v, residual < 2^-180."""
    enumerated = enumerate_law(law, residual_bits=RESIDUAL_BITS)
    assert enumerated.residual < Fraction(1, 1 << RESIDUAL_BITS)
    assert sum(enumerated.decided.values()) + enumerated.residual == 1
    assert enumerated.contradictions(exact) == []


def test_scale_zero_is_no_noise_and_draws_nothing():
    assert enumerate_law(lambda u: scalar.geometric(u, Fraction(0)), residual_bits=1).decided == {0: 1}


# Power: the same check sees laws that are off by 30 %, or by the rounding of one double.

THIRD, ONE = Fraction(1, 3), Fraction(1)


@pytest.mark.parametrize("factor", [Fraction(7, 10), Fraction(13, 10), 1 + Fraction(1, 2**170)])
@pytest.mark.parametrize(
    ("law", "exact_at"),
    [
        (lambda u: scalar.bernoulli(u, THIRD), lambda f: lambda v: THIRD * f if v else 1 - THIRD * f),
        (lambda u: scalar.bernoulli_exp(u, ONE), lambda f: lambda v: exponential(ONE * f, v)),
        (lambda u: scalar.geometric(u, THIRD), lambda f: geometric_law(THIRD * f)),
        (lambda u: scalar.stride_of_geometric(u, ONE, 4), lambda f: stride_law(ONE * f, 4)),
        (lambda u: scalar.rest_of_geometric(u, ONE, 4), lambda f: rest_law(ONE * f, 4)),
        (
            lambda u: chosen(u, Levels((0, 1, 2), (1, 2, 3), ONE)),
            lambda f: choose_law(Levels((0, 1, 2), (1, 2, 3), ONE * f)),
        ),
    ],
    ids=["bernoulli", "bernoulli_exp", "geometric", "stride", "rest", "choose"],
)
def test_a_law_with_another_scale_is_rejected(
    law: Callable[[Uniform], int], exact_at: Callable[[Fraction], Exact], factor: Fraction
):
    """30 % less, 30 % more, and even one part in 2^170 more."""
    enumerated = enumerate_law(law, residual_bits=RESIDUAL_BITS)
    assert enumerated.contradictions(exact_at(Fraction(1))) == []
    assert enumerated.contradictions(exact_at(factor)) != []


def inverted_in_floats(u: Uniform) -> int:
    """The textbook geometric: boundaries are doubles."""
    ratio = math.exp(-1)

    def decide(numerator: int, depth: int) -> int | None:
        edges = [Fraction(ratio**j / (1 + ratio)) for j in range(60)]
        low, high = Fraction(numerator, 1 << depth), Fraction(numerator + 1, 1 << depth)
        for j in range(59):
            if edges[j + 1] <= low and high <= edges[j]:
                return -j
            if edges[j + 1] <= 1 - high and 1 - low <= edges[j] and j:
                return j
        return None

    return u.settle(decide)


@pytest.mark.parametrize(
    ("law", "exact"),
    [
        (lambda u: scalar.bernoulli(u, Fraction(1 / 3)), lambda v: THIRD if v else 1 - THIRD),
        (lambda u: scalar.bernoulli(u, Fraction(math.exp(-1))), lambda v: exponential(ONE, v)),
        (inverted_in_floats, geometric_law(ONE)),
        (lambda u: u.settle(lambda n, d: n * 3 >> d), lambda _: THIRD),
        (lambda u: u.settle(lambda n, d: n * 3 >> d if d >= 12 else None), lambda _: THIRD),
    ],
    ids=["double 1/3", "math.exp", "inversion in doubles", "floor of a bit", "floor of a word"],
)
def test_a_sampler_with_a_rounded_boundary_is_rejected(law: Callable[[Uniform], int], exact: Exact):
    """Boundaries rounded to doubles are off by up to 2^-54, to words of w bits by 2^-w: more than the residual."""
    enumerated = enumerate_law(law, residual_bits=80)
    assert enumerated.contradictions(exact) != []
