# SPDX-License-Identifier: Apache-2.0
"""A case refuses what cannot be enumerated, and says who it is."""

from __future__ import annotations

from typing import Any

import pytest

from discreet.errors import ParameterError
from discreet.mechanisms.contract import Summarised
from discreet.mechanisms.counts import NoisyCount
from discreet.verification.case import Case

COUNT = Summarised(sum, NoisyCount(epsilon=1, low=0, high=2))


def case(**figures: Any) -> Case:
    stated: dict[str, Any] = {"name": "count", "mechanism": COUNT, "universe": (0, 1), "rows": 2} | figures
    return Case(**stated)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("universe", ()),
        ("universe", (0,)),
        ("rows", 0),
        ("rows", -1),
        ("rows", 1.5),
        ("rows", True),
        ("rows", None),
        ("reach", 0),
        ("reach", -3),
        ("reach", "2"),
        ("reach", 2.0),
    ],
)
def test_a_case_of_nothing_is_refused(name: str, value: object) -> None:
    with pytest.raises(ParameterError, match=f"^`{name}` must be .+, got .+; .+\\.$"):
        case(**{name: value})


def test_the_databases_are_all_of_them_and_the_last_row_changes_fastest() -> None:
    assert list(case().databases()) == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_the_loss_is_the_mechanisms_own() -> None:
    assert case().loss == COUNT.loss


def test_the_universe_is_written_as_a_person_would() -> None:
    assert case(universe=(0, 1, "a")).universe_text() == "{0, 1, a}"
    assert case(universe=((0, 1), (1, 1))).universe_text() == "{01, 11}"
