# SPDX-License-Identifier: Apache-2.0
"""Levels: many equally good things at a time, and the two ways to pick one of them.

A level is an integer number of errors and how many things make that many; 2^1000 of them are as cheap as
one. `choose` takes a level in proportion to its weight (the exponential mechanism); `race` gives every thing
exponential noise and takes the level of the winner (permute-and-flip).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from flint import arb, arb_poly

from discreet.coins import domains, filters
from discreet.coins.balls import Ball, ball, dyadic, precision
from discreet.coins.contract import Bits, Ranked, Weights
from discreet.coins.uniform import Uniform, working_precision

HALVES_PER_NEPER = Fraction(694, 1000)
"""More than ln 2: e^-x <= 2^-b wherever x >= b * 0.694."""


@dataclass(frozen=True)
class Levels:
    """`sizes[j]` things with `errors[j]` errors each; one more error divides a weight by e^rate.

    `errors` strictly increase, `sizes` are positive integers of any length, `rate` >= 0.
    """

    errors: tuple[int, ...]
    sizes: tuple[int, ...]
    rate: Fraction

    def __post_init__(self) -> None:
        domains.require_ladder(self.errors, self.sizes)
        domains.require_nonnegative("rate", self.rate)

    def __len__(self) -> int:
        return len(self.errors)

    def balls(self, bits: int) -> list[Ball]:
        """Every level's weight, relative to one thing of the best level."""
        return self._weights(len(self))

    def head(self, bits: int) -> tuple[list[Ball], Ball]:
        """The levels whose weight matters at 2^-bits, and a ball around all the others."""
        far = (bits + sum(self.sizes).bit_length()) * HALVES_PER_NEPER
        count = bisect_left(self.errors, far, key=lambda errors: (errors - self.errors[0]) * self.rate)
        if count == len(self):
            return self._weights(count), arb(0)
        rest = sum(self.sizes[count:]) * (-ball(self.rate * (self.errors[count] - self.errors[0]))).exp()
        return self._weights(count), arb(0).union(rest)

    def _weights(self, count: int) -> list[Ball]:
        rate, best = ball(self.rate), self.errors[0]
        return [
            arb(size) * (-(rate * (errors - best))).exp()
            for errors, size in zip(self.errors[:count], self.sizes[:count], strict=True)
        ]


def choose(bits: Bits, weights: Weights) -> int:
    """Level j with probability weights[j] / sum(weights)."""
    return chosen(Uniform(bits), weights)


def chosen(uniform: Uniform, weights: Weights) -> int:
    """The level in whose stretch of the cumulative weights the uniform lies."""
    if len(weights) == 1:
        return 0
    if isinstance(weights, Levels) and len(weights) > filters.WORTHWHILE:
        return uniform.settle(lambda numerator, depth: _place_filtered(weights, numerator, depth))
    return uniform.settle(lambda numerator, depth: _place(weights, numerator, depth))


def _place_filtered(levels: Levels, numerator: int, depth: int) -> int | None:
    """What `_place` finds: by a certified float filter if it can tell, else by balls."""
    level = filters.choice(levels, numerator, depth)
    return _place(levels, numerator, depth) if level is None else level


def _place(weights: Weights, numerator: int, depth: int) -> int | None:
    """The level whose stretch of the cumulative weights surely holds the whole cell, if there is one."""
    bits = working_precision(depth)
    with precision(bits):
        head, rest = weights.head(bits)
        edges = list(accumulate(head, initial=arb(0)))
        total = edges[-1] + rest
        low, high = dyadic(numerator, depth) * total, dyadic(numerator + 1, depth) * total
        level = bisect_left(range(len(head)), True, key=lambda j: bool(high <= edges[j + 1]))
        return level if level < len(head) and low >= edges[level] else None


def race(bits: Bits, levels: Ranked) -> int:
    """The level of the thing that wins when each gets -errors + (exponential noise of scale 1/rate).

    The best of m things with exponential noise has the law of -ln(1 - U^(1/m)) / rate, so one uniform a level
    will do. They are refined until one level is surely ahead. Levels that a certified float filter finds
    surely behind are dropped before balls are made.
    """
    words = bits.words(len(levels))

    def started(level: int) -> Uniform:
        return Uniform(bits, int(words[level]), bits.word_bits)

    def least(level: int) -> Ball:
        return _score(levels, level, started(level))[0]

    running = range(len(levels))
    if len(levels) > filters.WORTHWHILE:
        running = filters.contenders(levels, words, bits.word_bits, least)
    uniforms = {level: started(level) for level in running}
    while len(uniforms := _ahead(levels, uniforms)) > 1:
        for uniform in uniforms.values():
            uniform.refine()
    return next(iter(uniforms))


def _ahead(levels: Ranked, uniforms: Mapping[int, Uniform]) -> dict[int, Uniform]:
    """The levels that are not surely behind another, when all are known to the same depth."""
    depth = next(iter(uniforms.values())).depth
    with precision(2 * working_precision(depth)):
        scores = {level: _score(levels, level, uniform) for level, uniform in uniforms.items()}
        lead = max((low for low, _ in scores.values()), key=lambda low: low.lower())
        return {level: uniforms[level] for level, (_, high) in scores.items() if not high < lead}


def _score(levels: Ranked, level: int, uniform: Uniform) -> tuple[Ball, Ball]:
    """Balls around the least and the greatest rate * (score of the level's best thing) in the cell."""
    start = -ball(levels.rate * (levels.errors[level] - levels.errors[0]))
    size = levels.sizes[level]

    def noise(numerator: int) -> Ball:
        if numerator == 0:
            return arb(0)
        if numerator == 1 << uniform.depth:
            return arb.pos_inf()
        return -(-(dyadic(numerator, uniform.depth).log() / size).expm1()).log()

    return start + noise(uniform.numerator), start + noise(uniform.numerator + 1)


def race_law(levels: Ranked) -> list[Ball]:
    """The exact law of `race`, level by level, at the current precision.

    With p_h = e^(-rate * (errors_h - least)), permute-and-flip outputs h with probability
    p_h * integral over u from 0 to 1 of the product over h' != h of (1 - p_h' + p_h' u), a polynomial.
    """
    chances = [(-ball(levels.rate * (errors - levels.errors[0]))).exp() for errors in levels.errors]
    factors = [arb_poly([1 - chance, chance]) for chance in chances]
    law: list[Ball] = []
    for level, chance in enumerate(chances):
        product = arb_poly([1])
        for other, factor in enumerate(factors):
            product *= factor ** (levels.sizes[other] - (other == level))
        law.append(levels.sizes[level] * chance * product.integral()(arb(1)))
    return law
