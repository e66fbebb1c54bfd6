# SPDX-License-Identifier: Apache-2.0
"""The exact law of what a mechanism shows, by walking every path of its coins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flint import arb, fmpq

from discreet.coins.balls import precision
from discreet.coins.contract import Coins
from discreet.coins.enumerating import EnumeratingCoins, Law, Probability, Unverifiable
from discreet.verification.observe import Observer, Outcome

Path = tuple[tuple[Law, ...], tuple[int, ...], Outcome]
"""The laws asked, the branch taken at each, and what was seen."""

ExactLaw = Mapping[Outcome, Probability]
"""The probability of each outcome that has one."""

MOST_PATHS = 1 << 22


def walk(run: Callable[[], object], coins: EnumeratingCoins, observe: Observer) -> tuple[Path, ...]:
    """Every path of `run`, which draws from `coins`, in a fixed order."""
    paths: list[Path] = []
    more = True
    while more:
        coins.restart()
        outcome = observe(run, coins)
        paths.append((*coins.path(), outcome))
        more = coins.next_path()
        if len(paths) > MOST_PATHS:
            raise Unverifiable(f"a mechanism has more than {MOST_PATHS} paths; verify it on fewer rows.")
    return tuple(paths)


def law_of(paths: tuple[Path, ...], bits: int) -> ExactLaw:
    """Add up the probabilities of the paths to each outcome; their sum must be 1."""
    law: dict[Outcome, Probability] = {}
    with precision(bits):
        for walked, branches, outcome in paths:
            chance: Probability = fmpq(1)
            for step, branch in zip(walked, branches, strict=True):
                chance *= step.probabilities[branch]
            law[outcome] = law.get(outcome, fmpq(0)) + chance
        if not arb(1).overlaps(sum(law.values(), arb(0))):
            raise Unverifiable("the probabilities of a mechanism's outcomes do not add up to 1.")
    return law


class Laws:
    """The exact laws of one mechanism on many databases; databases with the same paths share one law."""

    def __init__(
        self, mechanism: Callable[[Any, Coins], object], *, reach: int, bits: int, again: bool = False
    ) -> None:
        """Walked `again`, tails are put as far out as can be and the coins do not say that they are simulated."""
        self._mechanism = mechanism
        self._coins = EnumeratingCoins(reach=reach, bits=bits, far=again, simulated=not again)
        self._known: dict[tuple[Path, ...], int] = {}
        self.laws: list[ExactLaw] = []
        self.paths = 0

    @property
    def narrow(self) -> bool:
        """Whether every probability is known to less than 2^-180."""
        return all(isinstance(chance, fmpq) or narrow(chance) for law in self.laws for chance in law.values())

    def index(self, rows: Any, observe: Observer) -> int:
        """Which of `laws` is the law on these rows."""
        paths = walk(lambda: self._mechanism(rows, self._coins), self._coins, observe)
        self.paths += len(paths)
        known = self._known.setdefault(paths, len(self.laws))
        if known == len(self.laws):
            self.laws.append(law_of(paths, self._coins.bits))
        return known


def equal(first: ExactLaw, second: ExactLaw) -> bool:
    """The same outcomes with the same probabilities: equal rationals, or balls of radius below 2^-180 that overlap."""
    return first.keys() == second.keys() and all(same(first[outcome], second[outcome]) for outcome in first)


def same(first: Probability, second: Probability) -> bool:
    """Equal rationals, or balls of radius below 2^-180 that overlap."""
    if isinstance(first, fmpq) and isinstance(second, fmpq):
        return first == second
    return arb(first).overlaps(arb(second)) and narrow(arb(first)) and narrow(arb(second))


def narrow(value: arb) -> bool:
    """Known to less than 2^-180."""
    return bool(value.rad() < arb((1, -180)))
