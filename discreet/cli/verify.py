# SPDX-License-Identifier: Apache-2.0
"""`discreet verify`: compute the exact output law of every shipped mechanism, and show what was found."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import groupby
from math import isinf
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from discreet.verification.case import Case
    from discreet.verification.verify import Verdict

SCOPE = (
    "Neighbours differ in one row (replace-one). Laws enumerated for these n; samplers enumerated from bits at reduced "
    "word size; the time of refinement is not covered."
)


@click.command("verify")
@click.option("--only", metavar="NAME", help="Only the mechanisms whose name contains NAME, each universe on a line.")
@click.option("--thorough", is_flag=True, help="Larger universes too: some minutes.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout, numbers as decimal strings.")
@click.pass_context
def verify_command(context: click.Context, only: str | None, thorough: bool, as_json: bool) -> None:
    """Compute the exact output law of every mechanism that ships.

    Each mechanism runs on every database of some tiny universes, along every path of its coins; the largest privacy
    loss over all pairs of neighbours is compared with what the mechanism declares. Exit code 1 if one exceeds it.

    Less than 100 % of what is declared: the theorem used is not tight, or only as n grows.
    """
    verdicts = list(_verdicts(_wanted(only, thorough=thorough)))
    if as_json:
        click.echo(_document(verdicts))
    else:
        _show(verdicts, in_full=only is not None)
    context.exit(0 if all(verdict.ok for verdict in verdicts) else 1)


def _wanted(only: str | None, *, thorough: bool) -> Sequence[Case]:
    from discreet.verification.catalogue import CASES, THOROUGH

    cases = THOROUGH if thorough else CASES
    wanted = [case for case in cases if only is None or only.lower() in case.name.lower()]
    if not wanted:
        names = list(dict.fromkeys(case.name for case in cases))
        close = get_close_matches(only or "", names, n=1, cutoff=0.4)
        hint = f"Did you mean {close[0]}? " if close else ""
        known = f"{hint}All: {', '.join(names)}."
        raise click.UsageError(f"`--only` must be part of a mechanism's name, got {only!r}. {known}")
    return wanted


def _verdicts(cases: Sequence[Case]) -> Iterator[Verdict]:
    """Verify one after the other; the bar counts cases, which are public."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from discreet.verification.verify import verify

    columns = (TextColumn("verifying {task.description:<34}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as progress:
        task = progress.add_task("", total=len(cases))
        for case in cases:
            progress.update(task, description=case.name)
            yield verify(case)
            progress.advance(task)


def _document(verdicts: Sequence[Verdict]) -> str:
    from discreet import __version__

    return json.dumps({"version": __version__, "mechanisms": [verdict.as_json() for verdict in verdicts]}, indent=1)


def _show(verdicts: Sequence[Verdict], *, in_full: bool) -> None:
    from discreet.cli.console import Paper

    paper = Paper()
    paper.print(_full_table(verdicts) if in_full else _short_table(verdicts), soft_wrap=False)
    for verdict in verdicts:
        if in_full or not verdict.ok:
            paper.print(_witness(verdict))
    failed = sum(not verdict.ok for verdict in verdicts)
    paper.print(_summary(verdicts))
    paper.print(f"{failed} of them exceed what they declare." if failed else "None exceeds what it declares.")
    paper.print(SCOPE)


def _summary(verdicts: Sequence[Verdict]) -> str:
    names = len({verdict.case.name for verdict in verdicts})
    pairs, paths = (sum(getattr(verdict, what) for verdict in verdicts) for what in ("pairs", "paths"))
    cases = f"{names} mechanisms in {len(verdicts)} cases"
    return f"{cases}: {pairs:,} pairs of neighbours compared, {paths:,} paths walked."


def _short_table(verdicts: Sequence[Verdict]) -> Table:
    """A line a mechanism."""
    table = _table("mechanism", "cases", "rows", "pairs", "of declared", "verdict")
    for name, group in groupby(sorted(verdicts, key=lambda verdict: verdict.case.name), lambda v: v.case.name):
        found = list(group)
        rows = sorted({verdict.case.rows for verdict in found})
        table.add_row(
            name,
            str(len(found)),
            str(rows[0]) if len(rows) == 1 else f"{rows[0]}-{rows[-1]}",
            f"{sum(verdict.pairs for verdict in found):,}",
            _share(max(found, key=lambda verdict: verdict.share)),
            _mark(ok=all(verdict.ok for verdict in found)),
        )
    return table


def _full_table(verdicts: Sequence[Verdict]) -> Table:
    """A line a case; its universe stands with its witness."""
    table = _table("mechanism", "rows", "declared", "exact", "of declared", "verdict")
    for verdict in verdicts:
        loss = verdict.loss
        name = "δ" if loss.delta else "ε"
        at = f" at ε = {float(loss.epsilon):.4g}" if loss.delta else ""
        table.add_row(
            verdict.case.name,
            str(verdict.case.rows),
            f"{name} = {float(verdict.declared):.6g}{at}",
            f"{float(verdict.exact.mid()):.6g}",
            _share(verdict),
            _mark(ok=verdict.ok),
        )
    return table


def _table(*headers: str) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for header in headers:
        right = header in ("cases", "rows", "pairs", "of declared")
        table.add_column(header, justify="right" if right else "left", no_wrap=header != "mechanism", overflow="fold")
    return table


def _share(verdict: Verdict) -> str:
    if isinf(verdict.share):
        return "infinite"
    hundredths = int(10_000 * verdict.share + 1e-9)
    return f"{hundredths / 100:g} %"


def _mark(*, ok: bool) -> Text:
    from rich.text import Text

    return Text("ok", style="green") if ok else Text("EXCEEDED", style="bold red")


def _witness(verdict: Verdict) -> str:
    case = verdict.case
    return f"{case.name} on {case.universe_text()}, ε = {float(verdict.loss.epsilon):.4g}: {verdict.witness}"
