# SPDX-License-Identifier: Apache-2.0
"""Every mechanism that ships, on the universes it is verified on: one explicit tuple, no registration.

`CASES` take about a minute and are verified by every run of the tests; `THOROUGH` adds larger ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from discreet.coins.contract import Integers
from discreet.mechanisms.composition import ByContent, ByPosition, InSequence
from discreet.mechanisms.contract import Mechanism, Summarised
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
from discreet.privacy.loss import PrivacyLoss
from discreet.verification.case import Case

EPSILONS = (Fraction(1, 2), Fraction(1), Fraction(2))
BITS = (0, 1)
TRITS = (0, 1, 2)
LABELLED = ((0, 0), (0, 1), (1, 0), (1, 1))
"""Rows (x, y) of one bit and its label."""

Make = Callable[..., Case]


def per_cell(rows: Sequence[int], cells: int) -> Integers:
    """How many rows lie in each cell."""
    return np.bincount(np.array(rows, dtype=np.int64), minlength=cells)


def per_question(rows: Sequence[Sequence[int]], questions: int) -> Integers:
    """How many rows answer yes to each question."""
    return np.array(rows, dtype=np.int64).reshape(-1, questions).sum(axis=0)


def errors_of_bits(rows: Sequence[tuple[int, int]]) -> Integers:
    """The errors of the four functions of one bit: 0, 1, x, not x."""
    return np.array([sum(y != h for x, y in rows for h in [g(x)]) for g in FUNCTIONS], dtype=np.int64)


FUNCTIONS: tuple[Callable[[int], int], ...] = (lambda x: 0, lambda x: 1, lambda x: x, lambda x: 1 - x)


def errors_of_constants(rows: Sequence[int]) -> Integers:
    """The errors of always saying 0 and always saying 1."""
    return np.array([sum(rows), len(rows) - sum(rows)], dtype=np.int64)


def errors_in_leaf(rows: Sequence[tuple[int, int]]) -> Integers:
    """The errors, among the rows of a leaf, of always saying 0 and always saying 1."""
    return errors_of_constants([y for _, y in rows])


def labels_in_leaf(rows: Sequence[tuple[int, int]]) -> Integers:
    """How many rows of a leaf have each label."""
    return per_cell([y for _, y in rows], 2)


def x_of(row: tuple[int, int]) -> int:
    """The leaf of a labelled row."""
    return row[0]


def itself(row: int) -> int:
    """The cell of a row that is one."""
    return row


def people(rows: Sequence[int]) -> int:
    """How many rows there are."""
    return len(rows)


def first(rows: Sequence[Any]) -> Any:
    """The one row of a local randomizer's database."""
    return rows[0]


def counted(epsilon: Fraction, rows: int) -> Mechanism[Sequence[int], int]:
    """A noisy count of rows that are 1."""
    return Summarised(sum, NoisyCount(epsilon=epsilon, low=0, high=rows))


def celled(epsilon: Fraction, rows: int) -> Mechanism[Sequence[int], Integers]:
    """A noisy histogram of two cells: its loss under add/remove is half of epsilon."""
    return Summarised(partial(per_cell, cells=2), NoisyHistogram(epsilon=epsilon, cells=2, rows=rows))


def count_case(*, epsilon: Fraction, rows: int) -> Case:
    return Case(name="NoisyCount", mechanism=counted(epsilon, rows), universe=BITS, rows=rows, reach=rows)


def weighted_count_case(*, epsilon: Fraction, rows: int) -> Case:
    mechanism = NoisyCount(epsilon=epsilon, low=0, high=2 * rows, sensitivity=2)
    return Case(name="NoisyCount", mechanism=Summarised(sum, mechanism), universe=TRITS, rows=rows, reach=2 * rows)


def counts_case(*, epsilon: Fraction, rows: int) -> Case:
    mechanism = NoisyCounts(epsilon=epsilon, queries=2, low=0, high=rows)
    summary = partial(per_question, questions=2)
    return Case(name="NoisyCounts", mechanism=Summarised(summary, mechanism), universe=LABELLED, rows=rows, reach=rows)


def histogram_case(*, epsilon: Fraction, rows: int) -> Case:
    mechanism = NoisyHistogram(epsilon=epsilon, cells=3, rows=rows)
    summary = partial(per_cell, cells=3)
    return Case(name="NoisyHistogram", mechanism=Summarised(summary, mechanism), universe=TRITS, rows=rows, reach=rows)


Selection = type[ExponentialMechanism] | type[PermuteAndFlip]


def selection_case(kind: Selection, *, epsilon: Fraction, rows: int) -> Case:
    mechanism = Summarised(errors_of_bits, kind(epsilon=epsilon))
    return Case(name=kind.__name__, mechanism=mechanism, universe=LABELLED, rows=rows, tight=False)


def two_candidates_case(kind: Selection, *, epsilon: Fraction, rows: int) -> Case:
    """Permute-and-flip meets epsilon; the exponential mechanism comes as near to it as e^(-epsilon rows / 2) to 0."""
    mechanism = Summarised(errors_of_constants, kind(epsilon=epsilon))
    tight = kind is PermuteAndFlip or epsilon * rows >= 12
    return Case(name=kind.__name__, mechanism=mechanism, universe=BITS, rows=rows, tight=tight)


def a_dist_case(*, epsilon: Fraction, rows: int, delta: Fraction) -> Case:
    mechanism = ADist(epsilon=epsilon, delta=delta)
    return Case(
        name="ADist",
        mechanism=Summarised(partial(per_cell, cells=3), mechanism),
        universe=TRITS,
        rows=rows,
        reach=rows + mechanism.cut,
    )


def stability_case(*, epsilon: Fraction, rows: int, delta: Fraction) -> Case:
    mechanism = StabilityHistogram(epsilon=epsilon, delta=delta, rows=rows)
    return Case(
        name="StabilityHistogram",
        mechanism=mechanism,
        universe=("a", "b", "c"),
        rows=rows,
        reach=max(rows, mechanism.cut),
        tight=mechanism.cut <= rows,
    )


def point_release_case(*, epsilon: Fraction, rows: int) -> Case:
    mechanism = PointRelease(epsilon=epsilon, delta=Fraction(2, 5), alpha=Fraction(99, 100), rows=rows)
    return Case(name="PointRelease", mechanism=mechanism, universe=("a", "b", "c"), rows=rows, reach=rows, tight=False)


Inner = Callable[[Fraction, int], Mechanism[Sequence[int], Any]]


def poisson_case(inner: Inner, *, epsilon: Fraction, rows: int, rate: Fraction) -> Case:
    mechanism = PoissonSample(inner=inner(epsilon, rows), rate=rate, rows=rows)
    return Case(name="PoissonSample", mechanism=mechanism, universe=BITS, rows=rows, reach=rows)


def without_replacement_case(inner: Inner, *, epsilon: Fraction, rows: int, take: int) -> Case:
    mechanism = SampleWithoutReplacement(inner=inner(epsilon, take), take=take, rows=rows)
    return Case(name="SampleWithoutReplacement", mechanism=mechanism, universe=BITS, rows=rows, reach=take)


def with_replacement_case(*, epsilon: Fraction, rows: int, take: int) -> Case:
    mechanism = SampleWithReplacement(inner=counted(epsilon, take), take=take, rows=rows)
    return Case(name="SampleWithReplacement", mechanism=mechanism, universe=BITS, rows=rows, reach=take)


def published_sampling_case(*, epsilon: Fraction, rows: int) -> Case:
    inner = StabilityHistogram(epsilon=epsilon, delta=Fraction(1, 20), rows=1)
    mechanism = SampleWithReplacementAsPublished(inner=inner, take=1, rows=rows)
    return Case(
        name="SampleWithReplacementAsPublished",
        mechanism=mechanism,
        universe=("a", "b"),
        rows=rows,
        reach=inner.cut,
        tight=False,
    )


def response_case(*, epsilon: Fraction) -> Case:
    mechanism = Summarised(first, RandomizedResponse(epsilon=epsilon))
    return Case(name="RandomizedResponse", mechanism=mechanism, universe=(False, True), rows=1)


def kary_case(*, epsilon: Fraction, choices: int) -> Case:
    mechanism = Summarised(first, KaryResponse(epsilon=epsilon, choices=choices))
    return Case(name="KaryResponse", mechanism=mechanism, universe=tuple(range(choices)), rows=1)


def one_bit_case(*, epsilon: Fraction, bound: int) -> Case:
    mechanism = Summarised(first, OneBitMean(epsilon=epsilon, bound=bound))
    return Case(name="OneBitMean", mechanism=mechanism, universe=tuple(range(-bound, bound + 1)), rows=1)


def laplace_case(*, epsilon: Fraction, margin: int) -> Case:
    mechanism = Summarised(first, LaplaceResponse(epsilon=epsilon, low=-1, high=2, margin=margin))
    return Case(name="LaplaceResponse", mechanism=mechanism, universe=(-1, 0, 1, 2), rows=1, reach=3 + 2 * margin)


def equal_sequence_case(*, epsilon: Fraction, rows: int) -> Case:
    """The same count twice: the losses add up exactly."""
    once = counted(epsilon / 2, rows)
    mechanism = InSequence(first=once, second=lambda _: once, second_loss=once.loss)
    return Case(name="InSequence", mechanism=mechanism, universe=BITS, rows=rows, reach=rows)


def adaptive_sequence_case(*, epsilon: Fraction, rows: int) -> Case:
    """First which value is more common, then how common that value is."""
    choose = Summarised(errors_of_constants, PermuteAndFlip(epsilon=epsilon / 2))

    def count_of(value: int) -> Mechanism[Sequence[int], int]:
        count = NoisyCount(epsilon=epsilon / 2, low=0, high=rows)
        return Summarised(lambda data: sum(row == value for row in data), count)

    mechanism = InSequence(first=choose, second=count_of, second_loss=PrivacyLoss(epsilon / 2))
    return Case(name="InSequence, adaptive", mechanism=mechanism, universe=BITS, rows=rows, reach=rows)


def by_position_case(*, epsilon: Fraction, sizes: tuple[int, ...]) -> Case:
    mechanisms = tuple(counted(epsilon, size) for size in sizes)
    mechanism = ByPosition(parts=Parts(sizes), mechanisms=mechanisms)
    return Case(name="ByPosition", mechanism=mechanism, universe=BITS, rows=sum(sizes), reach=max(sizes))


def by_content_case(*, epsilon: Fraction, rows: int) -> Case:
    """A noisy count of the rows in each of two leaves, at epsilon/2 each."""
    leaf = Summarised(people, NoisyCount(epsilon=epsilon / 2, low=0, high=rows))
    mechanism = ByContent(cells=(0, 1), cell_of=itself, mechanisms=(leaf, leaf))
    return Case(name="ByContent", mechanism=mechanism, universe=TRITS, rows=rows, reach=rows)


def labels_by_content_case(*, epsilon: Fraction, rows: int) -> Case:
    """A label for each of two leaves by the exponential mechanism: epsilon in all, as if there were one leaf."""
    leaf = Summarised(errors_in_leaf, ExponentialMechanism(epsilon=epsilon))
    mechanism = ByContent(cells=(0, 1), cell_of=x_of, mechanisms=(leaf, leaf))
    return Case(name="ByContent", mechanism=mechanism, universe=LABELLED, rows=rows, tight=False)


def one_leaf_case(*, epsilon: Fraction, rows: int) -> Case:
    """One leaf only, with a histogram of its labels: a replaced row that stays in it moves two cells."""
    mechanism = ByContent(cells=(0,), cell_of=x_of, mechanisms=(_labels_in_leaf(epsilon, rows),))
    return Case(name="ByContent", mechanism=mechanism, universe=LABELLED, rows=rows, reach=rows)


def unequal_leaves_case(*, epsilon: Fraction, rows: int) -> Case:
    """A dear leaf and a cheap one: staying in the dear one costs more than moving to the other."""
    leaves = _labels_in_leaf(epsilon, rows), _labels_in_leaf(epsilon / 10, rows)
    mechanism = ByContent(cells=(0, 1), cell_of=x_of, mechanisms=leaves)
    return Case(name="ByContent", mechanism=mechanism, universe=LABELLED, rows=rows, reach=rows)


def _labels_in_leaf(epsilon: Fraction, rows: int) -> Mechanism[Sequence[tuple[int, int]], Integers]:
    return Summarised(labels_in_leaf, NoisyHistogram(epsilon=epsilon, cells=2, rows=rows))


TENTH, QUARTER = Fraction(1, 10), Fraction(1, 4)


def _each(make: Make, **parameters: Any) -> tuple[Case, ...]:
    return tuple(make(epsilon=epsilon, **parameters) for epsilon in EPSILONS)


CASES: tuple[Case, ...] = (
    *_each(count_case, rows=3),
    *_each(count_case, rows=8),
    *_each(weighted_count_case, rows=4),
    *_each(counts_case, rows=2),
    *_each(counts_case, rows=3),
    *_each(histogram_case, rows=2),
    *_each(histogram_case, rows=3),
    *_each(partial(selection_case, ExponentialMechanism), rows=7),
    *_each(partial(selection_case, PermuteAndFlip), rows=7),
    *_each(partial(two_candidates_case, ExponentialMechanism), rows=12),
    *_each(partial(two_candidates_case, PermuteAndFlip), rows=6),
    *_each(a_dist_case, rows=6, delta=TENTH),
    *_each(a_dist_case, rows=7, delta=QUARTER),
    *_each(stability_case, rows=3, delta=QUARTER),
    *_each(stability_case, rows=2, delta=Fraction(2, 5)),
    point_release_case(epsilon=Fraction(8), rows=5),
    point_release_case(epsilon=Fraction(12), rows=5),
    *_each(partial(poisson_case, counted), rows=4, rate=TENTH),
    *_each(partial(poisson_case, celled), rows=3, rate=TENTH),
    *_each(partial(poisson_case, counted), rows=3, rate=Fraction(2, 3)),
    *_each(partial(without_replacement_case, counted), rows=5, take=2),
    *_each(partial(without_replacement_case, celled), rows=4, take=2),
    *_each(with_replacement_case, rows=4, take=2),
    *_each(with_replacement_case, rows=3, take=3),
    published_sampling_case(epsilon=Fraction(1, 10), rows=6),
    published_sampling_case(epsilon=Fraction(1), rows=6),
    *_each(response_case),
    *_each(kary_case, choices=3),
    *_each(kary_case, choices=8),
    *_each(one_bit_case, bound=3),
    *_each(laplace_case, margin=0),
    *_each(laplace_case, margin=2),
    *_each(equal_sequence_case, rows=4),
    *_each(adaptive_sequence_case, rows=5),
    *_each(by_position_case, sizes=(2, 3)),
    *_each(by_content_case, rows=3),
    *_each(labels_by_content_case, rows=4),
    *_each(one_leaf_case, rows=3),
    *_each(unequal_leaves_case, rows=2),
)
"""What `discreet verify` runs."""

THOROUGH: tuple[Case, ...] = (
    *CASES,
    *_each(count_case, rows=12),
    *_each(weighted_count_case, rows=7),
    *_each(counts_case, rows=4),
    *_each(histogram_case, rows=4),
    *_each(partial(selection_case, ExponentialMechanism), rows=8),
    *_each(partial(selection_case, PermuteAndFlip), rows=8),
    *_each(partial(two_candidates_case, ExponentialMechanism), rows=16),
    *_each(partial(two_candidates_case, PermuteAndFlip), rows=12),
    *_each(a_dist_case, rows=9, delta=TENTH),
    *_each(partial(poisson_case, counted), rows=6, rate=TENTH),
    *_each(partial(without_replacement_case, counted), rows=6, take=3),
    *_each(adaptive_sequence_case, rows=9),
    *_each(by_content_case, rows=5),
)
"""What `discreet verify --thorough` runs."""
