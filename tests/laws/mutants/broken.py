# SPDX-License-Identifier: Apache-2.0

"""Broken mechanisms for which the shipped code has no place: bugs of the sparse vector technique, of split budgets, of
hidden state. Each stands beside a sound twin that differs in the one place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np

from discreet.coins.contract import Coins
from discreet.coins.levels import Levels
from discreet.mechanisms.counts import NoisyCount
from discreet.privacy.loss import PrivacyLoss
from discreet.verification.case import Case

Release = Callable[[Sequence[Any], Coins], object]
EPSILON = Fraction(1)


@dataclass(frozen=True)
class Claimed:
    """A release and the loss that its author claims for it."""

    release: Release
    loss: PrivacyLoss = field(default_factory=lambda: PrivacyLoss(EPSILON))

    def __call__(self, data: Sequence[Any], coins: Coins, /) -> object:
        return self.release(data, coins)


def claimed(name: str, release: Release, *, rows: int = 1, reach: int = 4, universe: tuple[Any, ...] = (0, 1)) -> Case:
    return Case(name=name, mechanism=Claimed(release), universe=universe, rows=rows, reach=reach, tight=False)


def noisy(value: int, epsilon: Fraction, high: int, coins: Coins) -> int:
    return NoisyCount(epsilon=epsilon, low=0, high=high)(value, coins)


def above_fixed_threshold(scale: Fraction) -> Release:
    """Three queries that all count the ones, each with fresh noise, compared with 1 until the first is above."""

    def release(data: Sequence[int], coins: Coins) -> tuple[bool, ...]:
        noise = coins.geometrics(scale, 3).tolist()
        above = [sum(data) + step >= 1 for step in noise]
        return tuple(above[: above.index(True) + 1]) if True in above else tuple(above)

    return release


def released_with_the_noise_compared(scale: Fraction) -> Release:
    """As above, and the noisy answer that passed is released, clamped."""

    def release(data: Sequence[int], coins: Coins) -> tuple[int, ...]:
        noise = coins.geometrics(scale, 3).tolist()
        return tuple(min(2, sum(data) + step) if sum(data) + step >= 1 else 0 for step in noise)

    return release


def noiseless_queries(queries: Sequence[Callable[[Sequence[int]], int]]) -> Release:
    """A noisy threshold, clamped to where it matters, and queries without noise (Lyu, Su, Li 2017, variant 5)."""

    def release(data: Sequence[int], coins: Coins) -> tuple[bool, ...]:
        threshold = noisy(1, EPSILON, 2, coins)
        return tuple(query(data) >= threshold for query in queries)

    return release


def ones(data: Sequence[int]) -> int:
    return sum(data)


def zeros(data: Sequence[int]) -> int:
    return len(data) - sum(data)


def halves(each: Fraction) -> Release:
    """Two noisy counts out of one budget."""
    return lambda data, coins: (noisy(sum(data), each, 2, coins), noisy(sum(data), each, 2, coins))


def rounds(number: int, share: Fraction) -> Release:
    """A bit told with a lie of weight e^-epsilon each round, epsilon divided by what need not be their number."""
    levels = Levels((0, 1), (1, 1), EPSILON / share)
    return lambda data, coins: tuple(data[0] ^ coins.choose(levels) for _ in range(number))


def one_noise_for_two(data: Sequence[int], coins: Coins) -> tuple[int, int]:
    """Two different counts with the same noise: their difference is exact."""
    noise = coins.geometric(Fraction(2))
    return tuple(max(0, min(2, count + noise)) for count in (ones(data), zeros(data)))  # pyright: ignore


def a_noise_each(data: Sequence[int], coins: Coins) -> tuple[int, ...]:
    return tuple(noisy(count, EPSILON / 2, 2, coins) for count in (ones(data), zeros(data)))


def labels_inferred(data: Sequence[str], coins: Coins) -> dict[str, int]:
    """A noisy count of each label that occurs."""
    return {label: noisy(list(data).count(label), EPSILON / 2, 2, coins) for label in sorted(set(data))}


def labels_declared(data: Sequence[str], coins: Coins) -> dict[str, int]:
    return {label: noisy(list(data).count(label), EPSILON / 2, 2, coins) for label in ("a", "b")}


def range_inferred(data: Sequence[int], coins: Coins) -> int:
    """A noisy maximum clamped to the range of the rows."""
    return max(min(data), min(max(data), max(data) + coins.geometric(Fraction(2))))


def range_declared(data: Sequence[int], coins: Coins) -> int:
    return NoisyCount(epsilon=EPSILON, low=0, high=2, sensitivity=2)(max(data), coins)


def sample_of_the_rows(data: Sequence[int], coins: Coins) -> int:
    """A random row, as it is: 1/n is no noise."""
    return data[coins.below(len(data))]


def response_of_a_row(data: Sequence[int], coins: Coins) -> int:
    return noisy(data[coins.below(len(data))], EPSILON, 1, coins)


def bucket_of_a_hash(data: Sequence[str], coins: Coins) -> int:
    """Hashing is no noise, whatever the salt."""
    salt = coins.below(4)
    return sum(ord(letter) for letter in data[0]) * (2 * salt + 1) % 8


def kanonymous(data: Sequence[str], coins: Coins) -> dict[str, int]:
    """Cells of at least two rows, exactly."""
    return {cell: n for cell in sorted(set(data)) if (n := list(data).count(cell)) >= 2}


def rounded(data: Sequence[int], coins: Coins) -> int:
    """A count to the next even number."""
    return 2 * (sum(data) // 2)


def until_plausible(data: Sequence[int], coins: Coins) -> int:
    """Noise drawn again, twice at most, while the answer is off the range: the number of draws tells."""
    answer = 0
    for _ in range(2):
        answer = sum(data) + coins.geometric(Fraction(1))
        if 0 <= answer <= 2:
            return answer
    return max(0, min(2, answer))


def drawn_once(data: Sequence[int], coins: Coins) -> int:
    return noisy(sum(data), EPSILON, 2, coins)


def rejected_early(data: Sequence[int], coins: Coins) -> int | None:
    """Nothing is drawn when there is nothing to count."""
    return None if not any(data) else noisy(sum(data), EPSILON, 2, coins)


SOUND = (
    claimed("three comparisons of scale 3/epsilon", above_fixed_threshold(Fraction(3))),
    claimed("three noisy answers of scale 3/epsilon", released_with_the_noise_compared(Fraction(3))),
    claimed("one noisy threshold, one query", noiseless_queries([ones]), reach=2),
    claimed("one noisy threshold, twice the same query", noiseless_queries([ones, ones]), reach=2),
    claimed("epsilon/2 for each half", halves(EPSILON / 2), rows=2),
    claimed("six rounds of epsilon/6", rounds(6, Fraction(6)), reach=1),
    claimed("a noise for each answer", a_noise_each, rows=2),
    claimed("labels declared", labels_declared, universe=("a", "b"), rows=2),
    claimed("range declared", range_declared, universe=(0, 1, 2), rows=2),
    claimed("randomized response of a random row", response_of_a_row, rows=3),
    claimed("a count, drawn once", drawn_once, rows=2),
)

BROKEN = (
    claimed(
        "sparse vector: no noise on the threshold, epsilon charged once for all queries", above_fixed_threshold(EPSILON)
    ),
    claimed(
        "sparse vector: the noisy answer is released with the noise that was compared",
        released_with_the_noise_compared(EPSILON),
    ),
    claimed("sparse vector: no noise on the queries", noiseless_queries([ones, zeros]), reach=2),
    claimed("each half gets the whole epsilon", halves(EPSILON), rows=2),
    claimed("epsilon divided by 5.32, and six rounds run", rounds(6, Fraction("5.32")), reach=1),
    claimed("one noise for two answers", one_noise_for_two, rows=2),
    claimed("labels inferred from the rows", labels_inferred, universe=("a", "b"), rows=2),
    claimed("range inferred from the rows", range_inferred, universe=(0, 1, 2), rows=2),
    claimed("a random row, as it is", sample_of_the_rows, rows=3),
    claimed("a salted hash", bucket_of_a_hash, universe=("a", "b")),
    claimed("cells of at least two rows", kanonymous, universe=("a", "b"), rows=3),
    claimed("a rounded count", rounded, rows=2),
    claimed("drawn again while implausible", until_plausible, rows=2),
    claimed("nothing drawn where there is nothing", rejected_early, rows=2),
)


# Hidden state and randomness from elsewhere. Each is made anew, so that no test depends on another.


def counting_calls() -> Release:
    """The answer tells how often it was called before."""
    calls = count()
    return lambda data, coins: (next(calls), coins.below(2))


def foreign_noise() -> Release:
    """Noise of NumPy's, not of the coins."""
    generator = np.random.default_rng(5)
    return lambda data, coins: sum(data) + int(generator.integers(1 << 40))


def noise_remembered() -> Release:
    """The noise of the first call, kept for all the others."""
    kept: list[int] = []

    def release(data: Sequence[int], coins: Coins) -> int:
        if not kept:
            kept.append(coins.geometric(Fraction(1)))
        return max(0, min(2, sum(data) + kept[0]))

    return release


def answers_remembered() -> Release:
    """The answer on rows seen before is not drawn again."""
    seen: dict[tuple[int, ...], int] = {}

    def release(data: Sequence[int], coins: Coins) -> int:
        key = tuple(data)
        if key not in seen:
            seen[key] = noisy(sum(data), EPSILON, 1, coins)
        return seen[key]

    return release


def coins_chosen_elsewhere() -> Release:
    """Which law is asked depends on what is not in the rows or the coins."""
    calls = count()
    return lambda data, coins: coins.below(2) if next(calls) % 2 else coins.below(3)


IMPURE = (noise_remembered, answers_remembered, coins_chosen_elsewhere)
"""Their draws differ when they are run again on the same rows and coins."""

UNSTEADY = (counting_calls, foreign_noise)
"""Their draws are the same, but not what they show."""
