# SPDX-License-Identifier: Apache-2.0
"""The harness of mutants: one place of one module is changed, nothing else, and nothing is left behind."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from discreet.errors import ParameterError
from discreet.mechanisms import counts, subsampling
from discreet.mechanisms.contract import Summarised
from discreet.privacy import loss
from discreet.verification.case import Case
from discreet.verification.mutants import Mutant, loaded_on, mutated

COUNTS, LOSS = "discreet.mechanisms.counts", "discreet.privacy.loss"
SCALE = "return self.sensitivity / self.epsilon"


def case(module: ModuleType) -> Case:
    mechanism = Summarised(sum, module.NoisyCount(epsilon=1, low=0, high=1))
    return Case(name="count", mechanism=mechanism, universe=(0, 1), rows=1)


def test_the_place_is_changed_in_the_copy_alone() -> None:
    copy = mutated(COUNTS, SCALE, "return 7 * self.sensitivity / self.epsilon")
    assert copy.NoisyCount(epsilon=1, low=0, high=1).scale == 7
    assert counts.NoisyCount(epsilon=1, low=0, high=1).scale == 1
    assert sys.modules[COUNTS] is counts


@pytest.mark.parametrize("found", ["no such text", "return PrivacyLoss(self.epsilon)"])
def test_a_text_that_is_not_there_exactly_once_is_refused(found: str) -> None:
    """So a mutant that no longer fits the source says so instead of testing nothing."""
    with pytest.raises(ParameterError, match="exactly once"):
        mutated(COUNTS, found, "pass")


def test_a_module_can_be_loaded_on_top_of_a_mutant() -> None:
    wrong = mutated(LOSS, "self.epsilon + other.epsilon", "self.epsilon")
    above = loaded_on(COUNTS, {LOSS: wrong})
    assert above.PrivacyLoss is wrong.PrivacyLoss
    assert above.NoisyCount(epsilon=1, low=0, high=1).loss + wrong.PrivacyLoss(5) == wrong.PrivacyLoss(1)
    assert sys.modules[LOSS] is loss
    assert counts.PrivacyLoss is loss.PrivacyLoss


def real_modules() -> dict[str, ModuleType]:
    return {name: module for name, module in sys.modules.items() if not name.endswith("(mutant)")}


def test_no_real_module_is_replaced() -> None:
    before = real_modules()
    mutated(COUNTS, SCALE, "return self.sensitivity")
    loaded_on(subsampling.__name__, {LOSS: mutated(LOSS, "self.epsilon + other.epsilon", "self.epsilon")})
    assert real_modules() == before


def test_no_real_module_is_replaced_if_the_mutant_cannot_be_loaded() -> None:
    before = real_modules()
    with pytest.raises(ZeroDivisionError):
        mutated(COUNTS, "WIDEST = 1 << 61", "WIDEST = 1 // 0")
    assert real_modules() == before


def test_a_stand_in_for_a_module_that_was_never_loaded_is_taken_away_again() -> None:
    name = "discreet.never_loaded"
    loaded_on(COUNTS, {name: ModuleType(name)})
    assert name not in sys.modules


@pytest.mark.parametrize(("instead", "ok"), [(SCALE, True), ("return self.sensitivity / self.epsilon / 2", False)])
def test_a_verdict_is_that_of_the_mutated_mechanism(instead: str, ok: bool) -> None:
    assert Mutant(slip="", module=COUNTS, found=SCALE, instead=instead, case=case).verdict().ok is ok


def test_a_verdict_through_another_module_is_that_of_what_it_makes_of_the_mutant() -> None:
    mutant = Mutant(
        slip="half of every loss is declared",
        module=LOSS,
        found='settle(self, epsilon=nonnegative("epsilon", self.epsilon), delta=probability("delta", self.delta))\n\n'
        "    def __add__",
        instead='settle(self, epsilon=nonnegative("epsilon", self.epsilon) / 2, delta=probability("delta", self.delta))'
        "\n\n    def __add__",
        case=case,
        through=COUNTS,
    )
    assert not mutant.verdict().ok
