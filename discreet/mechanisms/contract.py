# SPDX-License-Identifier: Apache-2.0
"""The contract of a mechanism: a pure function of (public parameters, data, coins) that declares its loss.

The parameters are the fields of a frozen dataclass; the loss is computed from them alone. What a mechanism
reads may be rows, or integers counted from rows by a public function: then it says how far one row can move them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from discreet.coins.contract import Coins
from discreet.privacy.loss import AddRemoveLoss, PrivacyLoss

Data = TypeVar("Data")
Read = TypeVar("Read")
Output = TypeVar("Output")
Data_in = TypeVar("Data_in", contravariant=True)
Output_out = TypeVar("Output_out", covariant=True)


class Mechanism(Protocol[Data_in, Output_out]):
    """A randomised function of rows that may be released."""

    @property
    def loss(self) -> PrivacyLoss:
        """What a call costs under replace-one. Reads no data."""
        ...

    @property
    def add_remove_loss(self) -> AddRemoveLoss | None:
        """What a call costs when a row is added or removed; None if that is not bounded."""
        ...

    def __call__(self, data: Data_in, coins: Coins, /) -> Output_out:
        """Draw one output."""
        ...


@dataclass(frozen=True)
class Summarised(Generic[Data, Read, Output]):
    """A mechanism applied to a public, deterministic summary of the rows, whose sensitivity the mechanism declares."""

    summary: Callable[[Data], Read]
    mechanism: Mechanism[Read, Output]

    @property
    def loss(self) -> PrivacyLoss:
        """The mechanism's own."""
        return self.mechanism.loss

    @property
    def add_remove_loss(self) -> AddRemoveLoss | None:
        """The mechanism's own."""
        return self.mechanism.add_remove_loss

    def __call__(self, data: Data, coins: Coins, /) -> Output:
        return self.mechanism(self.summary(data), coins)
