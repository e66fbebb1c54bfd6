# SPDX-License-Identifier: Apache-2.0
"""T4 for the local randomizers, with the lines executed: on the same coins every value runs the same lines.

So the joint law of (report, lines executed, laws asked) is as private as the report alone. Exact, no error probability.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from types import FrameType
from typing import Any

import pytest

from discreet.coins.enumerating import EnumeratingCoins
from discreet.mechanisms.randomized_response import KaryResponse, LaplaceResponse, OneBitMean, RandomizedResponse

ONE = Fraction(1)
RANDOMIZERS = [
    (RandomizedResponse(epsilon=ONE), [False, True]),
    (KaryResponse(epsilon=ONE, choices=4), [0, 1, 2, 3, -7, 99]),
    (OneBitMean(epsilon=ONE, bound=2), [-2, -1, 0, 1, 2, 77]),
    (LaplaceResponse(epsilon=ONE, low=0, high=2, margin=1), [0, 1, 2, 50]),
]

Lines = tuple[tuple[str, int], ...]


def lines_of(run: Callable[[], object]) -> Lines:
    """The lines of the mechanisms that `run` executes, in order."""
    lines: list[tuple[str, int]] = []

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if "mechanisms" in frame.f_code.co_filename or frame.f_code.co_filename == __file__:
            lines.append((frame.f_code.co_name, frame.f_lineno))
            return trace
        return None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return tuple(lines)


def traces(randomizer: Callable[..., object], value: object) -> dict[tuple[int, ...], Lines]:
    """The lines executed along each path of the coins."""
    coins = EnumeratingCoins(reach=5)
    found: dict[tuple[int, ...], Lines] = {}
    more = True
    while more:
        coins.restart()
        lines = lines_of(lambda: randomizer(value, coins))
        found[coins.path()[1]] = lines
        more = coins.next_path()
    return found


@pytest.mark.parametrize(("randomizer", "values"), RANDOMIZERS, ids=lambda part: type(part).__name__)
def test_every_value_runs_the_same_lines_on_the_same_coins(randomizer: Any, values: list[Any]) -> None:
    randomizer(values[0], EnumeratingCoins(reach=5))  # constants are computed once, from public parameters
    first, *others = (traces(randomizer, value) for value in values)
    assert len(first) >= 2
    assert all(other == first for other in others)


def test_an_early_return_would_be_seen() -> None:
    def hasty(value: int, coins: EnumeratingCoins) -> int:
        noise = coins.below(2)
        if value == 0:
            return noise
        noise += 0
        return noise

    assert traces(hasty, 0) != traces(hasty, 1)
