# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501, ISC004 -- slips quote the lines of the source as they stand
"""Slips in discreet/mechanisms/randomized_response.py. The smallest change a probability by one unit of 2^-64."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np

from discreet.coins.contract import Coins
from discreet.mechanisms.contract import Summarised
from discreet.privacy.loss import PrivacyLoss
from discreet.verification.case import Case
from discreet.verification.catalogue import first
from tests.laws.mutants.slips import before, slips

MODULE = "discreet.mechanisms.randomized_response"


@dataclass(frozen=True)
class Reports:
    """The vector form of a local randomizer: each row is one person's value."""

    randomizer: Any

    @property
    def loss(self) -> PrivacyLoss:
        return self.randomizer.loss

    def __call__(self, data: Sequence[Any], coins: Coins, /) -> object:
        return self.randomizer.reports(np.array(data), coins)


def alone(randomizer: Any, universe: tuple[Any, ...], **figures: Any) -> Case:
    return Case(
        name=type(randomizer).__name__, mechanism=Summarised(first, randomizer), universe=universe, rows=1, **figures
    )


def together(randomizer: Any, universe: tuple[Any, ...], **figures: Any) -> Case:
    return Case(name=type(randomizer).__name__, mechanism=Reports(randomizer), universe=universe, rows=2, **figures)


def response(module: ModuleType) -> Case:
    return alone(module.RandomizedResponse(epsilon=1), (False, True))


def shy_response(module: ModuleType) -> Case:
    return alone(module.RandomizedResponse(epsilon=Fraction(1, 10)), (False, True))


def strange_response(module: ModuleType) -> Case:
    """What is no number stands for a no."""
    return alone(module.RandomizedResponse(epsilon=1), (True, None, math.nan))


def responses(module: ModuleType) -> Case:
    return together(module.RandomizedResponse(epsilon=1), (False, True))


def counted_responses(module: ModuleType) -> Case:
    """Integers for bits: whatever is not 0 is a yes."""
    return together(module.RandomizedResponse(epsilon=1), (0, 1, 2))


def kary(module: ModuleType) -> Case:
    return alone(module.KaryResponse(epsilon=1, choices=4), (-1, 0, 1, 2, 3, 4))


def shy_kary(module: ModuleType) -> Case:
    return alone(module.KaryResponse(epsilon=Fraction(1, 10), choices=2), (0, 1))


def tiny_kary(module: ModuleType) -> Case:
    """So small an epsilon that the truth is never told outright."""
    return alone(module.KaryResponse(epsilon=Fraction(1, 10**25), choices=3), (0, 1, 2))


def karies(module: ModuleType) -> Case:
    return together(module.KaryResponse(epsilon=1, choices=3), (-1, 0, 2, 3))


def one_bit(module: ModuleType) -> Case:
    return alone(module.OneBitMean(epsilon=1, bound=2), (-3, -2, -1, 0, 1, 2, 3))


def one_bits(module: ModuleType) -> Case:
    return together(module.OneBitMean(epsilon=1, bound=2), (-3, -2, 1, 3))


def laplace(module: ModuleType) -> Case:
    return alone(module.LaplaceResponse(epsilon=1, low=-1, high=1, margin=1), (-2, -1, 0, 1, 2), reach=4)


def laplaces(module: ModuleType) -> Case:
    return together(module.LaplaceResponse(epsilon=1, low=0, high=1), (-1, 0, 1, 2), reach=1)


TRUTHFUL = "round_down(lambda bits: WORD / (1 + (-ball(self.epsilon)).exp()))"
ANSWER = "        return (_whole(value) != 0) == coins.bernoulli(Fraction(self.truthful, WORD))"
ANSWERS = "return np.equal(bits, coins.bernoullis(Fraction(self.truthful, WORD), len(bits)))"
WHOLE = "return int(value) if isinstance(value, float) and abs(value) < WORD else 0"
KARY_GAIN = "gain = ball(self.epsilon).expm1()"
KARY = "return WORD * gain / (gain + self.choices)"
KARY_TRUTHFUL = "return round_down(wanted)"
KARY_ANSWER = "        return self._inside(value) if truth else other"
OTHER = "other = coins.below(self.choices)"
TRUTHS = "truths = coins.bernoullis(Fraction(self.truthful, WORD), len(inside))"
TOLD = "told = coins.belows(self.choices, len(inside))"
WHERE = "np.copyto(told, inside, where=truths)"
KARY_INSIDE = "return max(0, min(self.choices - 1, _whole(value)))"
OTHERS_ONLY = "other = (self._inside(value) + 1 + coins.below(self.choices - 1)) % self.choices"
UP = "half * g * (ball(epsilon) / 2).tanh() / bound"
DOWN = "[half - k for k in reversed(up)]"
PLUS = "[half + k for k in up]"
BIT = "        return coins.bernoulli(self.probability(True, value))"
BITS = "return coins.dyadics(self.numerators[np.clip(_values(values), -self.bound, self.bound) + self.bound])"
INDEX = "return self.bound + max(-self.bound, min(self.bound, _whole(value)))"
SCALE = "return (self.high - self.low) / self.epsilon"
NOISY = "noisy = self._inside(value) + coins.geometric(self.scale)"
CLAMPED = "        return max(self.low - self.margin, min(self.high + self.margin, noisy))"
LAPLACE_INSIDE = "return max(self.low, min(self.high, _whole(value)))"
NOISES = "noisy = inside + coins.geometrics(self.scale, len(inside))"
CLIPPED = "return np.clip(noisy, self.low - self.margin, self.high + self.margin)"

KILLED = (
    *slips(
        MODULE,
        response,
        ("the truth is rounded up by one unit of 2^-64", TRUTHFUL, TRUTHFUL + " + 1"),
        ("the ratio is e^(2 epsilon)", TRUTHFUL, TRUTHFUL.replace("-ball(self.epsilon)", "-2 * ball(self.epsilon)")),
        (
            "a yes is always told",
            ANSWER,
            "        return bool(value) or coins.bernoulli(Fraction(self.truthful, WORD))",
        ),
        (
            "a no is always told",
            ANSWER,
            "        return bool(value) and coins.bernoulli(Fraction(self.truthful, WORD))",
        ),
        ("nothing to report: no draw for a no", *before("if not value: return False", ANSWER)),
        (
            "half of the lies about a no are left out",
            ANSWER,
            ANSWER.replace("self.truthful, WORD", "self.truthful + (not value) * ((WORD - self.truthful) // 2), WORD"),
        ),
        (
            "the probability is a number of 1/2^8 parts",
            ANSWER,
            ANSWER.replace("self.truthful, WORD", "1 + self.truthful // 2**56, 2**8"),
        ),
        ("a missing value is refused", *before("if value is False: raise ValueError('`value` is missing.')", ANSWER)),
        ("a yes is logged", *before("import logging; value and logging.debug('yes')", ANSWER)),
        (
            "whether the truth was told is shown",
            ANSWER,
            "        truth = coins.bernoulli(Fraction(self.truthful, WORD))\n        return (_whole(value) != 0) == truth, truth",
        ),
        (
            "half the loss is declared",
            '"""epsilon, towards the one value that is randomised."""\n        return PrivacyLoss(self.epsilon)',
            '"""epsilon, towards the one value that is randomised."""\n        return PrivacyLoss(self.epsilon / 2)',
        ),
    ),
    *slips(
        MODULE,
        shy_response,
        (
            "the truth is told with probability 1 - e^-epsilon",
            TRUTHFUL,
            "round_down(lambda bits: WORD * (1 - (-ball(self.epsilon)).exp()))",
        ),
    ),
    *slips(
        MODULE,
        strange_response,
        ("what is no number is refused", WHOLE, "return int(value)"),
        (
            "what is neither a number nor finite is refused",
            WHOLE,
            "return int(value) if isinstance(value, float) else 0",
        ),
        ("what is no number is left unanswered", *before("if value is None: return None", ANSWER)),
    ),
    *slips(
        MODULE,
        responses,
        ("one coin for all people", ANSWERS, "return np.equal(bits, coins.bernoulli(Fraction(self.truthful, WORD)))"),
        (
            "no coins for the last one",
            ANSWERS,
            "return np.append(np.equal(bits[:-1], coins.bernoullis(Fraction(self.truthful, WORD), len(bits) - 1)), bits[-1])",
        ),
        (
            "coins for those who say yes only",
            ANSWERS,
            "return bits & coins.bernoullis(Fraction(self.truthful, WORD), len(bits))",
        ),
    ),
    *slips(
        MODULE,
        counted_responses,
        ("integers are compared with the coins", "        bits = _bits(values)", "        bits = values"),
    ),
    *slips(
        MODULE,
        kary,
        ("the truth is rounded up by one unit of 2^-64", KARY_TRUTHFUL, KARY_TRUTHFUL + " + 1"),
        ("the truth is told as if there were two choices", KARY, KARY.replace("self.choices", "2")),
        ("the truth is told as if there were a choice fewer", KARY, KARY.replace("choices", "choices - 1")),
        (
            "the truth is told as if the other were never the true value",
            KARY,
            "return WORD * (gain + 1) / (gain + self.choices)",
        ),
        ("the gain is e^epsilon", KARY_GAIN, "gain = ball(self.epsilon).exp()"),
        ("the gain is e^(2 epsilon) - 1", KARY_GAIN, "gain = (2 * ball(self.epsilon)).expm1()"),
        ("the other is never the last value", OTHER, "other = coins.below(self.choices - 1)"),
        ("the other may be one value more", OTHER, "other = coins.below(self.choices + 1)"),
        ("the other is never the first value", OTHER, "other = 1 + coins.below(self.choices - 1)"),
        (
            "the other is biased: a number below 255 modulo the choices",
            OTHER,
            "other = coins.below(255) % self.choices",
        ),
        ("the other is drawn only if it is told", OTHER, "other = 0 if truth else coins.below(self.choices)"),
        (
            "the other is always the next value",
            OTHER,
            "other = (self._inside(value) + 1 + 0 * coins.below(2)) % self.choices",
        ),
        (
            "the other is near the true value",
            OTHER,
            "other = max(0, min(self.choices - 1, self._inside(value) + coins.below(3) - 1))",
        ),
        ("truth and other are exchanged", KARY_ANSWER, "        return other if truth else self._inside(value)"),
        ("a value outside the choices is told as it is", KARY_INSIDE, "return _whole(value)"),
        ("a value below the choices is told as it is", KARY_INSIDE, "return min(self.choices - 1, _whole(value))"),
        ("a value outside the choices is refused", KARY_INSIDE, "return range(self.choices)[_whole(value)]"),
        (
            "a value outside the choices is answered with None",
            *before("if not 0 <= value < self.choices: return None", KARY_ANSWER),
        ),
        (
            "the truth is told to those outside the choices",
            KARY_ANSWER,
            KARY_ANSWER.replace("if truth else", "if truth or value < 0 else"),
        ),
        (
            "whether the truth was told is shown",
            KARY_ANSWER,
            "        return (self._inside(value) if truth else other), truth",
        ),
        ("a truth is logged", *before("import logging; truth and logging.debug('%s', value)", KARY_ANSWER)),
    ),
    *slips(
        MODULE,
        shy_kary,
        ("the truth is rounded up by one unit of 2^-64, at epsilon = 1/10", KARY_TRUTHFUL, KARY_TRUTHFUL + " + 1"),
        ("the other is never the true value", OTHER, OTHERS_ONLY),
    ),
    *slips(
        MODULE,
        tiny_kary,
        ("the truth is rounded up by one unit of 2^-64, at a tiny epsilon", KARY_TRUTHFUL, KARY_TRUTHFUL + " + 1"),
        ("the truth is told at least once in 2^64 times", KARY_TRUTHFUL, "return max(1, round_down(wanted))"),
        ("the other is never the true value, at a tiny epsilon", OTHER, OTHERS_ONLY),
    ),
    *slips(
        MODULE,
        karies,
        ("one other for all people", TOLD, "told = np.full(len(inside), coins.below(self.choices))"),
        ("one coin for all people", TRUTHS, "truths = coins.bernoulli(Fraction(self.truthful, WORD))"),
        (
            "values outside are told as they are",
            "inside = np.clip(_values(values), 0, self.choices - 1)",
            "inside = _values(values)",
        ),
        ("the others are never the last value", TOLD, TOLD.replace("self.choices", "self.choices - 1")),
        ("the others may be one value more", TOLD, TOLD.replace("self.choices", "self.choices + 1")),
        (
            "others for those only who tell them",
            TOLD,
            "told = np.array([0 if truth else coins.below(self.choices) for truth in truths])",
        ),
        ("truths and others are exchanged", WHERE, WHERE.replace("truths", "~truths")),
    ),
    *slips(
        MODULE,
        one_bit,
        ("B is the bound itself", UP, "ball(half) * g / bound - 1"),
        ("tanh(epsilon) for tanh(epsilon/2)", UP, UP.replace("(ball(epsilon) / 2).tanh()", "ball(epsilon).tanh()")),
        (
            "both ends are rounded outwards by one unit of 2^-64",
            f"round_down(lambda bits, g=g: {UP})",
            f"round_down(lambda bits, g=g: {UP}) + 1",
        ),
        ("the lower end is rounded outwards", DOWN, "[half - k - 1 for k in reversed(up)]"),
        ("the upper end is rounded outwards", PLUS, "[half + k + 1 for k in up]"),
        ("a value beyond the bound is refused", INDEX, "return self.bound + max(-self.bound, _whole(value))"),
        (
            "a value below the bound is refused",
            INDEX,
            "return range(2 * self.bound + 1).index(self.bound + min(self.bound, _whole(value)))",
        ),
        ("no draw for 0", *before("if value == 0: return True", BIT)),
        (
            "the sign is told of values at the bound",
            BIT,
            BIT.replace("return ", "return abs(value) >= self.bound and value > 0 or "),
        ),
    ),
    *slips(
        MODULE,
        one_bits,
        (
            "one coin for all people",
            BITS,
            "return coins.bernoullis(Fraction(int(self.numerators[-1]), WORD), 1) == (_values(values) > 0)",
        ),
        (
            "values beyond the bound are refused",
            BITS,
            BITS.replace(
                "np.clip(_values(values), -self.bound, self.bound)", "np.maximum(_values(values), -self.bound)"
            ),
        ),
    ),
    *slips(
        MODULE,
        laplace,
        (
            "half the scale: the width is taken for the distance from the middle",
            SCALE,
            "return (self.high - self.low) / (2 * self.epsilon)",
        ),
        ("the width is forgotten", SCALE, "return 1 / self.epsilon"),
        (
            "noise is clamped and then added",
            NOISY,
            "noisy = self._inside(value) + max(-1, min(1, coins.geometric(self.scale)))",
        ),
        ("nothing is clamped after the noise", CLAMPED, "        return noisy"),
        (
            "the grid is the value's own",
            CLAMPED,
            "        return max(value - self.margin, min(value + self.margin, noisy))",
        ),
        ("values outside are not clamped before the noise", LAPLACE_INSIDE, "return _whole(value)"),
        (
            "the noise is rounded to even",
            NOISY,
            NOISY.replace("coins.geometric(self.scale)", "2 * coins.geometric(self.scale / 2)"),
        ),
        (
            "noise that falls off the grid is left out",
            CLAMPED,
            "        return noisy if self.low - self.margin <= noisy <= self.high + self.margin else self._inside(value)",
        ),
        (
            "a value at the end of the range is told",
            *before(
                "if value == self.high: return self.high",
                "        noisy = self._inside(value) + coins.geometric(self.scale)",
            ),
        ),
    ),
    *slips(
        MODULE,
        laplaces,
        ("one noise for all people", NOISES, "noisy = inside + coins.geometric(self.scale)"),
        (
            "values outside are not clamped before the noise",
            "inside = np.clip(_values(values), self.low, self.high)",
            "inside = _values(values)",
        ),
        ("only the upper end is clamped", CLIPPED, "return np.minimum(noisy, self.high + self.margin)"),
    ),
)

HARMLESS = (
    *slips(
        MODULE,
        response,
        (
            "A lie is told with the truth's probability. Proof: a public relabelling of the output, useless as it is.",
            ANSWER,
            ANSWER.replace("==", "!="),
        ),
        ("The truth is told one unit of 2^-64 less often. Proof: the ratio is smaller.", TRUTHFUL, TRUTHFUL + " - 1"),
    ),
    *slips(
        MODULE,
        kary,
        (
            "The others are counted backwards. Proof: the other is uniform on 0..k-1, and so is k - 1 minus it.",
            OTHER,
            "other = self.choices - 1 - coins.below(self.choices)",
        ),
        (
            "The truth is told outright one unit of 2^-64 less often. Proof: the ratio 1 + k q / (1 - q) grows with q.",
            KARY_TRUTHFUL,
            KARY_TRUTHFUL + " - 1",
        ),
        (
            "The truth is told as if there were a choice more. Proof: q is smaller, and the ratio 1 + k q / (1 - q) grows with it.",
            KARY,
            KARY.replace("choices", "choices + 1"),
        ),
        (
            "The other is never the true value, at epsilon = 1 and k = 4. Proof: the ratio is (e^epsilon - 1) (k - 1) / k, between"
            " e^-epsilon and e^epsilon; at small epsilon it is below, and is rejected.",
            OTHER,
            OTHERS_ONLY,
        ),
    ),
    *slips(
        MODULE,
        one_bit,
        (
            "+ and - are exchanged. Proof: a public relabelling of the output.",
            BIT,
            BIT.replace("return ", "return not "),
        ),
        (
            "0 is told as 1 is. Proof: the probabilities stay between those of the ends.",
            INDEX,
            "return self.bound + (max(-self.bound, min(self.bound, _whole(value))) or 1)",
        ),
    ),
    *slips(
        MODULE,
        laplace,
        (
            "The sign of the noise is turned. Proof: the law of the noise is symmetric.",
            NOISY,
            NOISY.replace("+ coins", "- coins"),
        ),
        (
            "Values outside the range are taken for its lower end. Proof: any value inside will do.",
            LAPLACE_INSIDE,
            "return _whole(value) if self.low <= value <= self.high else self.low",
        ),
    ),
)
