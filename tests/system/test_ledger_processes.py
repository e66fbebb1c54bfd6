# SPDX-License-Identifier: Apache-2.0
"""T14 and T16: many processes on one ledger, killed at any moment. Judged by a literal reading of what was written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.privacy.ledger import Ledger

WORKERS = Path(__file__).with_name("ledger_workers.py")
LOSS = Fraction(1, 10)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "run").mkdir()
    return tmp_path / "run"


def run(mode: str, folder: Path, **options: object) -> None:
    words = [f"{name}={value}" for name, value in options.items()]
    environment = {**os.environ, "PYTHONPATH": str(WORKERS.parents[2])}
    subprocess.run([sys.executable, WORKERS, mode, folder, *words], check=True, env=environment, timeout=300)


def notes(folder: Path) -> list[dict]:
    diary = folder / "diary"
    return [json.loads(line) for line in diary.read_bytes().splitlines()] if diary.exists() else []


@dataclass
class Judged:
    """What went wrong in some ledgers."""

    ledgers: int = 0
    opened: int = 0
    overspent: int = 0
    unrecorded: int = 0
    two_answers: int = 0
    burnt: int = 0

    @property
    def sound(self) -> bool:
        return self.overspent == self.unrecorded == self.two_answers == 0

    def judge(self, folder: Path) -> None:
        *complete, _ = (folder / "ledger").read_bytes().split(b"\n")
        lines = [json.loads(line) for line in complete]
        budget = Fraction(lines[0]["loss"]["epsilon"])
        reserves = [line for line in lines if line["kind"] == "reserve"]
        opened = [note["key"] for note in notes(folder) if note["did"] == "opened"]
        answers = {(note["key"], note["content"]) for note in notes(folder) if note["did"] == "answered"}
        most = max(len(opened) * LOSS, sum(Fraction(line["loss"]["epsilon"]) for line in reserves))
        settled = [line for line in lines if line["kind"] == "settle"]
        self.ledgers, self.opened = self.ledgers + 1, self.opened + len(opened)
        self.burnt += len(reserves) - len(settled)
        self.overspent += most > budget
        self.unrecorded += (Counter(opened) - Counter(line["key"] for line in reserves)).total()
        self.two_answers += len(answers) - len({key for key, _ in answers})


def killed(folder: Path, *, order: str, kills: int) -> Judged:
    run("kill", folder, order=order, kills=kills)
    judged = Judged()
    for ledger in sorted(folder.glob("*/ledger")):
        judged.judge(ledger.parent)
        if order == "right":
            assert Ledger.open(ledger).total().epsilon <= 3
    assert notes(folder)[-1]["count"] >= kills
    return judged


@pytest.mark.parametrize("kills", [120, pytest.param(2_000, marks=pytest.mark.nightly)])
def test_workers_killed_at_random_overspend_nothing_forget_nothing_and_answer_once(
    folder: Path, kills: int, record_testsuite_property
):
    judged = killed(folder, order="right", kills=kills)
    record_testsuite_property(f"after {kills} kills", str(judged))
    assert judged.sound, judged
    assert judged.burnt > kills / 20, "the kills came when nothing was under way"


@pytest.mark.parametrize(
    ("order", "fault"),
    [
        ("release-then-record", "unrecorded"),
        ("check-then-insert", "overspent"),
        ("refund-on-restart", "overspent"),
    ],
)
def test_the_same_harness_catches_a_broken_order(folder: Path, order: str, fault: str):
    assert getattr(killed(folder, order=order, kills=60), fault) > 0


def test_of_64_processes_on_one_key_one_opens_rows_and_all_others_get_its_bytes_or_a_refusal(folder: Path):
    run("race", folder, workers=64, rounds=20)
    by_key: dict[str, list[dict]] = {}
    for note in notes(folder):
        by_key.setdefault(note["key"], []).append(note)
    assert len(by_key) == 20
    for happened in by_key.values():
        did = Counter(note["did"] for note in happened)
        assert did["opened"] == 1
        assert did["answered"] + did["refused"] == 64
        assert len({note["content"] for note in happened if note["did"] == "answered"}) == 1
        assert all("without a result" in note["words"] for note in happened if note["did"] == "refused")
    assert Ledger.open(folder / "ledger").total().epsilon == 20 * LOSS
    assert len(Ledger.open(folder / "ledger").entries()) == 41


@pytest.mark.parametrize("keys", [400, pytest.param(10_000, marks=pytest.mark.nightly)])
def test_workers_on_keys_of_their_own_spend_all_and_nothing_more(folder: Path, keys: int):
    run("many", folder, workers=8, keys=keys, budget=f"{keys - 10}/10")
    did = Counter(note["did"] for note in notes(folder))
    assert did == {"opened": keys - 10, "answered": keys - 10, "refused": 10}
    ledger = Ledger.open(folder / "ledger")
    assert ledger.remaining().epsilon == 0
    assert len(ledger.entries()) == 1 + 2 * (keys - 10)
