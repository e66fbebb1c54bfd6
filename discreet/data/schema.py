# SPDX-License-Identifier: Apache-2.0
"""The schema: all that is publicly known about a table, written by a person and never read off the rows.

Written by hand in TOML; hashed and stored as canonical JSON. Two schemas are the same if their canonical forms are.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from discreet.data.canonical import canonical
from discreet.data.columns import Column, categories, column
from discreet.errors import SchemaError

KEYS = ("dataset", "rows", "rows_per_person", "labels", "columns")
LONGEST_NAME = 200
MOST_ROWS = 1 << 48
MOST_COLUMNS = 10_000


@dataclass(frozen=True, kw_only=True)
class Label:
    """What is to be learned: one of `values`, of which `positive` counts as yes. Other cells count for nothing."""

    values: tuple[str, ...]
    positive: str

    def as_json(self) -> dict[str, Any]:
        """Its canonical form."""
        return {"values": list(self.values), "positive": self.positive}


@dataclass(frozen=True, kw_only=True)
class Schema:
    """A data set's people, their number, and the declared columns and labels of its rows."""

    dataset: str
    rows: int
    rows_per_person: int
    labels: dict[str, Label]
    columns: dict[str, Column]

    @classmethod
    def load(cls, path: str | Path) -> Schema:
        """The schema in a TOML file."""
        try:
            text = Path(path).read_bytes().decode("utf-8-sig")
        except OSError as error:
            raise SchemaError(f"the schema {path} could not be read ({error.strerror}).") from None
        except UnicodeDecodeError:
            raise SchemaError(f"the schema {path} is not UTF-8 text.") from None
        return cls.parse(text)

    @classmethod
    def parse(cls, text: str) -> Schema:
        """The schema that a TOML text declares."""
        try:
            fields = tomllib.loads(text, parse_float=_exact)
        except tomllib.TOMLDecodeError as error:
            raise SchemaError(f"the schema is not TOML: {error}.") from None
        except (RecursionError, ValueError):
            raise SchemaError("the schema is not TOML that can be read: a number or its nesting is too long.") from None
        return _schema(fields)

    def as_json(self) -> dict[str, Any]:
        """Its canonical form; equal bins are written as edges, and numbers exactly."""
        return {
            "dataset": self.dataset,
            "rows": self.rows,
            "rows_per_person": self.rows_per_person,
            "labels": {name: label.as_json() for name, label in self.labels.items()},
            "columns": {name: kind.as_json() for name, kind in self.columns.items()},
        }

    @property
    def hash(self) -> str:
        """SHA-256 of the canonical JSON."""
        return sha256(canonical(self.as_json())).hexdigest()


def _exact(text: str) -> Fraction:
    """A TOML float as the decimal that was written."""
    digits, _, exponent = text.lower().partition("e")
    if len(digits) > 40 or len(exponent) > 4 or "n" in digits:
        raise ValueError
    return Fraction(text)


def _schema(fields: dict[str, Any]) -> Schema:
    for key in fields:
        if key not in KEYS:
            close = get_close_matches(key, KEYS, n=1)
            hint = f"did you mean `{close[0]}`?" if close else f"a schema has {', '.join(KEYS)}."
            raise SchemaError(f"`{key}` is not a part of a schema; {hint}")
    labels, columns = (_named(part, fields.get(part, {})) for part in ("labels", "columns"))
    if both := [name for name in labels if name in columns]:
        raise SchemaError(f"{both[0]!r} is declared as a label and as a column; choose one.")
    if not 1 <= len(columns) + len(labels) <= MOST_COLUMNS:
        raise SchemaError(f"a schema must declare from 1 to {MOST_COLUMNS} columns and labels.")
    return Schema(
        dataset=_name("dataset", fields.get("dataset")),
        rows=_whole("rows", fields.get("rows"), MOST_ROWS),
        rows_per_person=_whole("rows_per_person", fields.get("rows_per_person", 1), 1000),
        labels={name: _told("label", name, _label, declared) for name, declared in labels.items()},
        columns={name: _told("column", name, column, declared) for name, declared in columns.items()},
    )


def _named(part: str, declared: object) -> dict[str, Any]:
    if not isinstance(declared, dict):
        raise SchemaError(f"`{part}` must be a table: write [{part}] and a line for each of them.")
    fields = cast("dict[str, Any]", declared)
    for name in fields:
        _name(part, name)
    return fields


def _told(part: str, name: str, make: Any, declared: object) -> Any:
    """What is declared under a name, or its mistake with that name before it."""
    try:
        return make(declared)
    except SchemaError as error:
        raise SchemaError(f"{part} {name!r}: {error}.") from None


def _label(declared: object) -> Label:
    if not isinstance(declared, dict):
        raise SchemaError('describe it in braces, such as { values = ["no", "yes"], positive = "yes" }')
    fields = cast("dict[str, Any]", declared)
    if fields.get("boolean") is True:
        fields = {"values": ["false", "true"], "positive": "true", **fields}
        del fields["boolean"]
    if set(fields) - {"values", "positive"} or "values" not in fields:
        raise SchemaError("a label has `values` and `positive`, or `boolean = true`")
    values = categories(fields["values"])
    positive = categories([fields["positive"]])[0] if "positive" in fields else None
    if len(values) < 2 or positive not in values:
        raise SchemaError(f"name one value as positive, such as `positive = {[*values][-1]!r}`, of at least two")
    return Label(values=values, positive=positive)


def _name(part: str, value: object) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_NAME or not value.isprintable():
        raise SchemaError(f"a name in `{part}` must be 1 to {LONGEST_NAME} printable characters.")
    return value


def _whole(part: str, value: object, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise SchemaError(f"`{part}` must be an integer from 1 to {most}, known without looking at the table.")
    return value
