# SPDX-License-Identifier: Apache-2.0
"""The add/remove loss of each mechanism that states one: its law on n rows against its law on n - 1 of them.

Nobody is promised this loss; Poisson sampling and parts by content rest on it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from discreet.mechanisms.composition import ByContent, ByPosition, InSequence
from discreet.mechanisms.contract import Summarised
from discreet.mechanisms.counts import NoisyCount, NoisyCounts, NoisyHistogram
from discreet.mechanisms.randomized_response import KaryResponse, LaplaceResponse, OneBitMean, RandomizedResponse
from discreet.mechanisms.selection import ExponentialMechanism, PermuteAndFlip
from discreet.mechanisms.stability import ADist, PointRelease, StabilityHistogram
from discreet.mechanisms.subsampling import (
    PoissonSample,
    SampleWithoutReplacement,
    SampleWithReplacement,
    SampleWithReplacementAsPublished,
)
from discreet.privacy.composition import Parts
from discreet.verification.catalogue import (
    BITS,
    LABELLED,
    TRITS,
    errors_in_leaf,
    errors_of_bits,
    errors_of_constants,
    itself,
    people,
    per_cell,
    per_question,
    x_of,
)
from tests.laws.mechanisms.exact import add_remove_loss, at_most, meets

EPSILONS = (Fraction(1, 2), Fraction(1), Fraction(2))
ROWS = 3


def counted(epsilon: Fraction) -> Any:
    return Summarised(sum, NoisyCount(epsilon=epsilon, low=0, high=ROWS))


def weighed(epsilon: Fraction) -> Any:
    return Summarised(sum, NoisyCount(epsilon=epsilon, low=0, high=2 * ROWS, sensitivity=2))


def asked(epsilon: Fraction) -> Any:
    return Summarised(partial(per_question, questions=2), NoisyCounts(epsilon=epsilon, queries=2, low=0, high=ROWS))


def celled(epsilon: Fraction) -> Any:
    return Summarised(partial(per_cell, cells=2), NoisyHistogram(epsilon=epsilon, cells=2, rows=ROWS))


def raced(epsilon: Fraction) -> Any:
    return Summarised(errors_of_constants, PermuteAndFlip(epsilon=epsilon))


def sized(epsilon: Fraction) -> Any:
    leaf = Summarised(people, NoisyCount(epsilon=epsilon, low=0, high=ROWS))
    return ByContent(cells=(0, 1), cell_of=itself, mechanisms=(leaf, leaf))


MET = ((counted, BITS), (weighed, TRITS), (asked, LABELLED), (celled, BITS), (raced, BITS), (sized, TRITS))
"""Mechanisms whose add/remove loss is reached exactly, and their universes."""


def chosen(epsilon: Fraction) -> Any:
    return Summarised(errors_of_bits, ExponentialMechanism(epsilon=epsilon))


def flipped(epsilon: Fraction) -> Any:
    return Summarised(errors_of_bits, PermuteAndFlip(epsilon=epsilon))


def labelled(epsilon: Fraction) -> Any:
    leaf = Summarised(errors_in_leaf, ExponentialMechanism(epsilon=epsilon))
    return ByContent(cells=(0, 1), cell_of=x_of, mechanisms=(leaf, leaf))


KEPT = ((chosen, LABELLED), (flipped, LABELLED), (labelled, LABELLED))
"""Mechanisms whose add/remove loss is an upper bound on these universes."""


def loss_of(make: Any, universe: tuple[Any, ...], epsilon: Fraction) -> Any:
    return add_remove_loss(make(epsilon), universe, rows=ROWS, reach=2 * ROWS)


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize(("make", "universe"), MET, ids=lambda part: getattr(part, "__name__", ""))
def test_one_row_more_costs_exactly_what_is_stated(make: Any, universe: tuple[Any, ...], epsilon: Fraction) -> None:
    assert meets(loss_of(make, universe, epsilon), make(epsilon).add_remove_loss.epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize(("make", "universe"), KEPT, ids=lambda part: getattr(part, "__name__", ""))
def test_one_row_more_costs_at_most_what_is_stated(make: Any, universe: tuple[Any, ...], epsilon: Fraction) -> None:
    assert at_most(loss_of(make, universe, epsilon), make(epsilon).add_remove_loss.epsilon)


def test_half_of_what_is_stated_would_be_too_little() -> None:
    for make, universe in (*MET, *KEPT):
        exact = loss_of(make, universe, Fraction(1))
        assert not at_most(exact, make(Fraction(1)).add_remove_loss.epsilon / 2)


def test_replacing_a_row_costs_at_most_twice_as_much() -> None:
    """Removing one and adding another."""
    for make, _ in (*MET, *KEPT):
        mechanism = make(Fraction(1))
        assert mechanism.loss.epsilon <= 2 * mechanism.add_remove_loss.epsilon


COUNT = counted(Fraction(1))
DECLARED_ROWS = (
    ADist(epsilon=1, delta="1/4"),
    StabilityHistogram(epsilon=1, delta="1/4", rows=2),
    PointRelease(epsilon=8, delta="2/5", alpha="99/100", rows=5),
    PoissonSample(inner=COUNT, rate="1/2", rows=2),
    SampleWithoutReplacement(inner=COUNT, take=1, rows=2),
    SampleWithReplacement(inner=COUNT, take=1, rows=2),
    SampleWithReplacementAsPublished(inner=COUNT, take=1, rows=2),
    RandomizedResponse(epsilon=1),
    KaryResponse(epsilon=1, choices=3),
    OneBitMean(epsilon=1, bound=1),
    LaplaceResponse(epsilon=1, low=0, high=1),
    InSequence(first=COUNT, second=lambda released: COUNT, second_loss=COUNT.loss),
    ByPosition(parts=Parts((1, 1)), mechanisms=(COUNT, COUNT)),
)


@pytest.mark.parametrize("mechanism", DECLARED_ROWS, ids=lambda mechanism: type(mechanism).__name__)
def test_a_mechanism_of_a_declared_number_of_rows_states_none(mechanism: Any) -> None:
    assert mechanism.add_remove_loss is None
