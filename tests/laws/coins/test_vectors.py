# SPDX-License-Identifier: Apache-2.0
"""The vector forms are the scalar laws: from the same words they decide the same outcomes, word for word.

Every first word of 8 to 16 bits is tried. Words that tie with a boundary or lie in a tail go on with the words
that follow, in the vector path exactly as in the scalar law.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from discreet.coins import uniform as scalar
from discreet.coins import vectors
from discreet.coins.balls import ball, precision
from discreet.coins.bits import ListedBits
from discreet.coins.contract import Bits
from discreet.coins.uniform import Uniform

Scalar = Callable[[Uniform], int]


def continuation(word_bits: int, count: int = 20_000) -> list[int]:
    """Words that follow the first ones; the first sixteen are all 0, then all 1, so that ties go on for long."""
    rest = np.random.default_rng(7).integers(0, 1 << word_bits, count).tolist()
    return [0] * 8 + [(1 << word_bits) - 1] * 8 + rest


def one_by_one(law: Scalar, first: range, word_bits: int) -> tuple[list[int], int]:
    """What the scalar law makes of each first word, and how many of them needed more words."""
    later = Counted(continuation(word_bits), word_bits)
    outcomes, refined = [], 0
    for word in first:
        before = later.drawn
        outcomes.append(int(law(Uniform(later, word, word_bits))))
        refined += later.drawn > before
    return outcomes, refined


class Counted(ListedBits):
    """Listed words that count how many were drawn."""

    def __init__(self, words: list[int], word_bits: int) -> None:
        super().__init__(words, word_bits=word_bits)
        self.drawn = 0

    def word(self) -> int:
        self.drawn += 1
        return super().word()


def together(draw: Callable[[Bits], np.ndarray], word_bits: int) -> list[int]:
    """What the vector path makes of all first words in order, with the same continuation."""
    every = [*range(1 << word_bits), *continuation(word_bits)]
    return [int(value) for value in draw(ListedBits(every, word_bits=word_bits))]


STRIDE_ONE = [("1/10", 12), ("1/2", 12), ("1", 12), ("1", 16), ("5/2", 12), ("10", 12), ("100", 12), ("1000", 10)]


@pytest.mark.parametrize(("text", "word_bits"), STRIDE_ONE)
def test_geometrics_are_the_scalar_geometric(text: str, word_bits: int):
    """Stride 1: every first word, ties and tails included."""
    scale = Fraction(text)
    single, refined = one_by_one(lambda u: scalar.geometric(u, scale), range(1 << word_bits), word_bits)
    assert together(lambda bits: vectors.geometrics(bits, scale, 1 << word_bits), word_bits) == single
    assert refined > 0


@pytest.mark.parametrize("tail", [1, 3])
def test_words_beyond_the_table_are_decided_by_the_scalar_law(tail: int, monkeypatch: pytest.MonkeyPatch):
    """A table cut to a tail of 2^-1 or 2^-3 leaves an eighth and more of the words to the scalar law."""
    scale, width = Fraction(3), 10
    monkeypatch.setattr(vectors, "TAIL", tail)
    vectors.strides.cache_clear()
    table = vectors.strides(scale, 1, width)
    drawn = together(lambda bits: table.draw(bits, 1 << width), width)
    vectors.strides.cache_clear()
    assert drawn == one_by_one(lambda u: scalar.geometric(u, scale), range(1 << width), width)[0]
    assert len(table.thresholds) < 30


SPLITS = [("1025", 4, 12), ("3000", 8, 10), ("1e6", 2048, 12), ("6e7", 1 << 17, 9)]


@pytest.mark.parametrize(("text", "stride", "word_bits"), SPLITS)
def test_a_split_geometric_draws_its_stride_and_its_rest_by_the_scalar_laws(text: str, stride: int, word_bits: int):
    """Beyond scale 1,024: both tables, every first word."""
    scale, count = Fraction(text), 1 << word_bits
    assert vectors.stride_for(scale) == stride
    for table, law in (
        (vectors.strides(scale, stride, word_bits), scalar.stride_of_geometric),
        (vectors.rests(scale, stride, word_bits), scalar.rest_of_geometric),
    ):
        single, _ = one_by_one(lambda u, law=law: law(u, scale, stride), range(count), word_bits)
        assert together(lambda bits, table=table: table.draw(bits, count), word_bits) == single


def test_stride_and_rest_have_the_law_of_the_geometric_together():
    """By counting: P[stride] P[rest] = P[X] for the X they are joined to, and each X is joined from one pair."""
    scale, stride = Fraction(5, 2), 4
    index, rest = (grid.ravel() for grid in np.meshgrid(np.arange(-9, 11), np.arange(stride)))
    joined = vectors.joined(index, rest, stride)
    assert sorted(joined.tolist()) == list(range(-39, 41))
    with precision(320):
        r = (-1 / ball(scale)).exp()
        for h, i, x in zip(index.tolist(), rest.tolist(), joined.tolist(), strict=True):
            of_stride = (1 - r**stride) / (1 + r) * (r ** (stride * -h) if h <= 0 else r ** (1 + stride * (h - 1)))
            of_rest = r**i * (1 - r) / (1 - r**stride)
            together = of_stride * of_rest
            assert together.overlaps((1 - r) / (1 + r) * r ** abs(x))


def test_the_split_draws_high_words_then_low_words():
    """The whole path: `geometrics` is `joined` of the two tables' draws from the same words."""
    scale, count = Fraction(4000), 1 << 10
    words = np.random.default_rng(3).integers(0, 1 << 16, 3 * count).tolist()
    drawn = vectors.geometrics(ListedBits(words, word_bits=16), scale, count)
    bits = ListedBits(words, word_bits=16)
    stride = vectors.stride_for(scale)
    high = [scalar.stride_of_geometric(Uniform(bits, word, 16), scale, stride) for word in bits.words(count).tolist()]
    low = [scalar.rest_of_geometric(Uniform(bits, word, 16), scale, stride) for word in bits.words(count).tolist()]
    assert drawn.tolist() == vectors.joined(np.array(high), np.array(low), stride).tolist()
    assert 3000 < np.abs(drawn).mean() < 5000


def test_scales_too_large_for_tables_are_drawn_one_by_one():
    scale = Fraction(10**12)
    words = np.random.default_rng(5).integers(0, 1 << 63, 100, dtype=np.uint64).tolist()
    bits = ListedBits(words, word_bits=64)
    single = [scalar.geometric(Uniform(bits), scale) for _ in range(20)]
    assert vectors.geometrics(ListedBits(words, word_bits=64), scale, 20).tolist() == single


def test_scale_zero_is_no_noise():
    assert vectors.geometrics(ListedBits([], word_bits=8), Fraction(0), 3).tolist() == [0, 0, 0]


def test_boundaries_are_floored_with_as_much_precision_as_they_need():
    """Begun with 20 bits, the floors of 64-bit words are the same."""

    def boundaries() -> list[arb]:
        return [(-ball(Fraction(place, 7))).exp() for place in range(20, 0, -1)]

    assert np.array_equal(vectors._floors(boundaries, 64, bits=20), vectors._floors(boundaries, 64))


@pytest.mark.parametrize("word", [1, (1 << 64) - 2])
def test_a_draw_beyond_int64_is_returned_as_2_to_the_62(word: int):
    drawn = vectors.geometrics(ListedBits([word] * 9, word_bits=64), Fraction(10**30), 1)
    assert drawn.tolist() == [-(1 << 62) if word == 1 else 1 << 62]


CHANCES = "0 1 1/2 1/3 2/3 1/7 1/4096 4095/4096 1/5000 4999/5000 1/1000000007 1365/4096 0.3".split()  # noqa: SIM905


@pytest.mark.parametrize("text", CHANCES)
def test_bernoullis_are_the_scalar_bernoulli(text: str):
    chance, width = Fraction(text), 12
    single, _ = one_by_one(lambda u: scalar.bernoulli(u, chance), range(1 << width), width)
    assert together(lambda bits: vectors.bernoullis(bits, chance, 1 << width), width) == single


@pytest.mark.parametrize("width", [1, 5, 8, 12])
def test_dyadics_are_the_scalar_bernoulli(width: int):
    """All first words against numerators that tie with none, one, and every word."""
    step = 1 << (64 - width)
    for offset in (0, 1, step // 2, step - 1):
        tops = np.array([((word * 5 % (1 << width)) * step + offset) for word in range(1 << width)], dtype=np.uint64)
        same = np.array([word * step + offset for word in range(1 << width)], dtype=np.uint64)
        for numerators in (tops, same):
            later = ListedBits(continuation(width), word_bits=width)
            single = [
                scalar.bernoulli(Uniform(later, word, width), Fraction(int(top), 1 << 64))
                for word, top in enumerate(numerators)
            ]
            assert together(lambda bits, k=numerators: vectors.dyadics(bits, k), width) == single


def test_dyadics_of_whole_words_are_one_comparison():
    """At 64 bits: U < k / 2^64 is word < k, with no ties left."""
    tops = np.array([0, 1, 1, 2**63, 2**64 - 1, 2**64 - 1], dtype=np.uint64)
    words = [0, 0, 1, 2**63, 2**64 - 1, 2**64 - 2]
    drawn = vectors.dyadics(ListedBits(words, word_bits=64), tops)
    assert drawn.tolist() == [False, True, False, False, False, True]


BOUNDS = [1, 2, 3, 5, 7, 10, 100, 255, 256, 257, 1000, 4095, 4096, 4097, 10**6, 2**32 - 1, 2**32]


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("width", [4, 8, 12])
def test_belows_are_the_scalar_below(bound: int, width: int):
    single, _ = one_by_one(lambda u: scalar.below(u, bound), range(1 << width), width)
    assert together(lambda bits: vectors.belows(bits, bound, 1 << width), width) == single


@pytest.mark.parametrize("width", [31, 32, 33, 48, 63, 64])
def test_belows_of_wide_words_do_not_overflow(width: int):
    """Words at and beside every boundary of the largest bounds."""
    for bound in (3, 10**9, 2**32 - 1, 2**32):
        edges = [(j << width) // bound for j in (0, 1, 2, bound // 2, bound - 1, bound)]
        words = sorted({word for edge in edges for word in (edge - 1, edge, edge + 1) if 0 <= word < 1 << width})
        later = ListedBits(continuation(min(width, 62)), word_bits=width)
        single = [scalar.below(Uniform(later, word, width), bound) for word in words]
        bits = ListedBits([*words, *continuation(min(width, 62))], word_bits=width)
        assert vectors.belows(bits, bound, len(words)).tolist() == single


BLOCKWISE = [
    lambda bits, count: vectors.geometrics(bits, Fraction(2), count),
    lambda bits, count: vectors.bernoullis(bits, Fraction(1, 3), count),
    lambda bits, count: vectors.belows(bits, 10, count),
]


@pytest.mark.parametrize("draw", BLOCKWISE, ids=["geometrics", "bernoullis", "belows"])
def test_long_vectors_are_their_blocks_one_after_the_other(draw: Callable[[Bits, int], np.ndarray]):
    count = vectors.BLOCK + 100
    words = np.random.default_rng(11).integers(0, 1 << 63, count + 50, dtype=np.uint64).tolist()
    bits = ListedBits(words, word_bits=64)
    parts = [draw(bits, vectors.BLOCK), draw(bits, 100)]
    whole = draw(ListedBits(words, word_bits=64), count)
    assert whole.tolist() == np.concatenate(parts).tolist()


@pytest.mark.parametrize("factor", ["0.7", "1.3"])
def test_another_scale_decides_other_words(factor: str):
    """Power: a table of 30 % less or more scale disagrees with the scalar law."""
    scale, width = Fraction(2), 8
    single, _ = one_by_one(lambda u: scalar.geometric(u, scale), range(1 << width), width)
    wrong = together(lambda bits: vectors.geometrics(bits, scale * Fraction(factor), 1 << width), width)
    assert wrong != single
