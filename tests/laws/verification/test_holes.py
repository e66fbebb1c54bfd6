# SPDX-License-Identifier: Apache-2.0
"""Ways in which a broken mechanism once got past the verifier, each found by an audit. All must be caught."""

from __future__ import annotations

import copy
import itertools
import logging
import pickle
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.coins.contract import Coins
from discreet.coins.enumerating import EnumeratingCoins, Unverifiable
from discreet.errors import EntropyError, ParameterError
from discreet.mechanisms.randomized_response import KaryResponse
from discreet.mechanisms.stability import StabilityHistogram
from discreet.privacy.loss import PrivacyLoss
from discreet.verification import Case, verify
from tests.laws.verification.test_exact_distances import case_of


@dataclass(frozen=True)
class Hiding:
    shown: int
    hidden: int = field(repr=False)


def log_named(row: int) -> None:
    logging.getLogger(f"cell.{row}").warning("x")


def log_extra(row: int) -> None:
    logging.getLogger("a").info("x", extra={"cell": row})


def log_trace(row: int) -> None:
    logging.getLogger("a").error("x", exc_info=KeyError(row))


def log_aside(row: int) -> None:
    logger = logging.getLogger("aside")
    logger.propagate, logger.level = False, logging.CRITICAL
    logger.debug("%s", row)


def raise_noted(row: int) -> None:
    error = LookupError("x")
    error.add_note(str(row))
    raise error


def raise_from(row: int) -> None:
    raise LookupError("x") from KeyError(row)


def exit_at(row: int) -> None:
    if row:
        raise SystemExit(0)


def frozen_array(row: int) -> Any:
    array = np.zeros(2)
    array.flags.writeable = bool(row)
    return array


def raise_with_attribute(row: int) -> None:
    error = LookupError("x")
    error.cell = row  # type: ignore
    raise error


def raise_with_array(row: int) -> None:
    raise LookupError("x", np.arange(5000) == 2000 + row)


def raise_group(row: int) -> None:
    member = LookupError("x")
    member.add_note(str(row))
    raise ExceptionGroup("g", [member])


def raise_in_context(row: int) -> None:
    try:
        raise KeyError(row)
    except KeyError:
        raise LookupError("x") from OSError("y")


def raise_elsewhere(row: int) -> None:
    if row:
        raise LookupError("x")
    raise LookupError("x")


def warn_with_attribute(row: int) -> None:
    warning = UserWarning("x")
    warning.row = row  # type: ignore
    warnings.warn(warning, stacklevel=1)


LEAKS: dict[str, Callable[[int], object]] = {
    "a field that repr leaves out": lambda row: Hiding(1, row),
    "the last bits of a number in an array in a tuple": lambda row: (np.array([1 + row * 1e-12]),),
    "the end of a long array in a tuple": lambda row: (np.arange(5000) == 2000 + row,),
    "the shape of an empty array": lambda row: np.empty((0, 1 + row)),
    "the order of an array in memory": lambda row: np.array([[1, 2], [3, 4]], order="CF"[row]),  # type: ignore
    "the sign of zero": lambda row: -0.0 if row else 0.0,
    "the type of a number": lambda row: (1, 1.0)[row],
    "the type of a truth": lambda row: (1, True)[row],
    "the order of a dictionary": lambda row: {"a": 1, "b": 2} if row else {"b": 2, "a": 1},
    "the name of a logger": log_named,
    "the extras of a log record": log_extra,
    "the exception of a log record": log_trace,
    "a logger that keeps to itself": log_aside,
    "the notes of an exception": raise_noted,
    "the cause of an exception": raise_from,
    "the end of the process": exit_at,
    "a falsy attribute of an exception": raise_with_attribute,
    "the end of a long array in an exception": raise_with_array,
    "the notes of a group's member": raise_group,
    "the context of an exception that has a cause": raise_in_context,
    "the line of an exception": raise_elsewhere,
    "the attributes of a warning": warn_with_attribute,
    "the channel of a print": lambda row: print("x", file=(sys.stdout, sys.stderr)[row]),
    "the arguments of a log record": lambda row: logging.info("read %.0s", "ab"[row]),
    "whether an array may be written to": frozen_array,
}


@pytest.mark.parametrize("leak", LEAKS.values(), ids=LEAKS)
def test_nothing_that_can_be_seen_is_left_out(leak: Callable[[int], object]) -> None:
    """Each shows the row with certainty; a coin beside it keeps the mechanism from only raising."""

    def release(data: Sequence[int], coins: Coins) -> object:
        return coins.bernoulli(Fraction(1, 2)) and leak(data[0])

    assert not verify(case_of(release, loss=PrivacyLoss(1))).ok


@dataclass(slots=True)
class Slotted:
    x: int


@dataclass
class Deriving(Slotted):
    y: int


HIDDEN = {
    "slots beneath a dataclass": lambda row: Deriving(row, 5),
    "metadata in an array's type": lambda row: np.zeros(1, dtype=np.dtype("i8", metadata={"row": row})),
    "a generator": lambda row: (part for part in (row,)),
    "an iterator": lambda row: iter((row,)),
    "an object without a law of its own": lambda row: object(),
    "a function": lambda row: lambda: row,
    "an array of objects": lambda row: np.array([row, None]),
    "a view that holds what it is a view of": lambda row: np.array([row, 1])[1:],
    "a set, whose order is nobody's": lambda row: {row},
    "a nest without end": lambda row: itertools.accumulate([row]),
}


@pytest.mark.parametrize("hide", HIDDEN.values(), ids=HIDDEN)
def test_an_output_that_cannot_be_compared_is_refused(hide: Callable[[int], object]) -> None:
    with pytest.raises(Unverifiable):
        verify(case_of(lambda data, coins: hide(data[0]), loss=PrivacyLoss(1)))


def test_a_mechanism_that_only_raises_is_not_verified() -> None:
    def broken(data: Sequence[int], coins: Coins) -> int:
        raise ZeroDivisionError

    verdict = verify(case_of(broken, loss=PrivacyLoss(1)))
    assert not verdict.ok
    assert "nothing but exceptions" in verdict.witness


def test_the_limits_of_the_enumerator_are_not_taken_for_outputs() -> None:
    large = KaryResponse(epsilon=1, choices=10**6)
    with pytest.raises(Unverifiable, match="too large"):
        verify(Case(name="large", mechanism=large, universe=(0, 1), rows=1))


def test_a_loss_that_grows_while_it_runs_is_noticed() -> None:
    class Growing:
        loss = PrivacyLoss(0)

        def __call__(self, data: Sequence[int], coins: Coins, /) -> int:
            self.loss = PrivacyLoss(9999)
            return data[0]

    with pytest.raises(Unverifiable, match="another loss"):
        verify(Case(name="Growing", mechanism=Growing(), universe=(0, 1), rows=1))


def test_a_leak_in_the_far_tail_is_seen() -> None:
    """Noise beyond twice the reach is as improbable as it is possible."""

    def release(data: Sequence[int], coins: Coins) -> int:
        return data[0] if abs(coins.geometric(Fraction(1))) > 5 else 0

    assert not verify(case_of(release, loss=PrivacyLoss(1))).ok


@pytest.mark.parametrize(
    "tells",
    [lambda coins: coins.simulated, lambda coins: getattr(coins, "_end", 0) < 100],
    ids=["says that it is simulated", "is looked into"],
)
def test_a_mechanism_that_behaves_when_it_is_watched_is_caught(tells: Any) -> None:
    assert not verify(case_of(lambda data, coins: 0 if tells(coins) else data[0], loss=PrivacyLoss(1))).ok


def test_randomness_of_its_own_is_seen_where_it_shows() -> None:
    count = itertools.count()
    assert not verify(case_of(lambda data, coins: next(count), loss=PrivacyLoss(1))).ok


def test_how_many_draws_are_asked_is_seen() -> None:
    def release(data: Sequence[int], coins: Coins) -> int:
        return int(np.clip(coins.geometrics(Fraction(1), 1 + data[0])[0], 0, 1))

    assert not verify(case_of(release, loss=PrivacyLoss(1))).ok


def test_a_claim_that_allows_everything_is_refused() -> None:
    with pytest.raises(ParameterError, match="delta below 1"):
        case_of(lambda data, coins: data[0], loss=PrivacyLoss(0, 1))


def test_a_universe_of_one_row_twice_is_refused() -> None:
    with pytest.raises(ParameterError, match="differ"):
        Case(name="x", mechanism=KaryResponse(epsilon=1, choices=2), universe=(0, 0), rows=1)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_enumerating_coins_cannot_be_copied_either(duplicate: Callable[[Any], Any]) -> None:
    with pytest.raises(EntropyError):
        duplicate(EnumeratingCoins(reach=1))


CELLS = [
    (Hiding(1, 2), Hiding(1, 3)),
    (float("nan"), -float("nan")),
    (10**5000, -(10**5000)),
    (np.zeros(2000), np.ones(2000)),
    ([1], {2}),
    (1, True),
]


@pytest.mark.parametrize("cells", CELLS, ids=range(len(CELLS)))
def test_cells_of_any_kind_neither_raise_nor_show_what_their_name_hides(cells: tuple[Any, Any]) -> None:
    """What is no cell counts nowhere, and what is released is made anew from the cell's name."""

    class Loud:
        simulated = True

        def geometrics(self, scale: Fraction, count: int) -> Any:
            return np.full(count, 100)

    released = StabilityHistogram(epsilon=1, delta=Fraction(1, 10), rows=2)(cells, Loud())  # pyright: ignore
    assert all(type(cell) in (int, bool, float) for cell, _ in released)
    assert sum(type(cell) is int for cell in cells) == sum(type(cell) is int for cell, _ in released)


def test_no_mechanism_asks_what_its_coins_are() -> None:
    """Rare behaviour cannot be enumerated; that a mechanism cares can be read in its source."""
    files = sorted((Path(__file__).parents[3] / "discreet" / "mechanisms").glob("*.py"))
    assert len(files) >= 8
    words = ("simulated", "EnumeratingCoins", "FairCoins", "SystemBits", "isinstance(coins", "type(coins")
    assert [(file.name, word) for file in files for word in words if word in file.read_text()] == []
