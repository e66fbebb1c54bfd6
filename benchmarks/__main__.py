# SPDX-License-Identifier: Apache-2.0
"""Run the named benchmarks, or all; exit with 1 if a requirement is missed."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import imports, noise, responses, selection, verifier
from benchmarks.row import Row

BENCHMARKS: dict[str, Callable[[], Iterator[Row]]] = {
    "noise": noise.rows,
    "selection": selection.rows,
    "responses": responses.rows,
    "verifier": verifier.rows,
    "imports": imports.rows,
}

DISTRIBUTIONS = (
    "discreet", "numpy", "numba", "python-flint", "cryptography", "opendp", "pure-ldp", "multi-freq-ldpy",
)  # fmt: skip

COLUMNS = ("what", "ours", "peer", "ratio", "required", "verdict")
STYLES = {"MISS": "bold red", "pass": "green"}


def main(arguments: list[str] | None = None) -> int:
    chosen = _parsed(arguments)
    found = {name: _measured(name) for name in chosen.names or BENCHMARKS}
    print(json.dumps(_as_json(found), indent=1)) if chosen.json else _show(found)
    return int(any(row.verdict == "MISS" for rows in found.values() for row in rows))


def _parsed(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="name", help=f"any of {', '.join(BENCHMARKS)}; all if none is named"
    )
    parser.add_argument("--json", action="store_true", help="for machines")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.names) - set(BENCHMARKS):
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    return chosen


def _measured(name: str) -> list[Row]:
    print(f"measuring {name} …", file=sys.stderr, flush=True)
    return list(BENCHMARKS[name]())


def machine() -> dict[str, str]:
    """What the times hold for."""
    return {"cpu": _cpu(), "python": platform.python_version(), **{name: _version(name) for name in DISTRIBUTIONS}}


def _cpu() -> str:
    information = Path("/proc/cpuinfo")
    lines = information.read_text("utf-8").splitlines() if information.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{len(names)} × {names[0]}" if names else platform.processor() or platform.machine()


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"


def _as_json(found: dict[str, list[Row]]) -> dict[str, object]:
    rows = [{"benchmark": name, **row.as_json()} for name, rows in found.items() for row in rows]
    return {"machine": machine(), "rows": rows}


def _show(found: dict[str, list[Row]]) -> None:
    facts = machine()
    print(f"CPU time, medians, on {facts.pop('cpu')}; " + ", ".join(f"{name} {is_}" for name, is_ in facts.items()))
    table = Table(*COLUMNS)
    for name, rows in found.items():
        table.add_section()
        table.add_row(name, style="bold")
        for row in rows:
            table.add_row(*row.cells(), style=STYLES.get(row.verdict))
    Console(width=None if sys.stdout.isatty() else 150).print(table)


if __name__ == "__main__":
    sys.exit(main())
