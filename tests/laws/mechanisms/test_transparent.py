# SPDX-License-Identifier: Apache-2.0
"""Local randomizers are transparent ([1] Def 5.13): the probability they state is the law they sample from."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq

from discreet.coins.balls import precision
from discreet.mechanisms.randomized_response import KaryResponse, LaplaceResponse, OneBitMean, RandomizedResponse
from discreet.verification.seen import Exact, seen
from tests.laws.mechanisms.exact import BITS, agree, outputs_on, value_of

EPSILONS = (Fraction(1, 10), Fraction(1), Fraction(3))
WORD = 1 << 64


def randomizers(epsilon: Fraction) -> tuple[tuple[Any, Sequence[Any], Sequence[Any], int], ...]:
    """Each with its outputs, values in and around its domain, and the reach of its noise."""
    return (
        (RandomizedResponse(epsilon=epsilon), (False, True), (False, True), 1),
        (KaryResponse(epsilon=epsilon, choices=2), range(-1, 3), (-1, 0, 1, 2), 1),
        (KaryResponse(epsilon=epsilon, choices=5), range(-1, 6), (-3, 0, 1, 2, 3, 4, 9), 1),
        (OneBitMean(epsilon=epsilon, bound=1), (False, True), (-2, -1, 0, 1, 2), 1),
        (OneBitMean(epsilon=epsilon, bound=3), (False, True), (-9, -3, -2, -1, 0, 1, 2, 3, 4), 1),
        (LaplaceResponse(epsilon=epsilon, low=0, high=1), range(-1, 3), (-1, 0, 1, 2), 1),
        (LaplaceResponse(epsilon=epsilon, low=-1, high=2, margin=2), range(-5, 7), (-4, -1, 0, 2, 5), 7),
    )


ALL = [figures for epsilon in EPSILONS for figures in randomizers(epsilon)]


def output_of(value: Any) -> Any:
    """As the verifier writes it down."""
    return seen(value)


@pytest.mark.parametrize(("randomizer", "outputs", "values", "reach"), ALL, ids=repr)
def test_the_stated_probability_is_the_law(
    randomizer: Any, outputs: Sequence[Any], values: Sequence[Any], reach: int
) -> None:
    for value in values:
        law = outputs_on(randomizer, value, reach=reach)
        assert agree(law, [(output_of(output), randomizer.probability(output, value)) for output in outputs])


@pytest.mark.parametrize(("randomizer", "outputs", "values", "reach"), ALL, ids=repr)
def test_the_stated_probabilities_add_up_to_1(
    randomizer: Any, outputs: Sequence[Any], values: Sequence[Any], reach: int
) -> None:
    for value in values:
        chances = [randomizer.probability(output, value) for output in outputs]
        if all(isinstance(chance, Fraction) for chance in chances):
            assert sum(chances) == 1
        else:
            with precision(BITS):
                assert (sum((value_of(chance) for chance in chances), arb(0)) - 1).contains(0)


@pytest.mark.parametrize(("randomizer", "outputs", "values", "reach"), ALL, ids=repr)
def test_a_value_outside_the_domain_is_told_as_the_nearest_inside(
    randomizer: Any, outputs: Sequence[Any], values: Sequence[Any], reach: int
) -> None:
    law_at = {value: outputs_on(randomizer, value, reach=reach) for value in values}
    ends = sorted(law_at)[1], sorted(law_at)[-2]
    if isinstance(randomizer, RandomizedResponse):
        return
    assert outputs_on(randomizer, -(1 << 70), reach=reach).keys() == law_at[ends[0]].keys()
    for output in outputs:
        below, above = randomizer.probability(output, -(1 << 70)), randomizer.probability(output, 1 << 70)
        if isinstance(below, Fraction) and isinstance(above, Fraction):
            assert below == randomizer.probability(output, ends[0])
            assert above == randomizer.probability(output, ends[1])


def vectors(epsilon: Fraction) -> tuple[tuple[Any, tuple[Any, ...]], ...]:
    return (
        (RandomizedResponse(epsilon=epsilon), (False, True)),
        (KaryResponse(epsilon=epsilon, choices=3), (-1, 0, 1, 2, 3)),
        (OneBitMean(epsilon=epsilon, bound=2), (-3, -2, -1, 0, 1, 2, 3)),
        (LaplaceResponse(epsilon=epsilon, low=0, high=2), (-1, 0, 1, 2, 3)),
    )


@pytest.mark.parametrize(
    ("randomizer", "values"), [figures for epsilon in EPSILONS for figures in vectors(epsilon)], ids=repr
)
def test_two_reports_are_two_independent_draws_of_one(randomizer: Any, values: tuple[Any, ...]) -> None:
    """The law of `reports` on two people is the product of the scalar laws, for all pairs of values."""
    scalar = {value: outputs_on(randomizer, value, reach=2) for value in values}
    for pair in product(values, repeat=2):
        law = outputs_on(lambda data, coins: [*map(plain, randomizer.reports(np.array(data), coins))], pair, reach=2)
        with precision(BITS):
            both = {
                Exact("list", (first, second)): p * q
                for first, p in scalar[pair[0]].items()
                for second, q in scalar[pair[1]].items()
            }
            assert law.keys() == both.keys()
            assert all(same(law[output], both[output]) for output in law)


def plain(report: Any) -> Any:
    """A NumPy scalar as Python's."""
    return report.item()


def same(first: Any, second: Any) -> bool:
    return first == second if isinstance(first, fmpq) and isinstance(second, fmpq) else (first - second).contains(0)


SMALL = [(np.int8, 100), (np.int16, 100), (np.int32, 3), (np.uint8, 100), (np.uint16, 1000), (np.int8, 1000)]


@pytest.mark.parametrize(("kind", "bound"), SMALL, ids=str)
def test_small_integers_do_not_overflow_in_reports(kind: type, bound: int) -> None:
    """NumPy's int8 holds 100 but not 100 + 100, which is where the table of numerators ends."""
    randomizer = OneBitMean(epsilon=1, bound=bound)
    asked: list[Any] = []

    class Listener:
        def dyadics(self, numerators: Any) -> Any:
            asked.extend(numerators.tolist())
            return np.zeros(len(numerators), dtype=np.bool_)

    values = [value for value in (0, 1, 100, 127) if value <= np.iinfo(kind).max]
    randomizer.reports(np.array(values, dtype=kind), Listener())  # pyright: ignore
    assert [Fraction(k, WORD) for k in asked] == [randomizer.probability(True, value) for value in values]


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64], ids=str)
def test_wide_domains_take_values_of_narrow_types(kind: type) -> None:
    """Bounds beyond what the type of the values holds."""
    for randomizer in (
        KaryResponse(epsilon=1, choices=1000),
        OneBitMean(epsilon=1, bound=1000),
        LaplaceResponse(epsilon=1, low=-1000, high=1000),
    ):
        law = outputs_on(randomizer.reports, np.array([], dtype=kind), reach=1)
        assert len(law) == 1


def test_integers_for_bits_are_told_as_their_truth() -> None:
    """2 is a yes, as bool(2) is: compared as a number it would never be equal to the coin."""
    randomizer = RandomizedResponse(epsilon=1)
    for value in (0, 1, 2, -1):
        law = outputs_on(lambda data, coins: plain(randomizer.reports(data, coins)[0]), np.array([value]), reach=1)
        assert agree(law, [(output_of(told), randomizer.probability(told, bool(value))) for told in (False, True)])


@pytest.mark.parametrize("epsilon", [Fraction(1, 1000), *EPSILONS, Fraction(40), Fraction(60)], ids=str)
def test_probabilities_are_within_one_unit_of_the_exact_ones(epsilon: Fraction) -> None:
    """k / 2^64 <= (e^epsilon - 1) / (e^epsilon + choices - 1) < (k + 1) / 2^64, and the like for one bit."""
    from discreet.coins.balls import ball

    with precision(BITS):
        for choices in (2, 3, 17):
            exact = WORD * ball(epsilon).expm1() / (ball(epsilon).expm1() + choices)
            assert KaryResponse(epsilon=epsilon, choices=choices).truthful == int(exact.floor().unique_fmpz())
        exact = WORD / (1 + (-ball(epsilon)).exp())
        assert RandomizedResponse(epsilon=epsilon).truthful == int(exact.floor().unique_fmpz())
    assert int(OneBitMean(epsilon=epsilon, bound=1).numerators[2]) == RandomizedResponse(epsilon=epsilon).truthful
