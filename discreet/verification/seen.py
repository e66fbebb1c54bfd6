# SPDX-License-Identifier: Apache-2.0
"""Outputs as values that can be compared exactly: two are equal only if nothing at all tells them apart.

`repr` would not do: it leaves fields out, shortens arrays and prints addresses. So an output is built of types whose
every bit is known here; any other type is refused, in the open.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Hashable, Iterable
from dataclasses import is_dataclass
from fractions import Fraction
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from discreet.coins.enumerating import Unverifiable

DEEPEST = 40


class Exact(NamedTuple):
    """The type of an output and all that is in it."""

    kind: str
    parts: tuple[Hashable, ...]

    def __str__(self) -> str:
        match self.kind, self.parts:
            case "list", parts:
                return "[" + ", ".join(map(str, parts)) + "]"
            case "tuple", parts:
                return "(" + ", ".join(map(str, parts)) + ("," if len(parts) == 1 else "") + ")"
            case "float", (bytes() as packed,):
                return repr(struct.unpack("<d", packed)[0])
            case "ndarray", (str() as dtype, shape, _, bytes() as content):
                array = np.frombuffer(content, dtype=dtype).reshape(cast("tuple[int, ...]", shape))
                return f"{array.dtype}{array.tolist()}"
            case _, (one,):
                return repr(one)
            case _:
                return f"{self.kind}({', '.join(map(str, self.parts))})"


def seen(value: Any, depth: int = 0) -> Hashable:
    """The value, exactly. Raises Unverifiable for what cannot be compared."""
    if type(value) is int or value is None:
        return value
    if depth > DEEPEST:
        raise Unverifiable("an output is nested too deeply to be compared; return a flat one.")
    if isinstance(value, np.ndarray | np.generic):
        return _seen_array(cast("NDArray[np.generic] | np.generic", value))
    kind = cast("type[object]", type(value))
    if kind in PARTS:
        return Exact(kind.__name__, tuple(seen(part, depth + 1) for part in PARTS[kind](value)))
    if kind in CONTENT:
        return Exact(kind.__name__, CONTENT[kind](value))
    if is_dataclass(kind) and all(_is_plain(base) for base in kind.__mro__[:-1]):
        return Exact(f"{kind.__module__}.{kind.__qualname__}", (seen(vars(value), depth + 1),))
    raise Unverifiable(
        f"an output of type {kind.__name__} cannot be compared exactly; return numbers, text, tuples, "
        "dataclasses or NumPy arrays of numbers."
    )


PARTS: dict[type, Callable[[Any], Iterable[Any]]] = {
    tuple: lambda value: value,
    list: lambda value: value,
    dict: lambda value: (part for item in value.items() for part in item),
}
"""The parts of a container, in its own order: that is an output, too."""

CONTENT: dict[type, Callable[[Any], tuple[Hashable, ...]]] = {
    bool: lambda value: (value,),
    str: lambda value: (value,),
    bytes: lambda value: (value,),
    float: lambda value: (struct.pack("<d", value),),
    Fraction: lambda value: (value.numerator, value.denominator),
}
"""All that is in a value without parts."""


def _is_plain(base: type) -> bool:
    """A dataclass that keeps all it has in its dictionary: nothing in slots, nothing in a built-in type beneath."""
    return "__dataclass_fields__" in vars(base) and "__slots__" not in vars(base)


def _seen_array(array: NDArray[np.generic] | np.generic) -> Exact:
    """Type, shape, layout and every byte; a view would hold on to what it is a view of."""
    if array.dtype.kind not in "biuf" or type(array) not in (np.ndarray, array.dtype.type):
        raise Unverifiable(f"an array of {array.dtype} cannot be compared exactly; return one of numbers.")
    if array.dtype.metadata:
        raise Unverifiable("an array's type carries metadata, which cannot be compared; return a plain one.")
    if isinstance(array, np.generic):
        return Exact("scalar", (array.dtype.str, array.tobytes()))
    if array.base is not None:
        raise Unverifiable("an output is a view of another array, which it would give away; return a copy.")
    layout = (*array.strides, array.flags.writeable)
    return Exact("ndarray", (array.dtype.str, array.shape, layout, array.tobytes()))
