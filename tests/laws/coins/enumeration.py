# SPDX-License-Identifier: Apache-2.0
"""A sampler, enumerated: it is given every bit string, shortest first, and says what it decides on each.

A scalar law is a function of one lazily refined uniform. Cells that are undecided at one depth are handed to it
again with one more bit, 0 and then 1, until what is undecided weighs less than the residual asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from discreet.coins.balls import ball, precision
from discreet.coins.bits import Exhausted, ListedBits
from discreet.coins.uniform import Uniform

Exact = Callable[[int], Fraction | arb]
BITS = 640
BLUR_BITS = 500
"""Exact laws are enclosed with BITS of precision, and within 2^-BLUR_BITS: far finer than any residual."""


@dataclass(frozen=True)
class Enumerated:
    """The mass decided for each outcome, and the mass left undecided: together exactly 1."""

    decided: dict[int, Fraction]
    residual: Fraction

    def contradictions(self, exact: Exact) -> list[int]:
        """The outcomes whose exact probability is outside [decided, decided + residual]."""
        with precision(BITS):
            return [value for value, mass in self.decided.items() if not self._agrees(mass, exact(value))]

    def _agrees(self, mass: Fraction, exact: Fraction | arb) -> bool:
        if isinstance(exact, Fraction):
            return mass <= exact <= mass + self.residual
        if not exact.rad() < arb(2) ** -BLUR_BITS:
            raise AssertionError("the exact law is not known well enough to contradict anything")
        return not (ball(mass) > exact or exact > ball(mass + self.residual))


def decided(law: Callable[[Uniform], int], numerator: int, depth: int, bit: int) -> int | None:
    """What the law decides when the cell is refined by this bit and nothing more; None if that is too little."""
    try:
        return law(Uniform(ListedBits([bit], word_bits=1), numerator, depth))
    except Exhausted:
        return None


def enumerate_law(law: Callable[[Uniform], int], *, residual_bits: int) -> Enumerated:
    """Every cell, until the undecided ones weigh less than 2^-residual_bits together."""
    masses: dict[int, Fraction] = {}
    cells, depth = [0], 0
    while len(cells) << residual_bits >= 1 << depth:
        children = [2 * cell + bit for cell in cells for bit in (0, 1)]
        outcomes = [decided(law, child >> 1, depth, child & 1) for child in children]
        depth += 1
        tally(masses, outcomes, Fraction(1, 1 << depth))
        cells = [child for child, outcome in zip(children, outcomes, strict=True) if outcome is None]
    return Enumerated(masses, Fraction(len(cells), 1 << depth))


def tally(masses: dict[int, Fraction], outcomes: Iterable[int | None], mass: Fraction) -> None:
    """Add the mass of one cell for each decided outcome."""
    counts: dict[int, int] = {}
    for outcome in outcomes:
        if outcome is not None:
            counts[outcome] = counts.get(outcome, 0) + 1
    for outcome, count in counts.items():
        masses[outcome] = masses.get(outcome, Fraction(0)) + count * mass
