# SPDX-License-Identifier: Apache-2.0
"""The command as a user meets it: what it prints, where, and with which exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from discreet.cli import main as entry
from discreet.cli import verify as page
from discreet.cli.main import command
from discreet.mechanisms.contract import Summarised
from discreet.mechanisms.counts import NoisyCount
from discreet.verification.case import Case

DISCREET = [sys.executable, "-m", "discreet.cli.main"]


def discreet(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*DISCREET, *words], capture_output=True, text=True, timeout=60, check=False)


def test_alone_it_says_what_to_do_first() -> None:
    done = discreet()
    assert done.returncode == 0
    assert "Start with:  discreet verify" in done.stdout


def test_verify_shows_each_universe_with_its_witness() -> None:
    done = discreet("verify", "--only", "RandomizedResponse")
    assert done.returncode == 0
    assert "None exceeds what it declares." in done.stdout
    assert "(False,) and (True,)" in done.stdout
    assert "the time of refinement is not covered" in done.stdout


def test_verify_json_is_one_document_of_decimal_strings() -> None:
    done = discreet("verify", "--only", "KaryResponse", "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 0
    assert document["version"] == "0.1.0"
    keys = ["mechanism", "universe", "rows", "epsilon", "delta", "measure", "declared", "exact", "pairs"]
    keys += ["witness", "ok"]
    for line in document["mechanisms"]:
        assert list(line) == keys
        assert all(isinstance(line[key], str) for key in ("epsilon", "delta", "declared", "exact"))
        assert "e" not in line["exact"].lower()
        assert line["ok"] is True


def test_progress_is_not_mixed_with_results() -> None:
    assert "verifying" not in discreet("verify", "--only", "OneBitMean", "--json").stdout


BAD_WORDS = [
    (["verfy"], "No such command 'verfy'"),
    (["verify", "--only", "nosy"], "Did you mean NoisyCount?"),
    (["verify", "--only", "zzz"], "must be part of a mechanism's name, got 'zzz'"),
    (["verify", "--only"], "requires an argument"),
    (["verify", "--thoro"], "--thorough"),
    (["verify", "--json=1"], "does not take a value"),
    (["verify", "NoisyCount"], "unexpected extra argument"),
    (["--frob"], "No such option"),
]


@pytest.mark.parametrize(("words", "said"), BAD_WORDS, ids=lambda value: str(value)[:30])
def test_a_wrong_word_is_answered_in_one_sentence_with_code_2(words: list[str], said: str) -> None:
    done = discreet(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert done.stderr.startswith("discreet: ")
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_a_mechanism_that_exceeds_its_loss_is_shown_with_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    class Loud(NoisyCount):
        @property
        def scale(self) -> Fraction:
            return 1 / (2 * self.epsilon)

    mechanism = Summarised(sum, Loud(epsilon=Fraction(1), low=0, high=2))
    loud = Case(name="Loud", mechanism=mechanism, universe=(0, 1), rows=2, reach=2)
    monkeypatch.setattr(page, "_wanted", lambda only, thorough: [loud])
    done = CliRunner().invoke(command, ["verify"])
    assert done.exit_code == 1
    assert "EXCEEDED" in done.stdout
    assert "1 of them exceed what they declare." in done.stdout
    assert "Loud on {0, 1}, ε = 1: " in done.stdout


def test_something_unexpected_is_told_in_a_fixed_sentence_without_a_traceback(tmp_path: Path) -> None:
    program = "from discreet.cli import main, verify\nverify._wanted = lambda *a, **k: 1 / 0\nmain.main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "verify"], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 1
    assert done.stderr.strip() == entry.UNEXPECTED
    assert done.stdout == ""


@pytest.mark.parametrize("words", ["verify --only NoisyCount --json", "verify --only NoisyCount", "verify --help"])
def test_a_closed_pipe_is_not_an_error(words: str) -> None:
    closing = "exec 3>&1; { %s -m discreet.cli.main %s; echo $? >&3; } | true" % (sys.executable, words)  # noqa: UP031
    done = subprocess.run(["bash", "-c", closing], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "0"
    assert "Traceback" not in done.stderr
    assert entry.UNEXPECTED not in done.stderr
