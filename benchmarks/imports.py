# SPDX-License-Identifier: Apache-2.0
"""What a fresh process costs before it has done anything."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from benchmarks.row import Row
from benchmarks.timing import cpu_seconds_of_command

COMMANDS = (
    ("bare Python", ("-c", "pass"), None),
    ("import discreet", ("-c", "import discreet"), 0.3),
    ("discreet --help", ("-m", "discreet.cli.main", "--help"), 0.5),
)
"""Name, arguments of Python, and how many CPU seconds at most."""


def rows(*, repetitions: int = 5) -> Iterator[Row]:
    for what, arguments, most in COMMANDS:
        taken = cpu_seconds_of_command((sys.executable, *arguments), repetitions=repetitions)
        yield Row(what=what, ours=taken, unit="s", most=most)
