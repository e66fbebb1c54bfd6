# SPDX-License-Identifier: Apache-2.0
"""What the lines of a ledger add up to: budget, spent, and what became of every key.

A line that could not have been written after those before it is damage, even if its hash is right: so the sum is
never beyond the budget, a key is reserved once, and what is settled was reserved.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from hashlib import sha256
from re import compile as pattern
from typing import Any, NoReturn

from discreet.data.canonical import canonical
from discreet.errors import BudgetError, LedgerError, ParameterError
from discreet.privacy.entries import Entry
from discreet.privacy.loss import PrivacyLoss
from discreet.privacy.parameters import integer
from discreet.privacy.reservation import Reservation

_DIGEST = pattern("[0-9a-f]{64}")
_ROUNDED = Context(prec=12, rounding=ROUND_FLOOR)
LONGEST_SHOWN = 64
"""Bits of the rationals that are shown as they are."""


@dataclass(frozen=True)
class Dataset:
    """The people a ledger belongs to. A schema in which one of these differs is of another dataset."""

    name: str
    rows: int
    rows_per_person: int = 1

    def __post_init__(self) -> None:
        if type(self.name) is not str or not self.name.strip():
            raise ParameterError("`dataset` must be the name of the people in the data; choose one.")
        integer("rows", self.rows, least=1)
        integer("rows_per_person", self.rows_per_person, least=1)

    def as_json(self) -> dict[str, Any]:
        """As it stands in the first line."""
        return {"dataset": self.name, "rows": self.rows, "rows_per_person": self.rows_per_person}


@dataclass(frozen=True)
class Place:
    """Where a line stands: its number, its first byte and its length."""

    sequence: int
    start: int
    length: int


@dataclass
class Use:
    """What became of a key: what it was reserved for, and where its result stands."""

    reservation: Reservation
    request: str
    result: Place | None = None


@dataclass
class Account:
    """The sum of the lines read so far. Epsilon and delta are kept apart: losses cap delta at 1 when they add up."""

    dataset: Dataset
    budget: PrivacyLoss
    heads: list[str] = field(default_factory=list[str])
    size: int = 0
    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    uses: dict[str, Use] = field(default_factory=dict[str, Use])
    closed: bool = False

    @classmethod
    def of(cls, first: Entry) -> Account:
        """The account that a first line opens."""
        match first:
            case Entry(kind="create", loss=PrivacyLoss() as budget, request=dict() as people, result=None):
                account = cls(_dataset(people), budget)
            case _:
                raise LedgerError("this is not a ledger: it does not begin with its creation.")
        account._count(first)
        return account

    @property
    def id(self) -> str:
        """The ledger's name: the hash of its first line."""
        return self.heads[0]

    @property
    def spent(self) -> PrivacyLoss:
        """The sum of all reserves."""
        return PrivacyLoss(self.epsilon, self.delta)

    @property
    def left(self) -> PrivacyLoss:
        """What is not spent."""
        return PrivacyLoss(self.budget.epsilon - self.epsilon, self.budget.delta - self.delta)

    def spend(self, loss: PrivacyLoss) -> bool:
        """Add a loss, if both sums stay within the budget; else change nothing."""
        epsilon, delta = self.epsilon + loss.epsilon, self.delta + loss.delta
        if epsilon > self.budget.epsilon or delta > self.budget.delta:
            return False
        self.epsilon, self.delta = epsilon, delta
        return True

    def require_room(self, loss: PrivacyLoss) -> None:
        """Refuse a loss that may not be spent."""
        if self.closed:
            raise LedgerError("this ledger is closed; nothing more may be spent from it.")
        if self.epsilon + loss.epsilon > self.budget.epsilon or self.delta + loss.delta > self.budget.delta:
            cost, budget, left = _shown(loss), _shown(self.budget), _shown(self.left)
            raise BudgetError(f"this would cost {cost}, and of {budget} only {left} is left; nothing was spent.")

    def add(self, entry: Entry) -> None:
        """Fold one more line."""
        match entry:
            case Entry(kind="reserve", loss=PrivacyLoss() as loss, request=dict() as request, result=None):
                if self.closed or entry.key in self.uses or not self.spend(loss):
                    _impossible(entry)
                reservation = Reservation(entry.key, entry.sequence, entry.hash, loss)
                self.uses[entry.key] = Use(reservation, sha256(canonical(request)).hexdigest())
            case Entry(kind="settle", loss=None, request=None, result=dict() as result):
                use = self.uses.get(entry.key)
                if use is None or use.result is not None or not _is_result(result):
                    _impossible(entry)
                use.result = Place(entry.sequence, self.size, len(entry.line))
            case Entry(kind="close", key=self.id, loss=None, request=None, result=None) if not self.closed:
                self.closed = True
            case _:
                _impossible(entry)
        self._count(entry)

    def _count(self, entry: Entry) -> None:
        self.heads.append(entry.hash)
        self.size += len(entry.line)


def _dataset(people: dict[str, Any]) -> Dataset:
    try:
        dataset = Dataset(people["dataset"], people["rows"], people["rows_per_person"])
    except (KeyError, ParameterError):
        dataset = None
    if dataset is None or dataset.as_json() != people:
        raise LedgerError("this is not a ledger: its first line does not say whose it is.")
    return dataset


def _is_result(result: dict[str, Any]) -> bool:
    match result:
        case {"text": str(), **others} if not others:
            return True
        case {"sha256": str(name), **others} if not others:
            return _DIGEST.fullmatch(name) is not None
        case _:
            return False


def _impossible(entry: Entry) -> NoReturn:
    raise LedgerError(f"line {entry.sequence + 1} of the ledger is not one that could be written here.")


def _shown(loss: PrivacyLoss) -> str:
    """A loss for people to read: long rationals are rounded down."""
    parts = [f"epsilon {_number(loss.epsilon)}", *([f"delta {_number(loss.delta)}"] if loss.delta else [])]
    return ", ".join(parts)


def _number(number: Fraction) -> str:
    if max(number.numerator, number.denominator).bit_length() <= LONGEST_SHOWN:
        return str(number)
    return f"about {_ROUNDED.divide(Decimal(number.numerator), Decimal(number.denominator))}"
