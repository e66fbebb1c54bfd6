# SPDX-License-Identifier: Apache-2.0
"""The verifier against laws that can be computed by hand, and against itself by brute force."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import inf, log
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq

from discreet.coins.balls import ends, precision
from discreet.coins.contract import Coins
from discreet.coins.enumerating import Law, Unverifiable
from discreet.mechanisms.contract import Summarised
from discreet.mechanisms.counts import NoisyCount
from discreet.privacy.loss import PrivacyLoss
from discreet.verification import explore
from discreet.verification.case import Case, neighbouring_laws
from discreet.verification.distance import hockey_stick, privacy_loss
from discreet.verification.explore import Laws, equal
from discreet.verification.observe import Outcome, watching
from discreet.verification.verify import Verdict, decimal_up, verify
from tests.laws.mechanisms.exact import loss_between, meets

BITS = 256


@dataclass(frozen=True)
class Told:
    """A release with a loss that is simply said."""

    release: Callable[[Sequence[Any], Coins], object]
    loss: PrivacyLoss = field(default_factory=lambda: PrivacyLoss(1))

    def __call__(self, data: Sequence[Any], coins: Coins, /) -> object:
        return self.release(data, coins)


def case_of(release: Any, *, loss: PrivacyLoss | None = None, **figures: Any) -> Case:
    stated = {"name": "told", "universe": (0, 1), "rows": 1, "tight": False} | figures
    return Case(mechanism=Told(release, loss or PrivacyLoss(1)), **stated)


def seen(output: Any) -> Outcome:
    return Outcome(output, (), ())


def law(**chances: str) -> dict[Outcome, Any]:
    """A law by hand; rationals as text."""
    return {seen(name): fmpq(*map(int, (text + "/1").split("/")[:2])) for name, text in chances.items()}


# Losses and hockey sticks of laws written by hand.

P, Q = law(a="1/2", b="1/3", c="1/6"), law(a="1/4", b="1/4", c="1/2")


def is_near(exact: arb, value: float) -> bool:
    return abs(float(exact.mid()) - value) < 1e-14


def test_the_loss_is_the_logarithm_of_the_largest_ratio() -> None:
    """1/2 against 1/4 one way, 1/2 against 1/6 the other."""
    assert is_near(privacy_loss(BITS)(P, Q).size, log(2))
    assert is_near(privacy_loss(BITS)(Q, P).size, log(3))
    assert privacy_loss(BITS)(P, Q).outcome == seen("a")
    assert privacy_loss(BITS)(Q, P).outcome == seen("c")


def test_the_loss_between_equal_laws_is_0() -> None:
    assert privacy_loss(BITS)(P, P).size.contains(0)


def test_the_loss_is_infinite_where_an_outcome_is_never_shown() -> None:
    assert not privacy_loss(BITS)(P, law(a="1/2", b="1/2")).size.is_finite()
    assert privacy_loss(BITS)(law(a="1/2", b="1/2"), P).size.is_finite()


def test_the_hockey_stick_at_0_is_the_total_variation() -> None:
    """(1/4 + 1/12) one way, and the same the other way."""
    assert is_near(hockey_stick(Fraction(0), BITS)(P, Q).size, 1 / 3)
    assert is_near(hockey_stick(Fraction(0), BITS)(Q, P).size, 1 / 3)


def test_the_hockey_stick_counts_what_is_above_the_factor_alone() -> None:
    """At epsilon = ln 2, about 0.693147: of (1/2, 1/3, 1/6) only c of the other law is left, 1/2 - 2/6."""
    epsilon = Fraction("0.693147180559945309417232121458176568")
    assert is_near(hockey_stick(epsilon, BITS)(Q, P).size, 1 / 2 - 2 / 6)
    assert float(hockey_stick(epsilon, BITS)(P, Q).size.mid()) < 1e-30


def test_the_hockey_stick_counts_outcomes_that_are_never_shown() -> None:
    assert is_near(hockey_stick(Fraction(5), BITS)(P, law(a="1")).size, 1 / 3 + 1 / 6)


def test_the_hockey_stick_is_0_exactly_above_the_loss() -> None:
    assert hockey_stick(Fraction(2), BITS)(P, Q).size == 0


# Whole cases by hand.


def three_in_four(data: Sequence[int], coins: Coins) -> bool:
    return coins.bernoulli(Fraction(1 + 2 * data[0], 4))


def test_a_coin_that_tells_a_bit_three_times_in_four_loses_ln_3() -> None:
    verdict = verify(case_of(three_in_four, loss=PrivacyLoss("1.1")))
    assert verdict.ok
    assert is_near(verdict.exact, log(3))
    assert (verdict.pairs, verdict.paths) == (2, 2 * 4)  # each path twice: folded here, and further out


def test_a_loss_above_the_declared_one_is_not_ok() -> None:
    verdict = verify(case_of(three_in_four, loss=PrivacyLoss("1.09")))
    assert not verdict.ok


def test_chances_of_one_outcome_by_many_paths_are_added_up() -> None:
    """The parity of three coins of 1/3 and a bit: heads is odd with probability 13/27, whatever is added."""

    def release(data: Sequence[int], coins: Coins) -> int:
        return (sum(coins.bernoullis(Fraction(1, 3), 3).tolist()) + data[0]) % 2

    verdict = verify(case_of(release))
    assert is_near(verdict.exact, log(14 / 13))


def test_an_output_that_does_not_depend_on_the_rows_loses_0() -> None:
    verdict = verify(case_of(lambda data, coins: coins.below(3), loss=PrivacyLoss(0)))
    assert verdict.ok
    assert verdict.exact.contains(0)


def test_rows_shown_lose_infinitely_much() -> None:
    verdict = verify(case_of(lambda data, coins: data[0], loss=PrivacyLoss(1000)))
    assert not verdict.ok
    assert not verdict.exact.is_finite()
    assert verdict.as_json()["exact"] == "Infinity"
    assert verdict.as_json()["ok"] is False


def test_with_a_declared_delta_the_hockey_stick_is_what_is_measured() -> None:
    """The row is shown once in five times: delta = 1/5 at any epsilon."""

    def release(data: Sequence[int], coins: Coins) -> int | None:
        return data[0] if coins.bernoulli(Fraction(1, 5)) else None

    for delta, accepted in (("0.2", True), ("0.3", True), ("0.19999999999999999999", False)):
        verdict = verify(case_of(release, loss=PrivacyLoss(1, delta)))
        assert (verdict.ok, verdict.measure) == (accepted, "delta")
        assert is_near(verdict.exact, 0.2)


def test_the_loss_is_met_by_a_noisy_count_to_2_to_the_minus_180() -> None:
    mechanism = Summarised(sum, NoisyCount(epsilon="1/3", low=0, high=2))
    verdict = verify(Case(name="count", mechanism=mechanism, universe=(0, 1), rows=2, reach=2))
    assert meets(verdict.exact, Fraction(1, 3))


# The witness.


def witnessed(verdict: Verdict) -> tuple[tuple[Any, ...], tuple[Any, ...], str]:
    pair, _, output = verdict.witness.partition(", output ")
    first, _, second = pair.partition(" and ")
    return eval(first), eval(second), output  # the verifier's own text, on rows of this test


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_the_witness_is_a_pair_of_neighbours_that_attains_the_loss(rows: int) -> None:
    mechanism = Summarised(sum, NoisyCount(epsilon="1/2", low=0, high=rows))
    verdict = verify(Case(name="count", mechanism=mechanism, universe=(0, 1), rows=rows, reach=rows))
    first, second, output = witnessed(verdict)
    assert sum(one != other for one, other in zip(first, second, strict=True)) == 1
    laws = Laws(mechanism, reach=rows, bits=BITS)
    with watching() as observe:
        one, other = (laws.laws[laws.index(data, observe)] for data in (first, second))
    chances = [next(p for outcome, p in law.items() if str(outcome) == output) for law in (one, other)]
    with precision(BITS):
        assert (arb(chances[0]) / arb(chances[1])).log().overlaps(verdict.exact)


def test_the_witness_says_what_was_told() -> None:
    def release(data: Sequence[int], coins: Coins) -> int:
        if not data[0]:
            print("none")  # noqa: T201
        return coins.below(2)

    assert "having told" in verify(case_of(release)).witness


def test_where_nothing_depends_on_the_rows_the_witness_says_so_or_shows_a_pair_of_loss_0() -> None:
    verdict = verify(case_of(lambda data, coins: coins.below(3)))
    assert verdict.exact.contains(0)
    assert verdict.witness


# Reach.


def raw(data: Sequence[int], coins: Coins) -> int:
    return data[0] + coins.geometric(Fraction(1))


def clamped(data: Sequence[int], coins: Coins) -> int:
    return max(0, min(4, data[0] + coins.geometric(Fraction(1))))


@pytest.mark.parametrize("reach", [1, 2, 5, 9])
def test_raw_noise_is_found_at_any_reach(reach: int) -> None:
    verdict = verify(case_of(raw, reach=reach))
    assert not verdict.ok
    assert "raw noise leaves" in verdict.witness


def test_noise_clamped_further_out_than_the_reach_is_taken_for_raw() -> None:
    """So a reach that is too small is an alarm and never a pass."""
    assert [verify(case_of(clamped, reach=reach)).ok for reach in range(1, 7)] == [
        False,
        False,
        False,
        True,
        True,
        True,
    ]


def test_the_verdict_does_not_depend_on_the_reach_beyond_the_clamp() -> None:
    with precision(BITS):
        exact = [verify(case_of(clamped, reach=reach)).exact for reach in range(4, 8)]
        assert all(one.overlaps(exact[0]) for one in exact)


# Pairs.

SHAPES = [(2, 1), (2, 4), (3, 1), (3, 3), (4, 2), (5, 2)]


def neighbours(size: int, rows: int) -> list[tuple[int, int]]:
    """All ordered pairs of places of databases that differ in one row, by looking at each."""
    databases = list(product(range(size), repeat=rows))
    return [
        (one, other)
        for one, first in enumerate(databases)
        for other, second in enumerate(databases)
        if sum(a != b for a, b in zip(first, second, strict=True)) == 1
    ]


def shaped(size: int, rows: int) -> Case:
    return case_of(lambda data, coins: None, universe=tuple(range(size)), rows=rows)


@pytest.mark.parametrize(("size", "rows"), SHAPES)
def test_the_number_of_pairs_is_what_counting_finds(size: int, rows: int) -> None:
    assert shaped(size, rows).pairs == len(neighbours(size, rows))


@pytest.mark.parametrize(("size", "rows"), SHAPES)
def test_all_pairs_are_neighbours_where_all_laws_differ(size: int, rows: int) -> None:
    laws = range(size**rows)
    assert sorted(map(tuple, neighbouring_laws(laws, shaped(size, rows)).tolist())) == neighbours(size, rows)


@pytest.mark.parametrize(("size", "rows"), SHAPES)
@pytest.mark.parametrize("kinds", [1, 2, 3, 7])
def test_each_pair_of_laws_is_kept_once_and_by_neighbours(size: int, rows: int, kinds: int) -> None:
    """Laws dealt to databases by a rule that mixes them well."""
    laws = [(place * place + 3 * place) % 11 % kinds for place in range(size**rows)]
    found = [tuple(pair) for pair in neighbouring_laws(laws, shaped(size, rows)).tolist()]
    expected = neighbours(size, rows)
    assert set(found) <= set(expected)
    assert sorted((laws[one], laws[other]) for one, other in found) == sorted(
        {(laws[one], laws[other]) for one, other in expected}
    )


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_the_verdict_is_that_of_brute_force_over_all_pairs(rows: int) -> None:
    """A mechanism that is symmetric in nothing."""

    def release(data: Sequence[int], coins: Coins) -> int:
        weight = sum((place + 2) * row for place, row in enumerate(data))
        return int(coins.bernoulli(Fraction(1 + weight, 40)))

    case = case_of(release, universe=(0, 1, 2), rows=rows)
    laws = Laws(case.mechanism, reach=1, bits=BITS)
    databases = list(case.databases())
    with watching() as observe:
        index = [laws.index(data, observe) for data in databases]
    pairs = neighbours(3, rows)
    with precision(BITS):
        largest = max((loss_between(laws.laws[index[a]], laws.laws[index[b]]) for a, b in pairs), key=float)
        assert verify(case).exact.overlaps(largest)


# Precision.


def close(data: Sequence[int], coins: Coins) -> int:
    """Clamped noise whose probabilities are differences of numbers near 1: they cancel."""
    return max(0, min(1, data[0] + coins.geometric(Fraction(10**9))))


@pytest.mark.parametrize("bits", [2, 16, 64, 128, 200])
def test_too_little_precision_is_doubled_until_it_is_enough(bits: int) -> None:
    """And never taken for raw noise, or for a pass."""
    case = case_of(close, loss=PrivacyLoss(Fraction(1, 10**9)))
    verdict = verify(case, bits=bits)
    assert verdict.ok
    assert meets(verdict.exact, Fraction(1, 10**9))


@pytest.mark.parametrize("bits", [2, 64, 256])
def test_a_violation_is_found_at_any_precision(bits: int) -> None:
    slightly = Fraction(1, 10**9) * (1 - Fraction(1, 1 << 64))
    assert not verify(case_of(close, loss=PrivacyLoss(slightly)), bits=bits).ok


@pytest.mark.parametrize("bits", [2, 64, 128])
def test_raw_noise_is_found_at_any_precision(bits: int) -> None:
    assert "raw noise leaves" in verify(case_of(raw), bits=bits).witness


def test_laws_with_the_same_outcomes_and_overlapping_chances_are_equal() -> None:
    with precision(BITS):
        third = {seen(0): arb(1) / 3, seen(1): arb(2) / 3}
        assert equal(third, {seen(0): 1 - arb(2) / 3, seen(1): fmpq(2, 3)})
        assert not equal(third, {seen(0): arb(1) / 3 + arb((1, -200)), seen(1): arb(2) / 3})
        assert not equal(third, {seen(0): arb(1) / 3, seen(2): arb(2) / 3})
        assert not equal({seen(0): fmpq(1)}, {seen(0): fmpq(1, 1), seen(1): fmpq(0)})


# JSON.


def test_json_holds_decimal_strings_that_are_never_below_the_truth() -> None:
    mechanism = Summarised(sum, NoisyCount(epsilon="1/3", low=0, high=2))
    verdict = verify(Case(name="count", mechanism=mechanism, universe=(0, 1), rows=2, reach=2))
    line = verdict.as_json()
    for name in ("epsilon", "delta", "declared", "exact"):
        text = line[name]
        assert isinstance(text, str)
        assert "E" not in text.upper()
        assert len(text.partition(".")[2]) <= 50
    assert line["epsilon"] == line["declared"] == "0." + "3" * 49 + "4"
    assert line["delta"] == "0"
    assert Fraction(str(line["exact"])) >= ends(verdict.exact)[1]
    assert Fraction(str(line["exact"])) - Fraction(1, 3) < Fraction(1, 10**48)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(1), "1"),
        (Fraction(10), "10"),
        (Fraction(100), "100"),
        (Fraction(1, 2), "0.5"),
        (Fraction(1, 3), "0." + "3" * 49 + "4"),
        (Fraction(2, 3), "0." + "6" * 49 + "7"),
        (Fraction(1, 10**50), "0." + "0" * 49 + "1"),
        (Fraction(1, 10**60), "0." + "0" * 49 + "1"),
        (Fraction(10**40, 7), "1428571428571428571428571428571428571428." + ("571428" * 9)[:49] + "8"),
    ],
    ids=str,
)
def test_decimals_are_rounded_up_at_the_fiftieth(value: Fraction, text: str) -> None:
    assert decimal_up(value) == text
    assert 0 <= Fraction(Decimal(text)) - value <= Fraction(1, 10**50)


# Paths.


def test_every_path_is_walked_once() -> None:
    """3 * 2^2 paths, and only where they are reached: the second law is asked for one value of the first."""

    def release(data: Sequence[int], coins: Coins) -> Any:
        return coins.below(3) and coins.bernoullis(Fraction(1, 3), 2).tolist()

    laws = Laws(release, reach=1, bits=BITS)
    with watching() as observe:
        chances = laws.laws[laws.index((), observe)]
    assert laws.paths == 1 + 2 * 4
    assert {str(outcome): chance for outcome, chance in chances.items()} == {
        "0": fmpq(1, 3),
        "[True, True]": fmpq(2, 27),
        "[True, False]": fmpq(4, 27),
        "[False, True]": fmpq(4, 27),
        "[False, False]": fmpq(8, 27),
    }


def test_more_paths_than_anybody_waits_for_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore, "MOST_PATHS", 10)
    assert verify(case_of(lambda data, coins: coins.below(10))).ok
    with pytest.raises(Unverifiable, match="more than 10 paths"):
        verify(case_of(lambda data, coins: coins.below(11)))


def test_chances_that_do_not_add_up_to_1_are_refused() -> None:
    """An enumeration that lost a branch must not pass for a law."""
    coin = Law((0, 1), (fmpq(1, 2), fmpq(1, 2)))
    heads, tails = (((coin,), (side,), seen(side)) for side in (0, 1))
    assert explore.law_of((heads, tails), BITS) == {seen(0): fmpq(1, 2), seen(1): fmpq(1, 2)}
    with pytest.raises(Unverifiable, match="do not add up to 1"):
        explore.law_of((heads,), BITS)


def test_the_share_is_what_is_used_of_what_is_declared() -> None:
    half = verify(case_of(three_in_four, loss=PrivacyLoss(Fraction(log(3)) * 2)))
    assert abs(half.share - 0.5) < 1e-12
    assert verify(case_of(lambda data, coins: 0, loss=PrivacyLoss(0))).share == 1
    assert verify(case_of(three_in_four, loss=PrivacyLoss(0))).share == inf
    assert verify(case_of(lambda data, coins: data[0])).share == inf


def test_databases_with_the_same_paths_share_one_law() -> None:
    mechanism = Summarised(sum, NoisyCount(epsilon=1, low=0, high=3))
    laws = Laws(mechanism, reach=3, bits=BITS)
    with watching() as observe:
        places = [laws.index(data, observe) for data in product((0, 1), repeat=3)]
    assert len(laws.laws) == 4
    assert places == [0, 1, 1, 2, 1, 2, 2, 3]


def test_a_noisy_array_is_told_by_its_type_and_its_values() -> None:
    """An int64 of 1 is not an int8 of 1: whoever gets it can tell."""

    def release(data: Sequence[int], coins: Coins) -> Any:
        return np.array([coins.below(2)], dtype=(np.int8, np.int64)[data[0]])

    assert not verify(case_of(release)).ok


def test_a_float_is_not_an_integer_that_is_equal_to_it() -> None:
    assert not verify(case_of(lambda data, coins: (1, 1.0, True)[data[0]])).ok
    assert not verify(case_of(lambda data, coins: (1, True)[data[0]])).ok
