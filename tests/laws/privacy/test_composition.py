# SPDX-License-Identifier: Apache-2.0
"""How losses add up, against mechanisms whose exact loss is known: no theorem is believed that is not met."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import pytest

from discreet.coins.balls import ball, precision
from discreet.mechanisms.composition import ByContent, ByPosition, InSequence
from discreet.mechanisms.contract import Summarised
from discreet.mechanisms.counts import NoisyCount
from discreet.mechanisms.selection import PermuteAndFlip
from discreet.mechanisms.stability import StabilityHistogram
from discreet.privacy.composition import (
    NO_LOSS,
    Parts,
    advanced,
    advanced_as_published,
    basic,
    by_content,
    delta_of_repeats,
    group,
    parallel,
)
from discreet.privacy.loss import AddRemoveLoss, PrivacyLoss
from discreet.verification.case import Case
from discreet.verification.catalogue import BITS, errors_of_constants, first, itself, people
from discreet.verification.verify import Verdict, verify
from tests.laws.mechanisms.exact import meets
from tests.laws.mutants.formulas import Declared, Seldom, Ungrouped, repeated

EPSILONS = (Fraction(1, 3), Fraction(1), Fraction(5, 2))


def bit(epsilon: Fraction) -> Any:
    """Exact randomized response: a count clamped to {0, 1}."""
    return Summarised(first, NoisyCount(epsilon=epsilon, low=0, high=1))


def found(mechanism: Any, *, universe: tuple[Any, ...] = BITS, rows: int = 1, reach: int = 1) -> Verdict:
    return verify(Case(name="found", mechanism=mechanism, universe=universe, rows=rows, reach=reach))


def is_exact(verdict: Verdict) -> bool:
    """Accepted, and equal to what is declared."""
    return verdict.ok and meets(verdict.exact, verdict.declared)


@pytest.mark.parametrize(("one", "other"), [*product(EPSILONS, EPSILONS)], ids=str)
def test_two_mechanisms_in_sequence_lose_exactly_the_sum(one: Fraction, other: Fraction) -> None:
    mechanism = InSequence(first=bit(one), second=lambda released: bit(other), second_loss=PrivacyLoss(other))
    assert mechanism.loss == PrivacyLoss(one + other)
    assert is_exact(found(mechanism))


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_a_second_chosen_by_the_first_loses_exactly_the_sum_with_the_dearest(epsilon: Fraction) -> None:
    """The second is cheap after a 0 and dear after a 1: declared is the dear one, and it is met."""

    def second(released: int) -> Any:
        return bit(epsilon * (1 + released) / 2)

    mechanism = InSequence(first=bit(epsilon), second=second, second_loss=PrivacyLoss(epsilon))
    assert is_exact(found(mechanism))


def test_a_second_of_another_kind_loses_exactly_the_sum() -> None:
    """A candidate first; then a count, of the ones or of the zeros as the candidate has it."""

    def second(released: int) -> Any:
        def agreeing(rows: Sequence[int]) -> int:
            return list(rows).count(released)

        return Summarised(agreeing, NoisyCount(epsilon=1, low=0, high=2))

    choice = Summarised(errors_of_constants, PermuteAndFlip(epsilon=2))
    mechanism = InSequence(first=choice, second=second, second_loss=PrivacyLoss(1))
    assert is_exact(found(mechanism, rows=2, reach=2))


def test_three_in_sequence_are_two_in_sequence_twice() -> None:
    one = bit(Fraction(1, 3))
    pair = InSequence(first=one, second=lambda released: one, second_loss=one.loss)
    mechanism = InSequence(first=pair, second=lambda released: one, second_loss=one.loss)
    assert mechanism.loss == basic([one.loss] * 3) == PrivacyLoss(1)
    assert is_exact(found(mechanism))


def test_deltas_add_up_in_sequence() -> None:
    """Two histograms of one row: declared 2 delta, reached 1 - (1 - delta)^2 at epsilon = 0 and less above."""
    once = StabilityHistogram(epsilon=1, delta="1/4", rows=1)
    mechanism = InSequence(first=once, second=lambda released: once, second_loss=once.loss)
    assert mechanism.loss == PrivacyLoss(2, 2 * once.loss.delta)
    verdict = found(mechanism, universe=("a", "b"), reach=once.cut)
    assert verdict.ok
    assert verdict.exact > ball(once.loss.delta)


@pytest.mark.parametrize("times", [1, 2, 3, 5])
@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_repeated_responses_lose_exactly_times_epsilon(epsilon: Fraction, times: int) -> None:
    assert is_exact(repeated_verdict(basic([PrivacyLoss(epsilon)] * times), epsilon, times))


@pytest.mark.parametrize("quarters", range(4))
@pytest.mark.parametrize("times", [1, 2, 3, 5])
@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_repeated_responses_have_exactly_the_delta_of_repeats(epsilon: Fraction, times: int, quarters: int) -> None:
    """At 0, 1/4, 1/2 and 3/4 of the basic total."""
    total = times * epsilon * Fraction(quarters, 4)
    delta = delta_of_repeats(epsilon, times=times, total=total)
    verdict = repeated_verdict(PrivacyLoss(total, delta), epsilon, times)
    assert verdict.ok
    with precision(256):
        assert verdict.exact <= ball(delta)
        assert verdict.exact * (1 + ball(Fraction(1, 1 << 96))) >= ball(delta)


def repeated_verdict(loss: PrivacyLoss, epsilon: Fraction, times: int) -> Verdict:
    return verify(repeated(loss, epsilon, times))


def test_the_delta_of_repeats_is_0_at_the_basic_total_and_beyond() -> None:
    for times in (1, 2, 10):
        assert delta_of_repeats(Fraction(1, 2), times=times, total=Fraction(times, 2)) == 0
        assert delta_of_repeats(Fraction(1, 2), times=times, total=Fraction(times)) == 0


def test_the_delta_of_repeats_falls_with_the_total_and_grows_with_the_number() -> None:
    totals = [delta_of_repeats(Fraction(1, 2), times=8, total=Fraction(step, 4)) for step in range(17)]
    numbers = [delta_of_repeats(Fraction(1, 2), times=times, total=Fraction(1, 4)) for times in range(1, 9)]
    assert totals == sorted(totals, reverse=True)
    assert numbers == sorted(numbers)


def test_the_delta_of_repeats_is_never_above_1() -> None:
    for epsilon in (Fraction(1, 2), Fraction(50), Fraction(1000)):
        assert 0 < delta_of_repeats(epsilon, times=30, total=Fraction(0)) <= 1


@pytest.mark.parametrize("slack", [Fraction(1, 100), Fraction(1, 5)], ids=str)
@pytest.mark.parametrize("times", [1, 2, 5])
def test_advanced_composition_holds_and_is_at_most_basic(times: int, slack: Fraction) -> None:
    """And its delta' is used up, but for the bisection."""
    loss = PrivacyLoss("1/2")
    total = advanced(loss, times=times, slack=slack)
    assert total.delta == slack
    assert total.epsilon <= basic([loss] * times).epsilon
    assert repeated_verdict(total, Fraction(1, 2), times).ok
    unit = times * loss.epsilon / (1 << 20)
    if total.epsilon < times * loss.epsilon:
        assert delta_of_repeats(loss.epsilon, times=times, total=total.epsilon - unit) > slack


@pytest.mark.parametrize("times", [1, 3, 6])
def test_the_published_composition_holds_and_is_never_better_than_ours(times: int) -> None:
    loss, slack = PrivacyLoss("9/10"), Fraction(1, 10)
    published = advanced_as_published(loss, times=times, slack=slack)
    assert published.delta == slack
    assert repeated_verdict(published, Fraction(9, 10), times).ok
    assert advanced(loss, times=times, slack=slack).epsilon <= published.epsilon


def test_advanced_composition_of_an_inner_delta() -> None:
    """1 - (1 - delta)^m (1 - delta'), exactly."""
    total = advanced(PrivacyLoss("1/10", "1/1000000"), times=100, slack=Fraction(1, 10**6))
    assert total.delta == 1 - (1 - Fraction(1, 10**6)) ** 101


def test_advanced_composition_of_nothing_lost_is_nothing_lost() -> None:
    assert advanced(PrivacyLoss(0), times=100, slack=Fraction(1, 100)) == PrivacyLoss(0, Fraction(1, 100))


def test_a_million_times_a_millionth_is_1() -> None:
    """Exactly, as no float would have it."""
    losses = [PrivacyLoss(Fraction(1, 10**6), Fraction(1, 10**9))] * 10**4
    assert basic([basic(losses)] * 100) == PrivacyLoss(1, Fraction(1, 1000))
    assert sum([PrivacyLoss(1e-6)] * 1000, NO_LOSS) == PrivacyLoss("0.001")


def test_many_losses_of_unlike_denominators_add_up() -> None:
    """Their sum is long, and exact."""
    parts = [Fraction(1, odd) for odd in range(3, 1500, 2)]
    assert basic([PrivacyLoss(part) for part in parts]).epsilon == sum(parts)


def test_adding_is_commutative_associative_and_capped_at_delta_1() -> None:
    one, two, three = PrivacyLoss("1/3", "1/2"), PrivacyLoss("1/7", "1/3"), PrivacyLoss(2, "3/4")
    assert one + two == two + one
    assert (one + two) + three == one + (two + three) == PrivacyLoss(Fraction(1, 3) + Fraction(1, 7) + 2, 1)
    assert one + NO_LOSS == one == basic([one])
    assert basic([]) == NO_LOSS


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_a_person_of_many_rows_loses_exactly_the_group_loss(epsilon: Fraction, rows: int) -> None:
    inner = Summarised(sum, NoisyCount(epsilon=epsilon, low=0, high=rows))
    mechanism = Declared(Ungrouped(inner), group(inner.loss, rows=rows))
    universe = tuple((1,) * ones + (0,) * (rows - ones) for ones in range(rows + 1))
    assert is_exact(found(mechanism, universe=universe, reach=rows))


def test_a_group_with_delta_loses_at_most_what_is_stated() -> None:
    inner = StabilityHistogram(epsilon=1, delta="1/4", rows=2)
    mechanism = Declared(Ungrouped(inner), group(inner.loss, rows=2))
    assert found(mechanism, universe=(("a", "a"), ("a", "b"), ("b", "b")), reach=inner.cut).ok


def test_a_group_of_one_is_a_row() -> None:
    assert group(PrivacyLoss("1/3"), rows=1) == PrivacyLoss("1/3")
    exact = group(PrivacyLoss("1/3", "1/10"), rows=1)
    assert exact.epsilon == Fraction(1, 3)
    assert Fraction(1, 10) <= exact.delta <= Fraction(1, 10) * (1 + Fraction(1, 1 << 96))


def test_a_group_too_large_to_hide_has_delta_1() -> None:
    assert group(PrivacyLoss(1, "1/100"), rows=10**12) == PrivacyLoss(10**12, 1)


@pytest.mark.parametrize(("one", "other"), [*product(EPSILONS, EPSILONS)], ids=str)
def test_parts_by_content_lose_exactly_the_two_dearest(one: Fraction, other: Fraction) -> None:
    """Three cells; a replaced row leaves one of them and enters another."""
    prices = (one, other, Fraction(1, 10))
    leaves = tuple(Summarised(people, NoisyCount(epsilon=price, low=0, high=1)) for price in prices)
    mechanism = ByContent(cells=(0, 1, 2), cell_of=itself, mechanisms=leaves)
    assert mechanism.loss == PrivacyLoss(one + other)
    assert is_exact(found(mechanism, universe=(0, 1, 2)))


def test_a_row_outside_all_cells_is_one_that_only_enters_or_leaves() -> None:
    leaf = Summarised(people, NoisyCount(epsilon=1, low=0, high=1))
    mechanism = ByContent(cells=(0,), cell_of=itself, mechanisms=(leaf,))
    assert mechanism.loss == PrivacyLoss(1)
    assert is_exact(found(mechanism, universe=(0, "elsewhere")))


def test_deltas_of_parts_by_content_are_those_of_two() -> None:
    leaves = (Seldom(Fraction(1, 4)), Seldom(Fraction(1, 8)), Seldom(Fraction(1, 16)))
    mechanism = ByContent(cells=(0, 1, 2), cell_of=itself, mechanisms=leaves)
    assert mechanism.loss == PrivacyLoss(0, Fraction(3, 8))
    assert found(mechanism, universe=(0, 1, 2)).ok
    assert by_content([PrivacyLoss(1)] * 2, [AddRemoveLoss(1, "3/4")] * 2) == PrivacyLoss(2, 1)


def test_a_row_that_stays_in_its_part_may_cost_more_than_one_that_moves() -> None:
    """One dear leaf and a cheap one: a histogram's replace-one loss is twice its add/remove loss."""
    assert by_content([PrivacyLoss(2), PrivacyLoss("1/5")], [AddRemoveLoss(1), AddRemoveLoss("1/10")]).epsilon == 2
    assert by_content([PrivacyLoss(2)], [AddRemoveLoss(1)]).epsilon == 2
    assert by_content([PrivacyLoss(0, "1/2")] * 2, [AddRemoveLoss(0, "1/8")] * 2).delta == Fraction(1, 2)


@pytest.mark.parametrize("sizes", [(1, 2), (2, 1), (0, 3), (1, 1, 1), (3,)], ids=str)
def test_parts_by_position_lose_exactly_the_dearest(sizes: tuple[int, ...]) -> None:
    prices = [Fraction(1, 1 + place) for place in range(len(sizes))]
    if sizes[0] == 0:
        prices[0] = Fraction(1, 9)
    mechanisms = tuple(
        Summarised(sum, NoisyCount(epsilon=price, low=0, high=size)) for price, size in zip(prices, sizes, strict=True)
    )
    mechanism = ByPosition(parts=Parts(sizes), mechanisms=mechanisms)
    assert mechanism.loss == PrivacyLoss(max(prices))
    assert is_exact(found(mechanism, rows=3, reach=3))


def test_parallel_takes_the_dearest_of_both() -> None:
    losses = [PrivacyLoss(1), PrivacyLoss("1/2", "1/10"), PrivacyLoss("1/3", "1/5")]
    assert parallel(Parts((1, 1, 1)), losses) == PrivacyLoss(1, "1/5")


def test_the_delta_of_repeats_by_another_route() -> None:
    """The sum over the number of truths of max(0, P - e^total Q), in floats: the formula is a hockey stick."""
    from math import exp

    epsilon, times, total = 0.7, 6, 1.1
    truth = exp(epsilon) / (1 + exp(epsilon))
    stick = sum(
        comb(times, k)
        * max(0.0, truth**k * (1 - truth) ** (times - k) - exp(total) * truth ** (times - k) * (1 - truth) ** k)
        for k in range(times + 1)
    )
    assert abs(float(delta_of_repeats(Fraction("0.7"), times=times, total=Fraction("1.1"))) - stick) < 1e-14
