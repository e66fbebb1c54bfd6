# SPDX-License-Identifier: Apache-2.0
"""Mechanisms made of mechanisms: in sequence, on parts chosen by position, on parts chosen by content."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from discreet.coins.contract import Coins
from discreet.errors import ParameterError
from discreet.mechanisms.cells import Name, name_of
from discreet.mechanisms.contract import Data, Mechanism, Output
from discreet.privacy.composition import Parts, by_content, parallel
from discreet.privacy.loss import AddRemoveLoss, PrivacyLoss

Row = TypeVar("Row")
Second = TypeVar("Second")


@dataclass(frozen=True, kw_only=True)
class InSequence(Generic[Data, Output, Second]):
    """Two mechanisms on the same data, the second chosen by what the first released; both outputs are released.

    The sum of the losses ([5] Thm 17.1). The second's loss is declared beforehand in `second_loss`, and a choice that
    costs more is refused: that refusal depends on released output only.
    """

    first: Mechanism[Data, Output]
    second: Callable[[Output], Mechanism[Data, Second]]
    second_loss: PrivacyLoss

    @property
    def loss(self) -> PrivacyLoss:
        """The sum."""
        return self.first.loss + self.second_loss

    @property
    def add_remove_loss(self) -> AddRemoveLoss | None:
        """Not stated."""
        return None

    def __call__(self, data: Data, coins: Coins, /) -> tuple[Output, Second]:
        released = self.first(data, coins)
        second = self.second(released)
        declared = self.second_loss
        if second.loss.epsilon > declared.epsilon or second.loss.delta > declared.delta:
            raise ParameterError(f"`second` must cost at most the declared {declared}, got {second.loss}.")
        return released, second(data, coins)


@dataclass(frozen=True, kw_only=True)
class ByPosition(Generic[Row, Output]):
    """One mechanism for each part of the rows, the parts being runs of rows of public sizes. Loss: the dearest."""

    parts: Parts
    mechanisms: tuple[Mechanism[Sequence[Row], Output], ...]

    def __post_init__(self) -> None:
        parallel(self.parts, [mechanism.loss for mechanism in self.mechanisms])

    @property
    def loss(self) -> PrivacyLoss:
        """The dearest part's."""
        return parallel(self.parts, [mechanism.loss for mechanism in self.mechanisms])

    @property
    def add_remove_loss(self) -> AddRemoveLoss | None:
        """None: a row more would move all the others."""
        return None

    def __call__(self, data: Sequence[Row], coins: Coins, /) -> tuple[Output, ...]:
        if len(data) != sum(self.parts.sizes):
            raise ParameterError(f"`data` must hold the declared {sum(self.parts.sizes)} rows, got {len(data)}.")
        outputs: list[Output] = []
        start = 0
        for size, mechanism in zip(self.parts.sizes, self.mechanisms, strict=True):
            outputs.append(mechanism(data[start : start + size], coins))
            start += size
        return tuple(outputs)


@dataclass(frozen=True, kw_only=True)
class ByContent(Generic[Row, Output]):
    """One mechanism for each declared cell (leaf, stratum), on the rows that `cell_of` puts there; others are left out.

    Loss: the two dearest add/remove losses together (a replaced row leaves one cell and enters another), or the dearest
    replace-one loss (it stays in its cell) if that is more. The sizes of the cells are private: a mechanism that takes
    them for public has no add/remove loss and is refused here.
    """

    cells: tuple[Hashable, ...]
    cell_of: Callable[[Row], Hashable]
    mechanisms: tuple[Mechanism[Sequence[Row], Output], ...]

    def __post_init__(self) -> None:
        names = {name_of(cell) for cell in self.cells}
        if len(self.cells) != len(self.mechanisms) or len(names) != len(self.cells) or None in names:
            raise ParameterError("`cells` must be numbers, texts or tuples of such, all different, one a mechanism.")
        self._losses()

    @property
    def loss(self) -> PrivacyLoss:
        """See above."""
        return by_content([mechanism.loss for mechanism in self.mechanisms], self._losses())

    @property
    def add_remove_loss(self) -> AddRemoveLoss | None:
        """The dearest: one row more enters one cell."""
        losses = self._losses()
        return AddRemoveLoss(max(loss.epsilon for loss in losses), max(loss.delta for loss in losses))

    def _losses(self) -> list[AddRemoveLoss]:
        losses = [mechanism.add_remove_loss for mechanism in self.mechanisms]
        stated = [loss for loss in losses if loss is not None]
        if len(stated) < len(losses):
            raise ParameterError("`mechanisms` must each have an add/remove loss: the size of a cell is private.")
        return stated

    def __call__(self, data: Sequence[Row], coins: Coins, /) -> tuple[Output, ...]:
        parts: dict[Name | None, list[Row]] = {name_of(cell): [] for cell in self.cells}
        for row in data:
            parts.get(name_of(self.cell_of(row)), []).append(row)
        return tuple(mechanism(part, coins) for part, mechanism in zip(parts.values(), self.mechanisms, strict=True))
