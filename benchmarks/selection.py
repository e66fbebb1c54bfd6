# SPDX-License-Identifier: Apache-2.0
"""A private choice among a million candidates, their errors an int32 NumPy array, beside OpenDP's noisy max.

OpenDP's `make_noisy_max` under max divergence is permute-and-flip, too; `scale=2` makes it 1-private for scores that
a row moves by 1, as ours. It takes NumPy arrays of its own integer type as they are; from a list it takes longer.
Its time depends on the scores and on the coins; ours must not tell flat scores from one winner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers import Missing, opendp
from benchmarks.row import Row
from benchmarks.timing import cpu_seconds, cpu_seconds_in_turn
from discreet.coins.fair import Seeded, System
from discreet.mechanisms.selection import ExponentialMechanism, PermuteAndFlip

Errors = NDArray[np.int32]
Measure = Callable[[], float]

MECHANISMS = (PermuteAndFlip(epsilon=Fraction(1)), ExponentialMechanism(epsilon=Fraction(1)))
USUAL = 50_000
LEAST_RATIO = {"flat": 10.0, "one winner": 10.0, "random": None}
ALIKE = 1.5
"""How far our own times on flat errors and on one winner may be apart."""


def datasets(candidates: int) -> dict[str, Errors]:
    """All alike; one clear winner; any number of errors from 0 to 100,000."""
    flat = np.full(candidates, USUAL, dtype=np.int32)
    winner = flat.copy()
    winner[candidates // 3] = 0
    return {"flat": flat, "one winner": winner, "random": Seeded(1).belows(2 * USUAL + 1, candidates).astype(np.int32)}


def rows(*, candidates: int = 1_000_000, repetitions: int = 15, peer_repetitions: int = 7) -> Iterator[Row]:
    data = datasets(candidates)
    peers = {name: _opendp_once(errors, peer_repetitions) for name, errors in data.items()}
    for mechanism in MECHANISMS:
        kind, ours = type(mechanism).__name__, _ours(mechanism, data, repetitions)
        for name in data:
            row = Row(what=f"{kind}, {name}", ours=ours[name], unit="s", least_ratio=LEAST_RATIO[name])
            yield row.beside("OpenDP", peers[name])
        two = sorted((ours["flat"], ours["one winner"]))
        yield Row(what=f"{kind}, flat and one winner, slower / faster", ours=two[1] / two[0], unit="x", most=ALIKE)
        if mechanism is MECHANISMS[0]:
            row = Row(what=f"{kind}, flat, for OpenDP as a list", ours=ours["flat"], unit="s")
            yield row.beside("OpenDP, with tolist()", lambda: _opendp(data["flat"], 3, np.ndarray.tolist))


def _ours(
    mechanism: PermuteAndFlip | ExponentialMechanism, data: dict[str, Errors], repetitions: int
) -> dict[str, float]:
    works = {name: partial(_released, mechanism, errors) for name, errors in data.items()}
    return cpu_seconds_in_turn(works, repetitions=repetitions)


def _released(mechanism: PermuteAndFlip | ExponentialMechanism, errors: Any) -> int:
    return mechanism(errors, System())


def _opendp_once(errors: Errors, repetitions: int) -> Measure:
    """Timed when first asked for, and remembered for the second of our mechanisms."""
    return cache(lambda: _opendp(errors, repetitions, lambda array: array))


def _opendp(errors: Errors, repetitions: int, converted: Callable[[Errors], object]) -> float:
    dp = opendp()
    if not hasattr(dp.m, "make_noisy_max"):
        raise Missing("this OpenDP is too old: it has no make_noisy_max")
    space = dp.vector_domain(dp.atom_domain(T=dp.i32)), dp.linf_distance(T=dp.i32)
    noisy_max = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=2.0, negate=True)
    return cpu_seconds(lambda: noisy_max(converted(errors)), repetitions=repetitions)
