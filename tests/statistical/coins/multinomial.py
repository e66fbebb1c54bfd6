# SPDX-License-Identifier: Apache-2.0
"""Tests of counts with an error probability that is proved for every size, not read off a limit theorem.

*One sample.* Agrawal (IEEE Trans. Inf. Theory 2020, Thm I.2): for n draws from a law p on k outcomes and t > k - 1,
P[n KL(counts/n || p) >= t] <= e^-t (e t / (k - 1))^(k - 1).

*Two samples* of n draws each. Given the pooled counts c, each count of the first sample is hypergeometric with mean
c/2, so (Hoeffding 1963) P[|x/n - c/2n| that far] <= 2 e^(-n KL(x/n || c/2n)); a union over k outcomes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

LEVEL = 1e-8
"""The error probability of one comparison. The suites make fewer than 60 in CI: below 1e-6 in all."""


def divergence(some: float, other: float) -> float:
    """KL between two coins."""
    parts = [(some, other), (1 - some, 1 - other)]
    return sum(x * math.log(x / y) for x, y in parts if x > 0)


def threshold(outcomes: int) -> float:
    """The t at which Agrawal's bound is LEVEL, by bisection (the bound decreases beyond k - 1)."""
    free = outcomes - 1
    low, high = float(free), 1e4
    for _ in range(200):
        middle = (low + high) / 2
        exceeds = -middle + free * (1 + math.log(middle / free)) > math.log(LEVEL)
        low, high = (middle, high) if exceeds else (low, middle)
    return high


def fits(counts: Sequence[int], law: Sequence[float]) -> bool:
    """Whether counts may come from the law; if they do this is False with probability below LEVEL."""
    total = sum(counts)
    assert abs(sum(law) - 1) < 1e-9
    score = sum(c * math.log(c / (total * p)) for c, p in zip(counts, law, strict=True) if c)
    return score < threshold(len(law))


def alike(some: Sequence[int], others: Sequence[int]) -> bool:
    """Whether two samples of one size may come from one law; if they do, False with probability below LEVEL."""
    draws = sum(some)
    assert draws == sum(others)
    limit = math.log(2 * len(some) / LEVEL)
    pooled = [(x + y) / (2 * draws) for x, y in zip(some, others, strict=True)]
    return all(draws * divergence(x / draws, q) < limit for x, q in zip(some, pooled, strict=True) if q)


def variation(some: Sequence[float], other: Sequence[float]) -> float:
    """The total variation distance of two laws."""
    return sum(abs(p - q) for p, q in zip(some, other, strict=True)) / 2


def surely_rejected(draws: int, truth: Sequence[float], other: Sequence[float]) -> bool:
    """Whether `fits` rejects `other` on `draws` draws from `truth` but with probability below e^-40.

    With d their total variation, on the event A that realises it, counts(A)/n - other(A) >= d/2 but with probability
    e^(-n d^2 / 2) (Hoeffding), and then n KL >= n d^2 / 2 (Pinsker).
    """
    return draws * variation(truth, other) ** 2 / 2 > max(40.0, threshold(len(truth)))


def surely_told_apart(draws: int, some: Sequence[float], other: Sequence[float]) -> bool:
    """Whether `alike` rejects samples of the two laws but with probability below 1e-10.

    With d their greatest difference on one outcome, both counts are within n d/4 but with probability
    4 e^(-n d^2 / 8), and then n KL(x/n || pooled) >= 2 n (d/4)^2 = n d^2 / 8.
    """
    d = max(abs(p - q) for p, q in zip(some, other, strict=True))
    return draws * d**2 / 8 > max(25.0, math.log(2 * len(some) / LEVEL))


def binned(draws: np.ndarray, edges: Sequence[int]) -> list[int]:
    """How many draws are below the first edge, from each edge to the next, and from the last on."""
    cells = np.searchsorted(np.asarray(edges), draws, side="right")
    return np.bincount(cells, minlength=len(edges) + 1).tolist()


def geometric_law(scale: float, edges: Sequence[int]) -> list[float]:
    """The probabilities of these bins under a two-sided geometric."""

    def below(edge: int) -> float:
        ratio = math.exp(-1 / scale)
        return ratio ** (1 - edge) / (1 + ratio) if edge <= 1 else 1 - ratio**edge / (1 + ratio)

    ends = [0.0, *(below(edge) for edge in edges), 1.0]
    return [high - low for low, high in pairwise(ends)]


def edges_for(scale: float) -> list[int]:
    """A dozen bins of like weight, 0 and 1 at the middle."""
    steps = [0.0, 0.25, 0.55, 0.95, 1.6, 2.6]
    right = [1 + math.floor(scale * step) for step in steps]
    return sorted({*right, *(1 - edge for edge in right)})
