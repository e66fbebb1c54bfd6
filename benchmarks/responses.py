# SPDX-License-Identifier: Apache-2.0
"""Randomised responses of many people, beside the peers' functions for one client, called for each of fewer people."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from benchmarks.peers import imported
from benchmarks.row import Row
from benchmarks.timing import cpu_seconds
from discreet.coins.fair import System
from discreet.mechanisms.randomized_response import KaryResponse, RandomizedResponse

LEAST_BITS = 50e6
CHOICES = 64


def rows(
    *, bits: int = 10_000_000, values: int = 1_000_000, people: int = 20_000, repetitions: int = 9
) -> Iterator[Row]:
    yes_no, kary = RandomizedResponse(epsilon=Fraction(1)), KaryResponse(epsilon=Fraction(1), choices=CHOICES)
    truths = np.arange(bits) % 2 == 0
    chosen = np.arange(values, dtype=np.int64) % CHOICES
    rate = _per_second(bits, lambda: yes_no.reports(truths, System()), repetitions)
    row = Row(what=f"RandomizedResponse, {bits:,} bits", ours=rate, unit="/s")
    yield replace(row, least=LEAST_BITS)
    yield from _beside_peers(row, 2, people)
    rate = _per_second(values, lambda: kary.reports(chosen, System()), repetitions)
    row = Row(what=f"KaryResponse of {CHOICES}, {values:,} values", ours=rate, unit="/s")
    yield from _beside_peers(row, CHOICES, people)


def _beside_peers(row: Row, choices: int, people: int) -> Iterator[Row]:
    yield row.beside(f"pure-ldp, {people:,} people", lambda: _pure_ldp(choices, people))
    yield row.beside(f"multi-freq-ldpy, {people:,} people", lambda: _multi_freq_ldpy(choices, people))


def _per_second(people: int, work: Callable[[], object], repetitions: int) -> float:
    return people / cpu_seconds(work, repetitions=repetitions)


def _pure_ldp(choices: int, people: int) -> float:
    module = imported("pure_ldp.frequency_oracles.direct_encoding", "pure-ldp")
    privatise = module.DEClient(1.0, choices, int).privatise
    values = [person % choices for person in range(people)]
    return _per_second(people, lambda: [privatise(value) for value in values], 3)


def _multi_freq_ldpy(choices: int, people: int) -> float:
    client = imported("multi_freq_ldpy.pure_frequency_oracles.GRR", "multi-freq-ldpy").GRR_Client
    values = [person % choices for person in range(people)]
    return _per_second(people, lambda: [client(value, choices, 1.0) for value in values], 3)
