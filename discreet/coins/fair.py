# SPDX-License-Identifier: Apache-2.0
"""Coins made of bits: what releases (system), and what simulates (seeded)."""

from __future__ import annotations

from fractions import Fraction
from typing import NoReturn

from discreet.coins import domains, uniform, vectors
from discreet.coins import levels as level_laws
from discreet.coins.bits import UNIQUE, SeededBits, SystemBits
from discreet.coins.contract import LARGEST_BOUND, Bits, Booleans, Integers, Ranked, Weights, Words
from discreet.coins.uniform import Uniform
from discreet.errors import EntropyError


class FairCoins:
    """The exact laws of `Coins`, made of the words of one source."""

    def __init__(self, bits: Bits) -> None:
        self._bits = bits

    @property
    def simulated(self) -> bool:
        """True if the words were seeded or listed."""
        return self._bits.simulated

    def below(self, count: int) -> int:
        """Uniform on {0, ..., count - 1}."""
        domains.require_integer("count", count, 1)
        return uniform.below(Uniform(self._bits), count)

    def bernoulli(self, probability: Fraction) -> bool:
        """True with a rational probability."""
        domains.require_probability(probability)
        return uniform.bernoulli(Uniform(self._bits), probability)

    def bernoulli_exp(self, exponent: Fraction) -> bool:
        """True with probability e^-exponent."""
        domains.require_nonnegative("exponent", exponent)
        return uniform.bernoulli_exp(Uniform(self._bits), exponent)

    def geometric(self, scale: Fraction) -> int:
        """Two-sided geometric with ratio e^(-1/scale)."""
        domains.require_nonnegative("scale", scale)
        return uniform.geometric(Uniform(self._bits), scale)

    def belows(self, bound: int, count: int) -> Integers:
        """`count` draws of `below(bound)`."""
        domains.require_integer("bound", bound, 1, LARGEST_BOUND)
        domains.require_integer("count", count, 0)
        return vectors.belows(self._bits, bound, count)

    def bernoullis(self, probability: Fraction, count: int) -> Booleans:
        """`count` draws of `bernoulli(probability)`."""
        domains.require_probability(probability)
        domains.require_integer("count", count, 0)
        return vectors.bernoullis(self._bits, probability, count)

    def dyadics(self, numerators: Words) -> Booleans:
        """One draw of `bernoulli(k / 2^64)` for each numerator k."""
        domains.require_numerators(numerators)
        return vectors.dyadics(self._bits, numerators)

    def geometrics(self, scale: Fraction, count: int) -> Integers:
        """`count` draws of `geometric(scale)`."""
        domains.require_nonnegative("scale", scale)
        domains.require_integer("count", count, 0)
        return vectors.geometrics(self._bits, scale, count)

    def choose(self, weights: Weights) -> int:
        """Level j with probability weights[j] / sum(weights)."""
        domains.require_levels("weights", weights, "head")
        return level_laws.choose(self._bits, weights)

    def race(self, levels: Ranked) -> int:
        """The level of the winner of a race with one-sided exponential noise."""
        domains.require_levels("levels", levels, "errors", "sizes", "rate")
        return level_laws.race(self._bits, levels)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise EntropyError(UNIQUE)


class System(FairCoins):
    """Coins for one release, under a fresh key of the operating system. Make new ones for each release."""

    def __init__(self) -> None:
        super().__init__(SystemBits())


class Seeded(FairCoins):
    """Coins that repeat themselves: for simulations only, and all that is drawn with them is marked so."""

    def __init__(self, seed: int) -> None:
        super().__init__(SeededBits(seed))
