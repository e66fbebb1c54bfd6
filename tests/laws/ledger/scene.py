# SPDX-License-Identifier: Apache-2.0
"""A ledger of several lines in a folder of its own, with a state folder that is not the user's."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random

from discreet.errors import LedgerError
from discreet.privacy.ledger import Ledger
from discreet.privacy.loss import PrivacyLoss
from discreet.privacy.reservation import Reservation

TENTH = PrivacyLoss(Fraction(1, 10))
SENTENCE = ("damaged", "older", "not a ledger", "anchor", "shorter", "too long", "could not be", "changed", "missing")


def claim(ledger: Ledger, key: str, loss: PrivacyLoss = TENTH) -> Reservation:
    reservation = ledger.reserve(key=key, request={"query": key}, loss=loss)
    assert isinstance(reservation, Reservation)
    return reservation


@dataclass
class Scene:
    path: Path
    state: Path

    @property
    def content(self) -> bytes:
        return self.path.read_bytes()

    @property
    def lines(self) -> list[bytes]:
        return self.content.splitlines(keepends=True)

    @property
    def anchor(self) -> Path:
        return self.state / "discreet" / "anchors" / json.loads(self.lines[0])["hash"]

    def put(self, content: bytes) -> None:
        self.path.write_bytes(content)

    def refused(self) -> bool:
        """Whether opening it is refused, in one sentence and without a change."""
        before = self.content
        try:
            Ledger.open(self.path)
        except LedgerError as error:
            words = str(error)
            assert words.endswith(".")
            assert "\n" not in words
            assert any(word in words for word in SENTENCE), words
            assert self.content == before
            return True
        return False


def several_lines(scene: Scene, *, random: Random) -> Ledger:
    """A ledger with all kinds of lines."""
    ledger = Ledger.create(scene.path, dataset="clinic", rows=20, epsilon=5, delta="1e-6")
    for number in range(random.randint(1, 3)):
        reservation = claim(ledger, f"key {number}", PrivacyLoss(Fraction(random.randint(1, 9), 10)))
        if random.random() < 0.7:
            ledger.settle(reservation, f"answer {random.random()}".encode())
    if random.random() < 0.3:
        ledger.close()
    return ledger


@contextmanager
def restored(scene: Scene) -> Generator[None]:
    """Ledger and anchor as they were."""
    content, anchor = scene.content, scene.anchor
    record = anchor.read_bytes()
    yield
    scene.put(content)
    anchor.write_bytes(record)
