# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501, ISC004 -- slips quote the lines of the source as they stand
"""Slips in discreet/mechanisms/subsampling.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from types import ModuleType

from discreet.coins.contract import Coins
from discreet.mechanisms.contract import Summarised
from discreet.mechanisms.counts import NoisyCount, NoisyHistogram
from discreet.mechanisms.stability import StabilityHistogram
from discreet.privacy.loss import AddRemoveLoss, PrivacyLoss
from discreet.verification.case import Case
from discreet.verification.catalogue import BITS, per_cell
from tests.laws.mutants.slips import before, slips

MODULE = "discreet.mechanisms.subsampling"

TENTH = Fraction(1, 10)


def counted(epsilon: Fraction, rows: int) -> Summarised:
    return Summarised(sum, NoisyCount(epsilon=epsilon, low=0, high=rows))


@dataclass(frozen=True)
class SizeAndCount:
    """A noisy count of ones, shown beside the number of rows: epsilon-private under replace-one only."""

    epsilon: Fraction

    @property
    def loss(self) -> PrivacyLoss:
        return PrivacyLoss(self.epsilon)

    @property
    def add_remove_loss(self) -> AddRemoveLoss | None:
        return None

    def __call__(self, data: Sequence[int], coins: Coins, /) -> tuple[int, int]:
        return len(data), NoisyCount(epsilon=self.epsilon, low=0, high=2)(sum(data), coins)


@dataclass(frozen=True)
class NoisySizeAndCount(SizeAndCount):
    """The number of rows with noise of its own: add/remove costs more than replace-one."""

    size_epsilon: Fraction

    @property
    def add_remove_loss(self) -> AddRemoveLoss | None:
        return AddRemoveLoss(self.epsilon + self.size_epsilon)

    def __call__(self, data: Sequence[int], coins: Coins, /) -> tuple[int, int]:
        size = NoisyCount(epsilon=self.size_epsilon, low=0, high=1)(len(data), coins)
        return size, NoisyCount(epsilon=self.epsilon, low=0, high=1)(sum(data), coins)


def poisson(module: ModuleType) -> Case:
    mechanism = module.PoissonSample(inner=counted(Fraction(1), 2), rate=TENTH, rows=2)
    return Case(name="PoissonSample", mechanism=mechanism, universe=BITS, rows=2, reach=2)


def poisson_of_sizes(module: ModuleType) -> Case:
    mechanism = module.PoissonSample(inner=SizeAndCount(Fraction(1)), rate=TENTH, rows=2)
    return Case(name="PoissonSample", mechanism=mechanism, universe=BITS, rows=2, reach=2)


def poisson_of_noisy_sizes(module: ModuleType) -> Case:
    mechanism = module.PoissonSample(inner=NoisySizeAndCount(Fraction(1), Fraction(3)), rate=TENTH, rows=1)
    return Case(name="PoissonSample", mechanism=mechanism, universe=BITS, rows=1)


def poisson_of_cells(module: ModuleType) -> Case:
    inner = Summarised(partial(per_cell, cells=2), NoisyHistogram(epsilon=1, cells=2, rows=2))
    mechanism = module.PoissonSample(inner=inner, rate=TENTH, rows=2)
    return Case(name="PoissonSample", mechanism=mechanism, universe=BITS, rows=2, reach=2)


def without(module: ModuleType) -> Case:
    mechanism = module.SampleWithoutReplacement(inner=counted(Fraction(1), 2), take=2, rows=3)
    return Case(name="SampleWithoutReplacement", mechanism=mechanism, universe=BITS, rows=3, reach=2)


def without_at_all(module: ModuleType) -> Case:
    """All rows are taken."""
    mechanism = module.SampleWithoutReplacement(inner=counted(Fraction(1), 2), take=2, rows=2)
    return Case(name="SampleWithoutReplacement", mechanism=mechanism, universe=BITS, rows=2, reach=2)


def without_with_delta(module: ModuleType) -> Case:
    inner = StabilityHistogram(epsilon=2, delta="2/5", rows=1)
    mechanism = module.SampleWithoutReplacement(inner=inner, take=1, rows=2)
    return Case(
        name="SampleWithoutReplacement", mechanism=mechanism, universe=BITS, rows=2, reach=inner.cut, tight=False
    )


def with_replacement(module: ModuleType) -> Case:
    mechanism = module.SampleWithReplacement(inner=counted(Fraction(1), 2), take=2, rows=3)
    return Case(name="SampleWithReplacement", mechanism=mechanism, universe=BITS, rows=3, reach=2)


def published(module: ModuleType) -> Case:
    mechanism = module.SampleWithReplacementAsPublished(inner=counted(Fraction(1), 1), take=1, rows=2)
    return Case(name="SampleWithReplacementAsPublished", mechanism=mechanism, universe=BITS, rows=2, tight=False)


def published_with_delta(module: ModuleType) -> Case:
    inner = StabilityHistogram(epsilon="1/10", delta="3/5", rows=1)
    mechanism = module.SampleWithReplacementAsPublished(inner=inner, take=1, rows=5)
    return Case(
        name="SampleWithReplacementAsPublished", mechanism=mechanism, universe=BITS, rows=5, reach=2, tight=False
    )


SLACK = "rate, slack = self.rate, replaced - added.epsilon"
NOTHING_STATED = "if added is None or added.delta:\n            return PrivacyLoss(replaced)"
KEPT = "return self.inner([row for row, kept in zip(data, chosen, strict=True) if kept], coins)"
CHOSEN = "        chosen = coins.bernoullis(self.rate, self.rows).tolist()"
SHARE = "share, inner = Fraction(self.take, self.rows), self.inner.loss\n        if share == 1:"
TAKEN_LOSS = "return PrivacyLoss(epsilon, share * inner.delta)"
TAKEN = "        return self.inner([data[position] for position in positions[: self.take]], coins)"
OTHER = "other = place + coins.below(self.rows - place)"
REPLACED_LOSS = "self.take * (ball(inner).expm1() / self.rows).log1p()"
DRAWN = "coins.belows(len(data), take)"
PUBLISHED = "epsilon = 6 * inner.epsilon * share"
PUBLISHED_DELTA = "delta = inner.delta and ceiling(lambda bits: 4 * ball(epsilon).exp() * ball(share * inner.delta))"

KILLED = (
    *slips(
        MODULE,
        poisson,
        ("the rate is that of staying out", CHOSEN, CHOSEN.replace("self.rate", "1 - self.rate")),
        ("the rows that stay out are handed on", KEPT, KEPT.replace("if kept", "if not kept")),
        ("an empty sample is replaced by all rows", KEPT, KEPT.replace("], coins", "] or data, coins")),
        ("rows that are 1 are always kept", KEPT, KEPT.replace("if kept", "if kept or row")),
        (
            "the loss of the mean rate: p epsilon",
            "return PrivacyLoss(min(replaced, ceiling(epsilon)))",
            "return PrivacyLoss(self.rate * replaced)",
        ),
        (
            "one coin for all rows, and the first is always kept",
            KEPT,
            KEPT.replace("if kept", "if kept or row is data[0]"),
        ),
        ("the positions drawn are shown", KEPT, KEPT.replace("return ", "return chosen, ")),
        (
            "the positions drawn are logged",
            *before("import logging; logging.debug('sample: %s', chosen)", "        " + KEPT),
        ),
        (
            "a warning if nothing in the sample is 1",
            *before(
                "if not any(row and kept for row, kept in zip(data, chosen)): import warnings; warnings.warn('empty')",
                "        " + KEPT,
            ),
        ),
        (
            "rows are drawn until one is 1",
            CHOSEN,
            "        chosen = [coins.bernoulli(self.rate) for row in data if row] + [0] * self.rows\n        chosen = chosen[: self.rows]",
        ),
    ),
    *slips(
        MODULE,
        poisson_of_sizes,
        (
            "ln(1 + p(e^epsilon - 1)) is charged for a mechanism that shows the size of the sample",
            NOTHING_STATED,
            "added = added or self.inner.loss",
        ),
    ),
    *slips(
        MODULE,
        poisson_of_cells,
        ("the slack is taken twice", SLACK, SLACK + "\n        slack *= 2"),
        ("the sample is weighted with what stays out", "outside = ball(1 - rate) *", "outside = ball(1 + rate) *"),
    ),
    *slips(
        MODULE,
        poisson_of_noisy_sizes,
        (
            "an add/remove loss above the other is taken for equal to it",
            SLACK,
            "rate, slack = self.rate, replaced - min(added.epsilon, replaced)",
        ),
    ),
    *slips(
        MODULE,
        without,
        (
            "sampling with replacement, charged as without",
            OTHER,
            "other = coins.below(self.rows)\n            positions.insert(place, positions[other]); continue",
        ),
        ("rows are swapped with any place, also an earlier one", OTHER, "other = coins.below(self.rows)"),
        ("the last row is hardly ever drawn", OTHER, "other = place + coins.below(max(1, self.rows - place - 1))"),
        ("the first rows are taken", OTHER, "other = place + 0 * coins.below(self.rows - place)"),
        (
            "every other row is taken, from a random start",
            OTHER,
            "other = place + coins.below(2) * (self.rows - place - 1)",
        ),
        (
            "the share is that of one row more",
            SHARE,
            SHARE.replace("self.take, self.rows)", "self.take, self.rows + 1)"),
        ),
        ("the share is that of one draw", SHARE, SHARE.replace("self.take, self.rows)", "1, self.rows)")),
        ("epsilon is scaled as delta is", TAKEN_LOSS, "return PrivacyLoss(share * inner.epsilon, share * inner.delta)"),
        ("the positions are shown", TAKEN, TAKEN.replace("return ", "return positions, ")),
        (
            "the rows that hold most are taken",
            TAKEN,
            TAKEN.replace("[data[position] for position in positions[: self.take]]", "sorted(data)[-self.take :]"),
        ),
        (
            "no draw between rows that are equal",
            OTHER,
            "other = place + (coins.below(self.rows - place) if len(set(data)) > 1 else 0)",
        ),
    ),
    *slips(
        MODULE,
        without_with_delta,
        ("delta is scaled twice", TAKEN_LOSS, "return PrivacyLoss(epsilon, share * share * inner.delta)"),
        ("no delta is declared", TAKEN_LOSS, "return PrivacyLoss(epsilon)"),
    ),
    *slips(
        MODULE,
        with_replacement,
        ("the factor n is forgotten", REPLACED_LOSS, REPLACED_LOSS.replace("self.take * ", "")),
        ("charged as without replacement", REPLACED_LOSS, "(self.take * ball(inner).expm1() / self.rows).log1p()"),
        ("n and m are exchanged", REPLACED_LOSS, "self.rows * (ball(inner).expm1() / self.take).log1p() / self.rows"),
        ("the linear part of the loss", REPLACED_LOSS, "self.take * ball(inner) / self.rows"),
        ("the last row is never drawn", DRAWN, "coins.belows(len(data) - 1, take)"),
        ("one row is drawn, and copied", DRAWN + ".tolist()", "[coins.below(len(data))] * take"),
        (
            "rows are drawn from those that differ",
            "return [data[position] for",
            "data = sorted(set(data))\n    return [data[position] for",
        ),
    ),
    *slips(
        MODULE,
        published,
        ("the 6 is forgotten", PUBLISHED, "epsilon = inner.epsilon * share"),
    ),
    *slips(
        MODULE,
        published_with_delta,
        ("no delta is declared", PUBLISHED_DELTA, "delta = Fraction(0)"),
        (
            "the delta is scaled away",
            PUBLISHED_DELTA,
            PUBLISHED_DELTA.replace("4 *", "").replace("ball(epsilon).exp()", "(-ball(3 * epsilon)).exp()"),
        ),
    ),
)

HARMLESS = (
    *slips(
        MODULE,
        poisson,
        (
            "The sample is handed on backwards. Proof: the inner count does not see an order, and it is a public one.",
            KEPT,
            KEPT.replace("], coins", "][::-1], coins"),
        ),
        (
            "Each row has a coin of its own law call. Proof: the same independent laws, their number public.",
            CHOSEN,
            "        chosen = [coins.bernoulli(self.rate) for _ in range(self.rows)]",
        ),
    ),
    *slips(
        MODULE,
        poisson_of_cells,
        (
            "ln(1 + p(e^epsilon - 1)) is charged for a histogram, whose add/remove loss is half. Proof: the true loss falls"
            " with e_a, and this is its value at e_a = e_r; it is too small only where e_a > e_r.",
            SLACK,
            "rate, slack = self.rate, Fraction(0)",
        ),
    ),
    *slips(
        MODULE,
        without_at_all,
        (
            "A share of 1 is not told apart. Proof: ln(1 + (e^epsilon - 1)) = epsilon, rounded up.",
            "if share == 1:",
            "if share > 1:",
        ),
    ),
    *slips(
        MODULE,
        without_with_delta,
        (
            "Delta is not scaled. Proof: the larger delta is declared.",
            TAKEN_LOSS,
            "return PrivacyLoss(epsilon, inner.delta)",
        ),
    ),
    *slips(
        MODULE,
        published,
        (
            "n and m are exchanged, as [5] prints it. Proof: 6 epsilon m/n >= 6 epsilon n/m where m >= n.",
            PUBLISHED,
            "epsilon = 6 * inner.epsilon / share",
        ),
    ),
)
