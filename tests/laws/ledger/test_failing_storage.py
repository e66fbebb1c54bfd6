# SPDX-License-Identifier: Apache-2.0
"""T15: every call to the system fails once, at every place. What was promised stands, and nothing is tried again."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from stat import S_ISREG
from typing import Any

import pytest

from discreet.errors import LedgerError, StorageError
from discreet.privacy import files
from discreet.privacy.entries import Anchor
from discreet.privacy.ledger import INLINE, Ledger
from discreet.privacy.reservation import Reservation
from tests.laws.ledger.scene import TENTH, Scene, claim

WRITING = ("write", "fsync", "ftruncate")
FAILING = ("open", "pread", "fstat", "lseek", "close", *WRITING)
LARGE = bytes(INLINE) + b"\xff"


@dataclass
class FailingSystem:
    """`os`, but the `fails_at`th call fails; a write may leave a part. A file is durable up to its last fsync."""

    fails_at: int = 0
    error: int = errno.EIO
    leaves: int = 0
    calls: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    durable: dict[int, bytes] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        return self.wrapped(name, real) if name in FAILING else real

    def wrapped(self, name: str, real: Any) -> Any:
        def call(*arguments: Any) -> Any:
            self.calls.append(name)
            if self.fails_at and len(self.calls) > self.fails_at:
                self.after.append(name)
            if len(self.calls) == self.fails_at:
                if name == "write" and self.leaves:
                    real(arguments[0], arguments[1][: self.leaves])
                if name == "close":
                    real(*arguments)
                raise OSError(self.error, "told by the system")
            result = real(*arguments)
            if name == "fsync":
                status = os.fstat(arguments[0])
                if S_ISREG(status.st_mode):
                    self.durable[status.st_ino] = Path(f"/proc/self/fd/{arguments[0]}").read_bytes()
            return result

        return call


@dataclass
class Diary:
    """What the ledger promised."""

    reserved: list[Reservation] = field(default_factory=list)
    settled: dict[str, bytes] = field(default_factory=dict)
    created: bool = False
    closed: bool = False


def walk_through(scene: Scene, system: FailingSystem, diary: Diary) -> Ledger | None:
    """A short life. After each promise, check that it is on the disk and in the anchor."""
    ledger = Ledger.create(scene.path, dataset="clinic", rows=20, epsilon=5)
    diary.created = True
    try:
        for key, content in [("a", b"small"), ("b", LARGE), ("c", b"last")]:
            diary.reserved.append(claim(ledger, key))
            check_promised(scene, system, diary.reserved[-1])
            ledger.settle(diary.reserved[-1], content)
            diary.settled[key] = content
        with scene.path.open("ab") as file:
            file.write(b"torn")
        ledger.close()
        diary.closed = True
    except StorageError:
        refuses_for_good(ledger, system)
        raise
    return ledger


def check_promised(scene: Scene, system: FailingSystem, reservation: Reservation) -> None:
    durable = system.durable[scene.path.stat().st_ino].splitlines()
    assert json.loads(durable[-1])["hash"] == reservation.head
    assert Anchor.read(scene.anchor.read_bytes()) == Anchor(reservation.sequence, reservation.head)


def refuses_for_good(ledger: Ledger, system: FailingSystem) -> None:
    before = len(system.calls)
    again = (lambda: claim(ledger, "z")), (lambda: ledger.result("a"))
    for operation in (ledger.total, ledger.close, ledger._adopted, *again):
        with pytest.raises(LedgerError, match="stopped"):
            operation()
    assert not set(WRITING) & set(system.calls[before:])


def calls_of_a_life(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    system, diary = FailingSystem(), Diary()
    monkeypatch.setattr(files, "os", system)
    walk_through(scene, system, diary)
    assert diary.closed
    assert len(diary.settled) == 3
    return system.calls


def test_every_call_that_fails_is_told_never_tried_again_and_loses_nothing(
    scene: Scene, monkeypatch, record_testsuite_property
):
    calls = calls_of_a_life(scene, monkeypatch)
    faults = [
        (place, error, leaves)
        for place, name in enumerate(calls, 1)
        for error in (errno.ENOSPC, errno.EIO)
        for leaves in ((0, 1, 100) if name == "write" else (0,))
    ]
    for number, (place, error, leaves) in enumerate(faults):
        folder = scene.path.with_name(str(number))
        folder.mkdir()
        survive(Scene(folder / "ledger", scene.state), FailingSystem(place, error, leaves), monkeypatch)
    record_testsuite_property("storage faults survived", len(faults))
    assert len(faults) > 200


def survive(scene: Scene, system: FailingSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    diary = Diary()
    monkeypatch.setattr(files, "os", system)
    with pytest.raises(StorageError, match="nothing was released") as caught:
        walk_through(scene, system, diary)
    assert "told by the system" not in str(caught.value)
    assert caught.value.__suppress_context__
    assert not set(WRITING) & set(system.after), "tried again"
    monkeypatch.setattr(files, "os", os)
    if not scene.path.exists():
        assert not diary.created
        return
    reopened = reopen(scene)
    assert reopened.total().epsilon >= Fraction(len(diary.reserved), 10)
    assert {entry.hash for entry in reopened.entries()} >= {reservation.head for reservation in diary.reserved}
    for key, content in diary.settled.items():
        assert reopened.result(key) == content
    goes_on(reopened, diary)


def reopen(scene: Scene) -> Ledger:
    """An anchor that was torn is refused until its owner adopts the ledger."""
    if scene.refused():
        with pytest.raises(LedgerError, match="unreadable anchor"):
            Ledger.open(scene.path)
        Ledger(files.FileStorage.at(scene.path))._adopted()
    return Ledger.open(scene.path)


def goes_on(ledger: Ledger, diary: Diary) -> None:
    closed = ledger.entries()[-1].kind == "close"
    assert closed or not diary.closed
    before = ledger.total().epsilon
    if not closed:
        claim(ledger, "later")
        assert ledger.total().epsilon == before + TENTH.epsilon


def test_a_lock_that_the_system_refuses_is_told(scene: Scene, monkeypatch):
    ledger = Ledger.create(scene.path, dataset="clinic", rows=20, epsilon=5)

    def flock(file: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "told by the system")

    monkeypatch.setattr("fcntl.flock", flock)
    with pytest.raises(StorageError, match="No locks available"):
        claim(ledger, "a")


def test_a_lock_that_never_comes_is_told(scene: Scene, monkeypatch):
    ledger = Ledger.create(scene.path, dataset="clinic", rows=20, epsilon=5)
    monkeypatch.setattr(files, "PATIENCE", 0)
    with ledger._storage.locked(), pytest.raises(LedgerError, match="locked for 0 seconds"):
        claim(ledger, "a")
    claim(ledger, "a")


def test_a_writer_without_the_lock_is_noticed(scene: Scene, monkeypatch):
    ledger = Ledger.create(scene.path, dataset="clinic", rows=20, epsilon=5)
    real = files._write_all

    def write_all(file: int, content: bytes) -> None:
        real(file, content)
        if content.startswith(b"{"):
            real(file, b"another")

    monkeypatch.setattr(files, "_write_all", write_all)
    with pytest.raises(LedgerError, match="without its lock"):
        claim(ledger, "a")


def test_writes_that_take_one_byte_at_a_time_are_finished(scene: Scene, monkeypatch):
    class Slow(FailingSystem):
        def wrapped(self, name: str, real: Any) -> Any:
            return (lambda file, content: real(file, content[:1])) if name == "write" else real

    monkeypatch.setattr(files, "os", Slow())
    ledger = Ledger.create(scene.path, dataset="clinic", rows=20, epsilon=5)
    ledger.settle(claim(ledger, "a"), b"answer")
    monkeypatch.setattr(files, "os", os)
    assert Ledger.open(scene.path).result("a") == b"answer"
