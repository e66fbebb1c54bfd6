# SPDX-License-Identifier: Apache-2.0
"""`discreet`: the command, its exit codes and its one voice for errors.

0 done, 1 unexpected or not verified, 2 usage. Results go to stdout, progress to stderr. No traceback is ever shown: its
frames would hold rows.
"""

from __future__ import annotations

import os
import sys
from types import TracebackType

import click

from discreet import __version__
from discreet.cli.verify import verify_command
from discreet.errors import DiscreetError

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


def main() -> None:
    """Run the command line and exit with its code."""
    sys.excepthook = _unexpected
    try:
        code = command.main(standalone_mode=False)
    except click.ClickException as error:
        code = _refused(error.format_message())
    except DiscreetError as error:
        code = _refused(str(error))
    except click.Abort:
        code = 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code if isinstance(code, int) else 0)


def _refused(sentence: str) -> int:
    click.echo(f"discreet: {sentence}", err=True)
    return 2


def _unexpected(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    click.echo(UNEXPECTED, err=True)


if __name__ == "__main__":
    main()
