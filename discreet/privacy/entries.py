# SPDX-License-Identifier: Apache-2.0
"""The lines of a ledger: canonical JSON, each with the SHA-256 of the one before and of itself.

So every line is protected, the last one too: a bit flipped anywhere, a line lost or moved is found by reading
once. A line is accepted only if it is, byte for byte, how this module would write it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal, cast

from discreet.data.canonical import canonical
from discreet.errors import LedgerError
from discreet.privacy.loss import PrivacyLoss

Kind = Literal["create", "reserve", "settle", "close"]
KINDS = ("create", "reserve", "settle", "close")
ORIGIN = "0" * 64
"""What the first line has for the hash of the one before."""

LONGEST_LINE = 1 << 23

ANCHOR_BYTES = 256

_LINE = re.compile(rb'\{"hash":"([0-9a-f]{64})",([^\n]+)\n')
_RATIONAL = re.compile(r"[0-9]{1,4000}(/[0-9]{1,4000})?")
_ANCHOR = re.compile(rb"discreet anchor\nsequence ([0-9]{20})\nhead ([0-9a-f]{64})\n")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line. `key` names a reservation; `request`, `loss` and `result` stand where the kind has them."""

    sequence: int
    previous: str
    kind: Kind
    key: str
    request: dict[str, Any] | None = None
    loss: PrivacyLoss | None = None
    result: dict[str, Any] | None = None

    @cached_property
    def body(self) -> bytes:
        """All but the hash, as canonical JSON."""
        loss = self.loss
        fields: dict[str, Any] = {
            "sequence": self.sequence,
            "previous": self.previous,
            "kind": self.kind,
            "key": self.key,
            "request": self.request,
            "loss": None if loss is None else {"epsilon": str(loss.epsilon), "delta": str(loss.delta)},
            "result": self.result,
        }
        return canonical({name: value for name, value in fields.items() if value is not None})

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the previous hash and this line without its own."""
        return sha256(self.previous.encode() + self.body).hexdigest()

    @property
    def line(self) -> bytes:
        """The line as it is written, with its newline. Of all names "hash" is the first in the alphabet."""
        return b'{"hash":"%b",%b\n' % (self.hash.encode(), self.body[1:])


def parse(line: bytes, *, sequence: int, previous: str) -> Entry:
    """The entry of a complete line, if it is the line that must stand here."""
    match = _LINE.fullmatch(line)
    if match and sha256(previous.encode() + b"{" + match[2]).hexdigest().encode() == match[1]:
        entry = _entry(b"{" + match[2])
        if entry is not None and (entry.sequence, entry.previous) == (sequence, previous):
            return entry
    if sequence == 0:
        raise LedgerError("this is not a ledger, or its first line is damaged: restore it from where you keep copies.")
    raise LedgerError(f"line {sequence + 1} of the ledger is damaged; restore it from where you keep copies.")


def _entry(body: bytes) -> Entry | None:
    """The entry that is written as `body`, if there is one."""
    try:
        fields = cast("dict[str, Any]", json.loads(body))
        kind, key, loss = fields["kind"], fields["key"], fields.pop("loss", None)
        entry = Entry(**fields, loss=None if loss is None else _loss(**loss))
        right = kind in KINDS and type(key) is str and type(entry.sequence) is int and entry.body == body
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return entry if right else None


def _loss(epsilon: str, delta: str) -> PrivacyLoss:
    if not _RATIONAL.fullmatch(epsilon) or not _RATIONAL.fullmatch(delta):  # "1e999999999" would fill the memory
        raise ValueError
    try:
        return PrivacyLoss(Fraction(epsilon), Fraction(delta))
    except ZeroDivisionError:
        raise ValueError from None


@dataclass(frozen=True)
class Anchor:
    """How far a ledger had come when this user last committed to it: one self-checked record of fixed size."""

    sequence: int
    head: str

    def record(self) -> bytes:
        """The bytes of the record."""
        text = b"discreet anchor\nsequence %020d\nhead %b\n" % (self.sequence, self.head.encode())
        return (text + b"check %b\n" % sha256(text).hexdigest().encode()).ljust(ANCHOR_BYTES, b"-")

    @classmethod
    def read(cls, record: bytes) -> Anchor | None:
        """The anchor of a record, if that is whole."""
        match = _ANCHOR.match(record)
        anchor = cls(int(match[1]), match[2].decode()) if match else None
        return anchor if anchor is not None and anchor.record() == record else None
