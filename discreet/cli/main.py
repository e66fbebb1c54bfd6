# SPDX-License-Identifier: Apache-2.0
"""`discreet`: the command, its exit codes and its one voice for errors.

0 done, 1 unexpected or not verified, 2 usage or schema, 3 budget, 4 ledger, 5 storage. Results go to stdout, progress
to stderr. No traceback is ever shown: its frames would hold rows.
"""

from __future__ import annotations

import os
import sys
import threading
from io import TextIOWrapper
from types import TracebackType

import click

from discreet import __version__
from discreet.cli.ledger import ledger_command
from discreet.cli.verify import verify_command
from discreet.errors import BudgetError, DiscreetError, LedgerError, StorageError

CODES: tuple[tuple[type[DiscreetError], int], ...] = (
    (BudgetError, 3),
    (StorageError, 5),
    (LedgerError, 4),
    (DiscreetError, 2),
)
"""The exit code of each kind of refusal; the first that fits."""

UNEXPECTED = "discreet: something unexpected happened, and what it was is not shown, as it might quote your data."


class Group(click.Group):
    """Alone, it says what to do first."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write("\nStart with:  discreet verify --only NoisyCount\n")


@click.group(cls=Group, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "--version", message="discreet %(version)s")
@click.pass_context
def command(context: click.Context) -> None:
    """What can be learned, learned privately."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


command.add_command(verify_command)
command.add_command(ledger_command)


def main() -> None:
    """Run the command line and exit with its code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal without ε must not stop a release
    sys.excepthook = _unexpected
    threading.excepthook = sys.unraisablehook = _unexpected_elsewhere
    try:
        code = _run(sys.argv[1:])
    except click.ClickException as error:
        code = _refused(error.format_message(), 2)
    except DiscreetError as error:
        code = _refused(str(error), next(code for kind, code in CODES if isinstance(error, kind)))
    except (click.Abort, KeyboardInterrupt):
        code = _refused("stopped.", 130)
    except OSError as error:  # of the output alone: a ledger's own become a StorageError
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0 if isinstance(error, BrokenPipeError) else _refused("the output could not be written.", 5)
    sys.exit(code)


def _run(words: list[str]) -> int:
    """The exit code of one command; not by `command.main`, which takes a closed pipe for a failure."""
    try:
        with command.make_context("discreet", words) as context:
            command.invoke(context)
            sys.stdout.flush()
    except click.exceptions.Exit as done:
        sys.stdout.flush()
        return done.exit_code
    return 0


def _refused(sentence: str, code: int) -> int:
    click.echo(f"discreet: {sentence}", err=True)
    return code


def _unexpected(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    click.echo(UNEXPECTED, err=True)


def _unexpected_elsewhere(_: object) -> None:
    """In a thread, or where nobody could catch it."""
    click.echo(UNEXPECTED, err=True)


if __name__ == "__main__":
    main()
