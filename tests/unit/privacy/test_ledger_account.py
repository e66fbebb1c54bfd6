# SPDX-License-Identifier: Apache-2.0
"""T17: what is spent is the exact sum, in epsilon and in delta, and never more than the budget."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from types import SimpleNamespace

import pytest
from flint import arb, ctx

from discreet.errors import BudgetError, ParameterError
from discreet.privacy.account import Account, Dataset
from discreet.privacy.composition import group
from discreet.privacy.ledger import Ledger
from discreet.privacy.loss import AddRemoveLoss, PrivacyLoss
from discreet.privacy.reservation import Reservation, Settled

PEOPLE = Dataset("clinic", 20)
TINY = Fraction(1, 10**30)


def account(epsilon: Fraction, delta: Fraction = Fraction(0)) -> Account:
    return Account(PEOPLE, PrivacyLoss(epsilon, delta))


def random_fraction(random: Random, most: int) -> Fraction:
    bits = random.choice((3, 10, 60))
    denominator = random.choice((10**6, random.randint(1, 1 << bits)))
    return Fraction(random.randint(0, most * denominator), denominator)


def as_ball(value: Fraction) -> arb:
    return arb(value.numerator) / arb(value.denominator)


def test_50_000_random_ledgers_add_up_exactly():
    """Two other routes: one common denominator of integers, and balls of 400 bits."""
    random, refused = Random(0), 0
    with ctx.workprec(400):
        for _ in range(50_000):
            budget = PrivacyLoss(random_fraction(random, 3), min(Fraction(1), random_fraction(random, 1)))
            ledger, accepted = account(budget.epsilon, budget.delta), []
            for _ in range(random.randint(1, 6)):
                loss = PrivacyLoss(
                    random_fraction(random, 1), random_fraction(random, 1) / random.choice((1, 4, 10**6))
                )
                fits = all(
                    exact_sum([getattr(one, part) for one in [*accepted, loss]]) <= getattr(budget, part)
                    for part in ("epsilon", "delta")
                )
                assert ledger.spend(loss) == fits
                if fits:
                    accepted.append(loss)
                refused += not fits
            for part in ("epsilon", "delta"):
                spent, ball = (
                    getattr(ledger.spent, part),
                    sum((as_ball(getattr(one, part)) for one in accepted), arb(0)),
                )
                assert not ball > as_ball(spent)
                assert ball.overlaps(as_ball(spent))
                assert getattr(ledger.left, part) == getattr(budget, part) - spent
    assert 10_000 < refused < 150_000


def exact_sum(parts: list[Fraction]) -> Fraction:
    """By one common denominator."""
    common = 1
    for part in parts:
        common *= part.denominator
    return Fraction(sum(part.numerator * (common // part.denominator) for part in parts), common)


def test_a_million_millionths_are_one_exactly():
    ledger, loss = account(Fraction(1)), PrivacyLoss(Fraction(1, 10**6))
    for _ in range(10**6):
        assert ledger.spend(loss)
    assert ledger.epsilon == 1
    assert not ledger.spend(PrivacyLoss(TINY))


def reserve(ledger: Ledger, key: str, epsilon: Fraction, delta: Fraction = Fraction(0)) -> Reservation:
    found = ledger.reserve(key=key, request={"query": key}, loss=PrivacyLoss(epsilon, delta))
    assert isinstance(found, Reservation)
    return found


def test_all_of_the_budget_may_be_spent_and_not_the_least_more():
    ledger = Ledger.in_memory(epsilon=1, delta="1e-6")
    reserve(ledger, "a", Fraction(1, 3))
    with pytest.raises(BudgetError):
        reserve(ledger, "b", Fraction(2, 3) + TINY)
    with pytest.raises(BudgetError):
        reserve(ledger, "b", Fraction(1, 3), Fraction(1, 10**6) + TINY)
    reserve(ledger, "b", Fraction(2, 3), Fraction(1, 10**6))
    assert ledger.remaining() == PrivacyLoss(Fraction(0))
    assert ledger.total() == ledger.budget()
    for epsilon, delta in ((TINY, Fraction(0)), (Fraction(0), TINY)):
        with pytest.raises(BudgetError, match="nothing was spent"):
            reserve(ledger, "c", epsilon, delta)
    reserve(ledger, "free", Fraction(0))


def test_deltas_beyond_one_are_refused_and_not_capped():
    """The sum of two losses caps delta at 1; a budget of 1 or more is refused, as it would allow everything."""
    with pytest.raises(ParameterError, match="`delta` must be < 1"):
        Ledger.in_memory(epsilon=9, delta=1)
    ledger = Ledger.in_memory(epsilon=9, delta="9/10")
    reserve(ledger, "a", Fraction(1), Fraction(6, 10))
    with pytest.raises(BudgetError):
        reserve(ledger, "b", Fraction(1), Fraction(6, 10))
    reserve(ledger, "c", Fraction(1), Fraction(3, 10))
    with pytest.raises(BudgetError):
        reserve(ledger, "d", Fraction(1), TINY)
    assert ledger.total() == PrivacyLoss(Fraction(2), Fraction(9, 10))


def test_a_person_with_several_rows_is_charged_for_all_of_them():
    """rows_per_person = 3: three times epsilon, and 1 + e^epsilon + e^(2 epsilon) times delta."""
    ledger = Ledger.in_memory(epsilon=1, delta="1/10", rows_per_person=3)
    loss = PrivacyLoss(Fraction(1, 4), Fraction(1, 100))
    first = ledger.reserve(key="a", request={}, loss=loss)
    assert ledger.total() == group(loss, rows=3)
    assert ledger.total().epsilon == Fraction(3, 4)
    assert isinstance(first, Reservation)
    ledger.settle(first, b"x")
    assert ledger.reserve(key="a", request={}, loss=loss) == Settled(first, b"x")
    with pytest.raises(BudgetError):
        ledger.reserve(key="b", request={}, loss=PrivacyLoss(Fraction(1, 8)))


@pytest.mark.parametrize("loss", [AddRemoveLoss(Fraction(1, 4)), SimpleNamespace(epsilon=Fraction(-5), delta=0), 0.5])
def test_what_is_no_loss_is_refused_before_anything_is_written(loss):
    ledger = Ledger.in_memory(epsilon=1)
    with pytest.raises(ParameterError, match="`loss` must be a PrivacyLoss"):
        ledger.reserve(key="a", request={}, loss=loss)
    assert len(ledger.entries()) == 1


def test_what_is_left_is_told_rounded_down_when_it_is_long():
    ledger = Ledger.in_memory(epsilon=1)
    reserve(ledger, "a", Fraction(1, 3) + Fraction(1, 3**50))
    with pytest.raises(
        BudgetError, match=r"cost epsilon 1, and of epsilon 1 only epsilon about 0\.66666666666\d is left"
    ):
        reserve(ledger, "b", Fraction(1))


def test_sums_with_very_long_denominators_stay_exact_and_can_be_told():
    ledger = Ledger.in_memory(epsilon=2)
    losses = [Fraction(1, 2**4000 + offset) for offset in (1, 3, 5, 7, 9)]
    for number, loss in enumerate(losses):
        reserve(ledger, str(number), loss)
    assert ledger.total().epsilon == sum(losses)
    with pytest.raises(BudgetError, match=r"about 1\.99999"):
        reserve(ledger, "all", Fraction(2))


def test_a_loss_too_long_to_be_written_is_refused():
    with pytest.raises(ParameterError, match="8192 bits"):
        reserve(Ledger.in_memory(epsilon=2), "a", Fraction(1, 2**9000))
