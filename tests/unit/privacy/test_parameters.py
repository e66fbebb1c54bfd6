# SPDX-License-Identifier: Apache-2.0
"""Public numbers are read as a person means them, or refused in one sentence. T10: silly ones, each in its own way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction
from functools import partial
from time import process_time
from typing import Any

import numpy as np
import pytest

from discreet.errors import DiscreetError, ParameterError
from discreet.privacy.composition import (
    Parts,
    advanced,
    advanced_as_published,
    by_content,
    delta_of_repeats,
    group,
    parallel,
)
from discreet.privacy.loss import AddRemoveLoss, PrivacyLoss
from discreet.privacy.parameters import (
    fraction_of_one,
    integer,
    integers,
    nonnegative,
    positive,
    probability,
    rational,
)

MEANT = [
    (1, Fraction(1)),
    (0.1, Fraction(1, 10)),
    (1e-6, Fraction(1, 10**6)),
    (1e300, Fraction(10**300)),
    (5e-324, Fraction(5, 10**324)),
    (-0.0, Fraction(0)),
    ("0.1", Fraction(1, 10)),
    ("1/10", Fraction(1, 10)),
    (" 1/10 ", Fraction(1, 10)),
    ("1e-6", Fraction(1, 10**6)),
    ("1E+2", Fraction(100)),
    ("1_000", Fraction(1000)),
    ("1e0000000000006", Fraction(10**6)),
    (Decimal("0.1"), Fraction(1, 10)),
    (Decimal("1e-9"), Fraction(1, 10**9)),
    (Fraction(2, 6), Fraction(1, 3)),
    (np.float64(0.1), Fraction(1, 10)),
    (np.float32(0.1), Fraction(1, 10)),
    (np.float16(0.1), Fraction(1, 10)),
    (np.int8(-3), Fraction(-3)),
    (np.uint64(2**64 - 1), Fraction(2**64 - 1)),
    (np.str_("0.1"), Fraction(1, 10)),
]


@pytest.mark.parametrize(("given", "meant"), MEANT, ids=repr)
def test_a_number_is_read_as_it_is_written(given: Any, meant: Fraction) -> None:
    """A float is its shortest decimal, of whatever width."""
    number = rational("x", given)
    assert number == meant
    assert type(number) is Fraction


NO_NUMBERS: list[Any] = [
    None, True, False, np.True_, "", " ", "abc", "1/0", "0/0", "1//2", "1/2/3", "1,5", "one", "0x10", "1e", "e5",
    "--1", "nan", "NaN", "inf",
    "-inf", "Infinity", "½", "1 000", "1e1000", "1e-1000", "1e999999999", "1e-999999999", "1e1000000000",
    "1e-1000000000",
    "1e9_0_0_0_0_0_0_0_0_0", "1e+00000999999999", " 1e1000000000 ", "9" * 5000, "1/" + "3" * 5000, "0." + "1" * 5000,
    "\0", "1\n2", "1;2",
    float("nan"), float("inf"), float("-inf"), np.float64("nan"), np.float32("inf"), np.float16("-inf"),
    Decimal("nan"), Decimal("sNaN"), Decimal("inf"), Decimal("-inf"), Decimal("1e1000000000"),
    Decimal("1e-1000000000"), Decimal("1e999"),
    10**5000, -(10**5000), 1 << 100_000, 1j, 0j, np.complex128(1), b"1", bytearray(b"1"), [], [1], (1,), {}, {1},
    {"epsilon": 1}, object(),
    object, int, len, lambda: 1, np.array(1), np.array([1.0]), np.array([]), np.datetime64("2026-01-01"),
    np.timedelta64(5, "s"),
    Ellipsis, NotImplemented, range(3), iter([1]), ValueError("1"), Exception, memoryview(b"1"), slice(1), np.float64,
    np.void(b"1"),
]  # fmt: skip

OUT_OF_RANGE: list[tuple[Callable[..., Any], Any]] = [
    *(
        (positive, value)
        for value in (0, -1, 0.0, -0.0, "-1/10", "-1e-300", Decimal(-1), 10_001, "1e5", 1e300, Fraction(10**400))
    ),
    *((nonnegative, value) for value in (-1, "-1/3", -1e-300, np.int8(-1), Fraction(-1, 10**4400), Decimal("-0.1"))),
    *((fraction_of_one, value) for value in (0, 1, 2, -1, 1.0, "1", "2/1", -0.5, 1e300, "3/2", Fraction(10**400, 3))),
    *((probability, value) for value in (-1, 2, "3/2", -1e-9, 1.0000000000000002, Fraction(10**5000), np.float32(-1))),
]

NO_INTEGERS: list[Any] = [
    None, True, False, np.False_, 1.0, 1.5, "1", "", b"1", Fraction(1), Fraction(1, 2), Decimal(1), 1j, [], [1], (1,),
    {}, object(), float("nan"),
    float("inf"), np.float64(1), np.array(1), np.array([1]), 0, -1, 11, 10**30, 10**5000, -(10**5000), 1 << 63,
    -(1 << 70), np.int64(-5),
    np.uint64(2**64 - 1), np.int8(127), np.datetime64("2026-01-01"), lambda: 1, Ellipsis, range(3),
]  # fmt: skip

NO_VECTORS: list[Any] = [
    None, 1, "12", [], [[1, 2]], [[1], [1, 2]], [1.0, 2.0], [True, False], ["a", "b"], [None, 1], [1j, 2],
    (10**30, 1), [2**63, 1], {1, 2},
    {1: 2, 2: 3}, [1], [1, 2, 3], np.zeros(2), np.zeros((2, 1), np.int64), np.zeros(2, np.uint64),
    np.zeros(2, np.bool_), np.zeros(2, np.complex64),
    np.array(["a", "b"]), np.zeros(2, "datetime64[s]"), np.zeros(2, "timedelta64[s]"), np.zeros(0, np.int64),
    np.array(3),
    np.array([1, 2], dtype=object), [float("nan")] * 2, range(5), object(), iter([1, 2]), np.zeros(2, "V2"),
]  # fmt: skip

LOSS = PrivacyLoss("1/2")
LONG = Fraction(10**5000, 3)

Call = Callable[[], Any]


def each(name: str, call: Callable[[Any], Any], *values: Any) -> list[tuple[str, Call]]:
    """The same call with each of the values, which are to be refused under that name."""
    return [(name, partial(call, value)) for value in values]


SILLY: list[tuple[str, Call]] = [
    *each("x", partial(rational, "x"), *NO_NUMBERS),
    *(("x", partial(read, "x", value)) for read, value in OUT_OF_RANGE),
    *each("x", partial(integer, "x", least=1, most=10), *NO_INTEGERS),
    *each("x", partial(integer, "x", least=1), 0, -1, 1 << 63, 10**5000, -(10**5000)),
    *each("x", partial(integers, "x", length=2), *NO_VECTORS),
    *each("epsilon", PrivacyLoss, -1, None, "x", float("inf")),
    *each("delta", partial(PrivacyLoss, 1), -1, 2, None, "x", float("nan")),
    *each("epsilon", AddRemoveLoss, -1, None, "x", float("inf")),
    *each("delta", partial(AddRemoveLoss, 1), -1, 2, None, "x", float("nan")),
    *each("times", lambda value: advanced(LOSS, times=value, slack="1/10"), 0, -1, 1.5, None, 10_001, 10**30),
    *each("slack", lambda value: advanced(LOSS, times=2, slack=value), 0, 1, -1, None, "x", float("nan")),
    *each("times", lambda value: advanced_as_published(LOSS, times=value, slack="1/10"), 0, -1, 1.5, None),
    *each("slack", lambda value: advanced_as_published(LOSS, times=2, slack=value), 0, 1, -1, None),
    *each("epsilon", lambda value: advanced_as_published(PrivacyLoss(value), times=2, slack="1/10"), 0, 1, 2, LONG),
    *each("epsilon", lambda value: delta_of_repeats(value, times=2, total=1), -1, None, "x", True),
    *each("times", lambda value: delta_of_repeats(1, times=value, total=1), 0, -1, 1.5, 10**9, 10**30),
    *each("total", lambda value: delta_of_repeats(1, times=2, total=value), -1, None, "x", 1j),
    *each("rows", lambda value: group(LOSS, rows=value), 0, -1, 1.5, None, "2", True, 10**30),
    *each("sizes", Parts, (), 3, None, "12", (1, -1), (1, 1.5), (True,), (None,), {1: 2}, 1j, []),
    *each("losses", partial(parallel, Parts((1, 2))), [LOSS], []),
    *each("losses", partial(by_content, []), []),
]


@pytest.mark.parametrize(("name", "call"), SILLY)
def test_a_silly_parameter_is_refused_in_one_sentence(name: str, call: Callable[[], Any]) -> None:
    """Naming the parameter and what it must be; at once, whatever was given."""
    start = process_time()
    with pytest.raises(ParameterError) as refused:
        call()
    assert process_time() - start < 1
    sentence = str(refused.value)
    assert sentence.startswith(f"`{name}` must ")
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert len(sentence) < 300


def test_there_are_at_least_200_silly_ones() -> None:
    assert len(SILLY) >= 200


def test_a_refusal_tells_name_requirement_what_was_given_and_the_repair() -> None:
    with pytest.raises(ParameterError) as refused:
        positive("epsilon", -1)
    assert str(refused.value) == "`epsilon` must be > 0 and <= 10000, got -1; choose another value."


def test_a_refusal_is_a_value_error_of_the_family() -> None:
    assert issubclass(ParameterError, ValueError)
    assert issubclass(ParameterError, DiscreetError)


def test_a_float_is_not_read_in_binary() -> None:
    """0.1 is not 3602879701896397/36028797018963968."""
    assert rational("x", 0.1) != Fraction(0.1)
    assert rational("x", 0.1) * 10 == 1


def test_integers_are_python_integers_whatever_was_given() -> None:
    assert type(integer("x", np.int32(7), least=0)) is int
    assert integer("x", 0, least=0) == 0
    assert integer("x", -3, least=-3, most=-3) == -3


def test_vectors_are_taken_as_they_are() -> None:
    for given in (np.array([1, -2], dtype=np.int8), np.array([1, -2])):
        assert integers("x", given, length=2).tolist() == [1, -2]
    for secretive in (np.ma.masked_equal([1, 2], 2), np.array([1, 2]).view(type("Named", (np.ndarray,), {}))):
        with pytest.raises(ParameterError, match="NumPy vector"):
            integers("x", secretive, length=2)
    for list_like in ([1, -2], (1, -2), range(1, 3)):  # NumPy would choose their type by their values
        with pytest.raises(ParameterError, match="NumPy vector"):
            integers("x", list_like, length=2)
    assert len(integers("x", np.zeros(0, np.int64), least_length=0)) == 0


def test_the_refusal_of_a_vector_holds_none_of_its_values() -> None:
    with pytest.raises(ParameterError) as refused:
        integers("counts", [417.5, 12.0], length=2)
    assert "417" not in str(refused.value)


def test_a_loss_is_frozen_exact_and_written_for_people() -> None:
    loss = PrivacyLoss(0.1, "1e-6")
    assert (loss.epsilon, loss.delta) == (Fraction(1, 10), Fraction(1, 10**6))
    assert str(loss) == "epsilon 1/10, delta 1/1000000"
    assert str(PrivacyLoss(1)) == "epsilon 1"
    with pytest.raises(FrozenInstanceError):
        loss.epsilon = Fraction(0)  # pyright: ignore[reportAttributeAccessIssue]


def test_parts_take_lists_and_numpy_integers() -> None:
    assert Parts([np.int64(1), 2]).sizes == (1, 2)  # pyright: ignore
