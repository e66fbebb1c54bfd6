# SPDX-License-Identifier: Apache-2.0
"""T9: 10^5 draws of every law through `System()` coins against the exact law.

Each right law is rejected with probability below 1e-8 (`multinomial.LEVEL`): below 2e-7 for all 18 together. The
same draws reject the law of 0.7 and of 1.3 times the scale, each but with probability below e^-40, which is
checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from discreet.coins.contract import Coins
from discreet.coins.fair import System
from discreet.coins.levels import Levels
from tests.statistical.coins import multinomial
from tests.statistical.coins.laws import Law, coin, exponential, flipped, uniform

DRAWS = 100_000
MANY = 10_000_000
LADDER = Levels((0, 2, 4, 5), (1, 2, 3, 4), Fraction(1, 2))


@dataclass(frozen=True)
class Case:
    """A law as it is drawn from, and its probabilities when its scale is multiplied by a factor."""

    name: str
    draw: Callable[[Coins, int], np.ndarray]
    law: Law
    edges: tuple[int, ...]

    def counts(self, draws: int) -> list[int]:
        return multinomial.binned(self.draw(System(), draws), self.edges)


def single(name: str, draw: Callable[[Coins], int], law: Law) -> Case:
    """A scalar law on 0, 1, ..., drawn one by one."""
    edges = tuple(range(1, len(law(1))))
    return Case(name, lambda coins, count: np.array([draw(coins) for _ in range(count)]), law, edges)


def geometric(scale: Fraction, *, one_by_one: bool = False) -> Case:
    edges = tuple(multinomial.edges_for(float(scale)))

    def draw(coins: Coins, count: int) -> np.ndarray:
        if one_by_one:
            return np.array([coins.geometric(scale) for _ in range(count)])
        return coins.geometrics(scale, count)

    name = f"geometric{'' if one_by_one else 's'} {scale}"
    return Case(name, draw, lambda factor: multinomial.geometric_law(float(scale) * factor, edges), edges)


def vector(name: str, draw: Callable[[Coins, int], np.ndarray], law: Law) -> Case:
    return Case(name, draw, law, tuple(range(1, len(law(1)))))


THIRD = Fraction(1, 3)
NUMERATOR = np.uint64(round(0.4 * 2**64))
VECTORS = [
    vector("belows 10", lambda coins, n: coins.belows(10, n), uniform(10)),
    Case(
        "belows 2^32",
        lambda coins, n: coins.belows(2**32, n),
        uniform(16),
        tuple(range(2**28, 2**32, 2**28)),
    ),
    vector("bernoullis", lambda coins, n: coins.bernoullis(THIRD, n), coin(1 / 3)),
    vector("dyadics", lambda coins, n: coins.dyadics(np.full(n, NUMERATOR)), coin(0.4)),
    *(geometric(Fraction(scale)) for scale in ("1/2", "2", "20", "1000", "1025", "5000", "1000000", "10000000")),
]
SCALARS = [
    single("below 7", lambda coins: coins.below(7), uniform(7)),
    single("bernoulli", lambda coins: coins.bernoulli(THIRD), coin(1 / 3)),
    single("bernoulli_exp", lambda coins: coins.bernoulli_exp(Fraction(1, 2)), coin(math.exp(-0.5))),
    geometric(Fraction(2), one_by_one=True),
    single("choose", lambda coins: coins.choose(LADDER), exponential(LADDER)),
    single("race", lambda coins: coins.race(LADDER), flipped(LADDER)),
]


@pytest.mark.parametrize("case", [*VECTORS, *SCALARS], ids=lambda case: case.name)
def test_a_hundred_thousand_draws_fit_the_exact_law_and_no_law_30_percent_off(case: Case):
    counts = case.counts(DRAWS)
    assert multinomial.fits(counts, case.law(1))
    for factor in (0.7, 1.3):
        assert multinomial.surely_rejected(DRAWS, case.law(1), case.law(factor))
        assert not multinomial.fits(counts, case.law(factor))


@pytest.mark.nightly
@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case.name)
def test_ten_million_draws_fit_the_exact_law_and_no_law_3_percent_off(case: Case):
    counts = case.counts(MANY)
    assert multinomial.fits(counts, case.law(1))
    for factor in (0.97, 1.03):
        assert multinomial.surely_rejected(MANY, case.law(1), case.law(factor))
        assert not multinomial.fits(counts, case.law(factor))


def test_the_one_sample_bound_holds_where_it_can_be_computed():
    """Two outcomes: the exact binomial probability of rejection is below LEVEL for all of these."""
    for draws, chance in ((30, 0.5), (100, 0.1), (1000, 1 / 3)):
        law = [1 - chance, chance]
        rejected = sum(
            math.comb(draws, heads) * chance**heads * (1 - chance) ** (draws - heads)
            for heads in range(draws + 1)
            if not multinomial.fits([draws - heads, heads], law)
        )
        assert rejected < multinomial.LEVEL


def test_the_two_sample_bound_holds_where_it_can_be_computed():
    """Two outcomes, 60 draws each: the exact hypergeometric probability of rejection, for every pooled count."""
    draws = 60
    for pooled in range(2 * draws + 1):
        rejected = sum(
            math.comb(pooled, x) * math.comb(2 * draws - pooled, draws - x)
            for x in range(max(0, pooled - draws), min(draws, pooled) + 1)
            if not multinomial.alike([x, draws - x], [pooled - x, draws - pooled + x])
        )
        assert rejected / math.comb(2 * draws, draws) < multinomial.LEVEL
