# SPDX-License-Identifier: Apache-2.0
"""T1: every mechanism that ships, on every database of its universes. No error probability: all of it is exact."""

from __future__ import annotations

import ast
from collections import defaultdict
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from discreet.cli.verify import _short_table
from discreet.verification.catalogue import CASES, THOROUGH
from discreet.verification.verify import Verdict, verify

README = Path(__file__).parents[2] / "README.md"
MECHANISMS = Path(__file__).parents[2] / "discreet" / "mechanisms"


@pytest.fixture(scope="module")
def verdicts() -> list[Verdict]:
    return [verify(case) for case in CASES]


def test_no_mechanism_loses_more_than_it_declares(verdicts: list[Verdict]) -> None:
    assert [verdict.as_json() for verdict in verdicts if not verdict.ok] == []


def test_every_loss_that_is_declared_tight_is_met(verdicts: list[Verdict]) -> None:
    """At least 99 % of the declared loss on each universe where it is said to be tight."""
    assert [verdict.as_json() for verdict in verdicts if verdict.case.tight and verdict.share < 0.99] == []


def test_the_figures_of_t1(verdicts: list[Verdict]) -> None:
    """At least 15 mechanisms, 80 cells and 2 million ordered pairs in every run of the tests."""
    assert len({verdict.case.name for verdict in verdicts}) >= 15
    cells = {(v.case.name, v.case.universe_text(), v.case.rows, v.case.loss, v.case.mechanism) for v in verdicts}
    assert len(cells) >= 80
    assert sum(verdict.pairs for verdict in verdicts) >= 2_000_000


def test_only_the_published_versions_are_tight_nowhere(verdicts: list[Verdict]) -> None:
    best: dict[str, float] = defaultdict(float)
    for verdict in verdicts:
        best[verdict.case.name] = max(best[verdict.case.name], verdict.share)
    loose = {name for name, share in best.items() if share < 0.99}
    assert loose == {"PointRelease", "SampleWithReplacementAsPublished"}


def test_every_shipped_mechanism_stands_in_the_catalogue() -> None:
    """A public class of discreet/mechanisms that declares a loss and can be called is verified, or the build fails."""
    shipped: set[str] = set()
    for file in MECHANISMS.glob("*.py"):
        if file.name not in ("__init__.py", "contract.py"):
            classes = [node for node in ast.parse(file.read_text()).body if isinstance(node, ast.ClassDef)]
            shipped |= {node.name for node in classes if not node.name.startswith("_")}
    assert shipped == {case.name.split(",")[0] for case in CASES}


def test_the_readme_shows_what_is_printed(verdicts: list[Verdict]) -> None:
    console = Console(width=80, file=StringIO())
    console.print(_short_table(verdicts))
    assert isinstance(console.file, StringIO)
    printed = {line.rstrip() for line in console.file.getvalue().splitlines()}
    sample = README.read_text().partition("```text\n mechanism")[2].partition("```")[0].splitlines()[2:]
    assert len(sample) >= 3
    assert set(sample) <= printed


@pytest.mark.nightly
def test_the_thorough_universes_too() -> None:
    """At least 10 million ordered pairs a night."""
    verdicts = [verify(case) for case in THOROUGH]
    assert [verdict.as_json() for verdict in verdicts if not verdict.ok] == []
    assert sum(verdict.pairs for verdict in verdicts) >= 10_000_000
