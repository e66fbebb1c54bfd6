# SPDX-License-Identifier: Apache-2.0
"""The schema: what it accepts, what it refuses and how, and when two of them are the same."""

from __future__ import annotations

import json
import time
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.canonical import canonical
from discreet.data.columns import plain
from discreet.data.schema import Schema
from discreet.errors import SchemaError

HEART = """
dataset = "heart-2026"            # the people: one ledger belongs to it
rows = 20000                      # public
[labels]
disease = { values = ["no", "yes"], positive = "yes" }
[columns]
age  = { low = 25, high = 80, edges = [40, 50, 60, 70] }
pain = { values = ["typical", "atypical", "none"] }
fbs  = { boolean = true }
user = { below = "2^64" }
"""


def with_column(declared: str) -> str:
    return f'dataset = "a"\nrows = 2\n[columns]\nx = {declared}\n'


def with_label(declared: str) -> str:
    return f'dataset = "a"\nrows = 2\n[labels]\nx = {declared}\n'


def test_the_documented_schema_is_read_as_it_is_meant() -> None:
    assert Schema.parse(HEART).as_json() == {
        "dataset": "heart-2026",
        "rows": 20000,
        "rows_per_person": 1,
        "labels": {"disease": {"values": ["no", "yes"], "positive": "yes"}},
        "columns": {
            "age": {"low": 25, "high": 80, "edges": [40, 50, 60, 70]},
            "pain": {"values": ["typical", "atypical", "none"], "other": False, "missing": False},
            "fbs": {"boolean": True},
            "user": {"below": "18446744073709551616"},
        },
    }


SAME = [
    ("{ low = 0, high = 10, bins = 5 }", "{ low = 0.0, high = 10, edges = [2, 4.0, 6, 8] }"),
    ("{ low = 0, high = 1, bins = 3 }", "{ bins = 3, high = 1.0, low = -0.0 }"),
    ("{ values = [1, 2] }", '{ values = [1.0, "2"] }'),
    ('{ values = ["a", "b"] }', '{ values = [" a", "b "], other = false }'),
    ('{ below = "2^8" }', "{ below = 256 }"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_knowledge_has_the_same_hash_however_it_is_written(one: str, other: str) -> None:
    assert Schema.parse(with_column(one)).hash == Schema.parse(with_column(other)).hash


DIFFERENT = [
    ("{ low = 0, high = 10 }", "{ low = 0, high = 11 }"),
    ("{ low = 0, high = 10 }", "{ low = 0, high = 10, bins = 2 }"),
    ('{ values = ["a", "b"] }', '{ values = ["b", "a"] }'),
    ('{ values = ["a"] }', '{ values = ["a"], other = true }'),
    ("{ below = 2 }", "{ boolean = true }"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_knowledge_has_a_different_hash(one: str, other: str) -> None:
    assert Schema.parse(with_column(one)).hash != Schema.parse(with_column(other)).hash


def test_a_decimal_is_the_number_that_was_written() -> None:
    schema = Schema.parse(with_column("{ low = 0.1, high = 0.3, edges = [0.2] }"))
    assert schema.as_json()["columns"]["x"] == {"low": "0.1", "high": "0.3", "edges": ["0.2"]}


def test_a_yes_or_no_label_may_be_boolean() -> None:
    label = Schema.parse(with_label("{ boolean = true }")).labels["x"]
    assert (label.values, label.positive) == (("false", "true"), "true")


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "heart.toml"
    path.write_bytes(b"\xef\xbb\xbf" + HEART.encode())
    assert Schema.load(path) == Schema.parse(HEART)


BAD_COLUMNS = {
    "{}": "give one of",
    "3": "describe it in braces",
    "[]": "describe it in braces",
    '"?"': "describe it in braces",
    "{ low = 1 }": "`high` must be a number",
    "{ high = 1 }": "give one of",
    '{ low = "?", high = "?" }': "never the table's own smallest",
    '{ low = 1, high = "?" }': 'a "?" still stands',
    '{ low = "1", high = 2 }': "`low` must be a number, got '1'",
    "{ low = true, high = 2 }": "`low` must be a number, got True",
    "{ low = 2, high = 2 }": "`low` must be below `high`",
    "{ low = 3, high = 2 }": "`low` must be below `high`",
    "{ low = nan, high = 2 }": "not TOML that can be read",
    "{ low = -inf, high = 2 }": "not TOML that can be read",
    "{ low = 0, high = 1e99999999 }": "not TOML that can be read",
    "{ low = 0, high = 1, bins = 1 }": "`bins` must be an integer from 2",
    "{ low = 0, high = 1, bins = 2.5 }": "`bins` must be an integer from 2",
    "{ low = 0, high = 1, bins = 99999999 }": "`bins` must be an integer from 2",
    "{ low = 0, high = 1, bins = true }": "`bins` must be an integer from 2",
    "{ low = 0, high = 1, bins = 2, edges = [0.5] }": "not both",
    "{ low = 0, high = 1, edges = 0.5 }": "`edges` must be a list",
    "{ low = 0, high = 1, edges = [0] }": "`edges` must increase",
    "{ low = 0, high = 1, edges = [2] }": "`edges` must increase",
    "{ low = 0, high = 9, edges = [3, 3] }": "`edges` must increase",
    "{ low = 0, high = 9, edges = [4, 3] }": "`edges` must increase",
    '{ low = 0, high = 9, edges = ["a"] }': "`edges` must be a number",
    "{ low = 0, high = 9, values = [1] }": "give one of",
    "{ low = 0, high = 9, step = 1 }": "`step` does not go with low, high, edges, bins",
    "{ values = [] }": "`values` must be at least one word",
    '{ values = "a" }': "`values` must be a list",
    '{ values = ["a", "a"] }': "each different",
    '{ values = ["a", " a"] }': "each different",
    '{ values = [1, "1.0", "1"] }': "each different",
    '{ values = [""] }': "none empty",
    "{ values = [true, false] }": "write `boolean = true`",
    "{ values = [[1]] }": "`values` must be words or numbers",
    "{ values = [2020-01-01] }": "`values` must be words or numbers",
    '{ values = ["a"], other = 1 }': "`other` must be true or false",
    '{ values = ["a"], missing = "yes" }': "`missing` must be true or false",
    "{ boolean = false }": "write `boolean = true`",
    "{ boolean = 1 }": "write `boolean = true`",
    "{ boolean = true, other = true }": "`other` does not go with boolean",
    "{ below = 1 }": "`below` must be an integer from 2",
    "{ below = 0 }": "`below` must be an integer from 2",
    "{ below = -5 }": "`below` must be an integer from 2",
    "{ below = 2.0 }": "`below` must be an integer from 2",
    '{ below = "2^65" }': "`below` must be an integer from 2",
    '{ below = "9^99" }': "`below` must be an integer from 2",
    '{ below = "2^999999" }': "`below` must be an integer from 2",
    '{ below = "x^2" }': "`below` must be an integer from 2",
    '{ below = "" }': "`below` must be an integer from 2",
    "{ below = true }": "`below` must be an integer from 2",
}
BAD_LABELS = {
    "{}": "a label has `values` and `positive`",
    "3": "describe it in braces",
    '{ values = ["a", "b"] }': "name one value as positive",
    '{ values = ["a", "b", "c"] }': "name one value as positive",
    '{ values = ["a", "b"], positive = "c" }': "name one value as positive",
    '{ values = ["a"], positive = "a" }': "of at least two",
    '{ positive = "a" }': "a label has `values` and `positive`",
    '{ values = ["a", "b"], positive = "a", weight = 2 }': "a label has `values` and `positive`",
    '{ values = ["a", "b"], positive = ["a"] }': "`values` must be words",
    "{ boolean = false }": "a label has `values` and `positive`",
    '{ boolean = true, values = ["a"] }': "name one value as positive",
}
BAD_SCHEMAS = {
    "": "must declare from 1",
    "dataset": "the schema is not TOML",
    'dataset = "a"\ndataset = "b"': "the schema is not TOML",
    'dataset = "a"\nrows = 2': "must declare from 1",
    "rows = 2\n[columns]\nx = { boolean = true }": "`dataset` must be 1 to",
    'dataset = ""\nrows = 2\n[columns]\nx = { boolean = true }': "`dataset` must be 1 to",
    "dataset = 3\nrows = 2\n[columns]\nx = { boolean = true }": "`dataset` must be 1 to",
    'dataset = "a"\n[columns]\nx = { boolean = true }': "`rows` must be an integer from 1",
    'dataset = "a"\nrows = 0\n[columns]\nx = { boolean = true }': "`rows` must be an integer from 1",
    'dataset = "a"\nrows = "many"\n[columns]\nx = { boolean = true }': "`rows` must be an integer from 1",
    'dataset = "a"\nrows = 1.0\n[columns]\nx = { boolean = true }': "`rows` must be an integer from 1",
    'dataset = "a"\nrows = true\n[columns]\nx = { boolean = true }': "`rows` must be an integer from 1",
    'dataset = "a"\nrows = 2\nrows_per_person = 0\n[columns]\nx = { boolean = true }': "`rows_per_person` must be",
    'dataset = "a"\nrows = 2\ncolumns = 3': "`columns` must be a table",
    'dataset = "a"\nrows = 2\nlabels = []': "`labels` must be a table",
    'dataset = "a"\nrows = 2\n[colums]\nx = { boolean = true }': "did you mean `columns`?",
    'dataset = "a"\nrows = 2\nsecret = 1': "a schema has dataset",
    'dataset = "a"\nrows = 2\n[columns]\n"" = { boolean = true }': "a name in `columns` must be",
    'dataset = "a"\nrows = 2\n[columns]\n"a\\nb" = { boolean = true }': "a name in `columns` must be",
    'dataset = "a"\nrows = 2\n[columns]\nx = { boolean = true }\n[labels]\nx = { boolean = true }': "choose one",
    'dataset = "a"\nrows = 2\nx = ' + "[" * 5000: "not TOML",
}
BAD = [
    *((with_column(text), said) for text, said in BAD_COLUMNS.items()),
    *((with_label(text), said) for text, said in BAD_LABELS.items()),
    *BAD_SCHEMAS.items(),
]


@pytest.mark.parametrize(("text", "said"), BAD, ids=range(len(BAD)))
def test_a_mistake_is_told_in_one_sentence_with_its_place(text: str, said: str) -> None:
    started = time.process_time()
    with pytest.raises(SchemaError) as caught:
        Schema.parse(text)
    sentence = str(caught.value)
    assert said in sentence
    assert "\n" not in sentence
    assert sentence.endswith((".", "?"))
    assert time.process_time() - started < 1


def test_the_mistakes_are_many() -> None:
    assert len({text for text, _ in BAD}) >= 80


@pytest.mark.parametrize("content", [None, b"\xff\xfe", b"\x00"])
def test_a_file_that_is_no_text_is_told_so(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "s.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SchemaError, match="schema"):
        Schema.load(path)


@given(st.fractions(max_denominator=10**6))
def test_a_number_is_written_exactly(number: Fraction) -> None:
    """An integer, an exactly equal decimal, or p/q: whatever it is, reading it back gives the number."""
    written = plain(number)
    assert Fraction(written) == number
    assert isinstance(written, str) or number.denominator == 1


@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda part: st.dictionaries(st.text(), part))
)
def test_equal_values_have_equal_bytes(value: object) -> None:
    assert canonical(json.loads(canonical(value))) == canonical(value)
