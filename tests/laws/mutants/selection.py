# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501, ISC004 -- slips quote the lines of the source as they stand
"""Slips in discreet/mechanisms/selection.py, and in the levels it draws from (discreet/coins/levels.py)."""

from __future__ import annotations

from types import ModuleType

import numpy as np

from discreet.mechanisms.contract import Summarised
from discreet.verification.case import Case
from discreet.verification.catalogue import (
    BITS,
    LABELLED,
    errors_of_bits,
    errors_of_constants,
)
from tests.laws.mutants.slips import before, slips

MODULE = "discreet.mechanisms.selection"
LEVELS = "discreet.coins.levels"


def errors_added(rows: tuple[tuple[int, ...], ...]) -> object:
    """A row says which errors it adds to each candidate."""
    return np.array(rows, dtype=np.int64).sum(axis=0)


def exponential(module: ModuleType) -> Case:
    """Two constants on six rows: near enough to its loss that half a factor shows."""
    mechanism = Summarised(errors_of_constants, module.ExponentialMechanism(epsilon=1))
    return Case(name="ExponentialMechanism", mechanism=mechanism, universe=BITS, rows=6, tight=False)


def flipped(module: ModuleType) -> Case:
    mechanism = Summarised(errors_of_constants, module.PermuteAndFlip(epsilon=1))
    return Case(name="PermuteAndFlip", mechanism=mechanism, universe=BITS, rows=4)


def four_functions(module: ModuleType) -> Case:
    mechanism = Summarised(errors_of_bits, module.ExponentialMechanism(epsilon=1))
    return Case(name="ExponentialMechanism", mechanism=mechanism, universe=LABELLED, rows=2, tight=False)


def heavy(module: ModuleType) -> Case:
    """Each row adds 0 or 3 errors."""
    mechanism = Summarised(errors_added, module.PermuteAndFlip(epsilon=1, sensitivity=3))
    return Case(name="PermuteAndFlip", mechanism=mechanism, universe=((0, 3), (3, 0)), rows=2)


def one_of_nine(module: ModuleType) -> Case:
    """One row, which speaks against nobody or against all but the first of nine candidates."""
    mechanism = Summarised(errors_added, module.ExponentialMechanism(epsilon=1))
    universe = ((0,) * 9, (0,) + (1,) * 8)
    return Case(name="ExponentialMechanism", mechanism=mechanism, universe=universe, rows=1, tight=False)


RATE = "return self.epsilon / (2 * self.sensitivity)"
LOSS = "return PrivacyLoss(self.epsilon)"
CHOSEN = "        return _member(errors, levels, coins.choose(levels), coins)"
RACED = "        return _member(errors, levels, coins.race(levels), coins)"
RANK = "    rank = coins.below(levels.sizes[level])"
LEVELS_OF = "    return Levels(tuple(values.tolist()), tuple(sizes.tolist()), rate)"
WEIGHT = "arb(size) * (-(rate * (errors - best))).exp()"

KILLED = (
    *slips(
        MODULE,
        exponential,
        ("the exponential mechanism without the 1/2", RATE, "return self.epsilon / self.sensitivity"),
        ("half the loss is declared", LOSS, "return PrivacyLoss(self.epsilon / 2)"),
        ("the rate grows with the number of levels", LEVELS_OF, LEVELS_OF.replace(", rate)", ", rate * len(values))")),
        ("the rate grows with the least error", LEVELS_OF, LEVELS_OF.replace("rate)", "rate * (1 + int(values[0])))")),
        ("the best candidate, without noise", "coins.choose(levels)", "0"),
        ("the best candidate, without noise, if it makes no error", *before("if not errors.min(): return 0", CHOSEN)),
        ("the least error is shown beside the winner", CHOSEN, CHOSEN.replace("return ", "return levels.errors[0], ")),
        (
            "the winner's error is shown beside it",
            CHOSEN,
            "        best = coins.choose(levels)\n        return _member(errors, levels, best, coins), levels.errors[best]",
        ),
        ("the level is shown instead of the candidate", CHOSEN, "        return coins.choose(levels)"),
        ("the least error is logged", *before("import logging; logging.info('best: %s', errors.min())", CHOSEN)),
        ("the number of levels is warned of", *before("import warnings; warnings.warn(str(len(levels)))", CHOSEN)),
        ("an exception where no candidate is perfect", *before("if errors.min(): raise ValueError('no fit')", CHOSEN)),
        (
            "no draw among the candidates of a level of one",
            RANK,
            "    rank = coins.below(levels.sizes[level]) if levels.sizes[level] > 1 else 0",
        ),
        ("ties go to the first, at all levels", RANK, "    rank = 0 * coins.below(levels.sizes[level])"),
        ("as many draws as there are levels", *before("[coins.below(2) for _ in levels.errors]", CHOSEN)),
    ),
    *slips(
        MODULE,
        flipped,
        ("permute-and-flip without the 1/2", RATE, "return self.epsilon / self.sensitivity"),
        ("half the loss is declared", LOSS, "return PrivacyLoss(self.epsilon / 2)"),
        (
            "no race if one candidate leads clearly",
            *before("if len(levels) > 1 and np.ptp(errors) > 2: return 0", RACED),
        ),
        ("ties are told: the number of the best is shown", RACED, RACED.replace("return ", "return levels.sizes[0], ")),
        ("the least error is printed", *before("print(min(levels.errors))", RACED)),
    ),
    *slips(
        MODULE,
        heavy,
        ("the sensitivity is forgotten", RATE, "return self.epsilon / 2"),
        ("the sensitivity is on the wrong side", RATE, "return self.epsilon * self.sensitivity / 2"),
    ),
    *slips(
        MODULE,
        one_of_nine,
        (
            "each level counts as one candidate, its first",
            LEVELS_OF,
            LEVELS_OF.replace("sizes.tolist()", "[1] * len(sizes)"),
        ),
        ("the level is drawn uniformly", "coins.choose(levels)", "coins.below(len(levels))"),
    ),
    *slips(
        LEVELS,
        exponential,
        ("the rate is taken twice", WEIGHT, "arb(size) * (-(2 * rate * (errors - best))).exp()"),
        (
            "the weight falls with the square of the errors",
            WEIGHT,
            "arb(size) * (-(rate * (errors - best) ** 2)).exp()",
        ),
        (
            "errors are doubled by the place of the level",
            WEIGHT,
            "arb(size) * (-(rate * errors * self.errors.index(errors))).exp()",
        ),
        through=MODULE,
    ),
    *slips(
        LEVELS,
        one_of_nine,
        ("the size of a level is forgotten", WEIGHT, "(-(rate * (errors - best))).exp()"),
        ("the size of a level counts twice", WEIGHT, "arb(size * size) * (-(rate * (errors - best))).exp()"),
        through=MODULE,
    ),
)

HARMLESS = (
    *slips(
        MODULE,
        four_functions,
        (
            "The rate is halved. Proof: it is the exponential mechanism of epsilon/2.",
            RATE,
            "return self.epsilon / (4 * self.sensitivity)",
        ),
        (
            "The exponential mechanism is drawn by a race. Proof: that is permute-and-flip, which is epsilon-private"
            " at the same rate.",
            "coins.choose(levels)",
            "coins.race(levels)",
        ),
        (
            "Errors are always tallied by sorting. Proof: both tallies give the same levels.",
            "if most - least > DENSE * len(errors) or abs(least) >> 62 or abs(most) >> 62:",
            "if most >= least:",
        ),
        (
            "Candidates are found in blocks of two. Proof: the k-th hit is the k-th hit.",
            "BLOCK = 4096",
            "BLOCK = 2",
        ),
        (
            "The level's candidates are counted from the last. Proof: the rank is uniform.",
            "    rank = coins.below(levels.sizes[level])",
            "    rank = levels.sizes[level] - 1 - coins.below(levels.sizes[level])",
        ),
        (
            "Candidates are numbered backwards. Proof: a public relabelling of the output.",
            CHOSEN,
            CHOSEN.replace("return ", "return len(errors) - 1 - "),
        ),
    ),
    *slips(
        LEVELS,
        four_functions,
        (
            "Weights are not taken relative to the best level. Proof: the factor cancels in the normalised law.",
            WEIGHT,
            "arb(size) * (-(rate * errors)).exp()",
        ),
        through=MODULE,
    ),
)
