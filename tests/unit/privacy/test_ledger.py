# SPDX-License-Identifier: Apache-2.0
"""A ledger spends once per key, gives back what was released, and refuses everything else in one clear sentence."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
import threading
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from discreet.errors import BudgetError, LedgerError, ParameterError
from discreet.privacy import files
from discreet.privacy.account import Dataset
from discreet.privacy.files import FileStorage, _OpenedFile
from discreet.privacy.ledger import INLINE, Ledger
from discreet.privacy.loss import PrivacyLoss
from discreet.privacy.reservation import Reservation, Settled

TENTH = PrivacyLoss(Fraction(1, 10))


@pytest.fixture(autouse=True)
def path(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "clinic.ledger"


@pytest.fixture
def ledger(path: Path) -> Ledger:
    return Ledger.create(path, dataset="clinic", rows=20, epsilon=1, delta="1e-6")


def ask(ledger: Ledger, key: str = "k", request: Any = None, loss: PrivacyLoss = TENTH) -> Reservation | Settled:
    return ledger.reserve(key=key, request={"query": "count"} if request is None else request, loss=loss)


def reserve(ledger: Ledger, key: str = "k") -> Reservation:
    reservation = ask(ledger, key)
    assert isinstance(reservation, Reservation)
    return reservation


@pytest.fixture(params=["file", "memory"])
def any_ledger(request, path: Path) -> Ledger:
    people: Any = {"dataset": "clinic", "rows": 20, "epsilon": 1}
    return Ledger.in_memory(**people) if request.param == "memory" else Ledger.create(path, **people)


def test_a_ledger_says_whose_it_is_and_what_it_holds(ledger: Ledger):
    assert ledger.dataset == Dataset("clinic", 20)
    assert ledger.budget() == PrivacyLoss(Fraction(1), Fraction(1, 10**6)) == ledger.remaining()
    assert ledger.total() == PrivacyLoss(Fraction(0))
    assert ledger.id == ledger.entries()[0].hash


def test_the_same_key_and_request_gives_the_stored_bytes_and_spends_once(any_ledger: Ledger):
    any_ledger.settle(reserve(any_ledger), b"answer")
    again = ask(any_ledger)
    assert isinstance(again, Settled)
    assert (again.content, again.reservation.head) == (b"answer", any_ledger.entries()[1].hash)
    assert any_ledger.total() == TENTH
    assert any_ledger.result("k") == b"answer"
    assert any_ledger.result("another") is None


def test_the_same_key_with_another_request_or_loss_is_refused(any_ledger: Ledger):
    any_ledger.settle(reserve(any_ledger), b"answer")
    for request, loss in (({"query": "sum"}, TENTH), (None, PrivacyLoss(Fraction(1, 5)))):
        with pytest.raises(LedgerError, match="another request"):
            ask(any_ledger, request=request, loss=loss)
    assert any_ledger.total() == TENTH


def test_a_key_whose_reservation_has_no_result_is_refused_and_stays_spent(any_ledger: Ledger):
    reserve(any_ledger)
    with pytest.raises(LedgerError, match="without a result"):
        ask(any_ledger)
    assert any_ledger.result("k") is None
    assert any_ledger.total() == TENTH


def test_the_order_of_a_request_does_not_matter(any_ledger: Ledger):
    any_ledger.settle(ask(any_ledger, request={"a": 1, "b": [True, None, "x"]}), b"answer")
    assert isinstance(ask(any_ledger, request={"b": (True, None, "x"), "a": 1}), Settled)


def test_a_reservation_is_settled_once_and_in_its_own_ledger(any_ledger: Ledger):
    reservation = reserve(any_ledger)
    with pytest.raises(LedgerError, match="not open"):
        Ledger.in_memory(epsilon=1).settle(reservation, b"x")
    with pytest.raises(LedgerError, match="not open"):
        any_ledger.settle(Reservation("k", 1, "0" * 64, TENTH), b"x")
    any_ledger.settle(reservation, b"answer")
    with pytest.raises(LedgerError, match="not open"):
        any_ledger.settle(reservation, b"another")
    assert any_ledger.result("k") == b"answer"


def test_nothing_is_spent_after_closing_but_what_was_reserved_is_settled(any_ledger: Ledger):
    reservation = reserve(any_ledger)
    any_ledger.close()
    any_ledger.close()
    with pytest.raises(LedgerError, match="closed"):
        ask(any_ledger, "another")
    any_ledger.settle(reservation, b"answer")
    assert isinstance(ask(any_ledger), Settled)
    assert any_ledger.remaining() == PrivacyLoss(Fraction(0))
    assert [entry.kind for entry in any_ledger.entries()] == ["create", "reserve", "close", "settle"]


def test_every_line_can_be_read_by_hand(ledger: Ledger, path: Path):
    """The format as it is promised, read by its literal twin."""
    ledger.settle(reserve(ledger), "âge".encode())
    previous = "0" * 64
    for number, line in enumerate(path.read_bytes().splitlines()):
        fields = json.loads(line)
        name = fields.pop("hash")
        body = json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()
        assert (fields["sequence"], fields["previous"]) == (number, previous)
        assert name == sha256(previous.encode() + body).hexdigest()
        previous = name
    assert ledger.entries()[-1].hash == previous
    assert ledger.entries()[1].request == {"query": "count"}
    assert ledger.entries()[1].loss == TENTH
    assert ledger.entries()[2].result == {"text": "âge"}


# Results.


@pytest.mark.parametrize("content", [b"", b"\n", b"\x00" * INLINE, b"x" * INLINE, "€".encode() * 1000])
def test_small_results_stand_in_the_ledger(any_ledger: Ledger, path: Path, content: bytes):
    any_ledger.settle(reserve(any_ledger), content)
    assert any_ledger.result("k") == content
    assert not path.with_name("clinic.ledger.results").exists()
    reserve(any_ledger, "more")


@pytest.mark.parametrize("content", [b"x" * (INLINE + 1), b"\xff\xfe"])
def test_large_results_and_bytes_that_are_no_text_lie_beside_it(any_ledger: Ledger, content: bytes):
    any_ledger.settle(reserve(any_ledger), content)
    assert any_ledger.result("k") == content
    assert any_ledger.entries()[-1].result == {"sha256": sha256(content).hexdigest()}


def test_a_kept_result_that_is_changed_or_missing_is_refused(ledger: Ledger, path: Path):
    ledger.settle(reserve(ledger), bytes(INLINE + 1))
    (kept,) = path.with_name("clinic.ledger.results").iterdir()
    kept.write_bytes(bytes(INLINE + 2))
    for operation in (lambda: ask(ledger), lambda: ledger.result("k"), lambda: Ledger.open(path).result("k")):
        with pytest.raises(LedgerError, match="changed"):
            operation()
    kept.unlink()
    with pytest.raises(LedgerError, match="missing"):
        ledger.result("k")
    kept.write_bytes(bytes(INLINE + 1))
    assert ledger.result("k") == bytes(INLINE + 1)


def test_a_result_changed_in_the_file_while_it_is_open_is_refused(ledger: Ledger, path: Path):
    ledger.settle(reserve(ledger), b"answer")
    path.write_bytes(path.read_bytes().replace(b"answer", b"ANSWER"))
    with pytest.raises(LedgerError, match="line 3"):
        ledger.result("k")


# Copies.


def test_copies_are_the_ledger_itself(any_ledger: Ledger):
    assert copy.copy(any_ledger) is any_ledger
    assert copy.deepcopy({"ledger": any_ledger})["ledger"] is any_ledger


def test_a_pickled_ledger_is_its_path(ledger: Ledger, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    other = pickle.loads(pickle.dumps(Ledger.open("clinic.ledger")))
    reserve(ledger)
    assert (other.id, other.total()) == (ledger.id, TENTH)


def test_a_pickle_does_not_open_another_ledger(ledger: Ledger, path: Path):
    pickled = pickle.dumps(ledger)
    path.unlink()
    Ledger.create(path, dataset="clinic", rows=20, epsilon=1)
    with pytest.raises(LedgerError, match="another ledger"):
        pickle.loads(pickled)


def test_a_ledger_in_memory_is_neither_pickled_nor_used_by_a_child(monkeypatch):
    ledger = Ledger.in_memory(epsilon=1)
    with pytest.raises(LedgerError, match="cannot be pickled"):
        pickle.dumps(ledger)
    monkeypatch.setattr(ledger._storage, "owner", os.getpid() + 1)
    with pytest.raises(LedgerError, match="another process"):
        ask(ledger)


def test_a_link_to_a_ledger_is_the_same_ledger(ledger: Ledger, path: Path, tmp_path):
    (tmp_path / "link").symlink_to(path)
    linked = Ledger.open(tmp_path / "link")
    linked.settle(reserve(linked), bytes(INLINE + 1))
    assert ledger.result("k") == bytes(INLINE + 1)


def test_threads_share_one_object(any_ledger: Ledger):
    done: list[str] = []

    def work(first: int) -> None:
        for number in range(first, 20, 4):
            try:
                any_ledger.settle(reserve(any_ledger, str(number)), b"answer")
                done.append("settled")
            except BudgetError:
                done.append("refused")

    threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == ["refused"] * 10 + ["settled"] * 10
    assert any_ledger.total() == any_ledger.budget()
    assert len(any_ledger.entries()) == 21


def test_a_worker_reads_only_what_was_appended_since_its_last_line(ledger: Ledger, path: Path, monkeypatch):
    other, read = Ledger.open(path), []
    real = _OpenedFile.read
    monkeypatch.setattr(_OpenedFile, "read", lambda *asked: (read.append(real(*asked)), read[-1])[1])
    for number in range(8):
        size = path.stat().st_size
        ledger.settle(reserve(ledger, str(number)), b"answer")
        assert read == []
        other.total()
        other.total()
        assert sum(map(len, read)) == path.stat().st_size - size
        read.clear()


# What is refused before anything is written.


@pytest.mark.parametrize("key", ["", "x" * 201, "a\nb", "\0", "\ud800", None, 5, b"k"])
def test_a_key_is_a_short_printable_text(any_ledger: Ledger, key: Any):
    with pytest.raises(ParameterError, match="`key`"):
        ask(any_ledger, key)
    assert len(any_ledger.entries()) == 1


@pytest.mark.parametrize(
    "request_",
    [{"a": 0.5}, {"a": {1, 2}}, {1: "a"}, {"a": {1: 2}}, {"a": b"x"}, {"a": ["x" * (1 << 20)]}, {"a": 10**5000},
     {"a": float("nan")}, {"a": [Fraction(1)]}],
)  # fmt: skip
def test_a_request_is_json_without_floats(any_ledger: Ledger, request_: Any):
    with pytest.raises(ParameterError, match="`request`"):
        ask(any_ledger, request=request_)
    assert len(any_ledger.entries()) == 1


def test_a_request_within_itself_is_refused(any_ledger: Ledger):
    circle: dict[str, Any] = {}
    circle["a"] = circle
    with pytest.raises(ParameterError, match="`request`"):
        ask(any_ledger, request=circle)


@pytest.mark.parametrize(
    "wrong",
    [{"epsilon": 0}, {"epsilon": -1}, {"epsilon": "much"}, {"delta": 2}, {"rows": 0}, {"rows": "20"}, {"rows": True},
     {"rows_per_person": 0}, {"dataset": ""}, {"dataset": None}],
)  # fmt: skip
def test_a_ledger_with_a_wrong_parameter_is_not_created(path: Path, wrong: dict[str, Any]):
    with pytest.raises(ParameterError):
        Ledger.create(path, **{"dataset": "clinic", "rows": 20, "epsilon": 1, **wrong})
    assert list(path.parent.iterdir()) == []


# Files that are no ledger, and systems that give none.


def refused(path: Path, match: str) -> None:
    before = sorted(path.parent.rglob("*"))
    with pytest.raises(LedgerError, match=match) as caught:
        Ledger.open(path)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)
    assert sorted(path.parent.rglob("*")) == before


def test_opening_never_creates(path: Path):
    refused(path, "there is no ledger at")
    refused(path.parent / "no folder" / "ledger", "there is no ledger at")


def test_creating_never_overwrites(ledger: Ledger, path: Path, tmp_path):
    before = path.read_bytes()
    (tmp_path / "file").write_text("mine")
    for there in (path, tmp_path / "file", tmp_path):
        with pytest.raises(LedgerError, match="exists already"):
            Ledger.create(there, dataset="clinic", rows=20, epsilon=1)
    assert path.read_bytes() == before


def test_a_file_that_appears_while_it_is_created_is_not_overwritten(path: Path, monkeypatch):
    path.write_text("mine")
    monkeypatch.setattr(Path, "exists", lambda self: False)
    with pytest.raises(LedgerError, match="exists already"):
        Ledger.create(path, dataset="clinic", rows=20, epsilon=1)
    assert path.read_text() == "mine"


NO_LEDGER = [
    b"", b"\n", b"hello", b"hello\n", b"{}\n", b"[]\n", b"null\n", b'{"hash":"x"}\n', b"\x00\xff" * 5000,
    b"\xef\xbb\xbf{}\n", b'{"format": "discreet/1"}\n', b"a,b\n1,2\n", b"PAR1\n\xffPAR1",
    b'{"hash":"' + b"0" * 64 + b'","kind":"create"}\n',
]  # fmt: skip


@pytest.mark.parametrize("content", NO_LEDGER, ids=range(len(NO_LEDGER)))
def test_a_file_of_another_kind_is_no_ledger_and_is_left_alone(path: Path, content: bytes):
    path.write_bytes(content)
    refused(path, "not a ledger")
    assert path.read_bytes() == content


@pytest.mark.parametrize("place", ["/dev/null", "/dev/zero"])
def test_a_device_is_no_ledger(place: str):
    with pytest.raises(LedgerError, match="not a ledger"):
        Ledger.open(place)


def test_a_folder_is_no_ledger(path: Path):
    path.mkdir()
    refused(path, "Is a directory")


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 5000])
def test_a_name_that_no_file_can_have_is_refused(path: Path, name: str):
    for make in (Ledger.open, lambda place: Ledger.create(place, dataset="clinic", rows=20, epsilon=1)):
        with pytest.raises(LedgerError):
            make(path.parent / name)


def test_a_ledger_is_not_created_where_there_is_no_folder(path: Path):
    with pytest.raises(LedgerError, match="could not be created"):
        Ledger.create(path.parent / "none" / "ledger", dataset="clinic", rows=20, epsilon=1)


AS_NOBODY = """
import os, sys
from discreet.errors import LedgerError
from discreet.privacy.ledger import Ledger
from discreet import System
System().below(2)  # what is imported late must be, before this user can read nothing any more
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
try:
    Ledger.{what}
except LedgerError as error:
    print(error)
"""


@pytest.mark.parametrize(
    "what", ["open(sys.argv[1])", 'create(sys.argv[1] + ".new", dataset="clinic", rows=20, epsilon=1)']
)
def test_what_this_user_may_not_write_is_refused(what: str, monkeypatch):
    """As root everything may be written, so somebody else tries."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        monkeypatch.setenv("XDG_STATE_HOME", name)
        Ledger.create(folder / "ledger", dataset="clinic", rows=20, epsilon=1)
        (folder / "ledger").chmod(0o444)
        folder.chmod(0o555)
        program = [sys.executable, "-c", AS_NOBODY.format(what=what), name + "/ledger"]
        told = subprocess.run(program, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3])
        folder.chmod(0o755)
        assert told.stdout.strip().endswith("(Permission denied); nothing was released.")
        assert not (folder / "ledger.new").exists()


def test_without_a_place_for_the_anchor_there_is_no_ledger(path: Path, tmp_path, monkeypatch):
    (tmp_path / "state").write_text("a file")
    with pytest.raises(LedgerError, match="anchored"):
        Ledger.create(path, dataset="clinic", rows=20, epsilon=1)
    assert not path.exists()

    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setenv("XDG_STATE_HOME", "relative/is/ignored")
    monkeypatch.setattr(Path, "home", nowhere)
    with pytest.raises(LedgerError, match="XDG_STATE_HOME"):
        Ledger.create(path, dataset="clinic", rows=20, epsilon=1)
    assert not path.exists()


def test_anchors_lie_under_the_home_folder_by_default(path: Path, tmp_path, monkeypatch):
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    ledger = Ledger.create(path, dataset="clinic", rows=20, epsilon=1)
    assert (tmp_path / "home" / ".local" / "state" / "discreet" / "anchors" / ledger.id).stat().st_size == 256


def test_without_file_locks_only_memory_is_left(path: Path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setattr(files, "_LOCKS", files._file_locks())
    for operation in (lambda: Ledger.create(path, dataset="clinic", rows=20, epsilon=1), lambda: Ledger.open(path)):
        with pytest.raises(LedgerError, match="POSIX file locks"):
            operation()
    assert not path.exists()
    reserve(Ledger.in_memory(epsilon=1))


def test_a_ledger_that_vanished_or_was_replaced_by_a_longer_copy_is_read_anew(ledger: Ledger, path: Path):
    reserve(ledger)
    content = path.read_bytes()
    path.unlink()
    with pytest.raises(LedgerError, match="there is no ledger"):
        ledger.total()
    path.write_bytes(content)
    assert ledger.total() == TENTH


def test_a_first_use_by_another_user_is_adopted_once(ledger: Ledger, path: Path, tmp_path, monkeypatch):
    reserve(ledger)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another user"))
    with pytest.raises(LedgerError, match="no anchor"):
        Ledger.open(path)
    Ledger(FileStorage.at(path))._adopted()
    assert Ledger.open(path).total() == TENTH


def test_the_storage_can_be_left_alone(path: Path):
    """Nothing stays open between two uses."""
    ledger = Ledger.create(path, dataset="clinic", rows=20, epsilon=1)
    before = len(list(Path("/proc/self/fd").iterdir()))
    ledger.settle(reserve(ledger), b"answer")
    with pytest.raises(LedgerError):
        Ledger.open(path.parent)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
