# SPDX-License-Identifier: Apache-2.0
"""A case: one mechanism with its parameters, on all databases of `rows` rows of a tiny universe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.coins.contract import Coins
from discreet.coins.domains import refusal
from discreet.privacy.loss import PrivacyLoss
from discreet.privacy.parameters import integer, settle

Database = tuple[Any, ...]


class Private(Protocol):
    """What can be verified: a function of rows and coins that declares its loss. Every mechanism is one."""

    @property
    def loss(self) -> PrivacyLoss:
        """What it claims."""
        ...

    def __call__(self, data: Any, coins: Coins, /) -> object:
        """Draw one output."""
        ...


@dataclass(frozen=True, kw_only=True)
class Case:
    """`mechanism`, called `name`, on all databases of `rows` rows from `universe`.

    `reach` is at least the width of the public clamp: there the tails of noise are folded. `tight`: the declared loss
    is met with equality on this universe. `loss` is the mechanism's own declaration.
    """

    name: str
    mechanism: Private
    universe: tuple[Any, ...]
    rows: int
    reach: int = 1
    tight: bool = True

    def __post_init__(self) -> None:
        settle(self, rows=integer("rows", self.rows, least=1), reach=integer("reach", self.reach, least=1))
        if self.mechanism.loss.delta >= 1:
            raise refusal("mechanism", "one that declares a delta below 1", "1", "with delta 1 everything is private")
        if len({*map(repr, self.universe)}) < len(self.universe):
            raise refusal("universe", "rows that differ", "the same row twice", "name each row once")
        if len(self.universe) < 2:
            raise refusal("universe", "at least two rows", str(len(self.universe)), "neighbours need two")

    @property
    def loss(self) -> PrivacyLoss:
        """The loss that is checked."""
        return self.mechanism.loss

    def databases(self) -> Iterator[Database]:
        """All of them; the last row changes fastest."""
        return product(self.universe, repeat=self.rows)

    @property
    def pairs(self) -> int:
        """Ordered pairs of databases that differ in one row."""
        size = len(self.universe)
        return size**self.rows * self.rows * (size - 1)

    def universe_text(self) -> str:
        """As a person would write it."""
        return "{" + ", ".join(map(_short, self.universe)) + "}"


def neighbouring_laws(laws: Sequence[int], case: Case) -> NDArray[np.int64]:
    """Where each ordered pair of neighbours stands: rows (database, neighbour), each pair of laws once.

    `laws[i]` is the law on the i-th database. Of all pairs with the same two laws the first is kept.
    """
    size, count = len(case.universe), len(laws)
    cube = np.asarray(laws, dtype=np.int64)
    places = np.arange(count, dtype=np.int64)
    kinds = int(cube.max()) + 1
    found: list[NDArray[np.int64]] = []
    for step in (size**row for row in range(case.rows)):
        digit = places // step % size
        for shift in range(1, size):
            neighbour = places + ((digit + shift) % size - digit) * step
            _, first = np.unique(cube * kinds + cube[neighbour], return_index=True)
            found.append(np.stack([first, neighbour[first]], axis=1))
    pairs = np.concatenate(found)
    _, first = np.unique(cube[pairs[:, 0]] * kinds + cube[pairs[:, 1]], return_index=True)
    return pairs[first]


def _short(row: Any) -> str:
    return "".join(map(_short, row)) if isinstance(row, tuple) else str(row)  # pyright: ignore[reportUnknownArgumentType]
