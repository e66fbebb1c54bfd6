# SPDX-License-Identifier: Apache-2.0
"""The one numeric kernel of this room: place words among thresholds. With numba, or with NumPy alone.

Both give the same integers. numba is imported and compiled when the first long vector is drawn, its code
is kept in the user's cache; where no cache can be written it compiles for this process only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from discreet.coins.contract import Integers, Words

LONG = 1 << 16
"""Shorter vectors do not load numba, which would take longer than placing them with NumPy."""

GUIDE_BITS = 16

SIGNATURE = "void(uint64[::1], uint64[::1], int64[::1], int64, int64[::1])"

Place = Callable[[Words, Words, Integers, int, Integers], None]


def place(words: Words, thresholds: Words, guide: Integers, word_bits: int) -> Integers:
    """How many thresholds are below each word, or -1 - that number where the word ties or is beyond the ends.

    `thresholds` increase (not strictly); `guide` is `make_guide(thresholds, word_bits)`.
    """
    compiled = _compiled() if len(words) >= LONG or _compiled.cache_info().currsize else None
    if compiled is None:
        return _place_numpy(words, thresholds)
    out = np.empty(len(words), dtype=np.int64)
    compiled(words, thresholds, guide, word_bits - _guide_bits(word_bits), out)
    return out


def make_guide(thresholds: Words, word_bits: int) -> Integers:
    """For each value of a word's leading bits, how many thresholds are below every such word."""
    bits = _guide_bits(word_bits)
    starts = np.arange(1 << bits, dtype=np.uint64) << np.uint64(word_bits - bits)
    return np.searchsorted(thresholds, starts, side="left").astype(np.int64)


def _guide_bits(word_bits: int) -> int:
    return min(GUIDE_BITS, word_bits)


def _place_numpy(words: Words, thresholds: Words) -> Integers:
    index = np.searchsorted(thresholds, words, side="left").astype(np.int64)
    last = len(thresholds) - 1
    undecided = (index == 0) | (index > last) | (thresholds[np.minimum(index, last)] == words)
    return np.where(undecided, -1 - index, index)


def _place_loop(words: Words, thresholds: Words, guide: Integers, shift: int, out: Integers) -> None:
    count = len(thresholds)
    for position in range(len(words)):
        word = words[position]
        index = guide[word >> np.uint64(shift)]
        while index < count and thresholds[index] < word:
            index += 1
        decided = 0 < index < count and thresholds[index] != word
        out[position] = index if decided else -1 - index


@cache
def _compiled() -> Place | None:
    try:
        from numba import njit  # pyright: ignore  # numba has no types
    except ImportError:
        return None
    try:
        return njit(SIGNATURE, cache=True, nogil=True)(_place_loop)
    except (RuntimeError, OSError):  # no folder that a cache could be written to, or no room in it
        return njit(SIGNATURE, nogil=True)(_place_loop)
