# SPDX-License-Identifier: Apache-2.0
"""How many paths a second the verifier walks, comparing laws included, on a few mechanisms of the catalogue."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.row import Row
from benchmarks.timing import cpu_seconds
from discreet.verification.case import Case
from discreet.verification.catalogue import CASES
from discreet.verification.verify import verify

LEAST_PATHS = 20_000
MECHANISMS = ("NoisyCount", "NoisyHistogram", "StabilityHistogram", "PoissonSample", "InSequence", "ByContent")


def representative() -> Iterator[Case]:
    """The largest case of each: the one with the most neighbours, and of those the last."""
    for name in MECHANISMS:
        yield max(reversed([case for case in CASES if case.name == name]), key=lambda case: case.pairs)


def rows(*, cases: tuple[Case, ...] | None = None, repetitions: int = 3) -> Iterator[Row]:
    paths, seconds = 0, 0.0
    for case in cases if cases is not None else representative():
        walked = verify(case).paths
        taken = cpu_seconds(lambda case=case: verify(case), repetitions=repetitions)
        what = f"{case.name}, {case.rows} rows of {case.universe_text()}: {walked:,} paths"
        yield Row(what=what, ours=walked / taken, unit="/s")
        paths, seconds = paths + walked, seconds + taken
    yield Row(what=f"all of these: {paths:,} paths", ours=paths / seconds, unit="/s", least=LEAST_PATHS)
