# SPDX-License-Identifier: Apache-2.0
"""Verify one case: run the shipped mechanism on every database, on every path, and compare all neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from flint import arb

from discreet.coins.balls import Ball, ball, ends, precision
from discreet.verification.case import Case, Database, neighbouring_laws
from discreet.verification.distance import Measure, hockey_stick, privacy_loss
from discreet.verification.explore import ExactLaw, Laws, equal, narrow
from discreet.verification.observe import Observer, watching

START_BITS = 256
MOST_BITS = 4096
PLACES = 50


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What was found: `exact` encloses the largest distance over all pairs, in the measure of the declared loss."""

    case: Case
    exact: Ball
    pairs: int
    paths: int
    witness: str
    ok: bool

    @property
    def measure(self) -> str:
        """Delta where the declared loss has one (at the declared epsilon), else epsilon."""
        return "delta" if self.case.loss.delta else "epsilon"

    @property
    def declared(self) -> Fraction:
        """The number that `exact` must not exceed."""
        return self.case.loss.delta or self.case.loss.epsilon

    @property
    def share(self) -> float:
        """exact / declared, for people to read."""
        return float(self.exact.mid()) / float(self.declared) if self.declared else float(self.exact.mid() > 0)

    def as_json(self) -> dict[str, object]:
        """The line of `discreet verify --json`; numbers as decimal strings, `exact` rounded up."""
        loss = self.case.loss
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
    exact, witness, paths = _examine(case, bits)
    if exact.is_finite() and not narrow(exact) and bits < MOST_BITS:
        return verify(case, bits=2 * bits)
    loss = case.loss
    with precision(bits):
        declared = ball(loss.delta or loss.epsilon)
        ok = bool(exact.is_finite() and narrow(exact) and exact.lower() <= declared)
    return Verdict(case=case, exact=exact, pairs=case.pairs, paths=paths, witness=witness, ok=ok)


def _examine(case: Case, bits: int) -> tuple[Ball, str, int]:
    """The largest distance over all pairs, where it was found, and how many paths were walked."""
    databases = list(case.databases())
    near, far = (Laws(case.mechanism, reach=reach, bits=bits) for reach in (case.reach, case.reach + 1))
    with watching() as observe:
        laws = [near.index(rows, observe) for rows in databases]
        raw = _first_moved(databases, laws, near, far, observe) if near.folded else None
    paths = near.paths + far.paths
    if raw is not None:
        return arb.pos_inf(), f"raw noise leaves: the law on {raw} depends on where its tails are folded", paths
    measure = hockey_stick(case.loss.epsilon, bits) if case.loss.delta else privacy_loss(bits)
    with precision(bits):
        return *_farthest(case, databases, laws, near.laws, measure), paths


def _first_moved(
    databases: list[Database], laws: list[int], near: Laws, far: Laws, observe: Observer
) -> Database | None:
    """The first database whose law changes when the tails of noise are folded one step further out."""
    agree: dict[tuple[int, int], bool] = {}
    for rows, law in zip(databases, laws, strict=True):
        pair = law, far.index(rows, observe)
        if pair not in agree:
            agree[pair] = equal(near.laws[pair[0]], far.laws[pair[1]])
        if not agree[pair]:
            return rows
    return None


def _farthest(
    case: Case, databases: list[Database], index: list[int], laws: list[ExactLaw], measure: Measure
) -> tuple[Ball, str]:
    """A ball around the largest distance between neighbours, and the witness: the pair and the outcome."""
    exact, largest, witness = arb(0), arb(-1), "only one law: the output does not depend on the rows"
    pairs: list[list[int]] = neighbouring_laws(index, case).tolist()
    for place, neighbour in pairs:
        distance = measure(laws[index[place]], laws[index[neighbour]])
        exact = exact.max(distance.size)
        if distance.size.mid() > largest:
            largest = distance.size.mid()
            witness = f"{databases[place]} and {databases[neighbour]}, output {distance.outcome}"
    return exact, witness
