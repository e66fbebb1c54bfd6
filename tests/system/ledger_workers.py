# SPDX-License-Identifier: Apache-2.0
"""Processes that share a ledger: they race, or are killed at random, and write down what they did.

A program of its own, so that it forks before there are threads: `ledger_workers.py MODE FOLDER key=value…`.
What a worker does is appended to `<folder>/diary` in one write per line, which a kill cannot take back.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random

from discreet.errors import BudgetError, LedgerError
from discreet.privacy.account import Account
from discreet.privacy.entries import Entry
from discreet.privacy.files import FileStorage
from discreet.privacy.ledger import Ledger
from discreet.privacy.loss import PrivacyLoss
from discreet.privacy.reservation import Reservation, Settled

LOSS = PrivacyLoss(Fraction(1, 10))


@dataclass(frozen=True)
class Diary:
    folder: Path

    def note(self, **fields: object) -> None:
        line = json.dumps(fields).encode() + b"\n"
        file = os.open(self.folder / "diary", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(file, line)
        os.close(file)


def release(ledger: Ledger, key: str, diary: Diary, *, pause: Callable[[], None]) -> None:
    """The right order: reserve, open rows, compute, settle, answer."""
    found = ledger.reserve(key=key, request={"query": key}, loss=LOSS)
    if isinstance(found, Settled):
        diary.note(did="answered", key=key, content=found.content.decode())
        return
    pause()
    diary.note(did="opened", key=key)
    content = f"{key} {os.urandom(8).hex()}"
    pause()
    ledger.settle(found, content.encode())
    pause()
    diary.note(did="answered", key=key, content=content)


# The three broken orders.


def spend_anything(self: Account, loss: PrivacyLoss) -> bool:
    """Broken ledgers must be able to read what they wrote."""
    self.epsilon += loss.epsilon
    return True


def release_then_record(ledger: Ledger, key: str, diary: Diary, *, pause: Callable[[], None]) -> None:
    """Broken: rows are opened and answered before anything is recorded."""
    if ledger.remaining().epsilon < LOSS.epsilon:
        raise BudgetError("spent")
    if ledger.result(key) is not None:
        return
    pause()
    diary.note(did="opened", key=key)
    content = f"{key} {os.urandom(8).hex()}"
    pause()
    diary.note(did="answered", key=key, content=content)
    pause()
    reservation = ledger.reserve(key=key, request={"query": key}, loss=LOSS)
    if isinstance(reservation, Reservation):
        ledger.settle(reservation, content.encode())


class CheckThenInsert(Ledger):
    """Broken: what is left is read under one lock, and spent under another."""

    def reserve(self, *, key, request, loss):
        if key in self.uses():
            raise LedgerError("used")
        if self.total().epsilon + loss.epsilon > self.budget().epsilon:
            raise BudgetError("spent")
        time.sleep(0.001)
        with self._turn() as turn:
            if key in turn.account.uses:
                raise LedgerError("used")
            entry: Entry = self._append(turn, kind="reserve", key=key, request=request, loss=loss)
            return Reservation(key, entry.sequence, entry.hash, loss)

    def uses(self) -> set[str]:
        with self._turn() as turn:
            return set(turn.account.uses)


class RefundOnRestart(Ledger):
    """Broken: what has no result when a worker starts is taken for burnt, and given back."""

    refunded = Fraction(0)

    @classmethod
    def started(cls, path: Path) -> RefundOnRestart:
        ledger = cls(FileStorage.at(path))
        with ledger._turn() as turn:
            uses = turn.account.uses.values()
            ledger.refunded = sum((use.reservation.loss.epsilon for use in uses if use.result is None), Fraction(0))
        return ledger

    def reserve(self, *, key, request, loss):
        with self._turn() as turn:
            if key in turn.account.uses:
                raise LedgerError("used")
            if turn.account.epsilon - self.refunded + loss.epsilon > turn.account.budget.epsilon:
                raise BudgetError("spent")
            entry: Entry = self._append(turn, kind="reserve", key=key, request=request, loss=loss)
            return Reservation(key, entry.sequence, entry.hash, loss)


ORDERS = {
    "right": (Ledger.open, release),
    "release-then-record": (Ledger.open, release_then_record),
    "check-then-insert": (lambda path: CheckThenInsert(FileStorage.at(path)), release),
    "refund-on-restart": (RefundOnRestart.started, release),
}


def forked(work: Callable[[], None]) -> int:
    """A child that does the work, and nothing after it."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        work()
        status = 0
    finally:
        os._exit(status)


def wait_for(children: list[int]) -> None:
    for child in children:
        _, status = os.waitpid(child, 0)
        if status:
            raise SystemExit(f"a worker ended with {status}")


# kill: workers on a few keys and a small budget, killed at random.


def work_until_spent(path: Path, order: str, seed: int) -> None:
    open_ledger, act = ORDERS[order]
    random, diary = Random(seed), Diary(path.parent)
    ledger = open_ledger(path)
    for _ in range(200):
        try:
            act(ledger, f"key {random.randrange(60)}", diary, pause=lambda: time.sleep(random.choice((0, 0, 0.001))))
        except BudgetError:
            diary.note(did="ended")
            return
        except LedgerError:
            continue


def one_ledger_with_kills(folder: Path, order: str, random: Random) -> int:
    """Six workers until the budget is spent; whoever is killed is replaced. Gives the number of kills."""
    folder.mkdir()
    Ledger.create(folder / "ledger", dataset="clinic", rows=20, epsilon=3)
    kills, children = 0, set()
    while True:
        while len(children) < 6 and not (folder / "over").exists():
            seed = random.getrandbits(32)
            children.add(forked(lambda seed=seed: work_until_spent(folder / "ledger", order, seed)))
        time.sleep(random.random() * 0.01)
        victim = random.choice(sorted(children))
        os.kill(victim, signal.SIGKILL)
        for child in list(children):
            ended, status = os.waitpid(child, 0 if child == victim else os.WNOHANG)
            if ended:
                children.remove(child)
                kills += os.WIFSIGNALED(status)
                if not os.WIFSIGNALED(status):
                    (folder / "over").touch()
                    if status:
                        raise SystemExit(f"a worker ended with {status}")
        if not children:
            return kills


def kill(folder: Path, *, order: str, kills: str, seed: str = "0") -> None:
    random, done, number = Random(int(seed)), 0, 0
    if order != "right":
        Account.spend = spend_anything
    while done < int(kills):
        done += one_ledger_with_kills(folder / str(number), order, random)
        number += 1
    Diary(folder).note(did="kills", count=done)


# race: everybody wants the same key at once.


def race(folder: Path, *, workers: str, rounds: str) -> None:
    """Every other worker opens the ledger itself; the others go on with one that was open before they were forked."""
    path, diary = folder / "ledger", Diary(folder)
    shared = Ledger.create(path, dataset="clinic", rows=20, epsilon=5)
    for number in range(int(rounds)):
        start, go = os.pipe()

        def contend(number: int = number, start: int = start, go: int = go, *, own: bool) -> None:
            os.close(go)
            ledger = Ledger.open(path) if own else shared
            os.read(start, 1)
            try:
                release(ledger, f"key {number}", diary, pause=lambda: None)
            except LedgerError as error:
                diary.note(did="refused", key=f"key {number}", words=str(error))

        children = [forked(lambda own=worker % 2 == 0: contend(own=own)) for worker in range(int(workers))]
        os.close(start)
        os.close(go)
        wait_for(children)


# many: everybody has keys of their own, and the budget ends before the keys do.


def many(folder: Path, *, workers: str, keys: str, budget: str) -> None:
    path, diary = folder / "ledger", Diary(folder)
    Ledger.create(path, dataset="clinic", rows=20, epsilon=Fraction(budget))

    def use(mine: range) -> None:
        ledger = Ledger.open(path)
        for number in mine:
            try:
                release(ledger, f"key {number}", diary, pause=lambda: None)
            except BudgetError:
                diary.note(did="refused", key=f"key {number}")

    wait_for([forked(lambda first=first: use(range(first, int(keys), int(workers)))) for first in range(int(workers))])


if __name__ == "__main__":
    mode, place, *options = sys.argv[1:]
    {"kill": kill, "race": race, "many": many}[mode](Path(place), **dict(option.split("=") for option in options))
