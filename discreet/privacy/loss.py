# SPDX-License-Identifier: Apache-2.0
"""Privacy loss: (epsilon, delta), exact, under a stated neighbouring relation.

**Neighbours differ in one row (replace-one)**: the number of rows n is public, and one person's row is
exchanged for any other. A mechanism M is (epsilon, delta)-private if for all neighbours z, z' and every set S of
outputs P[M(z) in S] <= e^epsilon * P[M(z') in S] + delta. Nothing else is meant by "private" anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.privacy.parameters import nonnegative, probability, settle


@dataclass(frozen=True)
class PrivacyLoss:
    """(epsilon, delta) under replace-one. Adding two is basic composition ([5] Thm 17.1)."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        settle(self, epsilon=nonnegative("epsilon", self.epsilon), delta=probability("delta", self.delta))

    def __add__(self, other: PrivacyLoss) -> PrivacyLoss:
        return PrivacyLoss(self.epsilon + other.epsilon, min(Fraction(1), self.delta + other.delta))

    def __str__(self) -> str:
        return f"epsilon {self.epsilon}" + (f", delta {self.delta}" if self.delta else "")


@dataclass(frozen=True)
class AddRemoveLoss:
    """(epsilon, delta) when one row is added or removed: an ingredient of other losses, never promised to a user.

    A mechanism has it only if it may be run on any number of rows; replace-one then costs at most twice as much.
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        settle(self, epsilon=nonnegative("epsilon", self.epsilon), delta=probability("delta", self.delta))
