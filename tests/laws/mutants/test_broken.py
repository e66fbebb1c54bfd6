# SPDX-License-Identifier: Apache-2.0
"""Broken mechanisms are rejected; their sound twins are accepted."""

from __future__ import annotations

import pytest

from discreet.coins.enumerating import NotPure
from discreet.verification.case import Case
from discreet.verification.verify import verify
from tests.laws.mutants.broken import BROKEN, IMPURE, SOUND, UNSTEADY, Release, claimed


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case.name)
def test_the_verifier_rejects(case: Case) -> None:
    assert not verify(case).ok


@pytest.mark.parametrize("case", SOUND, ids=lambda case: case.name)
def test_the_verifier_accepts(case: Case) -> None:
    assert verify(case).ok


@pytest.mark.parametrize("make", IMPURE, ids=lambda make: make.__name__)
def test_what_draws_otherwise_when_it_is_run_again_is_not_pure(make) -> None:
    with pytest.raises(NotPure):
        verify(claimed(make.__name__, make()))


@pytest.mark.parametrize("make", UNSTEADY, ids=lambda make: make.__name__)
def test_what_shows_something_else_when_it_is_run_again_is_rejected(make) -> None:
    release: Release = make()
    assert not verify(claimed(make.__name__, release)).ok
