# SPDX-License-Identifier: Apache-2.0
"""Enumerating coins walk every branch once, with its probability, and see mechanisms that are not pure."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq

from discreet.coins.balls import precision
from discreet.coins.contract import Coins
from discreet.coins.enumerating import EnumeratingCoins, NotPure
from discreet.coins.levels import Levels
from discreet.errors import DiscreetError

THIRD = Fraction(1, 3)


def walk(mechanism: Callable[[Coins], object], *, reach: int = 2) -> tuple[list[object], list[arb]]:
    """Every path's outcome and probability, in the order they are walked."""
    coins = EnumeratingCoins(reach=reach, bits=256)
    outcomes, chances = [], []
    with precision(256):
        while True:
            coins.restart()
            outcomes.append(mechanism(coins))
            chance = arb(1)
            for law, branch in zip(*coins.path(), strict=True):
                chance *= law.probabilities[branch]
            chances.append(chance)
            if not coins.next_path():
                return outcomes, chances


MECHANISMS: dict[str, tuple[Callable[[Coins], object], int]] = {
    "nothing": (lambda coins: 0, 1),
    "below": (lambda coins: coins.below(5), 5),
    "bernoulli": (lambda coins: coins.bernoulli(THIRD), 2),
    "certain": (lambda coins: coins.bernoulli(Fraction(1)), 1),
    "impossible": (lambda coins: coins.bernoulli(Fraction(0)), 1),
    "bernoulli_exp": (lambda coins: coins.bernoulli_exp(THIRD), 2),
    "exp of 0": (lambda coins: coins.bernoulli_exp(Fraction(0)), 1),
    "geometric": (lambda coins: coins.geometric(THIRD), 5),
    "no noise": (lambda coins: coins.geometric(Fraction(0)), 1),
    "belows": (lambda coins: tuple(coins.belows(3, 2)), 9),
    "bernoullis": (lambda coins: tuple(coins.bernoullis(THIRD, 3)), 8),
    "dyadics": (lambda coins: tuple(coins.dyadics(np.array([0, 2**63, 1], dtype=np.uint64))), 4),
    "geometrics": (lambda coins: tuple(coins.geometrics(THIRD, 2)), 25),
    "choose": (lambda coins: coins.choose(Levels((0, 2), (3, 5), THIRD)), 2),
    "race": (lambda coins: coins.race(Levels((0, 2), (3, 5), THIRD)), 2),
    "a tree": (lambda coins: coins.below(3) if coins.bernoulli(THIRD) else coins.geometric(THIRD), 8),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_branch_is_walked_once_and_they_add_up_to_one(name: str):
    mechanism, paths = MECHANISMS[name]
    outcomes, chances = walk(mechanism)
    assert len(outcomes) == paths
    if name != "a tree":
        assert len(set(outcomes)) == paths
    with precision(256):
        total = sum(chances, arb(0))
        assert total.overlaps(arb(1))
        assert total.rad() < arb(2) ** -240


def test_tails_are_folded_into_the_outermost_branches():
    """P[X >= reach] = r^reach / (1 + r), at both ends."""
    outcomes, chances = walk(lambda coins: coins.geometric(THIRD), reach=3)
    with precision(256):
        r = arb(-3).exp()
        assert outcomes == [-3, -2, -1, 0, 1, 2, 3]
        assert chances[0].overlaps(r**3 / (1 + r))
        assert chances[-1].overlaps(r**3 / (1 + r))
        assert chances[2].overlaps((1 - r) / (1 + r) * r)


def test_rational_laws_are_exact():
    coins = EnumeratingCoins(reach=1)
    coins.bernoulli(THIRD)
    coins.below(7)
    first, second = coins.path()[0]
    assert first.probabilities == (fmpq(1, 3), fmpq(2, 3))
    assert second.probabilities == (fmpq(1, 7),) * 7


def test_the_names_of_the_coins_asked_are_noted():
    coins = EnumeratingCoins(reach=1)
    coins.below(2)
    coins.geometrics(THIRD, 2)
    assert coins.names == ["below", "geometrics x 2"]
    coins.restart()
    assert coins.names == []


def test_equal_parameters_have_one_law():
    coins = EnumeratingCoins(reach=1)
    coins.choose(Levels((0, 2), (3, 5), THIRD))
    coins.choose(Levels((0, 2), (3, 5), THIRD))
    first, second = coins.path()[0]
    assert first is second


def test_enumerating_coins_are_simulated():
    assert EnumeratingCoins(reach=1).simulated


def test_a_mechanism_that_asks_other_coins_the_second_time_is_not_pure():
    hidden = iter([2, 3])
    with pytest.raises(NotPure, match="asked other coins") as caught:
        walk(lambda coins: coins.below(next(hidden)))
    assert isinstance(caught.value, DiscreetError)


def test_a_mechanism_that_draws_fewer_coins_the_second_time_is_not_pure():
    hidden = iter([2, 1, 1])
    with pytest.raises(NotPure, match="drew fewer coins"):
        walk(lambda coins: [coins.below(2) for _ in range(next(hidden))])
