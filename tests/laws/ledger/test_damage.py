# SPDX-License-Identifier: Apache-2.0
"""T15: a ledger that is not, byte for byte, what it was is refused, and no reserve is ever lost."""

from __future__ import annotations

import json
import shutil
from itertools import combinations
from random import Random

import pytest

from discreet.data.canonical import canonical
from discreet.errors import LedgerError
from discreet.privacy import files
from discreet.privacy.entries import ANCHOR_BYTES, Anchor, Entry
from discreet.privacy.ledger import Ledger
from discreet.privacy.loss import PrivacyLoss
from tests.laws.ledger.scene import TENTH, Scene, claim, restored, several_lines

FLIPS, LEDGERS = 10_000, 25


def flip(content: bytes, bit: int) -> bytes:
    flipped = bytearray(content)
    flipped[bit // 8] ^= 1 << bit % 8
    return bytes(flipped)


def test_every_flipped_bit_is_refused(scene: Scene, record_testsuite_property):
    """Every bit of every last line and random ones elsewhere, in ledgers of several lines."""
    random, flips = Random(0), 0
    for _ in range(LEDGERS):
        several_lines(scene, random=random)
        content, last = scene.content, len(scene.content) - len(scene.lines[-1])
        bits = {random.randrange(8 * last, 8 * len(content)) for _ in range(200)} | {8 * len(content) - 1}
        bits |= {random.randrange(8 * len(content)) for _ in range(FLIPS // LEDGERS + 1 - len(bits))}
        while len(bits) <= FLIPS // LEDGERS:
            bits.add(random.randrange(8 * len(content)))
        for bit in bits:
            scene.put(flip(content, bit))
            assert scene.refused(), bit
        flips += len(bits)
        scene.path.unlink()
    record_testsuite_property("ledger bit flips refused", flips)
    assert flips >= FLIPS


def test_every_cut_is_refused_once_the_anchor_has_passed_it(scene: Scene):
    several_lines(scene, random=Random(1))
    content = scene.content
    for size in range(len(content)):
        scene.put(content[:size])
        assert scene.refused(), size


def test_a_cut_that_the_anchor_has_not_reached_drops_the_unfinished_line_only(scene: Scene):
    ledger = Ledger.create(scene.path, dataset="clinic", rows=20, epsilon=5)
    records = [scene.anchor.read_bytes()]
    for key in "ab":
        claim(ledger, key)
        records.append(scene.anchor.read_bytes())
    content, ends = scene.content, [sum(map(len, scene.lines[: n + 1])) for n in range(3)]
    for reached, record in enumerate(records):
        for size in range(len(content) + 1):
            scene.put(content[:size])
            scene.anchor.write_bytes(record) if size >= ends[0] else None
            complete = sum(end <= size for end in ends)
            assert scene.refused() == (complete <= reached)
            if complete > reached:
                assert scene.content == content[: ends[complete - 1]]
                assert Ledger.open(scene.path).total() == PrivacyLoss(TENTH.epsilon * (complete - 1))
    scene.put(content)


def test_lines_lost_doubled_exchanged_or_from_elsewhere_are_refused(scene: Scene):
    several_lines(scene, random=Random(5))
    lines = scene.lines
    assert len(lines) >= 4
    wrong = [[*lines[:i], *lines[i + 1 :]] for i in range(len(lines))]
    wrong += [[*lines[:i], line, *lines[i:]] for i in range(len(lines) + 1) for line in lines]
    wrong += [[lines[{i: j, j: i}.get(n, n)] for n in range(len(lines))] for i, j in combinations(range(len(lines)), 2)]
    other = Ledger.create(scene.path.with_name("other"), dataset="clinic", rows=20, epsilon=5)
    claim(other, "key 0")
    foreign = scene.path.with_name("other").read_bytes().splitlines(keepends=True)
    wrong += [[*lines, foreign[1]], [lines[0], foreign[1]], [foreign[0], *lines[1:]]]
    for number, version in enumerate(wrong):
        scene.put(b"".join(version))
        assert scene.refused(), number


def test_every_older_copy_is_refused(scene: Scene):
    several_lines(scene, random=Random(2))
    lines = scene.lines
    for count in range(len(lines)):
        scene.put(b"".join(lines[:count]))
        assert scene.refused()


def test_an_older_copy_is_refused_by_who_has_it_open(scene: Scene):
    ledger = Ledger.create(scene.path, dataset="clinic", rows=20, epsilon=5)
    older = scene.content
    claim(ledger, "a")
    for put in (scene.put, lambda content: (scene.path.unlink(), scene.put(content))):
        with restored(scene):
            put(older)
            with pytest.raises(LedgerError, match=r"older|shorter"):
                claim(ledger, "b")
    claim(ledger, "c")


def test_a_copy_beside_the_ledger_shares_its_anchor_so_only_one_goes_on(scene: Scene):
    ledger = Ledger.create(scene.path, dataset="clinic", rows=20, epsilon=5)
    copy = scene.path.with_name("copy")
    shutil.copy(scene.path, copy)
    second = Ledger.open(copy)
    claim(ledger, "a")
    with pytest.raises(LedgerError, match="older"):
        claim(second, "a")


def test_two_copies_cannot_go_on_at_the_same_time(scene: Scene, monkeypatch):
    """They are two files with two locks; the lock of their one anchor keeps one of them waiting."""
    ledger = Ledger.create(scene.path, dataset="clinic", rows=20, epsilon=5)
    copy = scene.path.with_name("copy")
    shutil.copy(scene.path, copy)
    second = Ledger.open(copy)
    monkeypatch.setattr(files, "PATIENCE", 0)
    with ledger._turn(), pytest.raises(LedgerError, match="locked for 0 seconds"):
        claim(second, "a")


def test_another_ledger_under_the_same_path_is_refused(scene: Scene, monkeypatch):
    ledger = Ledger.create(scene.path, dataset="clinic", rows=20, epsilon=5)
    other = scene.path.with_name("other")
    Ledger.create(other, dataset="clinic", rows=20, epsilon=5)
    other.replace(scene.path)
    with pytest.raises(LedgerError, match="another ledger"):
        claim(ledger, "a")
    monkeypatch.setenv("XDG_STATE_HOME", str(scene.state / "of another user"))
    with pytest.raises(LedgerError, match="no anchor"):
        Ledger.open(scene.path)


def test_an_anchor_that_is_missing_cut_or_flipped_is_refused_until_adopted(scene: Scene):
    ledger = Ledger.create(scene.path, dataset="clinic", rows=20, epsilon=5)
    claim(ledger, "a")
    record = scene.anchor.read_bytes()
    assert len(record) == ANCHOR_BYTES
    wrong = [flip(record, bit) for bit in range(8 * len(record))]
    wrong += [record[:size] for size in range(len(record))] + [record + b"-", record + bytes(10_000)]
    for version in wrong:
        scene.anchor.write_bytes(version)
        assert scene.refused()
        with pytest.raises(LedgerError, match="unreadable anchor"):
            claim(ledger, "b")
    Ledger(ledger._storage)._adopted()
    assert scene.anchor.read_bytes() == record
    scene.anchor.unlink()
    assert scene.refused()
    Ledger(ledger._storage)._adopted()
    claim(Ledger.open(scene.path), "b")


def test_adopting_does_not_lift_an_anchor_that_is_ahead(scene: Scene):
    ledger = Ledger.create(scene.path, dataset="clinic", rows=20, epsilon=5)
    older = scene.content
    claim(ledger, "a")
    scene.put(older)
    with pytest.raises(LedgerError, match="older"):
        Ledger(ledger._storage)._adopted()


def test_an_anchor_of_another_line_is_refused(scene: Scene):
    ledger = Ledger.create(scene.path, dataset="clinic", rows=20, epsilon=5)
    name, entry = ledger.id, claim(ledger, "a")
    for anchor in (Anchor(0, entry.head), Anchor(1, name), Anchor(2, entry.head), Anchor(10**19, entry.head)):
        scene.anchor.write_bytes(anchor.record())
        assert scene.refused()
    scene.anchor.write_bytes(Anchor(0, name).record())
    assert not scene.refused()


def test_an_anchor_that_cannot_be_read_is_refused(scene: Scene):
    Ledger.create(scene.path, dataset="clinic", rows=20, epsilon=5)
    scene.anchor.unlink()
    scene.anchor.mkdir()
    assert scene.refused()


@pytest.mark.parametrize("garbage", [b"x", b"{", b"\0" * 4096, b'{"hash":"', b"\xff\xfe", b"\r"])
def test_what_follows_the_last_line_is_cut_without_a_newline_and_damage_with_one(scene: Scene, garbage: bytes):
    claim(Ledger.create(scene.path, dataset="clinic", rows=20, epsilon=5), "a")
    content = scene.content
    scene.put(content + garbage + b"\n")
    assert scene.refused()
    scene.put(content + garbage)
    assert not scene.refused()
    assert scene.content == content


def test_an_endless_line_is_refused_without_filling_the_memory(scene: Scene):
    claim(Ledger.create(scene.path, dataset="clinic", rows=20, epsilon=5), "a")
    with scene.path.open("ab") as file:
        file.truncate(1 << 33)
    with pytest.raises(LedgerError, match="too long"):
        Ledger.open(scene.path)


def forged(scene: Scene, **fields: object) -> bytes:
    """A line whose hash and place are right, and whose content is not."""
    last = json.loads(scene.lines[-1])
    body = canonical({"sequence": last["sequence"] + 1, "previous": last["hash"], **fields})
    hash_ = Entry.hash.func(type("Line", (), {"previous": last["hash"], "body": body}))
    return b'{"hash":"%b",%b\n' % (hash_.encode(), body[1:])


LOSS = {"epsilon": "1", "delta": "0"}
WRONG_LOSSES = [
    ("-1", "0"), ("1e999999999", "0"), ("1/0", "0"), ("2/2", "0"), ("1.0", "0"), (1, "0"), ("1", "2"), ("6", "0"),
    ("1", "1/2"), ("9" * 4001, "0"), (None, "0"), ([], {}), ("¹", "0"), (" 1", "0"), ("+1", "0"), ("1_0", "0"),
]  # fmt: skip
FORGED = [
    *(
        {"kind": "reserve", "key": "k", "request": {}, "loss": {"epsilon": epsilon, "delta": delta}}
        for epsilon, delta in WRONG_LOSSES
    ),
    {"kind": "reserve", "key": "a", "request": {}, "loss": LOSS},
    {"kind": "reserve", "key": "k", "request": {}},
    {"kind": "reserve", "key": "k", "loss": LOSS},
    {"kind": "reserve", "key": "k", "request": [], "loss": LOSS},
    {"kind": "reserve", "key": "k", "request": {}, "loss": {"epsilon": "1"}},
    {"kind": "reserve", "key": "k", "request": {}, "loss": [1, 2]},
    {"kind": "reserve", "key": 5, "request": {}, "loss": LOSS},
    {"kind": "reserve", "key": "k", "request": {}, "loss": LOSS, "more": 1},
    {"kind": "reserve", "key": "k", "request": {}, "loss": LOSS, "body": "x"},
    {"kind": "reserve", "key": "k", "request": {}, "loss": LOSS, "result": {"text": "x"}},
    {"kind": "create", "key": "k", "request": {}, "loss": LOSS},
    {"kind": "settle", "key": "k", "result": {"text": "x"}},
    {"kind": "settle", "key": "b", "result": {"text": "x"}},
    {"kind": "settle", "key": "a"},
    {"kind": "settle", "key": "a", "result": {}},
    {"kind": "settle", "key": "a", "result": {"text": 1}},
    {"kind": "settle", "key": "a", "result": {"text": "x", "sha256": "0" * 64}},
    {"kind": "settle", "key": "a", "result": {"sha256": "../../../../etc/passwd"}},
    {"kind": "settle", "key": "a", "result": {"text": "x"}, "loss": LOSS},
    {"kind": "close", "key": "k"},
    {"kind": "refund", "key": "a"},
    {"kind": ["reserve"], "key": "a"},
    {},
]


@pytest.mark.parametrize("fields", FORGED, ids=range(len(FORGED)))
def test_a_line_that_could_not_be_written_is_refused_even_if_its_hash_is_right(scene: Scene, fields: dict):
    ledger = Ledger.create(scene.path, dataset="clinic", rows=20, epsilon=5, delta="1e-6")
    claim(ledger, "a")
    ledger.settle(claim(ledger, "b"), b"answer")
    content = scene.content
    line = forged(scene, **fields)
    scene.put(content + line)
    with pytest.raises(LedgerError, match=r"line 5 of the ledger"):
        Ledger.open(scene.path)


def test_a_reserve_after_the_end_is_refused_even_if_its_hash_is_right(scene: Scene):
    Ledger.create(scene.path, dataset="clinic", rows=20, epsilon=5).close()
    scene.put(scene.content + forged(scene, kind="reserve", key="k", request={}, loss=LOSS))
    with pytest.raises(LedgerError, match="line 3 of the ledger"):
        Ledger.open(scene.path)


def test_a_forged_line_that_is_right_is_read(scene: Scene):
    claim(Ledger.create(scene.path, dataset="clinic", rows=20, epsilon=5, delta="1e-6"), "a")
    line = forged(scene, kind="settle", key="a", result={"text": "x"})
    scene.put(scene.content + line)
    assert Ledger.open(scene.path).result("a") == b"x"


@pytest.mark.parametrize("nested", [b"[" * 100_000, b'{"a":' * 100_000, b"9" * 100_000])
def test_json_that_no_parser_can_take_is_damage(scene: Scene, nested: bytes):
    Ledger.create(scene.path, dataset="clinic", rows=20, epsilon=5)
    body = b'{"key":' + nested
    hash_ = Entry.hash.func(type("Line", (), {"previous": json.loads(scene.lines[-1])["hash"], "body": body}))
    scene.put(scene.content + b'{"hash":"%b",%b\n' % (hash_.encode(), body[1:]))
    assert scene.refused()
