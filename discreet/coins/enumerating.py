# SPDX-License-Identifier: Apache-2.0
"""Enumerating coins: the same laws as branches, each with its exact probability.

A mechanism run with these coins takes one path; `next_path` moves on to the next one, depth first, until
all were walked. Probabilities are rationals, and balls where e^-x enters. The tails of a geometric are
folded: every draw beyond `reach` is the branch at `reach`, with the tail's whole probability.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import NoReturn

import numpy as np
from flint import arb, fmpq

from discreet.coins import domains
from discreet.coins.balls import Ball, ball, precision
from discreet.coins.bits import UNIQUE
from discreet.coins.contract import Booleans, Integers, Ranked, Weights, Words
from discreet.coins.levels import race_law
from discreet.errors import DiscreetError, EntropyError

Probability = fmpq | Ball

MOST_BRANCHES = 1 << 16
MOST_RACERS = 1 << 12
"""The law of a race is the integral of a polynomial of this degree."""


LARGEST = 1 << 62
"""Where far tails are put: as far out as a vector of draws can hold."""


class Unverifiable(DiscreetError):
    """Nothing can be said about a mechanism: it cannot be enumerated, or what it shows cannot be compared."""


class NotPure(Unverifiable):
    """A mechanism that does not repeat itself on the same rows and coins: it draws from elsewhere too."""


class Law:
    """One law's branches: values and their probabilities, none zero. Laws are told apart by identity."""

    __slots__ = ("probabilities", "values")

    def __init__(self, values: Sequence[int], probabilities: Sequence[Probability]) -> None:
        pairs = zip(values, probabilities, strict=True)
        kept = [(value, chance) for value, chance in pairs if not (isinstance(chance, fmpq) and chance == 0)]
        self.values = tuple(value for value, _ in kept)
        self.probabilities = tuple(chance for _, chance in kept)


class EnumeratingCoins:
    """Coins that walk every branch. `bits` is the precision of balls, `reach` where tails are folded.

    A folded tail's draw is `reach` itself, or as far out as can be if `far`. `simulated` is what the coins say of
    themselves: a mechanism must not care.
    """

    def __init__(self, *, reach: int, bits: int = 256, far: bool = False, simulated: bool = True) -> None:
        domains.require_integer("reach", reach, 1)
        domains.require_integer("bits", bits, 2)
        self.reach, self.bits, self.simulated = reach, bits, simulated
        self._end = LARGEST if far else reach
        self.names: list[str] = []
        self._laws: dict[Hashable, Law] = {}
        self._path: list[int] = []
        self._walked: list[Law] = []
        self._depth = 0
        self.folded = False
        """Whether a geometric with tails was asked, so that `reach` mattered."""

    def restart(self) -> None:
        """Go back to the start of the current path."""
        self._depth = 0
        self.names.clear()

    def next_path(self) -> bool:
        """Move on to the next path; False when all were walked, and then start over."""
        if self._depth != len(self._path):
            raise NotPure("a mechanism drew fewer coins when it was run again on the same rows and coins.")
        while self._path:
            self._path[-1] += 1
            if self._path[-1] < len(self._walked[-1].values):
                return True
            self._path.pop()
            self._walked.pop()
        return False

    def path(self) -> tuple[tuple[Law, ...], tuple[int, ...]]:
        """The laws that were asked and the branch taken at each."""
        return tuple(self._walked), tuple(self._path)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise EntropyError(UNIQUE)

    def below(self, count: int) -> int:
        """count branches of 1/count each."""
        domains.require_integer("count", count, 1)
        self.names.append("below")
        return self._draw(self._below(count))

    def bernoulli(self, probability: Fraction) -> bool:
        """Two branches."""
        domains.require_probability(probability)
        self.names.append("bernoulli")
        return bool(self._draw(self._bernoulli(probability)))

    def bernoulli_exp(self, exponent: Fraction) -> bool:
        """Two branches."""
        domains.require_nonnegative("exponent", exponent)
        self.names.append("bernoulli_exp")
        return bool(self._draw(self._law(("exp", exponent), lambda: self._exponential(exponent))))

    def geometric(self, scale: Fraction) -> int:
        """2 reach + 1 branches, the outermost with their tails."""
        domains.require_nonnegative("scale", scale)
        self.names.append("geometric")
        return self._draw(self._geometric(scale))

    def belows(self, bound: int, count: int) -> Integers:
        """bound^count branches."""
        domains.require_integer("bound", bound, 1, 1 << 32)
        domains.require_integer("count", count, 0)
        self.names.append(f"belows x {count}")
        return self._draws([self._below(bound)] * count)

    def bernoullis(self, probability: Fraction, count: int) -> Booleans:
        """2^count branches."""
        domains.require_probability(probability)
        domains.require_integer("count", count, 0)
        self.names.append(f"bernoullis x {count}")
        return self._draws([self._bernoulli(probability)] * count).astype(np.bool_)

    def dyadics(self, numerators: Words) -> Booleans:
        """Two branches for each numerator."""
        domains.require_numerators(numerators)
        self.names.append(f"dyadics x {len(numerators)}")
        laws = [self._bernoulli(Fraction(int(numerator), 1 << 64)) for numerator in numerators]
        return self._draws(laws).astype(np.bool_)

    def geometrics(self, scale: Fraction, count: int) -> Integers:
        """(2 reach + 1)^count branches."""
        domains.require_nonnegative("scale", scale)
        domains.require_integer("count", count, 0)
        self.names.append(f"geometrics x {count}")
        return self._draws([self._geometric(scale)] * count)

    def choose(self, weights: Weights) -> int:
        """A branch a level."""
        domains.require_levels("weights", weights, "balls")
        self.names.append("choose")
        return self._draw(self._law(("choose", weights), lambda: self._proportional(weights)))

    def race(self, levels: Ranked) -> int:
        """A branch a level, by the closed form of permute-and-flip."""
        domains.require_levels("levels", levels, "errors", "sizes", "rate")
        if sum(levels.sizes) > MOST_RACERS:
            raise Unverifiable(f"a race of more than {MOST_RACERS} things is too large to be enumerated.")
        self.names.append("race")
        return self._draw(self._law(("race", levels), lambda: self._raced(levels)))

    def _draw(self, law: Law) -> int:
        depth = self._depth
        self._depth = depth + 1
        if depth == len(self._path):
            self._path.append(0)
            self._walked.append(law)
            return law.values[0]
        if self._walked[depth] is not law:
            raise NotPure("a mechanism asked other coins when it was run again on the same rows and coins.")
        return law.values[self._path[depth]]

    def _draws(self, laws: Sequence[Law]) -> Integers:
        return np.array([self._draw(law) for law in laws], dtype=np.int64)

    def _law(self, key: Hashable, make: Callable[[], tuple[Sequence[int], Sequence[Probability]]]) -> Law:
        law = self._laws.get(key)
        if law is None:
            with precision(self.bits):
                law = self._laws[key] = Law(*make())
        return law

    def _below(self, count: int) -> Law:
        if count > MOST_BRANCHES:
            raise Unverifiable(f"a draw with more than {MOST_BRANCHES} branches is too large to be enumerated.")
        return self._law(("below", count), lambda: (range(count), [fmpq(1, count)] * count))

    def _bernoulli(self, probability: Fraction) -> Law:
        chance = fmpq(probability.numerator, probability.denominator)
        return self._law(("bernoulli", probability), lambda: ((1, 0), (chance, 1 - chance)))

    def _exponential(self, exponent: Fraction) -> tuple[Sequence[int], Sequence[Probability]]:
        chance = (-ball(exponent)).exp()
        return ((1, 0), (chance, 1 - chance)) if exponent else ((1,), (fmpq(1),))

    def _geometric(self, scale: Fraction) -> Law:
        return self._law(("geometric", scale), lambda: self._folded(scale))

    def _folded(self, scale: Fraction) -> tuple[Sequence[int], Sequence[Probability]]:
        if not scale:
            return (0,), (fmpq(1),)
        self.folded = True
        ratio, reach = (-1 / ball(scale)).exp(), self.reach
        one_side = [(1 - ratio) / (1 + ratio) * ratio**size for size in range(reach)]
        one_side.append(ratio**reach / (1 + ratio))
        values = (-self._end, *range(1 - reach, reach), self._end)
        return values, [one_side[abs(value)] for value in range(-reach, reach + 1)]

    def _proportional(self, weights: Weights) -> tuple[Sequence[int], Sequence[Probability]]:
        balls = weights.balls(self.bits)
        total = sum(balls, arb(0))
        return range(len(balls)), [weight / total for weight in balls]

    def _raced(self, levels: Ranked) -> tuple[Sequence[int], Sequence[Probability]]:
        return range(len(levels)), race_law(levels)
