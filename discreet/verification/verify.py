# SPDX-License-Identifier: Apache-2.0
"""Verify one case: run the shipped mechanism on every database, on every path, and compare all neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import inf

from flint import arb

from discreet.coins.balls import Ball, ball, ends, precision
from discreet.coins.enumerating import Unverifiable
from discreet.privacy.loss import PrivacyLoss
from discreet.verification.case import Case, Database, neighbouring_laws
from discreet.verification.distance import Measure, greater, hockey_stick, privacy_loss
from discreet.verification.explore import ExactLaw, Laws, equal, narrow
from discreet.verification.observe import Observer, Outcome, Raised, watching

START_BITS = 256
MOST_BITS = 4096
PLACES = 50


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What was found: `exact` encloses the largest distance over all pairs, in the measure of the declared loss."""

    case: Case
    loss: PrivacyLoss
    exact: Ball
    pairs: int
    paths: int
    witness: str
    ok: bool

    @property
    def measure(self) -> str:
        """Delta where the declared loss has one (at the declared epsilon), else epsilon."""
        return "delta" if self.loss.delta else "epsilon"

    @property
    def declared(self) -> Fraction:
        """The number that `exact` must not exceed."""
        return self.loss.delta or self.loss.epsilon

    @property
    def share(self) -> float:
        """exact / declared, for people to read."""
        if not self.exact.is_finite() or (not self.declared and self.exact.mid() > 0):
            return inf
        return float(self.exact.mid()) / float(self.declared) if self.declared else 1.0

    def as_json(self) -> dict[str, object]:
        """The line of `discreet verify --json`; numbers as decimal strings, `exact` rounded up."""
        loss = self.loss
        return {
            "mechanism": self.case.name,
            "universe": self.case.universe_text(),
            "rows": self.case.rows,
            "epsilon": decimal_up(loss.epsilon),
            "delta": decimal_up(loss.delta),
            "measure": self.measure,
            "declared": decimal_up(self.declared),
            "exact": decimal_up(ends(self.exact)[1]) if self.exact.is_finite() else "Infinity",
            "pairs": self.pairs,
            "witness": self.witness,
            "ok": self.ok,
        }


def decimal_up(value: Fraction) -> str:
    """At most 50 decimals, rounded up; never in scientific notation."""
    scaled = -((-value.numerator * 10**PLACES) // value.denominator)
    text = format(Decimal(scaled).scaleb(-PLACES, Context(prec=1000, rounding=ROUND_CEILING)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def verify(case: Case, *, bits: int = START_BITS) -> Verdict:
    """The verdict on a case. Where the balls are too wide to tell, the precision doubles.

    ok: the lower end of the exact distance is at most the declared one and it is known to less than 2^-180 (a tight
    loss *equals* what is declared, so its ball cannot lie below it), and the laws with tails folded at `reach` and
    `reach + 1` are the same: no raw noise leaves the mechanism.
    """
    loss = case.loss
    exact, witness, paths = _examine(case, loss, bits)
    if case.loss != loss:
        raise Unverifiable(f"{case.name} declares another loss after it has run.")
    if exact.is_finite() and not narrow(exact) and bits < MOST_BITS:
        return verify(case, bits=2 * bits)
    with precision(bits):
        declared = ball(loss.delta or loss.epsilon)
        ok = bool(exact.is_finite() and narrow(exact) and exact.lower() <= declared)
    return Verdict(case=case, loss=loss, exact=exact, pairs=case.pairs, paths=paths, witness=witness, ok=ok)


def _examine(case: Case, loss: PrivacyLoss, bits: int) -> tuple[Ball, str, int]:
    """The largest distance over all pairs, where it was found, and how many paths were walked."""
    databases = list(case.databases())
    near = Laws(case.mechanism, reach=case.reach, bits=bits)
    far = Laws(case.mechanism, reach=case.reach + 1, bits=bits, again=True)
    with watching() as observe:
        laws = [near.index(rows, observe) for rows in databases]
        moved = _first_moved(databases, laws, near, far, observe)
    paths = near.paths + far.paths
    if not (near.narrow and far.narrow):
        return arb(0, 1), "the laws are not known well enough to tell", paths
    if moved is not None:
        problem = (
            f"the law on {moved} changed when tails were folded further out: raw noise leaves, or `reach` "
            f"({case.reach}) is less than the width of the public clamp, or it draws from elsewhere than its coins"
        )
        return arb.pos_inf(), problem, paths
    if (failing := _always_raising(databases, laws, near.laws)) is not None:
        return arb.pos_inf(), f"on {failing[0]} nothing but exceptions came out: {failing[1]}", paths
    measure = hockey_stick(loss.epsilon, bits) if loss.delta else privacy_loss(bits)
    with precision(bits):
        return *_farthest(case, databases, laws, near.laws, measure), paths


def _first_moved(
    databases: list[Database], laws: list[int], near: Laws, far: Laws, observe: Observer
) -> Database | None:
    """The first database whose law changes when the tails of noise are folded one step further out and put as far out
    as can be, or when the coins no longer say that they are simulated.
    """
    agree: dict[tuple[int, int], bool] = {}
    for rows, law in zip(databases, laws, strict=True):
        pair = law, far.index(rows, observe)
        if pair not in agree:
            agree[pair] = equal(near.laws[pair[0]], far.laws[pair[1]])
        if not agree[pair]:
            return rows
    return None


def _always_raising(
    databases: list[Database], index: list[int], laws: list[ExactLaw]
) -> tuple[Database, Outcome] | None:
    """The first database on which the mechanism never returns, and what it raises: then nothing was verified."""
    silent = [all(isinstance(outcome.output, Raised) for outcome in law) for law in laws]
    first = (rows_law for rows_law in zip(databases, index, strict=True) if silent[rows_law[1]])
    return next(((rows, next(iter(laws[law]))) for rows, law in first), None)


def _farthest(
    case: Case, databases: list[Database], index: list[int], laws: list[ExactLaw], measure: Measure
) -> tuple[Ball, str]:
    """A ball around the largest distance between neighbours, and the witness: the pair and the outcome."""
    exact, largest, witness = arb(0), arb(-1), "only one law: the output does not depend on the rows"
    pairs: list[list[int]] = neighbouring_laws(index, case).tolist()
    for place, neighbour in pairs:
        distance = measure(laws[index[place]], laws[index[neighbour]])
        exact = greater(exact, distance.size)
        if distance.size.mid() > largest:
            largest = distance.size.mid()
            witness = f"{databases[place]} and {databases[neighbour]}, output {distance.outcome}"
    return exact, witness
