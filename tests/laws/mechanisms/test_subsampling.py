# SPDX-License-Identifier: Apache-2.0
"""Sampling: the losses of mechanisms for which replacing a row and removing one cost unlike amounts."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from discreet.mechanisms.subsampling import PoissonSample
from discreet.verification.case import Case
from discreet.verification.verify import verify
from tests.laws.mechanisms.exact import outputs_on
from tests.laws.mutants.subsampling import NoisySizeAndCount, SizeAndCount

RATES = (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))


@pytest.mark.parametrize(("rate", "size_epsilon"), [*product(RATES, (Fraction(1, 2), Fraction(3)))], ids=str)
def test_an_add_remove_loss_above_the_other_is_charged_and_met(rate: Fraction, size_epsilon: Fraction) -> None:
    """The size is shown with noise: e_a = e_r + size_epsilon. Charging it as e_a = e_r would be too little."""
    mechanism = PoissonSample(inner=NoisySizeAndCount(Fraction(1), size_epsilon), rate=rate, rows=1)
    verdict = verify(Case(name="sizes", mechanism=mechanism, universe=(0, 1), rows=1))
    assert verdict.ok
    assert verdict.share > 0.999999


def test_nothing_is_gained_where_the_size_is_shown() -> None:
    """The size is 1, so the row is in the sample: loss epsilon, whatever the rate."""
    mechanism = PoissonSample(inner=SizeAndCount(Fraction(1)), rate=Fraction(1, 10), rows=1)
    verdict = verify(Case(name="sizes", mechanism=mechanism, universe=(0, 1), rows=1, reach=2))
    assert verdict.ok
    assert verdict.declared == 1
    assert verdict.share > 0.999999


def test_the_sample_is_binomial() -> None:
    """Size k has probability C(n, k) p^k (1 - p)^(n - k)."""
    sizes = outputs_on(lambda data, coins: len(sampled(data, coins)), (0, 1, 0), reach=1)
    assert {size: Fraction(int(chance.p), int(chance.q)) for size, chance in sizes.items()} == {
        0: Fraction(8, 27),
        1: Fraction(12, 27),
        2: Fraction(6, 27),
        3: Fraction(1, 27),
    }


def sampled(data, coins):
    """The sample itself, which no mechanism may show."""
    kept: list[list[int]] = []

    class Shown(SizeAndCount):
        def __call__(self, data, coins, /):
            kept.append(list(data))
            return 0, 0

    PoissonSample(inner=Shown(Fraction(1)), rate=Fraction(1, 3), rows=len(data))(data, coins)
    return kept[0]
