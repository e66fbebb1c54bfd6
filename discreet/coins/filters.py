# SPDX-License-Identifier: Apache-2.0
"""The one place where floats take part: certified filters in front of exact decisions.

A filter answers only where its error bound leaves no doubt; everywhere else it says so and the exact ball
arithmetic decides. So no float decides what is released, it only spares work.

**The bound.** Let u = 2^-53 and gap_j = errors_j - errors_0. No libm function is called: `_powers` multiplies
two table entries, each the midpoint of an `arb` ball of relative radius below 2^-90, made a double: an error
of at most 2u relative, whichever neighbour is taken. A product of two such and one rounding err by a factor
within (1 + 2u)^2 (1 + u): less than 6u. A size is rounded once, and so is the product with it: every weight
m_j * e^(-rate * gap_j) is known within 9u < 2^-49. Nothing is subnormal: the entries used and their products
are above 2^-902, as gaps with rate * gap > 900 * 0.694 > 900 ln 2 give 0 instead; sizes are below 2^100. The
k - 1 sums, one after the other, of positive terms err by at most a further (1 + u)^(k - 1) - 1 < 1.01 k u
relative, k < 2^20; the terms set to 0 weigh less than 2^100 * 2^-900 together, against a first weight of at
least 1. So every cumulative weight is within 1.01 k u + 10 u. `choice` compares two of them, one of which was
multiplied by a word's end (two roundings more, and one each for the factors 1 +- slack): the ratio is off by
less than 2.02 k u + 28 u. It calls them ordered when (1 + slack) and (1 - slack) apart, slack = (k + 64)
2^-52: 4 k u + 256 u, nearly twice that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from discreet.coins.balls import Ball, ball, ends, precision
from discreet.coins.contract import Ranked, Words

WORTHWHILE = 64
"""Fewer levels than this are decided by balls at once."""

LARGEST_TABLE = 1 << 17
NEGLIGIBLE_BITS = 900
SIZE_BITS = 100
MOST_LEVELS = 1 << 20

Floats = NDArray[np.float64]


def choice(levels: Ranked, word: int, depth: int) -> int | None:
    """The level that the cell [word, word + 1) / 2^depth surely falls in, or None when floats cannot tell."""
    weights = _weights(levels)
    if weights is None:
        return None
    edges = np.cumsum(weights)
    total = float(edges[-1])
    slack = (len(weights) + 64) * 2.0**-52
    low, high = (float(Fraction(end, 1 << depth)) * total for end in (word, word + 1))
    level = int(np.searchsorted(edges, high * (1 + slack)))
    if level == len(weights) or high * (1 + slack) > edges[level] * (1 - slack):
        return None
    return level if level == 0 or low * (1 - slack) >= edges[level - 1] * (1 + slack) else None


def contenders(levels: Ranked, words: Words, depth: int, least: Callable[[int], Ball]) -> list[int]:
    """The levels that may still win a race after their first words: all but those surely behind a favourite.

    Scores are counted in 1/rate from a noiseless thing of the first level. The favourite, any level at all,
    surely reaches the lower end s of `least(favourite)`, or s = 0 where that is more, for the first level
    does. Level j is behind s iff U^(1/m) < 1 - q e^-s, q = e^(-rate * gap_j). As (1 - x)^m >= 1 - m x for 0
    <= x <= 1, that is sure when 1 - U > m q e^-s at the cell's upper end U = (word + 1) / 2^depth. Both sides
    are within 2^-48 relative, or below 2^-700 where a power was set to 0 or a product underflows.
    """
    weights = _weights(levels)
    if weights is None:
        return list(range(len(levels)))
    short = (np.uint64((1 << depth) - 1) - words).astype(np.float64) * 2.0**-depth
    favourite = int(np.argmax(weights / np.maximum(short, 2.0**-80)))
    with precision(128):
        reached = max(ends(least(favourite))[0], Fraction(0))
        factor = _midpoint((-ball(reached)).exp())
    behind = short * (1 - 2.0**-40) > weights * factor * (1 + 2.0**-40) + 2.0**-700
    behind[favourite if reached else 0] = False
    return np.flatnonzero(~behind).tolist()


def _weights(levels: Ranked) -> Floats | None:
    """m_j * e^(-rate * gap_j) within 2^-49 relative, 0 where negligible; None beyond the bound's domain."""
    if len(levels) >= MOST_LEVELS or sum(levels.sizes).bit_length() > SIZE_BITS:
        return None
    powers = _powers(levels.rate, levels.errors)
    return None if powers is None else powers * np.array(levels.sizes, dtype=np.float64)


def _powers(rate: Fraction, errors: Sequence[int]) -> Floats | None:
    """e^(-rate * gap) for every gap, from two tables; 0 where it is below 2^-900."""
    if not rate:
        return np.ones(len(errors))
    spread = errors[-1] - errors[0]
    most = min(spread, int(NEGLIGIBLE_BITS * Fraction(694, 1000) / rate))
    if most >= LARGEST_TABLE**2 or spread >= 1 << 62:
        return None
    fits = not abs(errors[-1]) >> 62  # and so does errors[0], the spread being less
    gaps = (np.array(errors, dtype=np.int64 if fits else object) - errors[0]).astype(np.int64)
    low, high = _tables(rate, isqrt(most) + 1)
    rows, columns = np.divmod(np.minimum(gaps, most), len(low) - 1)
    return np.where(gaps <= most, high[rows] * low[columns], 0.0)


@lru_cache(maxsize=16)
def _tables(rate: Fraction, width: int) -> tuple[Floats, Floats]:
    """e^(-rate * i) and e^(-rate * width * i), i <= width, each the midpoint of a ball made a double."""
    with precision(128):
        return _midpoints(rate, width + 1), _midpoints(rate * width, width + 1)


def _midpoints(rate: Fraction, count: int) -> Floats:
    return np.array([_midpoint((-ball(rate * index)).exp()) for index in range(count)])


def _midpoint(value: Ball) -> float:
    return float(value.mid())  # pyright: ignore[reportUnknownArgumentType]  # flint's stubs leave it out
