# SPDX-License-Identifier: Apache-2.0
"""The float filters never decide against the balls: their error bound holds, and they answer only within it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from flint import arb

from discreet.coins import filters, levels
from discreet.coins.balls import Ball, ball, ends, precision
from discreet.coins.bits import ListedBits, SeededBits
from discreet.coins.levels import Levels
from discreet.coins.uniform import Uniform

DEPTH = 64
RATES = "0 1/1000000 1/10000 1/300 1/20 1/3 1 7/2 40 200 624 625 700 740 746 1000 100000".split()  # noqa: SIM905


def random_levels(seed: int, *, most: int = 300, size_bits: int = 92) -> Levels:
    """Ladders of all shapes: dense and sparse errors, sizes of one bit and of many, near and far from zero."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, most))
    steps = rng.integers(1, 2 + 10 ** int(rng.integers(0, 5)), count).tolist()
    offset = (0, -50, 10**30, -(10**30), 2**62, -(2**62))[int(rng.integers(6))]
    widths = rng.integers(0, int(rng.integers(1, size_bits)), count).tolist()
    sizes = tuple((1 << width) + int(rng.integers(1 << min(width, 62))) for width in widths)
    errors = tuple(offset + total for total in accumulate(steps))
    return Levels(errors, sizes, Fraction(RATES[int(rng.integers(len(RATES)))]))


def float_weights(ladder: Levels) -> np.ndarray:
    weights = filters._weights(ladder)
    assert weights is not None
    return weights


def exact_weights(ladder: Levels) -> list[Ball]:
    return [
        size * (-ball(ladder.rate * (errors - ladder.errors[0]))).exp()
        for errors, size in zip(ladder.errors, ladder.sizes, strict=True)
    ]


@pytest.mark.parametrize("seed", range(40))
def test_weights_are_within_2_to_the_minus_49(seed: int):
    """|float - exact| <= 2^-49 exact, or the float is 0 and the exact weight negligible: the docstring's bound."""
    ladder = random_levels(seed)
    weights = float_weights(ladder)
    with precision(256):
        for weight, exact in zip(weights.tolist(), exact_weights(ladder), strict=True):
            error = abs(arb(weight) - exact)
            assert error <= exact * arb(2) ** -49 if weight else exact < arb(2) ** (filters.SIZE_BITS - 900)


@pytest.mark.parametrize("seed", range(40))
def test_cumulative_weights_are_within_their_bound(seed: int):
    """(1.01 k + 10) 2^-53 relative for k levels."""
    ladder = random_levels(seed)
    edges = np.cumsum(float_weights(ladder)).tolist()
    bound = Fraction(101 * len(edges) + 1000, 100 << 53)
    with precision(256):
        for edge, exact in zip(edges, accumulate(exact_weights(ladder)), strict=True):
            assert abs(arb(edge) - exact) <= exact * ball(bound)


@pytest.mark.parametrize("seed", range(6))
def test_the_bound_holds_for_a_hundred_thousand_levels(seed: int):
    """Spot checks of the cumulative sums of a long ladder, where rounding errors add up."""
    rng = np.random.default_rng(seed)
    sizes = tuple(int(size) for size in rng.integers(1, 2**62, 10**5))
    ladder = Levels(tuple(range(10**5)), sizes, Fraction(1, 10**4) * (seed > 2))
    edges = np.cumsum(float_weights(ladder))
    with precision(192):
        ratio, power, total = (-ball(ladder.rate)).exp(), arb(1), arb(0)
        for size in sizes:
            total += size * power
            power *= ratio
        assert abs(arb(float(edges[-1])) - total) <= total * ball(Fraction(101 * 10**5 + 1000, 100 << 53))


def words_at_boundaries(ladder: Levels, count: int, seed: int) -> list[int]:
    """Words beside boundaries of the cumulative law, as near as one word, as far as the filter's band, and random."""
    rng = np.random.default_rng(seed)
    with precision(256):
        edges = list(accumulate(exact_weights(ladder)))
        cuts = [int(ends(edge / edges[-1])[0] * 2**DEPTH) for edge in edges[:-1]] or [0]
    near = [cuts[int(rng.integers(len(cuts)))] for _ in range(count)]
    away = [0, 1, -1, 2, -2, *(sign << shift for shift in range(2, 40) for sign in (1, -1))]
    words = [cut + away[int(rng.integers(len(away)))] for cut in near]
    words += [0, 1, 2**DEPTH - 1, 2**DEPTH - 2, *rng.integers(0, 2**64, count, dtype=np.uint64).tolist()]
    return [word for word in words if 0 <= word < 1 << DEPTH]


@pytest.mark.parametrize("seed", range(40))
def test_a_choice_never_disagrees_with_the_balls(seed: int):
    """Where the filter answers the balls give the same level, or would need more words and then could give it."""
    ladder = random_levels(seed, most=120)
    for word in words_at_boundaries(ladder, 40, seed):
        level = filters.choice(ladder, word, DEPTH)
        if level is not None:
            assert level == levels._place(ladder, word, DEPTH)


def test_a_choice_is_undecided_only_near_boundaries():
    """The filter is worth having: of 10,000 random words it places all but those in its band."""
    ladder = Levels(tuple(range(1000)), tuple(range(1, 1001)), Fraction(1, 100))
    words = SeededBits(1).words(10_000).tolist()
    assert all(filters.choice(ladder, word, DEPTH) is not None for word in words)


@pytest.mark.parametrize("rate", ["0", "1/50", "1", "700"])
def test_a_choice_of_every_12_bit_word_is_that_of_the_balls(rate: str):
    """All words of 12 bits, a ladder of 80 levels: the filter answers exactly where the cell is inside one level."""
    ladder = Levels(tuple(range(0, 160, 2)), tuple(1 + j * j for j in range(80)), Fraction(rate))
    for word in range(1 << 12):
        assert filters.choice(ladder, word, 12) in (None, levels._place(ladder, word, 12))


def test_chosen_with_the_filter_is_chosen_without(monkeypatch: pytest.MonkeyPatch):
    """All first words of 10 bits, refined by the words that follow: the same level."""
    ladder = Levels(tuple(range(100)), tuple(1 + j for j in range(100)), Fraction(1, 30))

    def every() -> list[int]:
        later = SeededBits(3)
        cut = (later.word() >> 54 for _ in iter(int, 1))
        return [levels.chosen(Uniform(ListedBits(cut, word_bits=10), word, 10), ladder) for word in range(1 << 10)]

    filtered = every()
    monkeypatch.setattr(filters, "WORTHWHILE", 1000)
    assert every() == filtered


def low_score(ladder: Levels, words: np.ndarray, depth: int) -> Callable[[int], Ball]:
    return lambda j: levels._score(ladder, j, Uniform(ListedBits([], word_bits=1), int(words[j]), depth))[0]


@pytest.mark.parametrize("depth", [4, 12, 64])
@pytest.mark.parametrize("seed", range(25))
def test_no_level_that_could_still_win_is_dropped(seed: int, depth: int):
    """Every level not surely behind by balls is among the contenders: the winner always is."""
    ladder = random_levels(seed, most=90)
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 1 << depth, len(ladder), dtype=np.uint64)
    words[rng.integers(0, len(ladder), 3)] = (1 << depth) - 1
    words[rng.integers(0, len(ladder), 3)] = 0
    kept = filters.contenders(ladder, words, depth, low_score(ladder, words, depth))
    uniforms = {j: Uniform(ListedBits([], word_bits=1), int(word), depth) for j, word in enumerate(words)}
    assert set(levels._ahead(ladder, uniforms)) <= set(kept)


def test_a_race_with_the_filter_is_the_race_without(monkeypatch: pytest.MonkeyPatch):
    """Two hundred races of 100 levels on 8-bit words, ties refined: the same winner from the same words."""
    ladder = Levels(tuple(range(100)), tuple(1 + j * j for j in range(100)), Fraction(1, 15))

    def winners() -> list[int]:
        return [levels.race(ListedBits(listed(seed), word_bits=64), ladder) for seed in range(200)]

    def listed(seed: int) -> list[int]:
        return [word & ~(2**56 - 1) for word in SeededBits(seed).words(100).tolist()] + [seed, 2**63] * 500

    filtered = winners()
    monkeypatch.setattr(filters, "WORTHWHILE", 1000)
    assert winners() == filtered
    assert len(set(filtered)) > 20


def test_a_long_race_keeps_few_contenders():
    """10^5 levels that nearly all may win: a favourite drops all but a handful."""
    ladder = Levels(tuple(range(10**5)), tuple(range(1, 10**5 + 1)), Fraction(1, 10**4))
    words = SeededBits(5).words(10**5)
    assert len(filters.contenders(ladder, words, 64, low_score(ladder, words, 64))) < 50


@pytest.mark.parametrize(
    "ladder",
    [
        Levels(tuple(range(70)), (2**1000,) * 70, Fraction(1, 3)),
        Levels(tuple(range(70)), (2**94,) * 70, Fraction(1, 3)),
        Levels((-(2**62), *range(1, 70)), (1,) * 70, Fraction(1, 3)),
        Levels((0, *range(2**61, 2**61 + 69)), (1,) * 70, Fraction(1, 10**17)),
    ],
    ids=["sizes of 1000 bits", "a sum of 101 bits", "a spread of 2^62", "a table of 2^34"],
)
def test_outside_its_domain_the_filter_answers_nothing(ladder: Levels):
    words = np.arange(70, dtype=np.uint64)
    assert filters.choice(ladder, 2**63, DEPTH) is None
    assert filters.contenders(ladder, words, DEPTH, low_score(ladder, words, DEPTH)) == list(range(70))
    assert 0 <= levels.choose(SeededBits(1), ladder) < 70
    assert 0 <= levels.race(SeededBits(1), ladder) < 70


ODD = [
    Levels((0,), (2**1000,), Fraction(5)),
    Levels((-(10**30),), (1,), Fraction(0)),
    Levels((10**30, 10**30 + 1), (1, 2**1000), Fraction(1, 7)),
    Levels(tuple(10**30 * j for j in range(70)), (1,) * 70, Fraction(1, 10**29)),
    Levels(tuple(10**30 + j for j in range(70)), (1,) * 70, Fraction(10**30)),
    Levels(tuple(range(70)), (2**1000,) * 70, Fraction(0)),
    Levels(tuple(range(70)), tuple(2 ** (10 * j) for j in range(70)), Fraction(7)),
    Levels((0, 10**6), (1, 2**1000), Fraction(1)),
    Levels((0, 1), (1, 1), Fraction(1, 10**40)),
]


@pytest.mark.parametrize("ladder", ODD)
def test_odd_ladders_are_drawn_from(ladder: Levels):
    """Sizes of 2^1000, errors of 10^30, rates of 0 and 10^30, one level: every draw is a level."""
    bits = SeededBits(2)
    assert {levels.choose(bits, ladder) for _ in range(20)} <= set(range(len(ladder)))
    assert {levels.race(bits, ladder) for _ in range(20)} <= set(range(len(ladder)))


def test_levels_too_bad_to_matter_are_not_weighed():
    """`head` leaves out what weighs less than 2^-bits together, and its ball around the rest contains it."""
    ladder = Levels(tuple(range(0, 5000, 7)), tuple(3**j for j in range(715)), Fraction(1, 2))
    for bits in (64, 128, 256):
        with precision(2048):
            weights = ladder.balls(bits)
            head, rest = ladder.head(bits)
            left_out = sum(weights[len(head) :], arb(0))
            assert rest.contains(left_out)
            assert rest.upper() <= weights[0] * arb(2) ** -bits
            assert all(one.overlaps(other) for one, other in zip(head, weights, strict=False))
            assert len(head) < len(weights)


def test_more_than_ln_2_is_taken_for_ln_2():
    with precision(128):
        assert ball(levels.HALVES_PER_NEPER) > arb(2).log()
        assert ball(Fraction(694, 1000)) > arb(2).log()
