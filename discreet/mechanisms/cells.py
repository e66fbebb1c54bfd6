# SPDX-License-Identifier: Apache-2.0
"""Cells of an undeclared domain, told apart by all that is in them.

A cell is an integer, a text, a truth value, a number, None, or a tuple of such. Python calls 1, True and 1.0 equal and
would keep whichever came first, so each is named by its type and its exact content, and what is released is made
anew from that name. Anything else is no cell: a row with one counts nowhere, as a refusal would show it.
"""

from __future__ import annotations

import struct
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, cast

import numpy as np

Name = tuple[str, Any]
"""A cell's type and exact content. Names can be sorted."""

DEEPEST = 8


def name_of(cell: object, depth: int = 0) -> Name | None:
    """The cell's name; None for what is no cell. Never raises."""
    if isinstance(cell, np.generic):
        scalar = cast("np.generic", cell)
        cell = scalar.item() if scalar.dtype.kind in "biufUS" else object()
    kind = type(cell)
    if any(kind is known for known in (int, str, bytes, bool)):
        return kind.__name__, cell
    if cell is None:
        return "", 0
    if kind is float:
        return "float", struct.pack(">d", cell)
    if kind is tuple and depth < DEEPEST:
        parts = [name_of(part, depth + 1) for part in cell]  # pyright: ignore
        return None if None in parts else ("tuple", tuple(parts))
    return None


def cell_of(name: Name) -> Hashable:
    """The cell of that name."""
    match name:
        case "", _:
            return None
        case "float", packed:
            return struct.unpack(">d", packed)[0]
        case "tuple", parts:
            return tuple(cell_of(part) for part in parts)
        case _, cell:
            return cell


def tally(cells: Iterable[object]) -> Mapping[Name, int]:
    """How many rows lie in each cell."""
    counts: dict[Name, int] = {}
    for cell in cells:
        name = name_of(cell)
        if name is not None:
            counts[name] = counts.get(name, 0) + 1
    return counts
