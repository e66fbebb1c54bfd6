# SPDX-License-Identifier: Apache-2.0
"""`race` is permute-and-flip, and report-noisy-max with exponential noise: by closed form, by brute force, by bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from math import factorial

import pytest
from flint import arb

from discreet.coins.balls import ball, precision
from discreet.coins.bits import Exhausted, ListedBits
from discreet.coins.enumerating import EnumeratingCoins
from discreet.coins.levels import Levels, race, race_law
from tests.laws.coins.enumeration import Enumerated, tally

BITS = 320
BLUR_BITS = 180


def small_ladders() -> Iterator[Levels]:
    """Every ladder of at most four hypotheses with errors below 4, at three rates."""
    for levels in range(1, 5):
        for errors in combinations(range(4), levels):
            for sizes in product(range(1, 5), repeat=levels):
                if sum(sizes) <= 4:
                    for rate in ("0", "1/2", "13/10"):
                        yield Levels(errors, sizes, Fraction(rate))


LADDERS = [*small_ladders(), Levels((-7, 10**30), (2, 2), Fraction(1, 10**29)), Levels((0, 500), (1, 3), Fraction(1))]


def heads(levels: Levels) -> list[tuple[int, arb]]:
    """Every hypothesis: its level and its chance of heads."""
    return [
        (level, (-ball(levels.rate * (errors - levels.errors[0]))).exp())
        for level, (errors, size) in enumerate(zip(levels.errors, levels.sizes, strict=True))
        for _ in range(size)
    ]


def permute_and_flip(levels: Levels) -> list[arb]:
    """McKenna and Sheldon, literally: go through a random order, flip each coin, stop at the first heads."""
    law = [arb(0)] * len(levels)
    coins = heads(levels)
    for order in permutations(coins):
        running = arb(1)
        for level, chance in order:
            law[level] += running * chance / factorial(len(coins))
            running *= 1 - chance
    return law


def noisy_max(levels: Levels) -> list[arb]:
    """With exponential noise: h wins if its noise exceeds its gap by some y and all the others stay below.

    P = integral over y of e^-(gap + y) * product over the others of (1 - e^-(y + their gap)), multiplied out.
    """
    law = [arb(0)] * len(levels)
    coins = heads(levels)
    for index, (level, chance) in enumerate(coins):
        others = [other for _, other in coins[:index] + coins[index + 1 :]]
        for count in range(len(others) + 1):
            for chosen in combinations(others, count):
                term = chance / (1 + count)
                for other in chosen:
                    term *= -other
                law[level] += term
    return law


def enumerated_race(levels: Levels) -> list[arb]:
    coins = EnumeratingCoins(reach=1, bits=BITS)
    coins.race(levels)
    ((law,), _) = coins.path()
    assert law.values == tuple(range(len(levels)))
    return [arb(probability) for probability in law.probabilities]


def equal(some: Sequence[arb], others: Sequence[arb]) -> bool:
    """Balls narrower than 2^-180 that overlap: the same numbers, as far as that can be seen."""
    pairs = list(zip(some, others, strict=True))
    assert all(each.rad() < arb(2) ** -BLUR_BITS for pair in pairs for each in pair)
    return all(one.overlaps(other) for one, other in pairs)


@pytest.mark.parametrize("literal", [permute_and_flip, noisy_max])
def test_an_enumerated_race_is_the_literal_mechanism(literal: Callable[[Levels], list[arb]]):
    """All ladders of at most four hypotheses, whole: equality of balls of radius < 2^-180."""
    assert len(LADDERS) >= 150
    with precision(BITS):
        for levels in LADDERS:
            assert equal(enumerated_race(levels), literal(levels)), levels


def test_a_race_with_another_rate_is_told_from_it():
    """Power: 30 % off, and one part in 2^160."""
    with precision(BITS):
        levels = Levels((0, 1, 3), (1, 2, 1), Fraction(1, 2))
        for factor in (Fraction(7, 10), Fraction(13, 10), 1 + Fraction(1, 2**160)):
            other = Levels(levels.errors, levels.sizes, levels.rate * factor)
            assert not equal(enumerated_race(levels), permute_and_flip(other))


def test_the_exponential_mechanism_is_told_from_it():
    with precision(BITS):
        levels = Levels((0, 1), (1, 1), Fraction(1, 2))
        weights = levels.balls(BITS)
        total = sum(weights, arb(0))
        assert not equal(enumerated_race(levels), [weight / total for weight in weights])


# From bits: every pair of words.


def winner(levels: Levels, words: Sequence[int], word_bits: int) -> int | None:
    try:
        return race(ListedBits(words, word_bits=word_bits), levels)
    except Exhausted:
        return None


def enumerate_race(levels: Levels, *, residual_bits: int) -> Enumerated:
    """Squares of side 2^-depth, quartered until the undecided ones cover less than 2^-residual_bits."""
    masses: dict[int, Fraction] = {}
    squares, depth = [(0, 0)], 0
    while len(squares) << residual_bits >= 1 << 2 * depth:
        quarters = [(2 * a + i, 2 * b + j) for a, b in squares for i in (0, 1) for j in (0, 1)]
        depth += 1
        outcomes = [winner(levels, words, depth) for words in quarters]
        tally(masses, outcomes, Fraction(1, 1 << 2 * depth))
        squares = [words for words, outcome in zip(quarters, outcomes, strict=True) if outcome is None]
    return Enumerated(masses, Fraction(len(squares), 1 << 2 * depth))


PAIRS = [
    Levels((0, 1), (1, 1), Fraction(0)),
    Levels((0, 1), (1, 1), Fraction(1)),
    Levels((0, 2), (3, 50), Fraction(1, 2)),
    Levels((-3, 4), (1, 1000), Fraction(2)),
    Levels((0, 7), (40, 1), Fraction(1, 7)),
    Levels((10**30, 10**30 + 1), (2, 3), Fraction(2, 3)),
]


def race_exactly(levels: Levels) -> Callable[[int], arb]:
    return lambda level: race_law(levels)[level]


@pytest.mark.parametrize("levels", PAIRS)
def test_a_race_of_two_uniforms_is_enumerated_to_its_law(levels: Levels):
    """decided <= exact <= decided + residual, residual < 2^-12; 30 % off is rejected by the same comparison."""
    enumerated = enumerate_race(levels, residual_bits=12)
    assert enumerated.residual < Fraction(1, 1 << 12)
    assert sum(enumerated.decided.values()) + enumerated.residual == 1
    assert enumerated.contradictions(race_exactly(levels)) == []
    for factor in (Fraction(7, 10), Fraction(13, 10)):
        other = Levels(levels.errors, levels.sizes, levels.rate * factor)
        assert not levels.rate or enumerated.contradictions(race_exactly(other)) != []


def test_a_race_of_three_uniforms_is_never_decided_against_its_law():
    """All triples of 5-bit words: no level gets more than its exact probability."""
    levels = Levels((0, 1, 2), (1, 4, 9), Fraction(3, 4))
    masses: dict[int, Fraction] = {}
    outcomes = [winner(levels, words, 5) for words in product(range(32), repeat=3)]
    tally(masses, outcomes, Fraction(1, 1 << 15))
    assert Enumerated(masses, Fraction(outcomes.count(None), 1 << 15)).contradictions(race_exactly(levels)) == []


def test_refining_a_race_bit_by_bit_decides_as_all_bits_at_once():
    """All four words of two bits for two levels: the refined cells are the finer ones."""
    levels = Levels((0, 2), (3, 50), Fraction(1, 2))
    for first, second in product(range(16), repeat=2):
        by_bit = [bit for place in (3, 2, 1, 0) for bit in (first >> place & 1, second >> place & 1)]
        assert winner(levels, by_bit, 1) == winner(levels, (first, second), 4)


def test_one_level_wins_alone():
    assert race(ListedBits([5], word_bits=8), Levels((3,), (2**1000,), Fraction(1))) == 0
