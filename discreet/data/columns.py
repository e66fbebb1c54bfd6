# SPDX-License-Identifier: Apache-2.0
"""The kinds of columns: what a person declares about a column's cells without looking at them.

Each kind has one way to be written in JSON, whatever way it was declared: five equal bins and their four edges are the
same column.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

from discreet.errors import SchemaError

EXACT_INTEGERS = 1 << 53
"""JSON readers of other languages keep smaller integers exactly; larger ones are written as text."""

MOST_CUTS = 10_000
WIDEST_DOMAIN = 1 << 64


@dataclass(frozen=True, kw_only=True)
class Numeric:
    """A number from `low` to `high`; cells outside are clamped. Learners see it through "at least `edge`?"."""

    low: Fraction
    high: Fraction
    edges: tuple[Fraction, ...]
    keys: ClassVar = ("low", "high", "edges", "bins")

    @classmethod
    def declared(cls, fields: dict[str, Any]) -> Numeric:
        """From low, high and, for learners, either edges or a number of equal bins."""
        low, high = _number("low", fields["low"]), _number("high", fields.get("high"))
        if not low < high:
            raise SchemaError(f"`low` must be below `high`, got {low} and {high}")
        if "edges" in fields and "bins" in fields:
            raise SchemaError("give either `edges = [...]` or `bins = N`, not both")
        if "bins" in fields:
            count = _count("bins", fields["bins"], 2, MOST_CUTS)
            edges = tuple(low + (high - low) * step / count for step in range(1, count))
        else:
            edges = tuple(_number("edges", edge) for edge in _array("edges", fields.get("edges", [])))
        if not all(a < b for a, b in pairwise((low, *edges))) or (low, *edges)[-1] > high:
            raise SchemaError("`edges` must increase, above `low` and up to `high`")
        return cls(low=low, high=high, edges=edges)

    def as_json(self) -> dict[str, Any]:
        """Its canonical form."""
        return {"low": plain(self.low), "high": plain(self.high), "edges": [plain(edge) for edge in self.edges]}


@dataclass(frozen=True, kw_only=True)
class Categorical:
    """One of `values`. Any other cell is `other`, an empty one `missing`; these are questions only where asked for."""

    values: tuple[str, ...]
    other: bool = False
    missing: bool = False
    keys: ClassVar = ("values", "other", "missing")

    @classmethod
    def declared(cls, fields: dict[str, Any]) -> Categorical:
        """From a list of words or numbers; 1 and 1.0 are the same category."""
        flags = {name: _flag(name, fields.get(name, False)) for name in ("other", "missing")}
        return cls(values=categories(fields["values"]), **flags)

    def as_json(self) -> dict[str, Any]:
        """Its canonical form."""
        return {"values": list(self.values), "other": self.other, "missing": self.missing}


@dataclass(frozen=True, kw_only=True)
class Boolean:
    """True or false."""

    keys: ClassVar = ("boolean",)

    @classmethod
    def declared(cls, fields: dict[str, Any]) -> Boolean:
        """From `boolean = true`."""
        if fields["boolean"] is not True:
            raise SchemaError("write `boolean = true`, or another kind of column")
        return cls()

    def as_json(self) -> dict[str, Any]:
        """Its canonical form."""
        return {"boolean": True}


@dataclass(frozen=True, kw_only=True)
class Below:
    """An integer from 0 to `bound` - 1, bound <= 2^64: for points and thresholds over large domains."""

    bound: int
    keys: ClassVar = ("below",)

    @classmethod
    def declared(cls, fields: dict[str, Any]) -> Below:
        """From an integer or a power such as "2^64"."""
        given = fields["below"]
        base, hat, exponent = given.partition("^") if isinstance(given, str) else ("", "", "")
        if hat and base.isdecimal() and exponent.isdecimal() and len(base) < 20 and len(exponent) < 3:
            given = int(base) ** int(exponent)
        elif isinstance(given, str) and given.isdecimal() and len(given) <= 20:
            given = int(given)
        return cls(bound=_count("below", given, 2, WIDEST_DOMAIN))

    def as_json(self) -> dict[str, Any]:
        """Its canonical form."""
        return {"below": plain(Fraction(self.bound))}


Column = Numeric | Categorical | Boolean | Below

KINDS: dict[str, type[Column]] = {"low": Numeric, "values": Categorical, "boolean": Boolean, "below": Below}
"""Which kind a column is, by the key that only this kind has."""


def column(fields: object) -> Column:
    """The column that a person declared."""
    if not isinstance(fields, dict):
        raise SchemaError("describe it in braces, such as { boolean = true }")
    known: dict[str, Any] = fields  # pyright: ignore[reportUnknownVariableType]  # TOML's keys are strings
    kinds = [kind for key, kind in KINDS.items() if key in known]
    if len(kinds) != 1:
        raise SchemaError("give one of `low` and `high`, `values`, `boolean` or `below`")
    if extra := [key for key in known if key not in kinds[0].keys]:
        raise SchemaError(f"`{extra[0]}` does not go with {', '.join(kinds[0].keys)}")
    if "?" in map(str, known.values()):
        raise SchemaError(
            'a "?" still stands where a public limit belongs: write one that you know without the table, '
            "from a textbook or a form's rules, never the table's own smallest or largest value"
        )
    return kinds[0].declared(known)


def categories(given: object) -> tuple[str, ...]:
    """At least one category, all different, as they are written."""
    words = tuple(_category(value) for value in _array("values", given))
    if not words or len(set(words)) < len(words) or "" in words:
        raise SchemaError("`values` must be at least one word, each different and none empty")
    return words


def plain(number: Fraction) -> int | str:
    """A rational in JSON: an integer below 2^53 as a number, else an exactly equal decimal, else "p/q"."""
    if number.denominator == 1 and abs(number.numerator) < EXACT_INTEGERS:
        return number.numerator
    twos_and_fives = number.denominator
    for prime in (2, 5):
        while twos_and_fives % prime == 0:
            twos_and_fives //= prime
    if twos_and_fives != 1:
        return str(number)
    digits = 0
    while number.denominator != 1:
        number, digits = number * 10, digits + 1
    text = str(abs(number.numerator)).rjust(digits + 1, "0")
    sign = "-" if number < 0 else ""
    return sign + (f"{text[:-digits]}.{text[-digits:]}" if digits else text)


def _category(value: object) -> str:
    match value:
        case bool():
            raise SchemaError("`values` must be words or numbers; for true and false write `boolean = true`")
        case str():
            return value.strip()
        case int() | Fraction():
            return str(plain(Fraction(value)))
        case _:
            raise SchemaError("`values` must be words or numbers")


def _number(name: str, value: object) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        raise SchemaError(f"`{name}` must be a number, got {value!r}")
    return Fraction(value)


def _count(name: str, value: object, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise SchemaError(f"`{name}` must be an integer from {least} to {most}, got {str(value)[:40]!r}")
    return value


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise SchemaError(f"`{name}` must be true or false, got {value!r}")
    return value


def _array(name: str, value: object) -> list[object]:
    if not isinstance(value, list):
        raise SchemaError(f"`{name}` must be a list in brackets, got {value!r}")
    return value  # pyright: ignore[reportUnknownVariableType]  # TOML's lists hold anything
