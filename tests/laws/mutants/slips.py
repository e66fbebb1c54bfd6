# SPDX-License-Identifier: Apache-2.0
"""How a list of slips is written down: what was confused, what stands in the source, what stands there instead."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from discreet.verification.case import Case
from discreet.verification.mutants import Mutant

Build = Callable[[ModuleType], Case]
Slip = tuple[str, str, str]


def slips(module: str, case: Build, *told: Slip, through: str = "") -> tuple[Mutant, ...]:
    """A mutant of `module` for each slip, all seen on the same case."""
    return tuple(
        Mutant(slip=slip, module=module, found=found, instead=instead, case=case, through=through)
        for slip, found, instead in told
    )


def before(statement: str, line: str) -> tuple[str, str]:
    """(found, instead) that puts another line of the same indentation before a line of the source."""
    indentation = line[: len(line) - len(line.lstrip())]
    return line, f"{indentation}{statement}\n{line}"
