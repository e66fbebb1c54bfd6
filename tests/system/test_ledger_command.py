# SPDX-License-Identifier: Apache-2.0
"""`discreet ledger` as its user meets it: created once, read like a bank statement, refused in one sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from discreet import PrivacyLoss
from discreet.privacy.ledger import Ledger
from discreet.privacy.reservation import Reservation

SCHEMA = 'dataset = "clinic"\nrows = 500\n[columns]\nsmoker = { boolean = true }\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clinic.toml").write_text(SCHEMA)
    return tmp_path


def discreet(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "discreet.cli.main", "ledger", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=os.environ)


def created(epsilon: str = "3") -> Ledger:
    assert discreet("create", "clinic.ledger", "--schema", "clinic.toml", "--epsilon", epsilon).returncode == 0
    return Ledger.open("clinic.ledger")


def reserved(ledger: Ledger, key: str, epsilon: str) -> Reservation:
    reservation = ledger.reserve(key=key, request={"verb": "count"}, loss=PrivacyLoss(Fraction(epsilon)))
    assert isinstance(reservation, Reservation)
    return reservation


@pytest.mark.usefixtures("folder")
def test_it_says_what_it_created_and_for_whom() -> None:
    done = discreet("create", "a.ledger", "--schema", "clinic.toml", "--epsilon", "1/2", "--delta", "1e-6")
    assert done.stdout == "Created a.ledger for clinic (500 rows): ε = 0.5, δ = 0.000001 may be spent in all.\n"
    assert Ledger.open("a.ledger").budget() == PrivacyLoss(Fraction(1, 2), Fraction(1, 10**6))


@pytest.mark.usefixtures("folder")
def test_the_statement_shows_each_cost_and_what_was_left() -> None:
    ledger = created()
    ledger.settle(reserved(ledger, "first", "1/10"), b"{}")
    reserved(ledger, "second", "1")
    lines = discreet("show", "clinic.ledger").stdout.splitlines()
    assert lines[0] == "clinic.ledger, for clinic (500 rows)"
    table = [line.split() for line in lines[3:8]]
    assert table[1] == ["0", "created", "3"]
    assert table[2] == ["1", "verb", "count", "(released)", "-0.1", "2.9"]
    assert table[3] == ["2", "result", "for", "first", "2.9"]
    assert table[4] == ["3", "verb", "count", "(no", "result:", "under", "way,", "or", "burnt)", "-1", "1.9"]
    assert lines[-1] == "Left: ε = 1.9 of ε = 3."


@pytest.mark.usefixtures("folder")
def test_a_closed_ledger_says_so_and_keeps_what_is_left() -> None:
    created()
    assert discreet("close", "clinic.ledger").stdout == "Closed clinic.ledger; ε = 0 of ε = 3 was spent.\n"
    shown = discreet("show", "clinic.ledger").stdout
    assert "closed: nothing more may be spent" in shown
    assert shown.endswith("Left: ε = 0 of ε = 3.\n")


@pytest.mark.usefixtures("folder")
def test_what_a_person_wrote_is_shown_as_it_was_written() -> None:
    """Brackets are no markup: a request or a name with them neither vanishes nor stops the command."""
    assert discreet("create", "a[b]", "--schema", "clinic.toml", "--epsilon", "3").returncode == 0
    request = {"where": "x [/red] [bold]y :smile:"}
    Ledger.open("a[b]").reserve(key="[/]", request=request, loss=PrivacyLoss(Fraction(1)))
    done = discreet("show", "a[b]")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("a[b], for clinic")
    assert "where x [/red] [bold]y :smile:" in done.stdout


def test_another_user_must_verify_it_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    created()
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "another"))
    refused = discreet("show", "clinic.ledger")
    assert refused.returncode == 4
    assert "discreet ledger verify" in refused.stderr
    assert discreet("verify", "clinic.ledger").stdout.startswith("clinic.ledger is whole, 1 line,")
    assert discreet("show", "clinic.ledger").returncode == 0


def test_alone_it_shows_its_help() -> None:
    done = discreet()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: ")


REFUSED = [
    (["create", "clinic.ledger", "--schema", "clinic.toml", "--epsilon", "3"], 4, "exists already"),
    (["create", "x", "--schema", "clinic.toml", "--epsilon", "0"], 2, "`epsilon` must be > 0"),
    (["create", "x", "--schema", "clinic.toml", "--epsilon", "lots"], 2, "`epsilon` must be a finite number"),
    (["create", "x", "--schema", "clinic.toml", "--epsilon", "1", "--delta", "2"], 2, "`delta` must be"),
    (["create", "x", "--schema", "none.toml", "--epsilon", "1"], 2, "could not be read"),
    (["create", "x", "--schema", "bad.toml", "--epsilon", "1"], 2, "must declare from 1"),
    (["create", "x", "--epsilon", "1"], 2, "Missing option '--schema'"),
    (["create", "x", "--schema", "clinic.toml"], 2, "Missing option '--epsilon'"),
    (["create", "no/such/x", "--schema", "clinic.toml", "--epsilon", "1"], 5, "nothing was released"),
    (["show", "none.ledger"], 4, "there is no ledger"),
    (["show", "clinic.toml"], 4, "damaged"),
    (["show", "."], 5, "ledger"),
    (["verify", "none.ledger"], 4, "there is no ledger"),
    (["close", "none.ledger"], 4, "there is no ledger"),
    (["shew", "clinic.ledger"], 2, "No such command"),
]


@pytest.mark.parametrize(("words", "code", "said"), REFUSED, ids=range(len(REFUSED)))
def test_a_refusal_is_one_sentence_with_its_code(folder: Path, words: list[str], code: int, said: str) -> None:
    created()
    (folder / "bad.toml").write_text('dataset = "a"\nrows = 1\n')
    before = sorted(path.name for path in folder.iterdir())
    done = discreet(*words)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert sorted(path.name for path in folder.iterdir()) == before
