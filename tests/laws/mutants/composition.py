# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501 -- slips quote the lines of the source as they stand
"""Slips in discreet/mechanisms/composition.py: in sequence, by position, by content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import ModuleType

from discreet.coins.contract import Coins
from discreet.mechanisms.contract import Summarised
from discreet.mechanisms.counts import NoisyCount
from discreet.privacy.composition import Parts
from discreet.privacy.loss import AddRemoveLoss, PrivacyLoss
from discreet.verification.case import Case
from discreet.verification.catalogue import BITS, TRITS, itself, people
from tests.laws.mutants.slips import before, slips

MODULE = "discreet.mechanisms.composition"

HALF = Fraction(1, 2)


def counted(epsilon: Fraction, high: int) -> Summarised:
    return Summarised(sum, NoisyCount(epsilon=epsilon, low=0, high=high))


def ones(epsilon: Fraction, high: int) -> Summarised:
    """How many rows are 1, of 0, 1 and 2."""
    return Summarised(lambda rows: list(rows).count(1), NoisyCount(epsilon=epsilon, low=0, high=high))


def size(epsilon: Fraction, high: int) -> Summarised:
    return Summarised(people, NoisyCount(epsilon=epsilon, low=0, high=high))


@dataclass(frozen=True)
class ShareOfOnes:
    """A count clamped to the number of its rows, which it takes for public: private under replace-one only."""

    epsilon: Fraction

    @property
    def loss(self) -> PrivacyLoss:
        return PrivacyLoss(self.epsilon)

    @property
    def add_remove_loss(self) -> AddRemoveLoss | None:
        return None

    def __call__(self, data: Sequence[int], coins: Coins, /) -> int:
        return NoisyCount(epsilon=self.epsilon, low=0, high=len(data))(sum(data), coins)


@dataclass(frozen=True)
class MeanOfOnes(ShareOfOnes):
    """A count whose noise is calibrated to the number of its rows, as that of a mean would be."""

    def __call__(self, data: Sequence[int], coins: Coins, /) -> int:
        return NoisyCount(epsilon=self.epsilon * (1 + len(data)), low=0, high=2)(sum(data), coins)


def equal_sequence(module: ModuleType) -> Case:
    once = counted(HALF, 2)
    mechanism = module.InSequence(first=once, second=lambda released: once, second_loss=once.loss)
    return Case(name="InSequence", mechanism=mechanism, universe=BITS, rows=2, reach=2)


def adaptive_sequence(module: ModuleType) -> Case:
    """The second count has a wider range where the first is 1."""
    mechanism = module.InSequence(
        first=counted(HALF, 1), second=lambda released: counted(HALF, 1 + released), second_loss=PrivacyLoss(HALF)
    )
    return Case(name="InSequence", mechanism=mechanism, universe=BITS, rows=1, reach=2)


def greedy_sequence(module: ModuleType) -> Case:
    """The second would cost more than declared where the first is 1: it is refused there."""

    def second(released: int) -> Summarised:
        return counted(HALF * (1 + 3 * released), 1)

    mechanism = module.InSequence(first=counted(HALF, 1), second=second, second_loss=PrivacyLoss(HALF))
    return Case(name="InSequence", mechanism=mechanism, universe=BITS, rows=1)


def by_position(module: ModuleType) -> Case:
    mechanisms = (ones(Fraction(1), 1), ones(HALF, 2))
    mechanism = module.ByPosition(parts=Parts((1, 2)), mechanisms=mechanisms)
    return Case(name="ByPosition", mechanism=mechanism, universe=TRITS, rows=3, reach=2)


def by_content(module: ModuleType) -> Case:
    leaf = size(HALF, 2)
    mechanism = module.ByContent(cells=(0, 1), cell_of=itself, mechanisms=(leaf, leaf))
    return Case(name="ByContent", mechanism=mechanism, universe=TRITS, rows=2, reach=2)


def parity_of(row: tuple[int, int]) -> int:
    return row[0]


def leaf_of(kind: type[ShareOfOnes], module: ModuleType) -> Case:
    """A leaf's size taken for public; where it is refused, the case has a mechanism that is not."""
    leaf = Summarised(labels, kind(Fraction(1)))
    if module.__name__ == MODULE:
        leaf = Summarised(sum_of_labels, NoisyCount(epsilon=1, low=0, high=2))
    mechanism = module.ByContent(cells=(0, 1), cell_of=parity_of, mechanisms=(leaf, leaf))
    return Case(name="ByContent", mechanism=mechanism, universe=((0, 1), (1, 0), (1, 1)), rows=2, reach=2)


def labels(rows: Sequence[tuple[int, int]]) -> list[int]:
    return [y for _, y in rows]


def sum_of_labels(rows: Sequence[tuple[int, int]]) -> int:
    return sum(labels(rows))


def clamped_to_leaves(module: ModuleType) -> Case:
    return leaf_of(ShareOfOnes, module)


def scaled_to_leaves(module: ModuleType) -> Case:
    return leaf_of(MeanOfOnes, module)


SUM = "return self.first.loss + self.second_loss"
SECOND = "second = self.second(released)"
REFUSED = "if second.loss.epsilon > declared.epsilon or second.loss.delta > declared.delta:"
RELEASED = "        return released, second(data, coins)"
PART = "outputs.append(mechanism(data[start : start + size], coins))"
DEAREST = "return parallel(self.parts, [mechanism.loss for mechanism in self.mechanisms])"
POSITION_LOSS = '"""The dearest part\'s."""\n        ' + DEAREST
TWO_DEAREST = "return by_content([mechanism.loss for mechanism in self.mechanisms], self._losses())"
STATED = "losses = [mechanism.add_remove_loss for mechanism in self.mechanisms]"
SORTED_IN = "parts.get(name_of(self.cell_of(row)), []).append(row)"
CELLS = "{name_of(cell): [] for cell in self.cells}"
IN_CELLS = (
    "        return tuple("
    "mechanism(part, coins) for part, mechanism in zip(parts.values(), self.mechanisms, strict=True))"
)
NO_SIZE = "losses = [AddRemoveLoss(mechanism.loss.epsilon / 2) for mechanism in self.mechanisms]"

KILLED = (
    *slips(
        MODULE,
        equal_sequence,
        (
            "the dearer of two is charged",
            SUM,
            "return max(self.first.loss, self.second_loss, key=lambda loss: loss.epsilon)",
        ),
        ("the second is not charged", SUM, "return self.first.loss"),
        ("the first is not charged: only what is chosen counts", SUM, "return self.second_loss"),
        ("half of each is charged", SUM, "return PrivacyLoss((self.first.loss + self.second_loss).epsilon / 2)"),
        (
            "the second is left out where the first is 0 and the count too",
            *before("if not released and not sum(data): return 0, 0", RELEASED),
        ),
        (
            "the second sees the rows' number of ones in the log",
            *before("import logging; logging.info('%s', sum(data))", RELEASED),
        ),
        (
            "the first is run until it is not 0",
            "        released = self.first(data, coins)",
            "        released = self.first(data, coins) or self.first(data, coins)",
        ),
        (
            "the better of two runs is released",
            "        released = self.first(data, coins)",
            "        released = max(self.first(data, coins), self.first(data, coins))",
        ),
    ),
    *slips(
        MODULE,
        adaptive_sequence,
        ("the second is chosen by the rows", SECOND, "second = self.second(sum(data))"),
        ("the second is run where the rows say so", *before("if sum(data): return released, None", RELEASED)),
    ),
    *slips(
        MODULE,
        greedy_sequence,
        ("a second that costs more than declared is run", REFUSED, "if second.loss.delta > declared.delta:"),
    ),
    *slips(
        MODULE,
        by_position,
        ("the parts overlap by a row", PART, PART.replace("start + size]", "start + size + 1]")),
        ("every part begins at the first row", PART, "outputs.append(mechanism(data[:size], coins))"),
        (
            "rows are sorted before they are shared out",
            "outputs: list[Output] = []",
            "outputs: list[Output] = []\n        data = sorted(data)",
        ),
        (
            "the cheapest part is charged",
            POSITION_LOSS,
            POSITION_LOSS.replace(
                DEAREST, "return min((m.loss for m in self.mechanisms), key=lambda loss: loss.epsilon)"
            ),
        ),
        (
            "the mean of the parts is charged",
            POSITION_LOSS,
            POSITION_LOSS.replace(DEAREST, "return PrivacyLoss(sum(m.loss.epsilon for m in self.mechanisms) / 2)"),
        ),
        (
            "an empty part is skipped",
            PART,
            "outputs.append(mechanism(data[start : start + size], coins) if any(data[start : start + size]) else 0)",
        ),
    ),
    *slips(
        MODULE,
        by_content,
        (
            "parts by content are charged in parallel",
            TWO_DEAREST,
            "return PrivacyLoss(max(loss.epsilon for loss in self._losses()))",
        ),
        ("a row outside the cells is refused", SORTED_IN, "parts[name_of(self.cell_of(row))].append(row)"),
        (
            "an empty cell is left out",
            IN_CELLS,
            IN_CELLS[:-1] + " if part)",
        ),
        (
            "an empty cell is None",
            IN_CELLS,
            IN_CELLS.replace("mechanism(part, coins)", "mechanism(part, coins) if part else coins.below(1)"),
        ),
        (
            "cells come in the order of their rows",
            CELLS,
            "{name_of(cell): [] for cell in dict.fromkeys(map(self.cell_of, data))}",
        ),
        (
            "cells are those that a row is in",
            IN_CELLS,
            "        return tuple((cell, mechanism(part, coins)) for mechanism, (cell, part) in zip(self.mechanisms, parts.items()) if part)",
        ),
        (
            "cells come fullest first",
            IN_CELLS,
            "        return tuple((cell, self.mechanisms[0](parts[cell], coins)) for cell in sorted(parts, key=lambda cell: -len(parts[cell])))",
        ),
        (
            "the number of stray rows is warned of",
            IN_CELLS,
            "        import warnings\n        warnings.warn(str(len(data) - sum(map(len, parts.values()))))\n"
            + IN_CELLS,
        ),
        (
            "a cell is printed when its first row comes",
            SORTED_IN,
            "if parts.get(name_of(self.cell_of(row))) == []: print(self.cell_of(row))\n            " + SORTED_IN,
        ),
    ),
    *slips(MODULE, clamped_to_leaves, ("a leaf's size is taken for public: a count is clamped to it", STATED, NO_SIZE)),
    *slips(MODULE, scaled_to_leaves, ("a leaf's size is taken for public: noise is calibrated to it", STATED, NO_SIZE)),
)

HARMLESS = (
    *slips(
        MODULE,
        equal_sequence,
        (
            "Only the second output is released. Proof: post-processing of both.",
            RELEASED,
            "        return second(data, coins)",
        ),
        (
            "The outputs are exchanged. Proof: post-processing.",
            RELEASED,
            "        return second(data, coins), released",
        ),
    ),
    *slips(
        MODULE,
        by_position,
        (
            "Parts are taken from the end. Proof: they are still chosen without looking at the rows.",
            PART,
            "outputs.append(mechanism(data[len(data) - start - size : len(data) - start], coins))",
        ),
    ),
    *slips(
        MODULE,
        by_content,
        (
            "Cells are numbered backwards. Proof: a public relabelling; each row still goes to one cell.",
            CELLS,
            "{name_of(cell): [] for cell in reversed(self.cells)}",
        ),
        (
            "All cells are charged, not the two dearest. Proof: more is declared.",
            TWO_DEAREST,
            "return PrivacyLoss(sum((loss.epsilon for loss in self._losses()), start=self._losses()[0].epsilon))",
        ),
    ),
)
