# SPDX-License-Identifier: Apache-2.0
"""Each mechanism on figures that can be followed by hand: what it calibrates, what it draws, what it hands back."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, log
from typing import Any

import numpy as np
import pytest

from discreet.coins.fair import Seeded
from discreet.mechanisms.composition import ByContent
from discreet.mechanisms.contract import Summarised
from discreet.mechanisms.counts import NoisyCount, NoisyCounts, NoisyHistogram
from discreet.mechanisms.randomized_response import LaplaceResponse, OneBitMean
from discreet.mechanisms.selection import ExponentialMechanism, PermuteAndFlip, levels_of
from discreet.mechanisms.stability import ADist, PointRelease, StabilityHistogram
from discreet.mechanisms.subsampling import PoissonSample, SampleWithoutReplacement, SampleWithReplacement
from discreet.privacy.loss import PrivacyLoss


class Noiseless:
    """Coins whose noise is 0 and whose draws are the likeliest: what is left is what a mechanism computes."""

    simulated = True

    def below(self, count: int) -> int:
        return 0

    def geometric(self, scale: Fraction) -> int:
        return 0

    def geometrics(self, scale: Fraction, count: int) -> Any:
        return np.zeros(count, dtype=np.int64)

    def belows(self, bound: int, count: int) -> Any:
        return np.arange(count) % bound

    def bernoullis(self, probability: Fraction, count: int) -> Any:
        return np.ones(count, dtype=np.bool_)

    def choose(self, weights: Any) -> int:
        return 0

    race = choose


COINS: Any = Noiseless()


def test_without_noise_a_count_is_clamped() -> None:
    count = NoisyCount(epsilon=1, low=-2, high=3)
    assert [count(value, COINS) for value in (-9, -2, 0, 3, 9)] == [-2, -2, 0, 3, 3]


def test_without_noise_counts_are_clamped_one_by_one() -> None:
    counts = NoisyCounts(epsilon=1, queries=3, low=0, high=5)
    assert counts(np.array([-1, 3, 9]), COINS).tolist() == [0, 3, 5]
    assert NoisyHistogram(epsilon=1, cells=2, rows=4)(np.array([9, 2], dtype=np.int8), COINS).tolist() == [4, 2]


def test_scales_are_sensitivity_over_epsilon() -> None:
    assert NoisyCount(epsilon="1/2", low=0, high=9, sensitivity=3).scale == 6
    assert NoisyCounts(epsilon="1/2", queries=4, low=0, high=9, sensitivity=3).scale == 24
    assert NoisyHistogram(epsilon="1/2", cells=100, rows=9).scale == 4
    assert ADist(epsilon="1/2", delta="1/4").scale == StabilityHistogram(epsilon="1/2", delta="1/4", rows=9).scale == 4
    assert LaplaceResponse(epsilon="1/2", low=-1, high=2).scale == 6
    assert ExponentialMechanism(epsilon="1/2", sensitivity=3).rate == Fraction(1, 12)


def test_levels_hold_the_distinct_errors_and_their_numbers() -> None:
    for errors in ([5, 3, 3, 9, 3, 5], [10**12, 0, 0], [-(2**63), 2**63 - 1], [-4]):
        levels = levels_of(np.array(errors), Fraction(1, 2))
        assert levels.errors == tuple(sorted(set(errors)))
        assert levels.sizes == tuple(errors.count(value) for value in levels.errors)


def test_levels_of_small_integers_do_not_overflow() -> None:
    errors = np.array([-128, 127, 127], dtype=np.int8)
    assert (levels_of(errors, Fraction(1)).errors, levels_of(errors, Fraction(1)).sizes) == ((-128, 127), (1, 2))


@pytest.mark.parametrize("kind", [ExponentialMechanism, PermuteAndFlip])
@pytest.mark.parametrize("size", [1, 2, 4095, 4096, 4097, 9000])
def test_the_first_of_the_best_is_found_wherever_it_stands(kind: Any, size: int) -> None:
    """Candidates are searched a block at a time."""
    for place in {0, size // 2, size - 1}:
        errors = np.full(size, 7)
        errors[place] = 2
        assert kind(epsilon=1)(errors, COINS) == place


@pytest.mark.parametrize("rank", [0, 1, 4999, 5000, 9999])
def test_each_of_the_best_can_be_drawn(rank: int) -> None:
    class Ranked(Noiseless):
        def below(self, count: int) -> int:
            assert count == 10_000
            return rank

    errors = np.tile([0, 3, 5], 10_000)
    assert ExponentialMechanism(epsilon=1)(errors, Ranked()) == 3 * rank  # pyright: ignore[reportArgumentType]


def test_a_clear_lead_is_released_and_a_narrow_one_is_not() -> None:
    mechanism = ADist(epsilon=1, delta="1/100")
    assert mechanism(np.array([0, mechanism.cut, 0]), COINS) == 1
    assert mechanism(np.array([0, mechanism.cut - 1, 0]), COINS) is None
    assert mechanism(np.array([9, 9, 0]), COINS) is None


@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(1, 100), Fraction(1, 10**9), Fraction(3, 4)], ids=str)
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(4)], ids=str)
def test_cuts_are_those_of_the_formula(epsilon: Fraction, delta: Fraction) -> None:
    """T = max(2, 2 + ceil((2/epsilon) ln(1/(delta (1 + e^(-epsilon/2)))))), one less for a histogram."""
    steps = ceil(2 / float(epsilon) * log(1 / (float(delta) * (1 + exp(-float(epsilon) / 2)))))
    gap = ADist(epsilon=epsilon, delta=delta)
    cells = StabilityHistogram(epsilon=epsilon, delta=delta, rows=5)
    assert (gap.cut, cells.cut) == (max(2, 2 + steps), max(1, 1 + steps))
    if steps >= 0:
        assert gap.loss.delta == cells.loss.delta <= delta


def test_the_declared_delta_is_never_above_the_one_asked_for_where_that_can_be() -> None:
    """Below 1/2: at a cut of 1 noise alone has P[X >= 0] = 1/(1 + r) > 1/2."""
    for thousandths in range(1, 500, 7):
        delta = Fraction(thousandths, 1000)
        assert ADist(epsilon="3/2", delta=delta).loss.delta <= delta


def test_released_cells_come_in_their_own_order() -> None:
    mechanism = StabilityHistogram(epsilon=100, delta="2/5", rows=6)
    assert mechanism.cut == 2
    for rows in (["b", "a", "b", "a", "b", "c"], ["a", "a", "b", "b", "c", "b"]):
        assert mechanism(rows, COINS) == (("a", 2), ("b", 3))


def test_cells_that_are_written_unlike_are_counted_apart() -> None:
    """1, True and 1.0 are equal in Python; 0.0 and -0.0 too; not so a number that is none."""
    mechanism = StabilityHistogram(epsilon=100, delta="2/5", rows=8)
    nan = float("nan")
    released = mechanism([1, True, 1.0, 1, True, float("nan"), nan, -0.0], COINS)
    assert repr(released) == "((True, 2), (nan, 2), (1, 2))"


def test_point_release_drops_light_cells_and_cuts_the_others() -> None:
    mechanism = PointRelease(epsilon=12, delta="2/5", alpha="99/100", rows=5)
    assert (mechanism.heavy, mechanism.cut) == (2, 3)
    assert mechanism("aabbb", COINS) == (("b", 3),)
    assert mechanism("abcde", COINS) == ()


def test_samples_are_the_rows_that_were_drawn() -> None:
    total = Summarised(sum, NoisyCount(epsilon=1, low=0, high=1000))
    rows = [1, 10, 100]
    assert PoissonSample(inner=total, rate="1/2", rows=3)(rows, COINS) == 111
    assert SampleWithoutReplacement(inner=total, take=2, rows=3)(rows, COINS) == 11
    assert SampleWithReplacement(inner=total, take=4, rows=3)(rows, COINS) == 112


def test_all_rows_taken_cost_what_they_cost() -> None:
    total = Summarised(sum, NoisyCount(epsilon="1/3", low=0, high=2))
    assert SampleWithoutReplacement(inner=total, take=2, rows=2).loss == PrivacyLoss("1/3")


def test_rows_go_to_the_cell_that_is_theirs_or_nowhere() -> None:
    total = Summarised(sum, NoisyCount(epsilon=1, low=0, high=1000))
    mechanism = ByContent(
        cells=("odd", "tens"),
        cell_of=lambda row: "tens" if row % 10 == 0 else row % 2 and "odd",
        mechanisms=(total, total),
    )
    assert mechanism([1, 10, 2, 100, 3], COINS) == (4, 110)


def test_one_bit_reports_have_the_mean_they_should() -> None:
    """B (2 P[+] - 1) = g, within B 2^-63."""
    for epsilon in (Fraction(1, 2), Fraction(3)):
        mechanism = OneBitMean(epsilon=epsilon, bound=5)
        size = 5 / ((exp(epsilon) - 1) / (exp(epsilon) + 1))
        assert abs(float(mechanism.scale(64).mid()) - size) < 1e-12
        for value in range(-5, 6):
            assert abs(size * float(2 * mechanism.probability(True, value) - 1) - value) < 1e-12


def test_mechanisms_are_frozen_and_equal_if_their_figures_are() -> None:
    assert NoisyCount(epsilon=0.1, low=0, high=2) == NoisyCount(epsilon="1/10", low=0, high=2)
    with pytest.raises(AttributeError):
        NoisyCount(epsilon=1, low=0, high=2).epsilon = Fraction(9)  # pyright: ignore[reportAttributeAccessIssue]


def test_the_same_seed_gives_the_same_simulation() -> None:
    """And it is marked as one."""
    histogram = NoisyHistogram(epsilon=1, cells=3, rows=100)
    data = np.array([10, 20, 70])
    assert histogram(data, Seeded(5)).tolist() == histogram(data, Seeded(5)).tolist()
    assert Seeded(5).simulated
