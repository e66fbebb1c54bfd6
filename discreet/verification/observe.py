# SPDX-License-Identifier: Apache-2.0
"""Everything an observer could see of one run: its output or exception, what it logged, warned or printed, and the
sequence of laws that it asked of its coins.

The names of the laws count, and how many draws were asked at once; their other arguments and the number of levels do
not: those are inside the trust boundary, like the time that refinement takes.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Generator, Hashable
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import TextIOBase
from types import TracebackType
from typing import Any, NamedTuple
from unittest.mock import patch

from discreet.coins.enumerating import EnumeratingCoins, Unverifiable
from discreet.verification.seen import seen

UNTOLD = ("asctime", "message")
"""What a handler adds to a log record; all else beyond a plain record's own is somebody's extra."""


class Raised(str):
    """An exception as an output: its type, text, arguments, notes and attributes, and those of what caused it."""

    __slots__ = ()


class Outcome(NamedTuple):
    """What was seen of one run."""

    output: Hashable
    told: tuple[str, ...]
    laws: tuple[str, ...]

    def __str__(self) -> str:
        told = f" having told {', '.join(map(repr, self.told))}" if self.told else ""
        return f"{self.output}{told}"


class _Ear(TextIOBase):
    """Hears log records, warnings and prints, all into one list."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def hear(self, logger: logging.Logger, record: logging.LogRecord) -> None:
        """A record of any logger and level, with its extras and its exception."""
        error = record.exc_info[1] if record.exc_info else None
        trace = "" if error is None else f" {_told_of(error)}"
        plain = logging.makeLogRecord({}).__dict__
        extras = {key: value for key, value in record.__dict__.items() if key not in plain and key not in UNTOLD}
        where = "" if record.name == "root" else f" {record.name}"
        more = f" {extras!r}" if extras else ""
        self.told.append(f"{record.levelname}{where} {record.getMessage()}{more}{trace}{record.stack_info or ''}")

    def write(self, text: str) -> int:
        self.told.append(text)
        return len(text)

    def warn(self, message: Warning | str, category: type[Warning], file: str, line: int, *rest: object) -> None:
        self.told.append(f"{category.__name__} {message} (line {line})")


class _Caught:
    """Turns an exception into an output, for the length of a `with`: exits of the process, too.

    Only what says that nothing can be said gets through, and the keyboard.
    """

    def __init__(self) -> None:
        self.output: Hashable = None

    def __enter__(self) -> _Caught:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        if error is None or isinstance(error, Unverifiable | KeyboardInterrupt):
            return False
        self.output = Raised(_told_of(error))
        return True


def _told_of(error: BaseException) -> str:
    parts: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(parts) < 20:
        hidden = {name: value for name, value in vars(cause).items() if value}
        more = f" {hidden!r}" if hidden else ""
        args = "" if cause.args in ((), (str(cause),)) else f" {cause.args!r}"
        parts.append(f"raised {type(cause).__name__}: {cause}{args}{more}")
        cause = cause.__cause__ or cause.__context__
    return " from ".join(parts)


Observer = Callable[[Callable[[], object], EnumeratingCoins], Outcome]


@contextmanager
def watching() -> Generator[Observer]:
    """While this lasts, the observer given runs a mechanism once and returns all that could be seen."""
    ear = _Ear()

    def observe(run: Callable[[], object], coins: EnumeratingCoins) -> Outcome:
        ear.told.clear()
        with _Caught() as caught:
            caught.output = seen(run())
        return Outcome(caught.output, tuple(ear.told), tuple(coins.names))

    def handle(logger: logging.Logger, record: logging.LogRecord) -> None:
        ear.hear(logger, record)

    def enabled(logger: logging.Logger, level: int) -> bool:
        return True

    heard: dict[str, Any] = {"handle": handle, "isEnabledFor": enabled}
    with patch.multiple(logging.Logger, **heard), warnings.catch_warnings(), redirect_stdout(ear), redirect_stderr(ear):
        warnings.simplefilter("always")
        warnings.showwarning = ear.warn
        yield observe
