# SPDX-License-Identifier: Apache-2.0
"""Two-sided geometric noise, a million draws at a time, beside OpenDP's discrete Laplace.

OpenDP's fastest vector interface is `make_laplace` on an int64 NumPy array. Its time is linear in the number of
draws, so a tenth of them is timed and scaled up. Beyond scale 1,024 ours draws a stride and a rest: two words a draw.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from benchmarks.peers import opendp
from benchmarks.row import Row
from benchmarks.timing import cpu_seconds
from discreet.coins.fair import System

SCALES = ((2, 300), (1_000, 300), (1_000_000, None))
"""Scale, and how many times faster than OpenDP it must be drawn."""


def rows(*, draws: int = 1_000_000, peer_draws: int = 100_000, repetitions: int = 15) -> Iterator[Row]:
    for scale, least_ratio in SCALES:
        ours = _ours(scale, draws, repetitions)
        row = Row(what=f"{draws:,} draws of scale {scale:,}", ours=ours, unit="s", least_ratio=least_ratio)
        yield row.beside(
            f"OpenDP, {draws / peer_draws:g} × {peer_draws:,}",
            lambda scale=scale: _opendp(scale, peer_draws) * draws / peer_draws,
        )
        yield Row(what=f"one of {draws:,} draws of scale {scale:,}", ours=ours / draws, unit="s")


def _ours(scale: int, draws: int, repetitions: int) -> float:
    return cpu_seconds(lambda: System().geometrics(Fraction(scale), draws), repetitions=repetitions)


def _opendp(scale: int, draws: int) -> float:
    dp = opendp()
    space = dp.vector_domain(dp.atom_domain(T=dp.i64)), dp.l1_distance(T=dp.i64)
    laplace = dp.m.make_laplace(*space, scale=float(scale))
    zeros = np.zeros(draws, dtype=np.int64)
    return cpu_seconds(lambda: laplace(zeros), repetitions=3)
