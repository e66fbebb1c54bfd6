# SPDX-License-Identifier: Apache-2.0
"""Every Python block of the README and the docs runs, and prints what the text block after it says."""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"```python\n(?P<code>.*?)```(?:\n*```text\n(?P<printed>.*?)```)?", re.DOTALL)


def run_page(text: str) -> list[tuple[str, str | None]]:
    """What each block printed, beside what the page says; the blocks of a page share their names."""
    names: dict[str, object] = {"__name__": "snippet"}
    found: list[tuple[str, str | None]] = []
    for block in BLOCK.finditer(text):
        printed = StringIO()
        with redirect_stdout(printed):
            exec(compile(block["code"], "a snippet", "exec", dont_inherit=True), names)
        found.append((printed.getvalue(), block["printed"]))
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_snippet_prints_what_the_page_says(page: Path) -> None:
    for printed, promised in run_page(page.read_text()):
        assert promised is None or printed == promised


def test_a_page_that_promises_something_else_would_be_noticed() -> None:
    (printed, promised), *_ = run_page("```python\nprint(1)\n```\n\n```text\n2\n```\n")
    assert printed != promised


def test_the_tutorial_is_among_the_pages_that_run() -> None:
    tutorial = (ROOT / "docs" / "verification.md").read_text()
    assert len(BLOCK.findall(tutorial)) >= 3


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_between_pages_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), target
