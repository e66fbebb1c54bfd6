# SPDX-License-Identifier: Apache-2.0
"""How losses add up: in sequence, over a group of people, over parts of the rows.

Irrational losses are rounded up by a factor below 1 + 2^-96.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from flint import arb

from discreet.coins.balls import Ball, ball, ceiling
from discreet.coins.domains import refusal, shown
from discreet.errors import ParameterError
from discreet.privacy.loss import AddRemoveLoss, PrivacyLoss
from discreet.privacy.parameters import fraction_of_one, integer, nonnegative, settle

NO_LOSS = PrivacyLoss(Fraction(0))


def basic(losses: Sequence[PrivacyLoss]) -> PrivacyLoss:
    """The sum: mechanisms run one after the other on the same rows, each chosen after seeing the last. [5] Thm 17.1."""
    return sum(losses, NO_LOSS)


def advanced_as_published(loss: PrivacyLoss, *, times: int, slack: Fraction) -> PrivacyLoss:
    """[5] Thm 17.2: `times` adaptive runs of an (epsilon, delta) mechanism, 0 < epsilon < 1, cost
    (sqrt(2 m ln(1/delta')) epsilon + 2 m epsilon^2, m delta + delta'), delta' = `slack`.
    """
    times, slack = integer("times", times, least=1), fraction_of_one("slack", slack)
    epsilon = loss.epsilon
    if not 0 < epsilon < 1:
        raise refusal("epsilon", "> 0 and < 1 for [5] Thm 17.2", shown(epsilon), "use `advanced`")

    def total(bits: int) -> Ball:
        return (-2 * times * ball(slack).log()).sqrt() * ball(epsilon) + ball(2 * times * epsilon**2)

    return PrivacyLoss(ceiling(total), min(Fraction(1), times * loss.delta + slack))


def advanced(loss: PrivacyLoss, *, times: int, slack: Fraction) -> PrivacyLoss:
    """The least epsilon' for `times` adaptive runs, delta' = `slack` (Kairouz, Oh, Viswanath 2015, Thm 3.3).

    Equality is met by randomized response. Against an inner delta the total is 1 - (1 - delta)^m (1 - delta').
    epsilon' is found by bisection to 2^-20 of the basic total and is never more than it.
    """
    times, slack = integer("times", times, least=1, most=10_000), fraction_of_one("slack", slack)
    low, high = 0, 1 << 20
    unit = times * loss.epsilon / high
    while high - low > 1 and unit:
        middle = (low + high) // 2
        enough = delta_of_repeats(loss.epsilon, times=times, total=middle * unit) <= slack
        low, high = (low, middle) if enough else (middle, high)
    return PrivacyLoss(high * unit, 1 - (1 - loss.delta) ** times * (1 - slack))


def delta_of_repeats(epsilon: Fraction, *, times: int, total: Fraction) -> Fraction:
    """The delta at which `times` pure epsilon mechanisms are (total, delta)-private, met by randomized response.

    Sum over l of C(m, l) max(0, e^((m - l) epsilon) - e^(total + l epsilon)) / (1 + e^epsilon)^m.
    """
    epsilon, total = nonnegative("epsilon", epsilon), nonnegative("total", total)
    times = integer("times", times, least=1, most=10_000)

    def delta(bits: int) -> Ball:
        terms = (
            comb(times, flips) * (ball((times - flips) * epsilon).exp() - ball(total + flips * epsilon).exp())
            for flips in range(times + 1)
            if (times - flips) * epsilon > total + flips * epsilon
        )
        return sum(terms, arb(0)) / (1 + ball(epsilon).exp()) ** times

    return min(Fraction(1), ceiling(delta)) if times * epsilon > total else Fraction(0)


def group(loss: PrivacyLoss, *, rows: int) -> PrivacyLoss:
    """What a person loses who has `rows` rows: (k epsilon, (1 + e^epsilon + ... + e^((k - 1) epsilon)) delta).

    The sum is at most the usual k e^((k - 1) epsilon).
    """
    rows = integer("rows", rows, least=1)
    if rows == 1 or not loss.delta:
        return PrivacyLoss(rows * loss.epsilon, loss.delta)

    def delta(bits: int) -> Ball:
        epsilon = ball(loss.epsilon)
        steps = (rows * epsilon).expm1() / epsilon.expm1() if loss.epsilon else arb(rows)
        return (steps * ball(loss.delta)).min(arb(1))

    return PrivacyLoss(rows * loss.epsilon, min(Fraction(1), ceiling(delta)))


@dataclass(frozen=True)
class Parts:
    """Disjoint parts of the rows, chosen *without looking at them* (by position, or by coins); their sizes are public.

    Only such parts run in parallel for the price of the dearest: a replaced row stays in its part. Where the content
    of a row decides its part, there is no `Parts`, and `by_content` is the price.
    """

    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.sizes, tuple | list) or not self.sizes:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise refusal("sizes", "a tuple of at least one integer", shown(self.sizes), "name the size of each part")
        settle(self, sizes=tuple(integer("sizes", size, least=0) for size in self.sizes))


def parallel(parts: Parts, losses: Sequence[PrivacyLoss]) -> PrivacyLoss:
    """The dearest of mechanisms that each read one part only."""
    if len(losses) != len(parts.sizes):
        raise ParameterError(f"`losses` must be one for each of the {len(parts.sizes)} parts, got {len(losses)}.")
    return PrivacyLoss(max(loss.epsilon for loss in losses), max(loss.delta for loss in losses))


def by_content(replaced: Sequence[PrivacyLoss], added: Sequence[AddRemoveLoss]) -> PrivacyLoss:
    """What mechanisms cost that each read one part, where the content of a row decides its part.

    A replaced row may leave one part and enter another: the two dearest add/remove losses together. Or it stays in
    its part: that part's replace-one loss, which may be twice its add/remove loss. Whatever is more. The sizes of such
    parts are private, so a mechanism that takes its part's size for public has no AddRemoveLoss.
    """
    if not added or len(replaced) != len(added):
        raise ParameterError("`losses` must name at least one part, and both losses of each.")
    epsilons = sorted((loss.epsilon for loss in added), reverse=True)
    deltas = sorted((loss.delta for loss in added), reverse=True)
    epsilon = max(sum(epsilons[:2], Fraction(0)), *(loss.epsilon for loss in replaced))
    delta = max(sum(deltas[:2], Fraction(0)), *(loss.delta for loss in replaced))
    return PrivacyLoss(epsilon, min(Fraction(1), delta))
