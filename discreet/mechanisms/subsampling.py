# SPDX-License-Identifier: Apache-2.0
"""A mechanism run on a random sample of the rows loses less: nobody can tell whether a row was in it.

The losses are irrational; each is rounded up by a factor below 1 + 2^-96.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar

from discreet.coins.balls import Ball, ball, ceiling
from discreet.coins.contract import Coins
from discreet.coins.domains import refusal, shown
from discreet.errors import ParameterError
from discreet.mechanisms.contract import Mechanism, Output
from discreet.privacy.loss import AddRemoveLoss, PrivacyLoss
from discreet.privacy.parameters import fraction_of_one, integer, settle

Row = TypeVar("Row")


def _check_rows(rows: Sequence[object], declared: int) -> None:
    """n is public, so this may raise."""
    if len(rows) != declared:
        raise ParameterError(f"`data` must hold the declared {declared} rows, got {len(rows)}.")


def _pure(mechanism: Mechanism[Sequence[Row], Output]) -> Fraction:
    if mechanism.loss.delta:
        raise ParameterError("`inner` must be a pure mechanism (delta = 0); for others no tight loss is known here.")
    return mechanism.loss.epsilon


@dataclass(frozen=True, kw_only=True)
class PoissonSample(Generic[Row, Output]):
    """`inner` on a sample that each row enters with probability `rate`, independently. The sample's size is private.

    Mind replace-one. With inner losses e_r (replace-one) and e_a (add/remove) the loss is
    ln[(p e^e_r + (1 - p) e^(e_r - e_a)) / (p + (1 - p) e^(e_r - e_a))]. It is ln(1 + p (e^e_r - 1)) only where
    e_a = e_r; an inner mechanism without an add/remove loss may show the sample's size and gains nothing.

    Proof: with row i in the sample the law is A (or A' after the replacement), without it B; A <= e^e_r A',
    A <= e^e_a B. (pA + (1-p)B) / (pA' + (1-p)B) is largest at A = e^e_r A' and the least B = e^(e_r - e_a) A'.
    """

    inner: Mechanism[Sequence[Row], Output]
    rate: Fraction
    rows: int

    def __post_init__(self) -> None:
        settle(self, rate=fraction_of_one("rate", self.rate), rows=integer("rows", self.rows, least=1))
        _pure(self.inner)

    @property
    def loss(self) -> PrivacyLoss:
        """See above; met with equality by counts."""
        replaced, added = self.inner.loss.epsilon, self.inner.add_remove_loss
        if added is None or added.delta:
            return PrivacyLoss(replaced)
        rate, slack = self.rate, replaced - added.epsilon

        def epsilon(bits: int) -> Ball:
            outside = ball(1 - rate) * ball(slack).exp()
            return ((ball(rate) * ball(replaced).exp() + outside) / (ball(rate) + outside)).log()

        return PrivacyLoss(min(replaced, ceiling(epsilon)))

    @property
    def add_remove_loss(self) -> AddRemoveLoss | None:
        """ln(1 + p (e^e_a - 1)), but `rows` is declared, so it is not offered."""
        return None

    def __call__(self, data: Sequence[Row], coins: Coins, /) -> Output:
        _check_rows(data, self.rows)
        chosen = coins.bernoullis(self.rate, self.rows).tolist()
        return self.inner([row for row, kept in zip(data, chosen, strict=True) if kept], coins)


@dataclass(frozen=True, kw_only=True)
class SampleWithoutReplacement(Generic[Row, Output]):
    """`inner` on `take` of `rows` rows, every ordered choice of different rows equally likely.

    (ln(1 + (n/m)(e^epsilon - 1)), (n/m) delta)-private for n of m rows, met with equality at delta = 0
    (Balle, Barthe, Gaboardi 2018, Thm 11). `inner` always gets `take` rows, which it may take for public.
    """

    inner: Mechanism[Sequence[Row], Output]
    take: int
    rows: int

    def __post_init__(self) -> None:
        settle(self, rows=integer("rows", self.rows, least=1))
        settle(self, take=integer("take", self.take, least=1, most=self.rows))

    @property
    def loss(self) -> PrivacyLoss:
        """See above."""
        share, inner = Fraction(self.take, self.rows), self.inner.loss
        if share == 1:
            return inner
        epsilon = ceiling(lambda bits: (ball(share) * ball(inner.epsilon).expm1()).log1p())
        return PrivacyLoss(epsilon, share * inner.delta)

    @property
    def add_remove_loss(self) -> AddRemoveLoss | None:
        """None: the number of rows is declared."""
        return None

    def __call__(self, data: Sequence[Row], coins: Coins, /) -> Output:
        _check_rows(data, self.rows)
        positions = list(range(self.rows))
        for place in range(self.take):
            other = place + coins.below(self.rows - place)
            positions[place], positions[other] = positions[other], positions[place]
        return self.inner([data[position] for position in positions[: self.take]], coins)


def _draw_with_replacement(data: Sequence[Row], take: int, coins: Coins) -> list[Row]:
    return [data[position] for position in coins.belows(len(data), take).tolist()]


@dataclass(frozen=True, kw_only=True)
class SampleWithReplacement(Generic[Row, Output]):
    """`inner`, pure, on `take` rows drawn independently and uniformly from `rows` rows ([5] Lemma 29, tight).

    n ln(1 + (e^epsilon - 1)/m)-private for n draws from m rows, any epsilon and m, met with equality. Proof: a replaced
    row is drawn Bin(n, 1/m) times, each time worth e^epsilon: E e^(epsilon Bin) = (1 + (e^epsilon - 1)/m)^n.
    """

    inner: Mechanism[Sequence[Row], Output]
    take: int
    rows: int

    def __post_init__(self) -> None:
        settle(self, rows=integer("rows", self.rows, least=1), take=integer("take", self.take, least=1))
        _pure(self.inner)

    @property
    def loss(self) -> PrivacyLoss:
        """See above."""
        inner = self.inner.loss.epsilon
        return PrivacyLoss(ceiling(lambda bits: self.take * (ball(inner).expm1() / self.rows).log1p()))

    @property
    def add_remove_loss(self) -> AddRemoveLoss | None:
        """None: the number of rows is declared."""
        return None

    def __call__(self, data: Sequence[Row], coins: Coins, /) -> Output:
        _check_rows(data, self.rows)
        return self.inner(_draw_with_replacement(data, self.take, coins), coins)


@dataclass(frozen=True, kw_only=True)
class SampleWithReplacementAsPublished(Generic[Row, Output]):
    """[5] Lemma 29 as it should read; it is printed with n and m exchanged.

    (6 epsilon n/m, 4 exp(6 epsilon n/m) (n/m) delta)-private for n draws from m >= 2n rows, epsilon <= 1.
    """

    inner: Mechanism[Sequence[Row], Output]
    take: int
    rows: int

    def __post_init__(self) -> None:
        settle(self, take=integer("take", self.take, least=1))
        settle(self, rows=integer("rows", self.rows, least=2 * self.take))
        if self.inner.loss.epsilon > 1:
            raise refusal(
                "inner", "of epsilon <= 1 for [5] Lemma 29", shown(self.inner.loss.epsilon), "sample another way"
            )

    @property
    def loss(self) -> PrivacyLoss:
        """See above."""
        share, inner = Fraction(self.take, self.rows), self.inner.loss
        epsilon = 6 * inner.epsilon * share
        delta = inner.delta and ceiling(lambda bits: 4 * ball(epsilon).exp() * ball(share * inner.delta))
        return PrivacyLoss(epsilon, min(Fraction(1), delta))

    @property
    def add_remove_loss(self) -> AddRemoveLoss | None:
        """None: the number of rows is declared."""
        return None

    def __call__(self, data: Sequence[Row], coins: Coins, /) -> Output:
        _check_rows(data, self.rows)
        return self.inner(_draw_with_replacement(data, self.take, coins), coins)
