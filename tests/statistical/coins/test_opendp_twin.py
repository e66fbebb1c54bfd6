# SPDX-License-Identifier: Apache-2.0
"""OpenDP's samplers (Rust, path-branching, by Canonne, Kamath and Steinke) as an independent twin at full size.

Two samples of one size, ours and theirs, are told apart with probability below 1e-8 (`multinomial.LEVEL`) if their
laws are equal: below 1e-7 for all nine together. Our draws at 0.7 and at 1.3 times the scale are told from theirs but
with probability below 1e-10, which is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.coins.contract import Coins
from discreet.coins.fair import System
from discreet.coins.levels import Levels
from tests.statistical.coins import multinomial
from tests.statistical.coins.laws import Law, coin, exponential, flipped

dp: Any = pytest.importorskip("opendp.prelude")
dp.enable_features("contrib")

FACTORS = (Fraction(1), Fraction(7, 10), Fraction(13, 10))


@dataclass(frozen=True)
class Twin:
    """One law, drawn by us (its scale times a factor) and by OpenDP."""

    name: str
    draws: int
    ours: Callable[[Coins, Fraction, int], np.ndarray]
    theirs: Callable[[int], np.ndarray]
    law: Law
    edges: tuple[int, ...]


def laplace(scale: Fraction, draws: int = 100_000) -> Twin:
    """`make_laplace` over integers is the two-sided geometric."""
    domain = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    measurement = dp.m.make_laplace(*domain, scale=float(scale))
    edges = tuple(sorted({1 + int(scale), -int(scale)} | {0, 1}))

    return Twin(
        f"laplace {scale}",
        draws,
        lambda coins, factor, count: coins.geometrics(scale * factor, count),
        lambda count: np.array(measurement([0] * count)),
        lambda factor: multinomial.geometric_law(float(scale) * factor, edges),
        edges,
    )


def one_by_one_laplace() -> Twin:
    twin = laplace(Fraction(3))

    def ours(coins: Coins, factor: Fraction, count: int) -> np.ndarray:
        return np.array([coins.geometric(3 * factor) for _ in range(count)])

    return Twin("scalar laplace 3", twin.draws, ours, twin.theirs, twin.law, twin.edges)


def response() -> Twin:
    measurement = dp.m.make_randomized_response_bool(prob=0.75)
    chance = Fraction(3, 4)
    return Twin(
        "randomized response",
        20_000,
        lambda coins, factor, count: coins.bernoullis(chance * factor, count),
        lambda count: np.array([measurement(True) for _ in range(count)]),
        coin(0.75),
        (1,),
    )


def categories() -> Twin:
    """k-ary response: the true category with probability 1/2, else one of the six others, uniformly."""
    measurement = dp.m.make_randomized_response(list(range(7)), prob=0.5)

    def ours(coins: Coins, factor: Fraction, count: int) -> np.ndarray:
        return np.array([0 if coins.bernoulli(factor / 2) else 1 + coins.below(6) for _ in range(count)])

    return Twin(
        "k-ary response",
        20_000,
        ours,
        lambda count: np.array([measurement(0) for _ in range(count)]),
        lambda factor: [factor / 2, *[(1 - factor / 2) / 6] * 6],
        tuple(range(1, 7)),
    )


LADDER = Levels((0, 2, 3, 4), (1, 1, 2, 3), Fraction(1, 2))
CANDIDATES = [(errors, level) for level, errors in enumerate(LADDER.errors) for _ in range(LADDER.sizes[level])]
"""Every candidate: its errors and its level."""


def selection(name: str, measure: Any, law: Law) -> Twin:
    """`make_noisy_max`: permute-and-flip for pure privacy, Gumbel noise (the exponential mechanism) for zCDP."""
    domain = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    measurement = dp.m.make_noisy_max(*domain, measure, scale=2.0)

    def ours(coins: Coins, factor: Fraction, count: int) -> np.ndarray:
        levels = Levels(LADDER.errors, LADDER.sizes, LADDER.rate * factor)
        pick = getattr(coins, name)
        return np.array([pick(levels) for _ in range(count)])

    def theirs(count: int) -> np.ndarray:
        scores = [-errors for errors, _ in CANDIDATES]
        return np.array([CANDIDATES[measurement(scores)][1] for _ in range(count)])

    return Twin(name, 30_000, ours, theirs, law, (1, 2, 3))


TWINS = [
    *(laplace(Fraction(scale)) for scale in ("1/2", "2", "20", "1000")),
    one_by_one_laplace(),
    response(),
    categories(),
    selection("race", dp.max_divergence(), flipped(LADDER)),
    selection("choose", dp.zero_concentrated_divergence(), exponential(LADDER)),
]


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_our_draws_are_like_those_of_opendp_and_unlike_30_percent_off(twin: Twin):
    theirs = multinomial.binned(twin.theirs(twin.draws), twin.edges)
    right, less, more = (multinomial.binned(twin.ours(System(), factor, twin.draws), twin.edges) for factor in FACTORS)
    assert multinomial.alike(right, theirs)
    for off, factor in ((less, 0.7), (more, 1.3)):
        assert multinomial.surely_told_apart(twin.draws, twin.law(1), twin.law(factor))
        assert not multinomial.alike(off, theirs)


@pytest.mark.nightly
@pytest.mark.parametrize("scale", ["2", "50", "5000"])
def test_two_million_draws_are_like_those_of_opendp(scale: str):
    twin = laplace(Fraction(scale), 2_000_000)
    ours = multinomial.binned(twin.ours(System(), Fraction(1), twin.draws), twin.edges)
    assert multinomial.alike(ours, multinomial.binned(twin.theirs(twin.draws), twin.edges))
