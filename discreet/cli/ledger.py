# SPDX-License-Identifier: Apache-2.0
"""`discreet ledger`: create a budget for a set of people, look at it, verify it, close it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.table import Table

    from discreet.privacy.entries import Entry
    from discreet.privacy.ledger import Ledger
    from discreet.privacy.loss import PrivacyLoss

PATH = click.argument("path", metavar="LEDGER", type=click.Path(path_type=Path))


@click.group("ledger", invoke_without_command=True)
@click.pass_context
def ledger_command(context: click.Context) -> None:
    """The budget of a set of people: what may be spent, what was, and on what.

    A ledger is a file of JSON lines that is only ever added to. What was reserved is spent, whatever became of it.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@ledger_command.command("create")
@PATH
@click.option("--schema", required=True, type=click.Path(path_type=Path), help="The TOML file that declares the table.")
@click.option("--epsilon", required=True, help="All that may ever be spent on these people, such as 3 or 1/2.")
@click.option("--delta", default="0", show_default=True, help="The same for delta, such as 1e-6.")
def create_command(path: Path, schema: Path, epsilon: str, delta: str) -> None:
    """Create a ledger for the people of a schema; refuses to overwrite."""
    from discreet.data.schema import Schema
    from discreet.privacy.ledger import Ledger

    people = Schema.load(schema)
    ledger = Ledger.create(
        path,
        dataset=people.dataset,
        rows=people.rows,
        rows_per_person=people.rows_per_person,
        epsilon=epsilon,
        delta=delta,
    )
    click.echo(f"Created {path} for {_people(ledger)}: {_amount(ledger.budget())} may be spent in all.")


@ledger_command.command("show")
@PATH
def show_command(path: Path) -> None:
    """Show every entry, what it cost and what was left after it."""
    from discreet.cli.console import Paper
    from discreet.privacy.ledger import Ledger

    ledger = Ledger.open(path)
    paper = Paper()
    paper.print(f"{path}, for {_people(ledger)}")
    paper.print(_statement(ledger.entries()), soft_wrap=False)
    paper.print(f"Left: {_amount(ledger.remaining())} of {_amount(ledger.budget())}.")


@ledger_command.command("verify")
@PATH
def verify_command(path: Path) -> None:
    """Verify every line, and let this user rely on the ledger from now on.

    Needed once where a ledger is used for the first time by this user. A copy that was taken elsewhere before later
    spending cannot be told from the latest: ask whoever keeps the ledger.
    """
    from discreet.privacy.ledger import Ledger

    ledger = Ledger.adopt(path)
    lines = len(ledger.entries())
    many = "lines" if lines > 1 else "line"
    click.echo(f"{path} is whole, {lines} {many}, for {_people(ledger)}. Left: {_amount(ledger.remaining())}.")


@ledger_command.command("close")
@PATH
def close_command(path: Path) -> None:
    """Close a ledger for good: nothing more may be spent."""
    from discreet.privacy.ledger import Ledger

    ledger = Ledger.open(path)
    ledger.close()
    click.echo(f"Closed {path}; {_amount(ledger.total())} of {_amount(ledger.budget())} was spent.")


def _people(ledger: Ledger) -> str:
    dataset = ledger.dataset
    each = f", up to {dataset.rows_per_person} rows a person" if dataset.rows_per_person > 1 else ""
    return f"{dataset.name} ({dataset.rows:,} rows{each})"


def _amount(loss: PrivacyLoss) -> str:
    return f"ε = {_number(loss.epsilon)}" + (f", δ = {_number(loss.delta)}" if loss.delta else "")


def _number(value: Fraction) -> str:
    """An exact number, as a person would write it."""
    from discreet.data.columns import plain

    text = str(plain(value))
    return text if len(text) <= 12 else f"{float(value):.6g}"


def _statement(entries: Sequence[Entry]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for header, side in (("#", "right"), ("entry", "left"), ("ε", "right"), ("δ", "right"), ("ε left", "right")):
        table.add_column(header, justify="right" if side == "right" else "left", overflow="fold")
    settled = {entry.key for entry in entries if entry.kind == "settle"}
    left = Fraction(0)
    for entry in entries:
        spent = entry.loss if entry.kind == "reserve" else None
        left = entry.loss.epsilon if entry.kind == "create" and entry.loss else left - (spent.epsilon if spent else 0)
        left = Fraction(0) if entry.kind == "close" else left
        cost = ("", "") if spent is None else (_minus(spent.epsilon), _minus(spent.delta))
        table.add_row(str(entry.sequence), _what(entry, settled), *cost, _number(left))
    return table


def _minus(value: Fraction) -> str:
    return f"-{_number(value)}" if value else ""


def _what(entry: Entry, settled: set[str]) -> str:
    match entry.kind:
        case "create":
            return "created"
        case "reserve":
            request = ", ".join(f"{name} {value}" for name, value in (entry.request or {}).items() if name != "schema")
            outcome = "released" if entry.key in settled else "no result: under way, or burnt"
            return f"{request or 'a request'} ({outcome})"
        case "settle":
            return f"result for {entry.key[:16]}"
        case _:
            return "closed: nothing more may be spent"
