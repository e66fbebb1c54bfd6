# SPDX-License-Identifier: Apache-2.0
"""The ledger: what may be spent on a set of people, what was, and what came of it.

An append-only file of JSON lines. What is spent is the sum of all *reserves*: nothing is ever refunded, and a reserve
without a result is burnt. The order is: append, fsync, anchor, and only then are rows opened. Whoever is killed at any
point has spent what was reserved and released nothing that is not recorded.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.coins.domains import refusal, shown
from discreet.coins.fair import System
from discreet.errors import LedgerError, StorageError
from discreet.privacy.account import Account, Dataset, Place, Use
from discreet.privacy.composition import group
from discreet.privacy.entries import LONGEST_LINE, ORIGIN, Anchor, Entry, parse
from discreet.privacy.files import FileStorage
from discreet.privacy.loss import PrivacyLoss
from discreet.privacy.parameters import nonnegative, positive
from discreet.privacy.reservation import Claim, Reservation, Settled
from discreet.privacy.storage import MemoryStorage, Opened, Storage, chunks

INLINE = 1 << 20
"""Results up to this many bytes stand in the ledger; larger ones beside it, by hash."""


@dataclass(frozen=True)
class _Turn:
    """The storage while it is locked, and the account of every line in it."""

    file: Opened
    account: Account


class Ledger:
    """A ledger that is open. Copies of it are itself, and a pickled one is its path: a budget cannot be multiplied."""

    def __init__(self, storage: Storage) -> None:
        """Use `open`, `create` or `in_memory`."""
        self._storage = storage
        self._account: Account | None = None
        self._identity: object = None
        self._id: str | None = None
        self._stopped = False

    @classmethod
    def create(
        cls, path: str | Path, *, dataset: str, rows: int, epsilon: object, delta: object = 0, rows_per_person: int = 1
    ) -> Ledger:
        """A new ledger: a budget of (epsilon, delta) for these people. Refuses to overwrite anything."""
        first = _first_line(Dataset(dataset, rows, rows_per_person), epsilon, delta)
        record = Anchor(0, first.hash).record()
        FileStorage.create(path, first.line, anchor=first.hash, record=record)
        return cls.open(path)

    @classmethod
    def open(cls, path: str | Path) -> Ledger:
        """A ledger that exists: every line is verified and compared with this user's anchor."""
        return cls(FileStorage.at(path))._checked()

    @classmethod
    def in_memory(
        cls, *, epsilon: object, delta: object = 0, dataset: str = "tutorial", rows: int = 1, rows_per_person: int = 1
    ) -> Ledger:
        """A ledger that ends with the process: for tutorials."""
        first = _first_line(Dataset(dataset, rows, rows_per_person), epsilon, delta)
        anchors = {first.hash: Anchor(0, first.hash).record()}
        return cls(MemoryStorage(bytearray(first.line), anchors))._checked()

    @classmethod
    def adopt(cls, path: str | Path) -> Ledger:
        """The first use of a ledger by this user: verify every line and set the anchor.

        An anchor that is there and ahead of the ledger still refuses; an unreadable one is replaced.
        """
        return cls(FileStorage.at(path))._adopted()

    def reserve(self, *, key: str, request: Mapping[str, Any], loss: PrivacyLoss) -> Reservation | Settled:
        """Spend `loss` for this request, durably, before any row is opened; or what the same key released before.

        `loss` is that of one row; a person with several is charged for all of them (group privacy).

        Raises BudgetError if too little is left, and LedgerError if the key was used for another request or its
        reservation has no result: it may be under way, or burnt.
        """
        Claim(key, request, loss)
        with self._turn() as turn:
            loss = group(loss, rows=turn.account.dataset.rows_per_person)
            claim = Claim(key, request, loss)
            use = turn.account.uses.get(key)
            if use is not None:
                return _again(turn, use, claim)
            turn.account.require_room(loss)
            entry = self._append(turn, kind="reserve", key=key, request=claim.request, loss=loss)
            return Reservation(key, entry.sequence, entry.hash, loss)

    def settle(self, reservation: Reservation, content: bytes) -> None:
        """Record what came of a reservation, durably, before it is shown to anybody."""
        text = _text(content)
        with self._turn() as turn:
            use = turn.account.uses.get(reservation.key)
            if use is None or use.reservation != reservation or use.result is not None:
                raise LedgerError("this reservation is not open in this ledger; nothing was recorded.")
            result = {"sha256": turn.file.keep(content)} if text is None else {"text": text}
            self._append(turn, kind="settle", key=reservation.key, result=result)

    def close(self) -> None:
        """Nothing more may be spent from now on."""
        with self._turn() as turn:
            if not turn.account.closed:
                self._append(turn, kind="close", key=turn.account.id)

    @property
    def id(self) -> str:
        """The hash of the first line."""
        with self._turn() as turn:
            return turn.account.id

    @property
    def dataset(self) -> Dataset:
        """The people whose ledger it is."""
        with self._turn() as turn:
            return turn.account.dataset

    def budget(self) -> PrivacyLoss:
        """What may be spent in all."""
        with self._turn() as turn:
            return turn.account.budget

    def total(self) -> PrivacyLoss:
        """What was spent: the sum of all reserves."""
        with self._turn() as turn:
            return turn.account.spent

    def remaining(self) -> PrivacyLoss:
        """What is left; nothing once it is closed."""
        with self._turn() as turn:
            return PrivacyLoss(Fraction(0)) if turn.account.closed else turn.account.left

    def entries(self) -> list[Entry]:
        """Every line, verified from the first."""
        with self._turn() as turn:
            return list(_entries(turn.file, None))

    def result(self, key: str) -> bytes | None:
        """What was released for a key, byte for byte; None if nothing was."""
        with self._turn() as turn:
            use = turn.account.uses.get(key)
            return None if use is None or use.result is None else _content(turn, use.result)

    def __deepcopy__(self, memo: object) -> Ledger:
        return self

    def __copy__(self) -> Ledger:
        return self

    def __reduce__(self) -> tuple[object, tuple[Path, str | None]]:
        if not isinstance(self._storage, FileStorage):
            raise LedgerError("a ledger in memory cannot be pickled: each copy could be spent. Create one in a file.")
        return _reopen, (self._storage.path, self._id)

    def _checked(self, expected: str | None = None) -> Ledger:
        self._id = expected
        with self._turn():
            return self

    def _adopted(self) -> Ledger:
        with self._turn(adopting=True) as turn:
            _write_anchor(turn)
            return self

    @contextmanager
    def _turn(self, *, adopting: bool = False) -> Generator[_Turn]:
        """The lock, and the account brought up to date. After an error of the system this object stops for good."""
        try:
            with self._storage.locked() as file:
                if self._stopped:
                    raise LedgerError("this ledger stopped after an error of the system; open it again.")
                turn = _Turn(file, self._up_to_date(file))
                _compare(turn, adopting=adopting)
                if file.size > turn.account.size:  # a line that was never finished, and that the anchor has not reached
                    file.cut(turn.account.size)
                yield turn
        except StorageError:
            self._stopped = True
            raise

    def _up_to_date(self, file: Opened) -> Account:
        account, self._account = self._account, None  # forgotten until every new line is folded
        if account is None or file.identity != self._identity:
            account = None
        for entry in _entries(file, account):
            if account is None:
                account = Account.of(entry)
            else:
                account.add(entry)
        if account is None:
            raise LedgerError("this is not a ledger: it has no complete first line.")
        if account.id != (self._id or account.id):
            raise LedgerError("another ledger lies at this path than before; nothing was released.")
        self._account, self._identity, self._id = account, file.identity, account.id
        return account

    def _append(self, turn: _Turn, **fields: Any) -> Entry:
        """One line, durable; then the anchor. Only after both may anything else happen."""
        account = turn.account
        entry = Entry(sequence=len(account.heads), previous=account.heads[-1], **fields)
        self._account = None
        turn.file.append(entry.line)
        account.add(entry)
        _write_anchor(turn)
        self._account = account
        return entry


def _reopen(path: Path, expected: str | None) -> Ledger:
    """A pickled ledger: the same one, or none."""
    return Ledger(FileStorage(path))._checked(expected)  # pyright: ignore[reportPrivateUsage]


def _entries(file: Opened, after: Account | None) -> Iterator[Entry]:
    """Every complete line after those of an account."""
    sequence, previous, start = (0, ORIGIN, 0) if after is None else (len(after.heads), after.heads[-1], after.size)
    if file.size < start:
        raise LedgerError("this ledger is shorter than it was: restore its latest copy.")
    rest = b""
    for chunk in chunks(file, start):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            entry = parse(line + b"\n", sequence=sequence, previous=previous)
            sequence, previous = sequence + 1, entry.hash
            yield entry
        if len(rest) > LONGEST_LINE:
            raise LedgerError(f"line {sequence + 1} is too long for a ledger; restore it from where you keep copies.")


def _compare(turn: _Turn, *, adopting: bool) -> None:
    """Refuse a ledger that is older than this user has seen it, or another with the same first line."""
    heads = turn.account.heads
    record = turn.file.read_anchor(turn.account.id)
    anchor = None if record is None else Anchor.read(record)
    if anchor is None and not adopting:
        what = "no anchor for this ledger" if record is None else "an unreadable anchor for this ledger"
        raise LedgerError(
            f"this user has {what}, so an older copy could not be told; if this is the latest, "
            "run `discreet ledger verify` on it."
        )
    if anchor is not None and (anchor.sequence >= len(heads) or heads[anchor.sequence] != anchor.head):
        raise LedgerError("this ledger is older than it was, or another: restore its latest copy.")


def _write_anchor(turn: _Turn) -> None:
    heads = turn.account.heads
    turn.file.write_anchor(heads[0], Anchor(len(heads) - 1, heads[-1]).record())


def _again(turn: _Turn, use: Use, claim: Claim) -> Settled:
    """The same key once more: the stored bytes for the same request, and a refusal for everything else."""
    if (use.request, use.reservation.loss) != (claim.digest, claim.loss):
        raise LedgerError("this retry key was used for another request; use a new key. Nothing was spent.")
    if use.result is None:
        raise LedgerError(
            "this retry key has a reservation without a result: it is still under way, or was cut off and is "
            "burnt. Ask again later; if it stays so, use a new key. Nothing more was spent."
        )
    return Settled(use.reservation, _content(turn, use.result))


def _content(turn: _Turn, place: Place) -> bytes:
    """A result, read back and verified again."""
    heads, number = turn.account.heads, place.sequence
    entry = parse(turn.file.read(place.start, place.length), sequence=number, previous=heads[number - 1])
    if entry.result is None or entry.hash != heads[number]:
        raise LedgerError(f"line {number + 1} of the ledger was changed; restore it from where you keep copies.")
    text = entry.result.get("text")
    return turn.file.kept(entry.result["sha256"]) if text is None else text.encode()


def _first_line(dataset: Dataset, epsilon: object, delta: object) -> Entry:
    budget = PrivacyLoss(positive("epsilon", epsilon), nonnegative("delta", delta))
    if budget.delta >= 1:
        raise refusal("delta", "< 1, and far below 1 / rows", shown(delta), "with delta 1 everything may be shown")
    nonce = f"{System().below(1 << 128):032x}"
    return Entry(sequence=0, previous=ORIGIN, kind="create", key=nonce, request=dataset.as_json(), loss=budget)


def _text(content: bytes) -> str | None:
    """What may stand in the ledger itself."""
    try:
        return content.decode() if len(content) <= INLINE else None
    except UnicodeDecodeError:
        return None
