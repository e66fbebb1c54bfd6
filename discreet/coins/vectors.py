# SPDX-License-Identifier: Apache-2.0
"""Many draws of one law at once, exactly as the scalar laws give them.

Each draw starts with one word. Nearly all words are decided by comparing them with integers made once for the
law; a word that ties with a boundary, or lies in a tail beyond the table, goes on as the lazily refined
uniform of the scalar law, from that word.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np
from flint import arb

from discreet.coins import uniform as scalar
from discreet.coins.balls import ball, precision
from discreet.coins.contract import Bits, Booleans, Integers, Words
from discreet.coins.kernels import make_guide, place
from discreet.coins.uniform import Uniform

BLOCK = 1 << 16
"""Words handled at a time, so that they stay in the cache."""

TAIL = 24
"""A tail of less than 2^-24 is left out of the table; its words are refined one by one."""

WIDEST_TABLE = 1024
"""Up to this scale one table serves; beyond, a geometric is split into its stride and the rest."""

LARGEST = 1 << 62
"""What a vector of int64 holds for a draw beyond it."""


@dataclass(frozen=True)
class Table:
    """The law of an integer: boundaries between first, first + 1, ... as floors of 2^word_bits times them."""

    first: int
    thresholds: Words
    guide: Integers
    word_bits: int
    decide: Callable[[Uniform], int]

    def draw(self, bits: Bits, count: int) -> Integers:
        """`count` draws: one word each, undecided ones refined in order."""
        words = bits.words(count)
        index = place(words, self.thresholds, self.guide, self.word_bits)
        out = index + self.first
        for position in np.flatnonzero(index < 0).tolist():
            drawn = self.decide(Uniform(bits, int(words[position]), self.word_bits))
            out[position] = max(-LARGEST, min(LARGEST, drawn))
        return out


def geometrics(bits: Bits, scale: Fraction, count: int) -> Integers:
    """`count` two-sided geometrics; beyond scale 1,024 the stride and the rest are drawn separately."""
    if not scale:
        return np.zeros(count, dtype=np.int64)
    stride = stride_for(scale)
    if stride is None:
        draws = (scalar.geometric(Uniform(bits), scale) for _ in range(count))
        return np.array([max(-LARGEST, min(LARGEST, draw)) for draw in draws], dtype=np.int64)
    high = strides(scale, stride, bits.word_bits)
    if stride == 1:
        return in_blocks(count, lambda size: high.draw(bits, size))
    low = rests(scale, stride, bits.word_bits)
    return in_blocks(count, lambda size: joined(high.draw(bits, size), low.draw(bits, size), stride))


def stride_for(scale: Fraction) -> int | None:
    """The stride that keeps both tables small; None where none does (a scale of 2^27 and more)."""
    if scale <= WIDEST_TABLE:
        return 1
    stride = 1 << (int(scale) * 2 // WIDEST_TABLE).bit_length()
    return stride if stride <= 1 << 18 else None


def joined(stride_index: Integers, rest: Integers, stride: int) -> Integers:
    """The geometric that lies `rest` into its stride, away from zero."""
    left = -(stride * -stride_index + rest)
    return np.where(stride_index <= 0, left, 1 + stride * (stride_index - 1) + rest)


def in_blocks(count: int, draw: Callable[[int], Integers]) -> Integers:
    """`count` draws, a block at a time."""
    out = np.empty(count, dtype=np.int64)
    for start in range(0, count, BLOCK):
        out[start : start + BLOCK] = draw(min(BLOCK, count - start))
    return out


@lru_cache(maxsize=32)
def strides(scale: Fraction, stride: int, word_bits: int) -> Table:
    """P[stride index <= -h] = r^(stride h) / (1 + r) on the left; 1 minus r times that on the right."""
    reach = int(Fraction(694, 1000) * min(TAIL, word_bits) * scale / stride) + 2

    def boundaries() -> list[arb]:
        ratio, step = (-1 / ball(scale)).exp(), (-stride / ball(scale)).exp()
        left = [step**height / (1 + ratio) for height in range(reach + 1)]
        return left[::-1] + [1 - ratio * value for value in left[1:]]

    floors = _floors(boundaries, word_bits)
    decide = partial(scalar.stride_of_geometric, scale=scale, stride=stride)
    return Table(-reach, floors, make_guide(floors, word_bits), word_bits, decide)


@lru_cache(maxsize=32)
def rests(scale: Fraction, stride: int, word_bits: int) -> Table:
    """P[rest < i] = (1 - r^i) / (1 - r^stride). The ends 0 and 1 are taken for the boundaries 0 and stride,
    so that only the first and the last word are left to the scalar law there.
    """

    def boundaries() -> list[arb]:
        ratio = -1 / ball(scale)
        whole = 1 - (stride * ratio).exp()
        return [(1 - (index * ratio).exp()) / whole for index in range(1, stride)]

    floors = np.concatenate([_words(0), _floors(boundaries, word_bits), _words((1 << word_bits) - 1)])
    decide = partial(scalar.rest_of_geometric, scale=scale, stride=stride)
    return Table(-1, floors, make_guide(floors, word_bits), word_bits, decide)


def _floors(boundaries: Callable[[], list[arb]], word_bits: int, bits: int = 256) -> Words:
    """floor(2^word_bits * b) of irrational boundaries b, each certain."""
    with precision(bits):
        floors = [(value * 2**word_bits).floor().unique_fmpz() for value in boundaries()]
    certain = [int(value) for value in floors if value is not None]
    if len(certain) < len(floors):
        return _floors(boundaries, word_bits, 2 * bits)
    return _words(*certain)


def _words(*values: int) -> Words:
    return np.array(values, dtype=np.uint64)


def bernoullis(bits: Bits, probability: Fraction, count: int) -> Booleans:
    """`count` Bernoullis of one rational probability: a word below p * 2^word_bits, ties refined."""
    out = np.empty(count, dtype=np.bool_)
    top, tie = divmod(probability.numerator << bits.word_bits, probability.denominator)
    if top >> bits.word_bits:
        out[:] = True
        return out
    for start in range(0, count, BLOCK):
        words = bits.words(min(BLOCK, count - start))
        np.less(words, np.uint64(top), out=out[start : start + BLOCK])
        for position in np.flatnonzero(words == np.uint64(top)).tolist() if tie else ():
            out[start + position] = scalar.bernoulli(Uniform(bits, top, bits.word_bits), probability)
    return out


def dyadics(bits: Bits, numerators: Words) -> Booleans:
    """One Bernoulli(k / 2^64) for each numerator k."""
    words = bits.words(len(numerators))
    if bits.word_bits == 64:
        return words < numerators
    tops = numerators >> np.uint64(64 - bits.word_bits)
    out = words < tops
    for position in np.flatnonzero(words == tops).tolist():
        chance = Fraction(int(numerators[position]), 1 << 64)
        out[position] = scalar.bernoulli(Uniform(bits, int(words[position]), bits.word_bits), chance)
    return out


def belows(bits: Bits, bound: int, count: int) -> Integers:
    """`count` uniform integers below `bound` <= 2^32: the high part of word * bound, ties refined."""
    if bound == 1:
        return np.zeros(count, dtype=np.int64)
    return in_blocks(count, lambda size: _belows(bits, bound, size))


def _belows(bits: Bits, bound: int, count: int) -> Integers:
    words, width = bits.words(count), bits.word_bits
    high, low = _times(words, bound, width)
    room = np.uint64((1 << width) - bound) if bound < 1 << width else None
    out = high.astype(np.int64)
    undecided = range(count) if room is None else np.flatnonzero(low > room).tolist()
    for position in undecided:
        out[position] = scalar.below(Uniform(bits, int(words[position]), width), bound)
    return out


def _times(words: Words, bound: int, width: int) -> tuple[Words, Words]:
    """The high and the low `width` bits of words * bound, without overflow for bound <= 2^32."""
    factor, half = np.uint64(bound), np.uint64(32)
    if width <= 32:
        product = words * factor
        return product >> np.uint64(width), product & np.uint64((1 << width) - 1)
    upper, lower = (words >> half) * factor, (words & np.uint64((1 << 32) - 1)) * factor
    middle = upper + (lower >> half)
    mask = np.uint64((1 << width) - 1)
    return middle >> np.uint64(width - 32), (words * factor) & mask
