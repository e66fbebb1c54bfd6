# SPDX-License-Identifier: Apache-2.0
"""A mechanism is a function of its rows and coins; one that keeps anything back between runs is found out."""

from __future__ import annotations

from fractions import Fraction
from itertools import count, cycle
from typing import Any

import pytest

from discreet.coins.contract import Coins
from discreet.coins.enumerating import NotPure
from discreet.verification.verify import verify
from tests.laws.verification.test_exact_distances import case_of


def other_laws() -> Any:
    """Asks for another law every other time."""
    turns = cycle((2, 3))
    return lambda data, coins: coins.below(next(turns))


def fewer_draws() -> Any:
    """Draws twice the first time and once from then on."""
    calls = count()
    return lambda data, coins: [coins.below(2) for _ in range(1 if next(calls) else 2)]


def other_scales() -> Any:
    """Asks for the same kind of law at another scale."""
    calls = count(1)
    return lambda data, coins: max(0, min(1, coins.geometric(Fraction(1, next(calls)))))


@pytest.mark.parametrize("make", [other_laws, fewer_draws, other_scales], ids=lambda make: make.__name__)
def test_other_draws_on_the_same_path_are_refused(make: Any) -> None:
    with pytest.raises(NotPure):
        verify(case_of(make()))


def test_more_draws_than_before_make_another_law() -> None:
    """The path goes on where it ended before, so this is no contradiction, and still no pass."""
    calls = count()

    def release(data: tuple[int, ...], coins: Coins) -> int:
        for _ in range(next(calls)):
            coins.bernoulli(Fraction(1, 2))
        return 0

    with pytest.raises(NotPure):
        verify(case_of(lambda data, coins: release(data, coins) if next(calls) < 9 else 1 // 0))
