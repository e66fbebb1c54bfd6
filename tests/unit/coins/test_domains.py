# SPDX-License-Identifier: Apache-2.0
"""Silly arguments: every one is refused in one sentence that names the parameter, by all coins alike."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.coins import domains
from discreet.coins.bits import ListedBits
from discreet.coins.contract import Coins
from discreet.coins.enumerating import MOST_BRANCHES, MOST_RACERS, EnumeratingCoins, Unverifiable
from discreet.coins.fair import Seeded, System
from discreet.coins.levels import Levels
from discreet.errors import DiscreetError, ParameterError

HALF = Fraction(1, 2)
NAN, INF = float("nan"), float("inf")
SENTENCE = re.compile(r"`(\w+)` must be ([^,]+(, [^,]+)*), got ([^;]+); [a-z][^;]*\.")

COUNTS = [0, -1, True, False, 2.0, NAN, None, "3", np.int64(3), Fraction(3), -(10**5000)]
VECTOR_COUNTS = [-1, True, 2.0, NAN, None, "3", np.int64(3), Fraction(3), -(10**5000)]
CHANCES = [
    Fraction(-1, 3),
    Fraction(4, 3),
    -1,
    2,
    0.5,
    True,
    NAN,
    None,
    "1/2",
    np.float64(0.5),
    1j,
    Fraction(10**9000, 3),
]
NONNEGATIVE = [Fraction(-1, 3), -1, 0.5, True, NAN, INF, None, "1/2", np.float64(0.5), Fraction(-(10**9000), 7)]
BOUNDS = [0, -5, 2**32 + 1, 10**6000, True, 8.0, None, np.uint64(8)]
NUMERATORS = [
    None,
    [1, 2],
    (1, 2),
    3,
    np.array([1, 2]),
    np.array([0.5]),
    np.array([1], dtype=np.uint32),
    np.array([True]),
    np.array([[1]], dtype=np.uint64),
    np.array(7, dtype=np.uint64),
    np.array([1], dtype=object),
]
NO_LEVELS = [None, 3, [1, 2], (), "levels", {0: 1}]

Call = Callable[[Coins, Any], object]

CALLS: list[tuple[str, Call, list[Any]]] = [
    ("count", lambda coins, x: coins.below(x), COUNTS),
    ("probability", lambda coins, x: coins.bernoulli(x), CHANCES),
    ("exponent", lambda coins, x: coins.bernoulli_exp(x), NONNEGATIVE),
    ("scale", lambda coins, x: coins.geometric(x), NONNEGATIVE),
    ("bound", lambda coins, x: coins.belows(x, 2), BOUNDS),
    ("count", lambda coins, x: coins.belows(3, x), VECTOR_COUNTS),
    ("probability", lambda coins, x: coins.bernoullis(x, 2), CHANCES),
    ("count", lambda coins, x: coins.bernoullis(HALF, x), VECTOR_COUNTS),
    ("numerators", lambda coins, x: coins.dyadics(x), NUMERATORS),
    ("scale", lambda coins, x: coins.geometrics(x, 2), NONNEGATIVE),
    ("count", lambda coins, x: coins.geometrics(HALF, x), VECTOR_COUNTS),
    ("weights", lambda coins, x: coins.choose(x), NO_LEVELS),
    ("levels", lambda coins, x: coins.race(x), NO_LEVELS),
]

LEVELS: list[tuple[str, Any, Any, Any]] = [
    ("errors", (), (), HALF),
    ("errors", [0, 1], (1, 1), HALF),
    ("errors", (0, 0), (1, 1), HALF),
    ("errors", (1, 0), (1, 1), HALF),
    ("errors", (0, 1.0), (1, 1), HALF),
    ("errors", (0, NAN), (1, 1), HALF),
    ("errors", (False, True), (1, 1), HALF),
    ("errors", (0, np.int64(1)), (1, 1), HALF),
    ("errors", None, (1, 1), HALF),
    ("errors", np.array([0, 1]), (1, 1), HALF),
    ("sizes", (0, 1), (1,), HALF),
    ("sizes", (0,), (1, 1), HALF),
    ("sizes", (0, 1), (1, 0), HALF),
    ("sizes", (0, 1), (-3, 1), HALF),
    ("sizes", (0, 1), (1, 1.5), HALF),
    ("sizes", (0, 1), (1, NAN), HALF),
    ("sizes", (0, 1), (True, 1), HALF),
    ("sizes", (0, 1), (), HALF),
    ("sizes", (0, 1), range(1, 3), HALF),
    ("sizes", (0, 1), (Fraction(1), 1), HALF),
    *(("rate", (0, 1), (1, 1), rate) for rate in NONNEGATIVE),
]


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(ParameterError) as caught:
        call()
    return str(caught.value)


@dataclass(frozen=True)
class Nothing:
    """Levels that are none."""

    errors: tuple[int, ...] = ()
    sizes: tuple[int, ...] = ()
    rate: Fraction = HALF

    def __len__(self) -> int:
        return 0

    def balls(self, bits: int) -> list[Any]:
        return []

    def head(self, bits: int) -> tuple[list[Any], Any]:
        return [], 0


def test_at_least_sixty_silly_arguments_are_tried():
    assert sum(len(values) for _, _, values in CALLS) + len(LEVELS) >= 130


@pytest.mark.parametrize("make", [System, lambda: Seeded(1), lambda: EnumeratingCoins(reach=2)])
@pytest.mark.parametrize(("name", "call", "values"), CALLS)
def test_coins_refuse_in_one_sentence(make: Callable[[], Coins], name: str, call: Call, values: list[Any]):
    """`name` must be REQUIREMENT, got X; REPAIR."""
    for value in values:
        message = refusal(lambda value=value: call(make(), value))
        found = SENTENCE.fullmatch(message)
        assert found, message
        assert found[1] == name
        assert len(message) < 250
        assert "\n" not in message


@pytest.mark.parametrize("make", [System, lambda: EnumeratingCoins(reach=2)])
def test_coins_refuse_levels_that_are_none(make: Callable[[], Coins]):
    assert "at least one level" in refusal(lambda: make().choose(Nothing()))
    assert "at least one level" in refusal(lambda: make().race(Nothing()))


@pytest.mark.parametrize(("name", "errors", "sizes", "rate"), LEVELS, ids=range(len(LEVELS)))
def test_levels_refuse_in_one_sentence(name: str, errors: Any, sizes: Any, rate: Any):
    message = refusal(lambda: Levels(errors, sizes, rate))
    found = SENTENCE.fullmatch(message)
    assert found, message
    assert found[1] == name


@pytest.mark.parametrize(
    "levels", [((41, 17), (1, 1)), ((0, 4711), (1, -4711)), ((4711.5, 2), (1, 1)), ((0, 1), (4711,))]
)
def test_a_refusal_of_levels_never_tells_an_error_or_a_size(levels: tuple[Any, Any]):
    """They are counts of records: an exception is an output."""
    message = refusal(lambda: Levels(*levels, HALF))
    assert not re.search(r"\d", message)


def test_a_refusal_of_numerators_never_tells_one():
    """They may be made from one person's row."""
    assert "4711" not in refusal(lambda: Seeded(1).dyadics(np.array([4711])))


@pytest.mark.parametrize("seed", [True, 1.5, None, "1", NAN])
def test_a_seed_is_an_integer(seed: Any):
    assert SENTENCE.fullmatch(refusal(lambda: Seeded(seed)))


@pytest.mark.parametrize("seed", [0, -1, 10**6000], ids=["0", "-1", "long"])
def test_every_integer_is_a_seed(seed: int):
    assert Seeded(seed).below(10**6) == Seeded(seed).below(10**6)


@pytest.mark.parametrize(("reach", "bits"), [(0, 256), (-1, 256), (1.0, 256), (True, 256), (2, 0), (2, None)])
def test_enumerating_coins_have_a_reach_and_a_precision(reach: Any, bits: Any):
    assert SENTENCE.fullmatch(refusal(lambda: EnumeratingCoins(reach=reach, bits=bits)))


@pytest.mark.parametrize("word_bits", [0, 65, True, 8.0])
def test_listed_words_have_1_to_64_bits(word_bits: Any):
    assert SENTENCE.fullmatch(refusal(lambda: ListedBits([], word_bits=word_bits)))


def test_what_cannot_be_enumerated_is_refused_at_once():
    coins = EnumeratingCoins(reach=1)
    with pytest.raises(Unverifiable, match="65536"):
        coins.below(MOST_BRANCHES + 1)
    with pytest.raises(Unverifiable, match="65536"):
        coins.belows(MOST_BRANCHES + 1, 1)
    with pytest.raises(Unverifiable, match="4096"):
        coins.race(Levels((0, 1), (1, MOST_RACERS), HALF))
    coins.choose(Levels((0, 1), (1, 2**1000), HALF))
    assert coins.names[-1] == "choose"


@pytest.mark.parametrize("make", [System, lambda: Seeded(1), lambda: EnumeratingCoins(reach=1)])
def test_no_draws_are_an_empty_array(make: Callable[[], Coins]):
    coins = make()
    empty = [coins.belows(3, 0), coins.bernoullis(HALF, 0), coins.geometrics(Fraction(5000), 0)]
    empty += [coins.geometrics(HALF, 0), coins.dyadics(np.array([], dtype=np.uint64))]
    assert [len(array) for array in empty] == [0] * 5
    assert [array.dtype for array in empty] == [np.int64, np.bool_, np.int64, np.int64, np.bool_]


@pytest.mark.parametrize("make", [System, lambda: EnumeratingCoins(reach=1)])
def test_whole_numbers_are_rationals(make: Callable[[], Coins]):
    """0, 1 and 2 are exact: an int is taken where a Fraction is."""
    coins = make()
    assert (coins.bernoulli(1), coins.bernoulli(0), coins.bernoulli_exp(0), coins.geometric(0)) == (1, 0, 1, 0)
    assert isinstance(coins.geometric(2), int)
    assert len(coins.geometrics(2, 3)) == len(coins.bernoullis(1, 3)) == 3
    assert coins.choose(Levels((0, 1), (1, 1), 2)) in (0, 1)


def test_an_echo_is_short_even_where_python_would_refuse_to_print():
    assert domains.shown(10**5000) == domains.shown(Fraction(1, 10**5000)) == "a number of more than 256 bits"
    assert len(domains.shown("x" * 1000)) == domains.LONGEST_ECHO
    assert domains.shown([4711]) == "a list"
    assert domains.shown(None) == "None"


def test_a_parameter_error_is_a_value_error_of_the_family():
    assert issubclass(ParameterError, ValueError)
    assert issubclass(ParameterError, DiscreetError)
