# SPDX-License-Identifier: Apache-2.0
"""Balls enclose, and what is rounded from them is rounded to the safe side."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, ctx

from discreet.coins.balls import Real, ball, ceiling, dyadic, enclose, ends, precision, rational, round_down, round_up


def test_precision_is_put_back_even_after_an_error():
    before = ctx.prec
    inside = []
    with pytest.raises(ZeroDivisionError), precision(999):
        inside.append(ctx.prec // (ctx.prec - 999))
    with precision(999):
        inside.append(ctx.prec)
    assert inside == [999]
    assert ctx.prec == before


@pytest.mark.parametrize("text", ["0", "1", "-7/3", "1e40", "1/340282366920938463463374607431768211457"])
def test_a_ball_encloses_its_rational(text: str):
    value = Fraction(text)
    with precision(64):
        low, high = ends(ball(value))
    assert low <= value <= high
    assert high - low <= abs(value) * Fraction(1, 2**60)


@pytest.mark.parametrize(("numerator", "depth"), [(0, 10), (1, 1), (3**80, 200), (2**500 - 1, 500)])
def test_dyadics_are_exact_at_any_precision(numerator: int, depth: int):
    """So no cell is ever rounded, whatever precision another thread has set."""
    with precision(2):
        assert rational(dyadic(numerator, depth)) == Fraction(numerator, 1 << depth)


REALS: list[tuple[Real, Real]] = [
    (lambda bits: arb(2).log(), lambda bits: arb(2).log()),
    (lambda bits: arb(-1000).exp(), lambda bits: arb(-1000).exp()),
    (lambda bits: arb.pi() * 10**30, lambda bits: arb.pi() * 10**30),
]


@pytest.mark.parametrize(("value", "again"), REALS)
def test_a_declared_loss_is_rounded_up_by_less_than_2_to_the_minus_96(value: Real, again: Real):
    declared = ceiling(value)
    with precision(512):
        exact = enclose(again, 512)
        assert exact <= ball(declared)
        assert ball(declared) <= exact * (1 + arb(2) ** -96)


def test_a_rational_loss_is_declared_as_it_is():
    assert ceiling(Fraction(2, 3)) == Fraction(2, 3)


@pytest.mark.parametrize(
    ("value", "up", "down"),
    [
        (Fraction(7, 2), 4, 3),
        (Fraction(4), 4, 4),
        (Fraction(-7, 2), -3, -4),
        (lambda bits: arb.pi(), 4, 3),
        (lambda bits: -arb.pi(), -3, -4),
        (lambda bits: 5 + arb(2) ** -300 * arb.pi(), 6, 5),
    ],
)
def test_rounding_is_certain_and_to_the_safe_side(value: Real, up: int, down: int):
    """Even 2^-298 above an integer, where the precision has to be doubled."""
    assert round_up(value) == up
    assert round_down(value) == down
