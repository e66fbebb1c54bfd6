# SPDX-License-Identifier: Apache-2.0
"""The lowest version of every dependency, as pip constraints: each floor `name>=1.2` becomes `name==1.2`.

    python scripts/lowest.py [EXTRA ...]

Reads pyproject.toml. Markers are kept; extras of a dependency are dropped, because pip refuses them in
constraints. A dependency without a floor is an error: nobody could say what its lowest version is.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

REQUIREMENT = re.compile(
    r"(?P<name>[A-Za-z0-9._-]+)\s*(\[[^\]]*\])?\s*>=\s*(?P<floor>[A-Za-z0-9.]+)\s*(?P<marker>;.*)?$"
)


def lowest(requirement: str) -> str:
    """`name[extra]>=1.2; marker` as `name==1.2; marker`."""
    match = REQUIREMENT.match(requirement.strip())
    if match is None:
        raise SystemExit(f"a dependency must be one floor, `name>=version`; got {requirement!r}")
    return f"{match['name']}=={match['floor']}{match['marker'] or ''}"


def requirements(pyproject: str, extras: Iterable[str]) -> Iterator[str]:
    """The base dependencies, then those of each extra named."""
    project = tomllib.loads(pyproject)["project"]
    yield from project["dependencies"]
    for extra in extras:
        yield from project["optional-dependencies"][extra]


def main() -> None:
    pyproject = Path(__file__).parents[1] / "pyproject.toml"
    for requirement in requirements(pyproject.read_text("utf-8"), sys.argv[1:]):
        print(lowest(requirement))


if __name__ == "__main__":
    main()
