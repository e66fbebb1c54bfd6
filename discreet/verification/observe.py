# SPDX-License-Identifier: Apache-2.0
"""Everything an observer could see of one run: its output or exception, what it logged, warned or printed, and the
sequence of laws that it asked of its coins.

The names of the laws count, their arguments and the number of levels do not: those are inside the trust
boundary, like the time that refinement takes.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Generator, Hashable
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import TextIOBase
from types import TracebackType
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from discreet.coins.enumerating import EnumeratingCoins, NotPure


class Outcome(NamedTuple):
    """What was seen of one run."""

    output: Hashable
    told: tuple[str, ...]
    laws: tuple[str, ...]

    def __str__(self) -> str:
        told = f" having told {', '.join(map(repr, self.told))}" if self.told else ""
        return f"{self.output}{told}"


class _Ear(logging.Handler, TextIOBase):
    """Hears log records, warnings and prints, all into one list."""

    def __init__(self) -> None:
        super().__init__(level=logging.NOTSET)
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.told.append(f"{record.levelname} {record.getMessage()}")

    def write(self, text: str) -> int:
        self.told.append(text)
        return len(text)

    def warn(self, message: Warning | str, category: type[Warning], *place: object) -> None:
        self.told.append(f"{category.__name__} {message}")


class _Raised:
    """Turns an exception into an output, for the length of a `with`. Only an impure mechanism gets through."""

    def __init__(self) -> None:
        self.output: Hashable = None

    def __enter__(self) -> _Raised:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        if not isinstance(error, Exception) or isinstance(error, NotPure):
            return False
        self.output = f"raised {type(error).__name__}: {error}"
        return True


Observer = Callable[[Callable[[], object], EnumeratingCoins], Outcome]


@contextmanager
def watching() -> Generator[Observer]:
    """While this lasts, the observer given runs a mechanism once and returns all that could be seen."""
    ear, root, level = _Ear(), logging.getLogger(), logging.getLogger().level

    def observe(run: Callable[[], object], coins: EnumeratingCoins) -> Outcome:
        ear.told.clear()
        with _Raised() as raised:
            raised.output = seen(run())
        return Outcome(raised.output, tuple(ear.told), tuple(coins.names))

    root.addHandler(ear)
    root.setLevel(1)
    try:
        with warnings.catch_warnings(), redirect_stdout(ear), redirect_stderr(ear):
            warnings.simplefilter("always")
            warnings.showwarning = ear.warn
            yield observe
    finally:
        root.removeHandler(ear)
        root.setLevel(level)


def seen(value: object) -> Hashable:
    """An output as something that can be compared: equal only if it is written alike and of one type."""
    if type(value) is int or value is None:
        return value
    if isinstance(value, np.ndarray):
        array = cast("NDArray[np.generic]", value)
        return f"{array.dtype}{array.tolist()}"
    return repr(value)
