# SPDX-License-Identifier: Apache-2.0
"""What is asked of a ledger, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, cast

from discreet.coins.domains import refusal, shown
from discreet.data.canonical import canonical
from discreet.privacy.loss import PrivacyLoss
from discreet.privacy.parameters import settle

LONGEST_REQUEST = 1 << 20
LONGEST_KEY = 200
DEEPEST = 32
"""Levels of a nested request."""

WIDEST_LOSS = 8192
"""Bits of a rational that can be written down."""


@dataclass(frozen=True)
class Claim:
    """A loss that is to be spent for one request, under a key by which the same can be asked again."""

    key: str
    request: Mapping[str, Any]
    loss: PrivacyLoss

    def __post_init__(self) -> None:
        _require_key(self.key)
        if type(self.loss) is not PrivacyLoss:
            raise refusal("loss", "a PrivacyLoss", shown(self.loss), "state it under replace-one")
        _require_short(self.loss)
        settle(self, request=_plain_request(self.request))

    @cached_property
    def digest(self) -> str:
        """What is remembered of it: SHA-256 of the request."""
        return sha256(canonical(self.request)).hexdigest()


@dataclass(frozen=True)
class Reservation:
    """A loss that is spent, for one request. `head` is the hash of the line that spent it."""

    key: str
    sequence: int
    head: str
    loss: PrivacyLoss


@dataclass(frozen=True)
class Settled:
    """What was released for a key before, byte for byte."""

    reservation: Reservation
    content: bytes


def _require_key(key: object) -> None:
    if not isinstance(key, str) or not 0 < len(key) <= LONGEST_KEY or not key.isprintable():
        raise refusal("key", f"a text of 1 to {LONGEST_KEY} printable characters", shown(key), "choose another")


def _require_short(loss: PrivacyLoss) -> None:
    parts = (loss.epsilon.numerator, loss.epsilon.denominator, loss.delta.numerator, loss.delta.denominator)
    if max(parts).bit_length() > WIDEST_LOSS:
        raise refusal("loss", f"rationals of at most {WIDEST_LOSS} bits", "longer ones", "round them up")


def _plain_request(request: Mapping[str, Any]) -> dict[str, Any]:
    fields = dict(request)
    try:
        small = _is_plain(fields) and len(canonical(fields)) <= LONGEST_REQUEST
    except (ValueError, RecursionError):  # a number too long to print, a value within itself
        small = False
    if not small:
        raise refusal("request", "JSON without floats, at most 1 MiB", "another value", "write rationals as text")
    return fields


def _is_plain(value: object, depth: int = 0) -> bool:
    if depth > DEEPEST:
        return False
    if isinstance(value, dict):
        fields = cast("dict[object, object]", value)
        return all(isinstance(name, str) and _is_plain(part, depth + 1) for name, part in fields.items())
    if isinstance(value, list | tuple):
        return all(_is_plain(part, depth + 1) for part in cast("list[object]", value))
    return value is None or isinstance(value, str | int)
