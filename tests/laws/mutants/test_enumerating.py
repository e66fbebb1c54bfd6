# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501 -- slips quote the lines of the source as they stand
"""Slips in the verifier's own coins (discreet/coins/enumerating.py): each changes a law that is known, or is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from flint import arb

from discreet.coins.balls import precision
from discreet.coins.levels import Levels
from discreet.errors import DiscreetError
from discreet.verification import explore, observe
from discreet.verification.mutants import loaded_on, mutated

MODULE = "discreet.coins.enumerating"
BITS = 256
THIRD = Fraction(1, 3)

LEVELS = Levels((0, 1, 3), (1, 2, 1), Fraction(1, 2))

ASKED: tuple[Callable[[Any], object], ...] = (
    lambda coins: coins.below(5),
    lambda coins: coins.bernoulli(THIRD),
    lambda coins: coins.bernoulli_exp(THIRD),
    lambda coins: max(-1, min(1, coins.geometric(Fraction(2)))),
    lambda coins: coins.belows(3, 2).tolist(),
    lambda coins: coins.bernoullis(THIRD, 2).tolist(),
    lambda coins: coins.dyadics(np.array([1 << 62, 1 << 63], dtype=np.uint64)).tolist(),
    lambda coins: np.clip(coins.geometrics(Fraction(2), 2), -1, 1).tolist(),
    lambda coins: coins.choose(LEVELS),
    lambda coins: coins.race(LEVELS),
    lambda coins: coins.below(3) and coins.bernoulli(THIRD),
    lambda coins: (coins.below(2), coins.below(3), coins.bernoulli(THIRD)),
)
"""Each law once, and paths of several."""

Told = list[dict[tuple[str, ...], Any]]


def laws(module: ModuleType) -> Told:
    """The law of each, as the module walks it."""
    found: Told = []
    for ask in ASKED:
        walked = module.Laws(lambda rows, coins, ask=ask: ask(coins), reach=2, bits=BITS)
        with observe.watching() as see:
            law: Mapping[Any, Any] = walked.laws[walked.index((), see)]
        found.append({(str(outcome.output), *outcome.laws): chance for outcome, chance in law.items()})
    return found


def differ(one: Told, other: Told) -> bool:
    with precision(BITS):
        return any(
            first.keys() != second.keys() or not all(arb(first[key]).overlaps(arb(second[key])) for key in first)
            for first, second in zip(one, other, strict=True)
        )


SLIPS = {
    "tails are cut instead of folded": (
        "one_side.append(ratio**reach / (1 + ratio))",
        "one_side.append((1 - ratio) / (1 + ratio) * ratio**reach)",
    ),
    "a tail of both sides is folded on each": (
        "one_side.append(ratio**reach / (1 + ratio))",
        "one_side.append(2 * ratio**reach / (1 + ratio))",
    ),
    "a geometric of the inverse scale": ("ratio, reach = (-1 / ball(scale)).exp()", "ratio, reach = (-ball(scale)).exp()"),
    "a geometric is one-sided": ("        return values, [one", "        return range(0, 2 * reach + 1), [one"),
    "a uniform that starts at 1": ("(range(count), [fmpq(1, count)] * count)", "(range(1, count + 1), [fmpq(1, count)] * count)"),
    "a uniform with a value too many": ("(range(count), [fmpq(1, count)] * count)", "(range(count + 1), [fmpq(1, count + 1)] * (count + 1))"),
    "a uniform that forgets to be normalised": ("[fmpq(1, count)] * count", "[fmpq(1, count + 1)] * count"),
    "heads and tails exchanged": ('self._law(("bernoulli", probability), lambda: ((1, 0),', 'self._law(("bernoulli", probability), lambda: ((0, 1),'),
    "weights of levels are not normalised": ("[weight / total for weight in balls]", "balls"),
    "choose is drawn as race": ("lambda: self._proportional(weights)", "lambda: self._raced(weights)"),
    "dyadics of 2^-63": ("Fraction(int(numerator), 1 << 64)", "Fraction(int(numerator), 1 << 63)"),
    "laws are known by their kind alone": ('("below", count)', '("below",)'),
    "every other branch is left out": ("self._path[-1] += 1", "self._path[-1] += 2"),
    "the last branch is left out": ("if self._path[-1] < len(self._walked[-1].values):", "if self._path[-1] < len(self._walked[-1].values) - 1:"),
    "the walk ends at the first law that is exhausted": ("            self._path.pop()\n            self._walked.pop()\n", "            self._path.pop()\n            self._walked.pop()\n            return False\n"),
    "one draw for all": ("return self._draws([self._below(bound)] * count)", "return np.array([self._draw(self._below(bound))] * count)"),
    "a geometric draw for all": ("return self._draws([self._geometric(scale)] * count)", "return np.array([self._draw(self._geometric(scale))] * count)"),
    "a law is not told of": ('self.names.append(f"bernoullis x {count}")', "pass"),
}  # fmt: skip


def test_without_a_slip_the_laws_are_the_same() -> None:
    assert not differ(laws(explore), laws(loaded_on(explore.__name__, {})))


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_noticed(slip: str) -> None:
    wrong = mutated(MODULE, *SLIPS[slip])
    try:
        found = laws(loaded_on(explore.__name__, {MODULE: wrong}))
    except (DiscreetError, ValueError):  # NotPure is one of them, and so is a sum that is not 1
        return
    assert differ(laws(explore), found)
