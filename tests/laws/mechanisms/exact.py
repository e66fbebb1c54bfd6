# SPDX-License-Identifier: Apache-2.0
"""Exact laws of a mechanism on chosen data, and exact distances between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from flint import arb, fmpq

from discreet.coins.balls import ball, precision
from discreet.verification.distance import privacy_loss
from discreet.verification.explore import Laws, narrow
from discreet.verification.observe import watching

BITS = 256


def law_on(mechanism: Any, data: Any, *, reach: int = 1) -> Mapping[Any, Any]:
    """The exact law of everything that can be seen."""
    laws = Laws(mechanism, reach=reach, bits=BITS)
    with watching() as observe:
        return laws.laws[laws.index(data, observe)]


def outputs_on(mechanism: Any, data: Any, *, reach: int = 1) -> dict[Any, Any]:
    """The exact law of the output alone."""
    seen: dict[Any, Any] = {}
    with precision(BITS):
        for outcome, chance in law_on(mechanism, data, reach=reach).items():
            seen[outcome.output] = seen.get(outcome.output, fmpq(0)) + chance
    return seen


def loss_between(first: Mapping[Any, Any], second: Mapping[Any, Any]) -> arb:
    """The larger of the two one-sided losses."""
    measure = privacy_loss(BITS)
    with precision(BITS):
        return measure(first, second).size.max(measure(second, first).size)


def add_remove_loss(mechanism: Any, universe: Sequence[Any], *, rows: int, reach: int) -> arb:
    """The largest loss between any database of `rows` rows and what is left of it without one."""
    laws = Laws(mechanism, reach=reach, bits=BITS)
    largest = arb(0)
    with watching() as observe, precision(BITS):
        for data in product(universe, repeat=rows):
            whole = laws.index(data, observe)
            for gone in range(rows):
                rest = laws.index(data[:gone] + data[gone + 1 :], observe)
                largest = largest.max(loss_between(laws.laws[whole], laws.laws[rest]))
    return largest


def meets(exact: arb, declared: Fraction) -> bool:
    """The ball holds the declared number, and nothing further from it than 2^-180."""
    with precision(BITS):
        return bool(narrow(exact) and exact.overlaps(ball(declared)))


def at_most(exact: arb, declared: Fraction) -> bool:
    """The ball lies below the declared number, or meets it."""
    with precision(BITS):
        return bool(exact.upper() <= ball(declared)) or meets(exact, declared)


def agree(law: Mapping[Any, Any], chances: Iterable[tuple[Any, Any]]) -> bool:
    """The law gives every output the probability stated, and outputs of probability 0 do not occur."""
    stated = {output: chance for output, chance in chances if not is_zero(chance)}
    with precision(BITS):
        return law.keys() == stated.keys() and all(
            arb(chance).overlaps(value_of(stated[output])) for output, chance in law.items()
        )


def is_zero(chance: Any) -> bool:
    return isinstance(chance, Fraction) and chance == 0


def value_of(chance: Any) -> arb:
    """A rational or a function from a precision to a ball."""
    return ball(chance) if isinstance(chance, Fraction) else chance(BITS)
