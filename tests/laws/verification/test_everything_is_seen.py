# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 -- what is printed is what is tested
"""What leaves a mechanism beside its output is an output: exceptions, logs, warnings, prints, the laws it asks for.
Watching leaves nothing behind.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from discreet.coins.contract import Coins
from discreet.coins.enumerating import EnumeratingCoins, NotPure
from discreet.verification.observe import Outcome, watching
from discreet.verification.verify import verify
from tests.laws.verification.test_exact_distances import case_of


def observed(run: Callable[[Coins], object]) -> Outcome:
    """One run, on the first path."""
    coins = EnumeratingCoins(reach=1)
    with watching() as observe:
        return observe(lambda: run(coins), coins)


def test_the_output_is_seen() -> None:
    assert observed(lambda coins: 5) == Outcome(5, (), ())


def test_the_laws_are_seen_by_name_and_in_turn() -> None:
    def run(coins: Coins) -> None:
        coins.below(2)
        coins.bernoulli(Fraction(1, 2))
        coins.geometrics(Fraction(1), 2)

    assert observed(run).laws == ("below", "bernoulli", "geometrics x 2")


def test_an_exception_is_an_output_with_its_message() -> None:
    def run(coins: Coins) -> None:
        raise LookupError("row 7")

    assert observed(run).output == "raised LookupError: row 7"


def test_what_was_told_before_an_exception_is_seen() -> None:
    def run(coins: Coins) -> None:
        print("row 7")
        raise LookupError

    assert observed(run).told == ("row 7", "\n")


@pytest.mark.parametrize("level", [1, logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL])
@pytest.mark.parametrize("name", [None, "discreet", "discreet.mechanisms.counts"])
def test_log_lines_of_every_level_and_logger_are_seen(level: int, name: str | None) -> None:
    told = observed(lambda coins: logging.getLogger(name).log(level, "%s rows", 7)).told
    logger = f" {name}" if name else ""
    assert told == (f"{logging.getLevelName(level)}{logger} 7 rows",)


def test_every_warning_is_seen_also_the_same_again() -> None:
    def run(coins: Coins) -> None:
        for _ in range(2):
            warnings.warn("7 rows", stacklevel=1)

    first, second = observed(run).told
    assert first == second
    assert first.startswith("UserWarning 7 rows")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_prints_are_seen(stream: str) -> None:
    assert "".join(observed(lambda coins: print(7, file=getattr(sys, stream))).told) == "7\n"


def test_one_run_does_not_hear_another() -> None:
    coins = EnumeratingCoins(reach=1)
    with watching() as observe:
        assert observe(lambda: print(7), coins).told == ("7", "\n")
        assert observe(lambda: None, coins).told == ()


def state_of_the_process() -> tuple[Any, ...]:
    root = logging.getLogger()
    hearing = root.level, tuple(root.handlers), warnings.showwarning, tuple(warnings.filters)
    return (*hearing, sys.stdout, sys.stderr)


def test_everything_is_as_before_afterwards() -> None:
    before = state_of_the_process()
    observed(lambda coins: logging.error("7"))
    assert state_of_the_process() == before


def test_everything_is_as_before_after_a_mechanism_that_is_not_pure() -> None:
    before = state_of_the_process()

    def run(coins: Coins) -> None:
        raise NotPure("on purpose")

    with pytest.raises(NotPure):
        observed(run)
    assert state_of_the_process() == before


def test_an_interrupt_is_not_an_output() -> None:
    def run(coins: Coins) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        observed(run)


LEAKS: dict[str, Callable[[int], object]] = {
    "an exception": lambda row: 1 // row,
    "the message of an exception": lambda row: {}[row],
    "the type of an exception": lambda row: int("x") if row else {}["x"],
    "a log line": lambda row: row and logging.debug("x"),
    "a warning": lambda row: row and warnings.warn("x", stacklevel=1),
    "a print": lambda row: print("x" * row, end=""),
    "the order of what is told": lambda row: [print(word, end="") for word in ("ab", "ba")[row]],
}


@pytest.mark.parametrize("leak", LEAKS)
def test_the_verifier_rejects_what_tells_the_row_by(leak: str) -> None:
    def release(data: tuple[int, ...], coins: Coins) -> int:
        LEAKS[leak](data[0])
        return coins.below(2)

    assert not verify(case_of(release)).ok


def test_the_verifier_rejects_a_number_of_draws_that_tells_the_row() -> None:
    def release(data: tuple[int, ...], coins: Coins) -> int:
        for _ in range(1 + data[0]):
            coins.below(2)
        return 0

    assert not verify(case_of(release)).ok


def test_the_verifier_rejects_a_kind_of_draw_that_tells_the_row() -> None:
    def release(data: tuple[int, ...], coins: Coins) -> int:
        return coins.below(2) if data[0] else int(coins.bernoulli(Fraction(1, 2)))

    assert not verify(case_of(release)).ok


def test_the_same_told_on_all_rows_is_no_leak() -> None:
    def release(data: tuple[int, ...], coins: Coins) -> int:
        print("working")
        logging.info("working")
        return coins.below(2)

    assert verify(case_of(release)).ok
