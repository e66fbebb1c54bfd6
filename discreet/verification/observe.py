# SPDX-License-Identifier: Apache-2.0
"""Everything an observer could see of one run: its output or exception, what it logged, warned or printed, and the
sequence of laws that it asked of its coins.

The names of the laws count, and how many draws were asked at once; their other arguments and the number of levels do
not: those are inside the trust boundary, like the time that refinement takes.
"""

from __future__ import annotations

import logging
import traceback
import warnings
from collections.abc import Callable, Generator, Hashable
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import TextIOBase
from types import TracebackType
from typing import Any, NamedTuple, cast
from unittest.mock import patch

from discreet.coins.enumerating import EnumeratingCoins, Unverifiable
from discreet.verification.seen import seen

CLOCK = ("created", "msecs", "relativeCreated", "asctime", "thread", "threadName", "process", "processName", "taskName")
UNTOLD = (*CLOCK, "name", "levelname", "levelno", "message", "exc_info", "exc_text", "msg", "module", "filename")
"""What of a log record is the clock's and the machine's, or is told otherwise."""

DEEPEST = 20


class Raised(str):
    """An exception as an output: its type, text, arguments, notes and attributes, and those of what caused it."""

    __slots__ = ()


class Outcome(NamedTuple):
    """What was seen of one run."""

    output: Hashable
    told: tuple[str, ...]
    laws: tuple[str, ...]
    aside: tuple[Hashable, ...] = ()
    """What else hung on that: places, arguments, extras, channels, attributes; compared, not shown."""

    def __str__(self) -> str:
        told = f" having told {', '.join(map(repr, self.told))}" if self.told else ""
        return f"{self.output}{told}"


class _Ear:
    """Hears log records, warnings and prints, all into one list, and beside it what hangs on them."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.aside: list[Hashable] = []

    def clear(self) -> None:
        """Before the next run."""
        self.told.clear()
        self.aside.clear()

    def hear(self, logger: logging.Logger, record: logging.LogRecord) -> None:
        """A record of any logger and level, with its parts, its extras, its exception and where it was made."""
        where = "" if record.name == "root" else f" {record.name}"
        self.told.append(f"{record.levelname}{where} {record.getMessage()}")
        self.aside.append(seen({key: value for key, value in record.__dict__.items() if key not in UNTOLD}))
        if record.exc_info and record.exc_info[1]:
            self.told[-1] += f" {self.raised(record.exc_info[1])}"

    def warn(self, message: Warning | str, category: type[Warning], file: str, line: int, *rest: object) -> None:
        """A warning, with its attributes and its line."""
        self.told.append(f"{category.__name__} {message}")
        self.aside.append((line, seen(vars(message)) if isinstance(message, Warning) else None))

    def raised(self, error: BaseException, depth: int = 0) -> str:
        """An exception, with its arguments, attributes, place, causes, and the members of a group."""
        if depth > DEEPEST:
            raise Unverifiable("an exception has too many causes to be compared.")
        places = tuple(frame.lineno for frame in traceback.extract_tb(error.__traceback__)[-1:])
        members = cast("tuple[BaseException, ...]", getattr(error, "exceptions", ()))
        plain = () if members else error.args
        self.aside.append((places, seen(plain), seen(vars(error))))
        causes = [cause for cause in (error.__cause__, error.__context__, *members) if cause is not None]
        return " from ".join(
            [f"raised {type(error).__name__}: {error}", *(self.raised(cause, depth + 1) for cause in causes)]
        )


class _Stream(TextIOBase):
    """Standard output, or standard error."""

    def __init__(self, ear: _Ear, name: str) -> None:
        self._ear, self._name = ear, name

    def write(self, text: str) -> int:
        self._ear.told.append(text)
        self._ear.aside.append(self._name)
        return len(text)


class _Caught:
    """Turns an exception into an output, for the length of a `with`: exits of the process, too.

    Only what says that nothing can be said gets through, and the keyboard.
    """

    def __init__(self, ear: _Ear) -> None:
        self.output: Hashable = None
        self._ear = ear

    def __enter__(self) -> _Caught:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        if error is None or isinstance(error, Unverifiable | KeyboardInterrupt):
            return False
        self.output = Raised(self._ear.raised(error))
        return True


Observer = Callable[[Callable[[], object], EnumeratingCoins], Outcome]


@contextmanager
def watching() -> Generator[Observer]:
    """While this lasts, the observer given runs a mechanism once and returns all that could be seen."""
    ear = _Ear()

    def observe(run: Callable[[], object], coins: EnumeratingCoins) -> Outcome:
        ear.clear()
        with _Caught(ear) as caught:
            caught.output = seen(run())
        return Outcome(caught.output, tuple(ear.told), tuple(coins.names), tuple(ear.aside))

    def handle(logger: logging.Logger, record: logging.LogRecord) -> None:
        ear.hear(logger, record)

    def enabled(logger: logging.Logger, level: int) -> bool:
        return True

    heard: dict[str, Any] = {"handle": handle, "isEnabledFor": enabled}
    streams = redirect_stdout(_Stream(ear, "out")), redirect_stderr(_Stream(ear, "err"))
    with patch.multiple(logging.Logger, **heard), warnings.catch_warnings(), streams[0], streams[1]:
        warnings.simplefilter("always")
        warnings.showwarning = ear.warn
        yield observe
