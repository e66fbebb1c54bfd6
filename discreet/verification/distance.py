# SPDX-License-Identifier: Apache-2.0
"""How far two exact laws are apart: the privacy loss, and the hockey-stick divergence."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from flint import arb

from discreet.coins.balls import Ball, ball, precision
from discreet.verification.explore import ExactLaw
from discreet.verification.observe import Outcome


class Distance(NamedTuple):
    """A ball around the distance and the outcome that shows it most."""

    size: Ball
    outcome: Outcome


Measure = Callable[[ExactLaw, ExactLaw], Distance]


def privacy_loss(bits: int) -> Measure:
    """The largest ln(P[o] / Q[o]) over all outcomes of P; infinite if Q never shows one of them."""

    def measure(first: ExactLaw, second: ExactLaw) -> Distance:
        with precision(bits):
            return _largest(
                {
                    outcome: (arb(chance) / arb(second[outcome])).log() if outcome in second else arb.pos_inf()
                    for outcome, chance in first.items()
                }
            )

    return measure


def hockey_stick(epsilon: Fraction, bits: int) -> Measure:
    """The sum over outcomes of max(0, P[o] - e^epsilon Q[o]): the least delta for this epsilon and this pair."""

    def measure(first: ExactLaw, second: ExactLaw) -> Distance:
        with precision(bits):
            factor = ball(epsilon).exp()
            excess = {
                outcome: (arb(chance) - factor * arb(second.get(outcome, 0))).max(arb(0))
                for outcome, chance in first.items()
            }
            return Distance(sum(excess.values(), arb(0)), _largest(excess).outcome)

    return measure


def _largest(sizes: dict[Outcome, Ball]) -> Distance:
    """A ball around the maximum, and the outcome with the largest midpoint."""
    outcome = max(sizes, key=lambda key: sizes[key].mid())
    size = sizes[outcome]
    for other in sizes.values():
        size = greater(size, other)
    return Distance(size, outcome)


def greater(first: Ball, second: Ball) -> Ball:
    """A ball around the maximum; infinity stays what it is."""
    return first.max(second) if first.is_finite() and second.is_finite() else arb.pos_inf()
