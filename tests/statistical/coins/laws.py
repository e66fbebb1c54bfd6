# SPDX-License-Identifier: Apache-2.0
"""Laws of small integers as doubles, each as a function of a factor on its scale: 1 is the law itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from discreet.coins.levels import Levels, race_law

Law = Callable[[float], list[float]]


def coin(chance: float) -> Law:
    return lambda factor: [1 - chance * factor, chance * factor]


def uniform(count: int) -> Law:
    """Uniform, but for the first half of the outcomes, which are `factor` times as likely as they should be."""
    half = count // 2

    def law(factor: float) -> list[float]:
        first = factor / count
        return [first] * half + [(1 - first * half) / (count - half)] * (count - half)

    return law


def exponential(ladder: Levels) -> Law:
    """The exponential mechanism, level by level."""

    def law(factor: float) -> list[float]:
        rate = float(ladder.rate) * factor
        weights = [size * math.exp(-rate * errors) for errors, size in zip(ladder.errors, ladder.sizes, strict=True)]
        return [weight / sum(weights) for weight in weights]

    return law


def flipped(ladder: Levels) -> Law:
    """Permute-and-flip, level by level."""

    def law(factor: float) -> list[float]:
        scaled = Levels(ladder.errors, ladder.sizes, ladder.rate * Fraction(factor))
        return [float(chance.mid()) for chance in race_law(scaled)]

    return law
