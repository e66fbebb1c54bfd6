# SPDX-License-Identifier: Apache-2.0
"""Whatever the rows and the coins, an output lies in the range that the parameters alone declare."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

from discreet.coins.enumerating import EnumeratingCoins
from discreet.mechanisms.composition import ByContent, ByPosition
from discreet.mechanisms.contract import Summarised
from discreet.mechanisms.counts import NoisyCount, NoisyCounts, NoisyHistogram
from discreet.mechanisms.randomized_response import KaryResponse, LaplaceResponse, OneBitMean, RandomizedResponse
from discreet.mechanisms.selection import ExponentialMechanism, PermuteAndFlip
from discreet.mechanisms.stability import ADist, PointRelease, StabilityHistogram
from discreet.mechanisms.subsampling import PoissonSample, SampleWithoutReplacement, SampleWithReplacement
from discreet.privacy.composition import Parts
from discreet.verification.catalogue import itself, people, per_cell

FAR = 9
"""A reach far beyond every clamp."""

COUNT = Summarised(sum, NoisyCount(epsilon="1/2", low=1, high=3))
LEAF = Summarised(people, NoisyCount(epsilon="1/2", low=0, high=2))
STABLE = StabilityHistogram(epsilon=1, delta="2/5", rows=2)
POINTS = PointRelease(epsilon=12, delta="2/5", alpha="99/100", rows=5)


def within(low: int, high: int) -> Callable[[Any], bool]:
    return lambda output: type(output) is int and low <= output <= high


def vector(length: int, high: int) -> Callable[[Any], bool]:
    return lambda output: (
        output.shape == (length,) and output.dtype == np.int64 and ((output >= 0) & (output <= high)).all()
    )


def cells(cut: int, rows: int) -> Callable[[Any], bool]:
    return lambda output: (
        list(output) == sorted(output)
        and len(dict(output)) == len(output)
        and all(name in "ab" and type(count) is int and cut <= count <= rows for name, count in output)
    )


RANGES = (
    (COUNT, (-5, 0, 2, 7), 1, within(1, 3)),
    (Summarised(np.array, NoisyCounts(epsilon=1, queries=2, low=0, high=2)), (-5, 1, 9), 2, vector(2, 2)),
    (Summarised(partial(per_cell, cells=2), NoisyHistogram(epsilon=1, cells=2, rows=1)), (0, 1), 2, vector(2, 1)),
    (Summarised(np.array, ExponentialMechanism(epsilon=1)), (-3, 0, 5), 3, within(0, 2)),
    (Summarised(np.array, PermuteAndFlip(epsilon=1)), (-3, 0, 5), 3, within(0, 2)),
    (
        Summarised(np.array, ADist(epsilon=1, delta="1/4")),
        (-9, 0, 9),
        3,
        lambda output: output is None or within(0, 2)(output),
    ),
    (STABLE, ("a", "b"), 2, cells(STABLE.cut, 2)),
    (POINTS, ("a", "b"), 5, cells(POINTS.cut, 5)),
    (PoissonSample(inner=COUNT, rate="1/2", rows=2), (0, 9), 2, within(1, 3)),
    (SampleWithoutReplacement(inner=COUNT, take=1, rows=2), (0, 9), 2, within(1, 3)),
    (SampleWithReplacement(inner=COUNT, take=2, rows=2), (0, 9), 2, within(1, 3)),
    (Summarised(max, RandomizedResponse(epsilon=1)), (False, True, 0, 3), 1, lambda output: type(output) is bool),
    (Summarised(max, KaryResponse(epsilon=1, choices=3)), (-5, 0, 2, 99), 1, within(0, 2)),
    (Summarised(max, OneBitMean(epsilon=1, bound=2)), (-5, 0, 99), 1, lambda output: type(output) is bool),
    (Summarised(max, LaplaceResponse(epsilon=1, low=0, high=2, margin=1)), (-5, 0, 99), 1, within(-1, 3)),
    (
        ByPosition(parts=Parts((1, 1)), mechanisms=(COUNT, COUNT)),
        (0, 9),
        2,
        lambda output: type(output) is tuple and len(output) == 2 and all(map(within(1, 3), output)),
    ),
    (
        ByContent(cells=(0, 1), cell_of=itself, mechanisms=(LEAF, LEAF)),
        (0, 1, 2, None),
        2,
        lambda output: type(output) is tuple and len(output) == 2 and all(map(within(0, 2), output)),
    ),
)


@pytest.mark.parametrize(
    ("mechanism", "universe", "rows", "allowed"),
    RANGES,
    ids=lambda part: type(getattr(part, "mechanism", part)).__name__,
)
def test_every_output_lies_in_the_public_range(
    mechanism: Any, universe: tuple[Any, ...], rows: int, allowed: Callable[[Any], bool]
) -> None:
    coins = EnumeratingCoins(reach=FAR if rows < 5 else 3, bits=64)
    for data in product(universe, repeat=rows):
        more = True
        while more:
            coins.restart()
            assert allowed(mechanism(data, coins))
            more = coins.next_path()
