# SPDX-License-Identifier: Apache-2.0

"""Slips in the formulas of discreet/privacy, seen through the mechanisms that declare them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from types import ModuleType
from typing import Any

from discreet.coins.contract import Coins
from discreet.coins.levels import Levels
from discreet.mechanisms.composition import InSequence
from discreet.mechanisms.contract import Summarised
from discreet.mechanisms.counts import NoisyCount, NoisyHistogram
from discreet.mechanisms.stability import StabilityHistogram
from discreet.privacy.loss import AddRemoveLoss, PrivacyLoss
from discreet.verification.case import Case
from discreet.verification.catalogue import BITS, first, itself, people, per_cell
from tests.laws.mutants.slips import slips

MODULE = "discreet.privacy.composition"
LOSS = "discreet.privacy.loss"
PARTS = "discreet.mechanisms.composition"

TIMES = 4
EPSILON = Fraction(1, 2)
SLACK = Fraction(1, 20)


@dataclass(frozen=True)
class Declared:
    """A mechanism with a loss computed from outside."""

    mechanism: Any
    loss: PrivacyLoss

    def __call__(self, data: Sequence[Any], coins: Coins, /) -> object:
        return self.mechanism(data, coins)


@dataclass(frozen=True)
class Repeated:
    """The same mechanism, again and again; all answers are released."""

    mechanism: Any
    times: int

    def __call__(self, data: Sequence[Any], coins: Coins, /) -> tuple[object, ...]:
        return tuple(self.mechanism(data, coins) for _ in range(self.times))


@dataclass(frozen=True)
class Ungrouped:
    """A row is the tuple of all rows of one person."""

    mechanism: Any

    def __call__(self, data: Sequence[Sequence[Any]], coins: Coins, /) -> object:
        return self.mechanism([row for person in data for row in person], coins)


@dataclass(frozen=True)
class ExactResponse:
    """Randomized response without rounding: the truth has weight 1, the lie e^-epsilon."""

    epsilon: Fraction

    def __call__(self, data: Sequence[int], coins: Coins, /) -> int:
        return data[0] ^ coins.choose(Levels((0, 1), (1, 1), self.epsilon))


def repeated(loss: PrivacyLoss, epsilon: Fraction = EPSILON, times: int = TIMES) -> Case:
    mechanism = Declared(Repeated(ExactResponse(epsilon), times), loss)
    return Case(name="repeated", mechanism=mechanism, universe=BITS, rows=1, tight=False)


def repeats(module: ModuleType) -> Case:
    """At a quarter of the basic total, where one flip counts and two do not."""
    total = TIMES * EPSILON / 4
    return repeated(PrivacyLoss(total, module.delta_of_repeats(EPSILON, times=TIMES, total=total)))


def advanced(module: ModuleType) -> Case:
    return repeated(module.advanced(PrivacyLoss(EPSILON), times=TIMES, slack=SLACK))


def as_published(module: ModuleType) -> Case:
    """Eight runs at epsilon = 0.99 with a large delta': enough for the quadratic term to matter."""
    loss = module.advanced_as_published(PrivacyLoss("0.99"), times=8, slack=Fraction(1, 5))
    return repeated(loss, Fraction("0.99"), 8)


def basic(module: ModuleType) -> Case:
    losses = [PrivacyLoss(EPSILON)] * 3
    return repeated(module.basic(losses), times=3)


def pair_of_rows(module: ModuleType) -> Case:
    mechanism = Ungrouped(Summarised(sum, NoisyCount(epsilon=1, low=0, high=2)))
    declared = Declared(mechanism, module.group(PrivacyLoss(1), rows=2))
    return Case(name="group", mechanism=declared, universe=((0, 0), (0, 1), (1, 1)), rows=1, reach=2)


def group_with_delta(module: ModuleType) -> Case:
    """Three rows of one person, alone in their cell or not."""
    inner = StabilityHistogram(epsilon="1/10", delta="1/4", rows=2)
    declared = Declared(Ungrouped(inner), module.group(inner.loss, rows=2))
    return Case(name="group", mechanism=declared, universe=(("a", "a"), ("b", "b")), rows=1, reach=17, tight=False)


def three_parts(module: ModuleType) -> Case:
    """Parts by position, of different prices."""
    mechanisms = tuple(Summarised(sum, NoisyCount(epsilon=epsilon, low=0, high=1)) for epsilon in (1, "1/2", "1/4"))
    mechanism = module.ByPosition(parts=module.Parts((1, 1, 1)), mechanisms=mechanisms)
    return Case(name="ByPosition", mechanism=mechanism, universe=BITS, rows=3)


def three_cells(module: ModuleType) -> Case:
    """Parts by content, of different prices."""
    leaves = tuple(Summarised(people, NoisyCount(epsilon=epsilon, low=0, high=1)) for epsilon in ("1/4", 1, "1/2"))
    mechanism = module.ByContent(cells=(0, 1, 2), cell_of=itself, mechanisms=leaves)
    return Case(name="ByContent", mechanism=mechanism, universe=(0, 1, 2), rows=1)


@dataclass(frozen=True)
class Seldom:
    """Shows whether there is a row, with probability `delta`: (0, delta)-private under add/remove."""

    delta: Fraction

    @property
    def loss(self) -> PrivacyLoss:
        return PrivacyLoss(0, self.delta)

    @property
    def add_remove_loss(self) -> AddRemoveLoss:
        return AddRemoveLoss(0, self.delta)

    def __call__(self, data: Sequence[Any], coins: Coins, /) -> int | None:
        return len(data) if coins.bernoulli(self.delta) else None


def one_cell(module: ModuleType) -> Case:
    """A row that stays in its cell moves both counts of the histogram there."""
    leaf = Summarised(partial(per_cell, cells=2), NoisyHistogram(epsilon=1, cells=2, rows=1))
    mechanism = module.ByContent(cells=("all",), cell_of=lambda row: "all", mechanisms=(leaf,))
    return Case(name="ByContent", mechanism=mechanism, universe=BITS, rows=1)


def seldom_in_cells(module: ModuleType) -> Case:
    leaves = (Seldom(Fraction(1, 4)), Seldom(Fraction(1, 8)))
    mechanism = module.ByContent(cells=(0, 1), cell_of=itself, mechanisms=leaves)
    return Case(name="ByContent", mechanism=mechanism, universe=BITS, rows=1, tight=False)


def two_counts(module: ModuleType) -> Case:
    """In sequence: the sum is that of the losses themselves."""
    once = Summarised(first, module.NoisyCount(epsilon=1, low=0, high=1))
    mechanism = InSequence(first=once, second=lambda released: once, second_loss=once.loss)
    return Case(name="InSequence", mechanism=mechanism, universe=BITS, rows=1)


def two_histograms(module: ModuleType) -> Case:
    once = module.StabilityHistogram(epsilon=1, delta="1/3", rows=1)
    mechanism = InSequence(first=once, second=lambda released: once, second_loss=once.loss)
    return Case(name="InSequence", mechanism=mechanism, universe=("a", "b"), rows=1, reach=3, tight=False)


BASIC = "return sum(losses, NO_LOSS)"
ADDED = "PrivacyLoss(self.epsilon + other.epsilon, min(Fraction(1), self.delta + other.delta))"
TERM = "comb(times, flips) * (ball((times - flips) * epsilon).exp() - ball(total + flips * epsilon).exp())"
NORMAL = "/ (1 + ball(epsilon).exp()) ** times"
FLIPS = "for flips in range(times + 1)"
ENOUGH = "low, high = (low, middle) if enough else (middle, high)"
TOTAL = "(-2 * times * ball(slack).log()).sqrt() * ball(epsilon) + ball(2 * times * epsilon**2)"
GROUPED = "return PrivacyLoss(rows * loss.epsilon, loss.delta)"
GROUPED_DELTA = "(steps * ball(loss.delta))"
PARALLEL = "return PrivacyLoss(max(loss.epsilon for loss in losses), max(loss.delta for loss in losses))"
CONTENT = "sum(epsilons[:2], Fraction(0))"
CONTENT_DELTA = "sum(deltas[:2], Fraction(0))"
DESCENDING = "epsilons = sorted((loss.epsilon for loss in added), reverse=True)"
STAYING = ", *(loss.epsilon for loss in replaced))"

KILLED = (
    *slips(
        MODULE,
        basic,
        ("the dearest in sequence is charged", BASIC, "return max(losses, key=lambda loss: loss.epsilon)"),
        ("the first in sequence is free", BASIC, "return sum(losses[1:], NO_LOSS)"),
    ),
    *slips(
        LOSS,
        two_counts,
        (
            "the epsilons of two losses are not added",
            ADDED,
            ADDED.replace("self.epsilon + other.epsilon", "max(self.epsilon, other.epsilon)"),
        ),
        ("only the deltas are added", ADDED, ADDED.replace("self.epsilon + other.epsilon", "other.epsilon")),
        through="discreet.mechanisms.counts",
    ),
    *slips(
        LOSS,
        two_histograms,
        (
            "the deltas of two losses are not added",
            ADDED,
            ADDED.replace("self.delta + other.delta", "max(self.delta, other.delta)"),
        ),
        (
            "the deltas of two losses are multiplied",
            ADDED,
            ADDED.replace("self.delta + other.delta", "self.delta * other.delta"),
        ),
        through="discreet.mechanisms.stability",
    ),
    *slips(
        MODULE,
        repeats,
        ("flips are paid for twice", TERM, TERM.replace("total + flips * epsilon", "total + 2 * flips * epsilon")),
        ("one order of the flips is counted", TERM, TERM.replace("comb(times, flips) * ", "")),
        ("a run too many in the normaliser", NORMAL, NORMAL.replace("** times", "** (times + 1)")),
        ("no flips are left out of the sum", FLIPS, "for flips in range(1, times + 1)"),
        (
            "the whole epsilon is on one side",
            TERM,
            TERM.replace("ball((times - flips) * epsilon)", "ball((times - 2 * flips) * epsilon)"),
        ),
    ),
    *slips(
        MODULE,
        advanced,
        (
            "the end of the bisection that is too small",
            "return PrivacyLoss(high * unit",
            "return PrivacyLoss(low * unit",
        ),
        ("the bisection goes the wrong way", ENOUGH, "low, high = (middle, high) if enough else (low, middle)"),
        ("twice the slack is enough", "total=middle * unit) <= slack", "total=middle * unit) <= 2 * slack"),
        ("the slack is not declared", "** times * (1 - slack))", "** times)"),
        ("one run fewer is searched for", "times=times, total=middle * unit)", "times=times - 1, total=middle * unit)"),
    ),
    *slips(
        MODULE,
        as_published,
        ("the square root of the slack's logarithm alone", TOTAL, "(-2 * ball(slack).log()).sqrt() * ball(epsilon)"),
        ("the quadratic term is left out", TOTAL, "(-2 * times * ball(slack).log()).sqrt() * ball(epsilon)"),
    ),
    *slips(
        MODULE,
        pair_of_rows,
        ("a person with two rows loses what a row loses", GROUPED, "return loss"),
        ("one row less is counted", GROUPED, "return PrivacyLoss((rows - 1) * loss.epsilon)"),
    ),
    *slips(
        MODULE,
        group_with_delta,
        ("the delta of a group is that of a row", GROUPED_DELTA, "ball(loss.delta)"),
        (
            "the delta of a group is forgotten",
            "return PrivacyLoss(rows * loss.epsilon, min(Fraction(1), ceiling(delta)))",
            GROUPED,
        ),
    ),
    *slips(
        MODULE,
        three_parts,
        ("the cheapest part is charged", PARALLEL, PARALLEL.replace("max(loss.eps", "min(loss.eps")),
        (
            "the first two parts are charged their mean",
            PARALLEL,
            "return PrivacyLoss((losses[0].epsilon + losses[1].epsilon) / 2)",
        ),
        through=PARTS,
    ),
    *slips(
        MODULE,
        three_cells,
        ("the dearest cell is charged alone", CONTENT, "sum(epsilons[:1], Fraction(0))"),
        ("the two cheapest cells are charged", DESCENDING, DESCENDING.replace(", reverse=True", "")),
        ("the first two cells are charged", DESCENDING, "epsilons = [loss.epsilon / 2 for loss in added]"),
        through=PARTS,
    ),
    *slips(
        MODULE,
        one_cell,
        ("a row that stays in its cell is forgotten", STAYING, ", Fraction(0))"),
        through=PARTS,
    ),
    *slips(
        MODULE,
        seldom_in_cells,
        ("the dearest cell's delta is charged alone", CONTENT_DELTA, "deltas[0]"),
        through=PARTS,
    ),
)

HARMLESS = (
    *slips(
        MODULE,
        repeats,
        (
            "Terms that are 0 or less are looked for with >=. Proof: at equality the term is 0.",
            "if (times - flips) * epsilon > total + flips * epsilon",
            "if (times - flips) * epsilon >= total + flips * epsilon",
        ),
    ),
    *slips(
        MODULE,
        repeats,
        (
            "Flips cost nothing on the other side. Proof: each term grows, so a larger delta is declared.",
            TERM,
            TERM.replace("total + flips * epsilon", "total"),
        ),
    ),
    *slips(
        MODULE,
        three_cells,
        ("All cells are charged. Proof: more is declared.", CONTENT, "sum(epsilons, Fraction(0))"),
        through=PARTS,
    ),
)
