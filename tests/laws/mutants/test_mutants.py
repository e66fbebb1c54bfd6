# SPDX-License-Identifier: Apache-2.0
"""T3: slips of the hand in the shipped code. The verifier rejects each one that breaks privacy, on a case that it
accepts without the slip; and it accepts those that are proved harmless.
"""

from __future__ import annotations

import importlib
from itertools import chain

import pytest

from discreet.coins.enumerating import Unverifiable
from discreet.verification.explore import Laws
from discreet.verification.mutants import Mutant
from discreet.verification.observe import watching
from discreet.verification.verify import verify
from tests.laws.mutants import (
    composition,
    counts,
    formulas,
    randomized_response,
    selection,
    stability,
    subsampling,
)

ROOMS = (counts, selection, stability, subsampling, randomized_response, composition, formulas)
KILLED: tuple[Mutant, ...] = tuple(chain.from_iterable(room.KILLED for room in ROOMS))
HARMLESS: tuple[Mutant, ...] = tuple(chain.from_iterable(room.HARMLESS for room in ROOMS))


def named(mutant: Mutant) -> str:
    return f"{mutant.module.rpartition('.')[2]}: {mutant.slip.partition('. Proof')[0]}"


def rejected(mutant: Mutant) -> bool:
    """Found to lose more than it declares, or not to be a function of its rows and coins at all."""
    try:
        return not mutant.verdict().ok
    except Unverifiable:
        return True


@pytest.mark.parametrize("mutant", KILLED, ids=named)
def test_the_verifier_rejects(mutant: Mutant) -> None:
    assert rejected(mutant)


@pytest.mark.parametrize("mutant", HARMLESS, ids=named)
def test_the_verifier_accepts_what_is_proved_harmless(mutant: Mutant) -> None:
    assert mutant.verdict().ok


CASES = {(mutant.case, mutant.through or mutant.module): mutant for mutant in (*KILLED, *HARMLESS)}


@pytest.mark.parametrize(("build", "module"), CASES, ids=lambda part: getattr(part, "__name__", part))
def test_without_the_slip_the_case_passes(build, module: str) -> None:
    """And not for want of anything to see: on no database does the shipped mechanism do nothing but raise."""
    case = build(importlib.import_module(module))
    assert verify(case).ok
    laws = Laws(case.mechanism, reach=case.reach, bits=64)
    with watching() as observe:
        for rows in case.databases():
            laws.index(rows, observe)
    assert not [law for law in laws.laws if all(str(outcome.output).startswith("raised") for outcome in law)]


def test_no_slip_stands_twice() -> None:
    told = [(mutant.module, mutant.found, mutant.instead, mutant.case) for mutant in (*KILLED, *HARMLESS)]
    assert len(set(told)) == len(told)


def test_every_harmless_slip_has_its_proof() -> None:
    assert [mutant.slip for mutant in HARMLESS if "Proof: " not in mutant.slip] == []


def test_there_are_at_least_100_slips() -> None:
    assert len(KILLED) >= 100
