# SPDX-License-Identifier: Apache-2.0
"""The benchmarks' machinery, at tiny sizes and without any peer: their times mean nothing here, their verdicts do."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import pytest

pytest.importorskip("resource", reason="CPU time of children is not measured on Windows")

from benchmarks import __main__ as program
from benchmarks import imports, noise, responses, selection, timing, verifier
from benchmarks.peers import Missing, imported
from benchmarks.row import Row, shown
from discreet.verification.catalogue import CASES

PEERS = {
    "opendp.prelude": "opendp",
    "pure_ldp.frequency_oracles.direct_encoding": "pure-ldp",
    "multi_freq_ldpy.pure_frequency_oracles.GRR": "multi-freq-ldpy",
}

TINY = {
    "noise": lambda: noise.rows(draws=10, peer_draws=10, repetitions=1),
    "selection": lambda: selection.rows(candidates=10, repetitions=1, peer_repetitions=1),
    "responses": lambda: responses.rows(bits=10, values=10, people=10, repetitions=1),
    "verifier": lambda: verifier.rows(cases=CASES[:1], repetitions=1),
    "imports": lambda: imports.rows(repetitions=1),
}

ROW = Row(what="it", ours=2.0, unit="s")


@pytest.fixture
def no_peers(monkeypatch):
    for module in PEERS:
        monkeypatch.setitem(sys.modules, module, None)


def test_every_benchmark_is_tried_here():
    assert list(TINY) == list(program.BENCHMARKS)


@pytest.mark.parametrize("name", TINY)
@pytest.mark.usefixtures("no_peers")
def test_a_benchmark_runs_without_peers_and_says_which_are_not_installed(name: str):
    rows = list(TINY[name]())
    assert rows
    assert all(row.ours > 0 for row in rows)
    skipped = [row for row in rows if row.peer]
    assert all(any(row.verdict == f"skipped: {peer} is not installed" for peer in PEERS.values()) for row in skipped)
    assert bool(skipped) == (name in {"noise", "selection", "responses"})


@pytest.mark.parametrize("name", ["noise", "selection"])
def test_a_benchmark_runs_beside_opendp(name: str):
    dp = pytest.importorskip("opendp.prelude")
    rows = [row for row in TINY[name]() if row.peer]
    assert all(row.ratio is not None and row.ratio > 0 for row in rows) or not hasattr(dp.m, "make_noisy_max")


def test_a_peer_that_lacks_another_library_says_which(monkeypatch, tmp_path):
    (tmp_path / "half_a_peer.py").write_text("import no_such_library", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(Missing, match=r"^half-a-peer needs no_such_library$"):
        imported("half_a_peer", "half-a-peer")


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        (ROW, ""),
        (replace(ROW, theirs=20.0, least_ratio=10.0), "pass"),
        (replace(ROW, theirs=19.9, least_ratio=10.0), "MISS"),
        (replace(ROW, unit="/s", theirs=0.2, least_ratio=10.0), "pass"),
        (replace(ROW, unit="/s", theirs=0.21, least_ratio=10.0), "MISS"),
        (replace(ROW, unit="/s", least=2.0), "pass"),
        (replace(ROW, unit="/s", least=2.1), "MISS"),
        (replace(ROW, unit="x", most=2.0), "pass"),
        (replace(ROW, unit="x", most=1.9), "MISS"),
        (replace(ROW, least_ratio=10.0, missing="it is not installed"), "skipped: it is not installed"),
    ],
)
def test_a_requirement_is_met_or_missed(row: Row, verdict: str):
    assert row.verdict == verdict
    assert row.cells()[-1] == row.as_json()["verdict"] == verdict


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1.5, "s", "1.5 s"),
        (0.0033, "s", "3.3 ms"),
        (3.3e-9, "s", "3.3 ns"),
        (5e7, "/s", "50 M/s"),
        (1.18, "x", "1.18×"),
    ],
)
def test_a_quantity_is_shown_in_its_unit(value: float, unit: str, text: str):
    assert shown(value, unit) == text


@pytest.mark.parametrize(("ours", "code"), [(1.0, 0), (3.0, 1)])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_the_exit_code_tells_of_a_miss(monkeypatch, capsys, ours: float, code: int, form: list[str]):
    monkeypatch.setitem(program.BENCHMARKS, "noise", lambda: iter([replace(ROW, ours=ours, most=2.0)]))
    assert program.main(["noise", *form]) == code
    out = capsys.readouterr().out
    assert ("MISS" in out) == bool(code)
    if form:
        report = json.loads(out)
        assert report["machine"]["python"]
        assert [row["ours"] for row in report["rows"]] == [ours]


def test_an_unknown_benchmark_is_refused(capsys):
    with pytest.raises(SystemExit):
        program.main(["nonsense"])
    assert "no such benchmark: nonsense" in capsys.readouterr().err


def test_the_representative_cases_are_in_the_catalogue():
    cases = list(verifier.representative())
    assert [case.name for case in cases] == list(verifier.MECHANISMS)
    assert all(case in CASES for case in cases)


def test_the_first_call_is_not_timed(monkeypatch):
    clock = iter([0.0, 1.0, 1.0, 6.0, 6.0, 8.0])
    calls: list[int] = []
    monkeypatch.setattr(timing.time, "process_time", lambda: next(clock))
    assert timing.cpu_seconds(lambda: calls.append(0), repetitions=3) == 2.0
    assert len(calls) == 4


def test_the_time_of_a_child_is_measured():
    busy = "import time\nwhile time.process_time() < 0.3: pass"
    assert 0.25 < timing.cpu_seconds_of_command((sys.executable, "-c", busy), repetitions=1) < 3
