# SPDX-License-Identifier: Apache-2.0
"""T10 for mechanisms: every silly parameter and every array of the wrong shape or type is refused in one sentence, and
nothing else is raised. Refusals depend on public values alone: on the type and the length of what is read, never on it.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from time import process_time
from typing import Any

import numpy as np
import pytest

from discreet.coins.enumerating import EnumeratingCoins
from discreet.errors import ParameterError
from discreet.mechanisms.composition import ByContent, ByPosition, InSequence
from discreet.mechanisms.contract import Summarised
from discreet.mechanisms.counts import NoisyCount, NoisyCounts, NoisyHistogram
from discreet.mechanisms.randomized_response import KaryResponse, LaplaceResponse, OneBitMean, RandomizedResponse
from discreet.mechanisms.selection import ExponentialMechanism, PermuteAndFlip
from discreet.mechanisms.stability import ADist, PointRelease, StabilityHistogram
from discreet.mechanisms.subsampling import (
    PoissonSample,
    SampleWithoutReplacement,
    SampleWithReplacement,
    SampleWithReplacementAsPublished,
)
from discreet.privacy.composition import Parts
from discreet.privacy.loss import PrivacyLoss

COUNT = Summarised(sum, NoisyCount(epsilon=1, low=0, high=2))
DEAR = Summarised(sum, NoisyCount(epsilon=2, low=0, high=2))
STABLE = StabilityHistogram(epsilon=1, delta="1/4", rows=2)

FINE: dict[type, dict[str, Any]] = {
    NoisyCount: {"epsilon": 1, "low": 0, "high": 2, "sensitivity": 1},
    NoisyCounts: {"epsilon": 1, "queries": 2, "low": 0, "high": 2, "sensitivity": 1},
    NoisyHistogram: {"epsilon": 1, "cells": 2, "rows": 3},
    ExponentialMechanism: {"epsilon": 1, "sensitivity": 1},
    PermuteAndFlip: {"epsilon": 1, "sensitivity": 1},
    ADist: {"epsilon": 1, "delta": "1/4"},
    StabilityHistogram: {"epsilon": 1, "delta": "1/4", "rows": 2},
    PointRelease: {"epsilon": 8, "delta": "2/5", "alpha": "99/100", "rows": 5},
    PoissonSample: {"inner": COUNT, "rate": "1/2", "rows": 2},
    SampleWithoutReplacement: {"inner": COUNT, "take": 1, "rows": 2},
    SampleWithReplacement: {"inner": COUNT, "take": 1, "rows": 2},
    SampleWithReplacementAsPublished: {"inner": COUNT, "take": 1, "rows": 2},
    RandomizedResponse: {"epsilon": 1},
    KaryResponse: {"epsilon": 1, "choices": 3},
    OneBitMean: {"epsilon": 1, "bound": 2},
    LaplaceResponse: {"epsilon": 1, "low": 0, "high": 2, "margin": 1},
}
"""Every mechanism of figures, with figures that it takes."""

NO_EPSILON = (
    0, -1, -0.0, "0", "-1/2", True, None, "abc", "1/0", "", 1j, b"1", [1], (1,), {}, float("nan"), float("inf"),
    float("-inf"), np.float64("nan"),
    np.array([1.0]), np.bool_(True), 10**5000, 1e300, "1e999999999", "1e1000000000", Decimal("nan"),
    Decimal("1e1000000000"), 10_001,
)  # fmt: skip
NO_SHARE = (
    0,
    1,
    2,
    -1,
    1.0,
    "1",
    "3/2",
    True,
    None,
    "abc",
    float("nan"),
    1j,
    [0.5],
    Fraction(10**5000),
    "1e-1000000000",
)
NO_SIZE = (
    0,
    -1,
    1.5,
    1.0,
    "2",
    True,
    None,
    1j,
    [2],
    Fraction(2),
    float("inf"),
    np.array(2),
    10**5000,
    -(10**5000),
    1 << 63,
)

WRONG: dict[str, tuple[Any, ...]] = {
    "epsilon": NO_EPSILON,
    "delta": NO_SHARE,
    "alpha": NO_SHARE,
    "rate": NO_SHARE,
    "sensitivity": NO_SIZE,
    "queries": NO_SIZE,
    "cells": NO_SIZE,
    "take": (*NO_SIZE, 3),
    "choices": (*NO_SIZE, 1, 1 << 40),
    "bound": (*NO_SIZE, 1 << 40),
    "rows": NO_SIZE,
    "margin": (-1, 1.5, "1", True, None, 1 << 40, 10**5000),
    "low": (3, 1.5, "0", True, None, 1 << 62, -(1 << 62), 10**5000, float("nan")),
    "high": (-1, 1.5, "2", True, None, 1 << 62, 10**5000, float("nan")),
}


def allowed(kind: type, name: str, value: Any) -> bool:
    """A value that is silly elsewhere and not here."""
    return (
        (kind is NoisyHistogram and name == "rows" and value == 0)
        or (kind in (SampleWithReplacement,) and name == "take" and value == 3)
        or (kind is SampleWithReplacementAsPublished and name == "take" and value == 3)
    )


SILLY = [
    (kind, name, value)
    for kind, figures in FINE.items()
    for name in figures
    for value in WRONG.get(name, ())
    if not (isinstance(value, int) and allowed(kind, name, value))
]


def refused(call: Callable[[], object]) -> str:
    """The one sentence; anything else that is raised fails the test, and so does taking a second."""
    start = process_time()
    with pytest.raises(ParameterError) as refusal:
        call()
    assert process_time() - start < 1
    sentence = str(refusal.value)
    assert sentence.startswith("`")
    assert " must " in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert len(sentence) < 300
    return sentence


@pytest.mark.parametrize("kind", FINE, ids=lambda kind: kind.__name__)
def test_the_figures_are_fine_as_they_are(kind: Callable[..., Any]) -> None:
    mechanism = kind(**FINE[kind])  # pyright: ignore[reportArgumentType]
    assert mechanism.loss.epsilon > 0
    assert mechanism.add_remove_loss is None or mechanism.add_remove_loss.epsilon > 0


def told(part: Any) -> str:
    """A name for a parameter of a test; some of the numbers are too long to print."""
    return part if isinstance(part, str) else getattr(part, "__name__", type(part).__name__)


@pytest.mark.parametrize(("kind", "name", "value"), SILLY, ids=told)
def test_a_silly_parameter_is_refused_by_its_name(kind: Callable[..., Any], name: str, value: Any) -> None:
    """`low` above `high` is refused as the one or the other, and so is `take` above `rows`."""
    sentence = refused(lambda: kind(**{**FINE[kind], name: value}))  # pyright: ignore[reportArgumentType]
    partners = {"low": "high", "take": "rows", "rows": "take"}
    assert sentence.partition("`")[2].partition("`")[0] in (name, partners.get(name))


def test_there_are_at_least_400_silly_parameters() -> None:
    assert len(SILLY) >= 400


def parts(*sizes: int) -> Parts:
    return Parts(sizes)


STRUCTURES: dict[str, Callable[[], object]] = {
    "a range upside down": lambda: NoisyCount(epsilon=1, low=3, high=2),
    "a Laplace range of one value": lambda: LaplaceResponse(epsilon=1, low=2, high=2),
    "a Laplace range at the end of the widest grid": lambda: LaplaceResponse(epsilon=1, low=1 << 20, high=1 << 20),
    "more rows taken than there are": lambda: SampleWithoutReplacement(inner=COUNT, take=3, rows=2),
    "published sampling of too many": lambda: SampleWithReplacementAsPublished(inner=COUNT, take=2, rows=3),
    "published sampling of a dear mechanism": lambda: SampleWithReplacementAsPublished(inner=DEAR, take=1, rows=2),
    "published release of too few rows": lambda: PointRelease(epsilon=1, delta="1/100", alpha="1/10", rows=10),
    "published release where no number of rows would do": lambda: PointRelease(
        epsilon=Fraction(1, 10**5000), delta="1/100", alpha="1/10", rows=10
    ),
    "a Poisson sample for a mechanism with delta": lambda: PoissonSample(inner=STABLE, rate="1/2", rows=2),
    "sampling with replacement for a mechanism with delta": lambda: SampleWithReplacement(inner=STABLE, take=2, rows=2),
    "fewer mechanisms than parts": lambda: ByPosition(parts=parts(1, 1), mechanisms=(COUNT,)),
    "more mechanisms than parts": lambda: ByPosition(parts=parts(1), mechanisms=(COUNT, COUNT)),
    "no mechanism": lambda: ByPosition(parts=parts(1), mechanisms=()),
    "fewer mechanisms than cells": lambda: ByContent(cells=(0, 1), cell_of=abs, mechanisms=(COUNT,)),
    "a cell twice": lambda: ByContent(cells=(0, 0), cell_of=abs, mechanisms=(COUNT, COUNT)),
    "no cells": lambda: ByContent(cells=(), cell_of=abs, mechanisms=()).loss,
    "a mechanism in a cell that takes its size for public": lambda: ByContent(
        cells=(0,), cell_of=abs, mechanisms=(STABLE,)
    ),
    "a second that costs more than declared": lambda: InSequence(
        first=COUNT, second=lambda released: DEAR, second_loss=PrivacyLoss(1)
    )((0, 1), coins()),
    "a second with a delta that was not declared": lambda: InSequence(
        first=COUNT, second=lambda released: STABLE, second_loss=PrivacyLoss(1)
    )((0, 1), coins()),
}


@pytest.mark.parametrize("what", STRUCTURES)
def test_what_does_not_fit_together_is_refused(what: str) -> None:
    refused(STRUCTURES[what])


def coins() -> Any:
    return EnumeratingCoins(reach=1)


NO_VECTORS: list[Any] = [
    None, 1, "ab", [], [[1, 2]], [[1], [1, 2]], [1.0, 2.0], [True, False], ["a", "b"], [10**30, 1], [2**63, 1],
    {1, 2}, [None, 1], object(),
    np.zeros(2), np.zeros((2, 1), np.int64), np.zeros((1, 2), np.int64), np.zeros(2, np.uint64),
    np.zeros(2, np.bool_), np.zeros(2, np.complex64),
    np.array(["a", "b"]), np.array([1, 2], dtype=object), np.zeros(0, np.int64), np.array(3),
    np.zeros(2, "datetime64[s]"),
]  # fmt: skip

READERS: dict[str, Callable[[Any], object]] = {
    "NoisyCounts": lambda data: NoisyCounts(epsilon=1, queries=2, low=0, high=2)(data, coins()),
    "NoisyHistogram": lambda data: NoisyHistogram(epsilon=1, cells=2, rows=3)(data, coins()),
    "ExponentialMechanism": lambda data: ExponentialMechanism(epsilon=1)(data, coins()),
    "PermuteAndFlip": lambda data: PermuteAndFlip(epsilon=1)(data, coins()),
    "ADist": lambda data: ADist(epsilon=1, delta="1/4")(data, coins()),
}


@pytest.mark.parametrize("data", NO_VECTORS, ids=repr)
@pytest.mark.parametrize("reader", READERS)
def test_an_array_of_the_wrong_shape_or_type_is_refused(reader: str, data: Any) -> None:
    refused(lambda: READERS[reader](data))


REPORTERS: dict[str, Callable[[Any], object]] = {
    "RandomizedResponse": lambda data: RandomizedResponse(epsilon=1).reports(data, coins()),
    "KaryResponse": lambda data: KaryResponse(epsilon=1, choices=3).reports(data, coins()),
    "OneBitMean": lambda data: OneBitMean(epsilon=1, bound=2).reports(data, coins()),
    "LaplaceResponse": lambda data: LaplaceResponse(epsilon=1, low=0, high=2).reports(data, coins()),
}


@pytest.mark.parametrize("data", NO_VECTORS, ids=repr)
@pytest.mark.parametrize("reporter", REPORTERS)
def test_people_are_one_integer_each_or_refused(reporter: str, data: Any) -> None:
    """A float among the values would come back as it is wherever the truth is told."""
    if isinstance(data, np.ndarray) and data.shape == (0,):
        assert len(REPORTERS[reporter](data)) == 0  # pyright: ignore
    elif reporter == "RandomizedResponse" and isinstance(data, np.ndarray) and data.dtype == np.bool_:
        assert len(REPORTERS[reporter](data)) == 2  # pyright: ignore
    else:
        refused(lambda: REPORTERS[reporter](data))


def test_one_candidate_has_no_gap() -> None:
    assert "at least 2" in refused(lambda: ADist(epsilon=1, delta="1/4")(np.array([5]), coins()))


COUNTERS: dict[str, Callable[[Any], object]] = {
    "StabilityHistogram": lambda data: STABLE(data, coins()),
    "PointRelease": lambda data: PointRelease(**FINE[PointRelease])(data, coins()),
    "PoissonSample": lambda data: PoissonSample(inner=COUNT, rate="1/2", rows=2)(data, coins()),
    "SampleWithoutReplacement": lambda data: SampleWithoutReplacement(inner=COUNT, take=1, rows=2)(data, coins()),
    "SampleWithReplacement": lambda data: SampleWithReplacement(inner=COUNT, take=1, rows=2)(data, coins()),
    "as published": lambda data: SampleWithReplacementAsPublished(inner=COUNT, take=1, rows=2)(data, coins()),
    "ByPosition": lambda data: ByPosition(parts=parts(1, 1), mechanisms=(COUNT, COUNT))(data, coins()),
}


@pytest.mark.parametrize("rows", [0, 1, 3, 6])
@pytest.mark.parametrize("counter", COUNTERS)
def test_another_number_of_rows_than_declared_is_refused(counter: str, rows: int) -> None:
    """The number is public, so it may be told; what the rows hold is not."""
    sentence = refused(lambda: COUNTERS[counter]([417] * rows))
    assert "417" not in sentence
    assert f"got {rows}" in sentence


@pytest.mark.parametrize("value", [417, -417, 10**30], ids=str)
def test_no_value_of_a_row_is_refused(value: int) -> None:
    """Counts and people's values outside the declared range are clamped: a refusal would show them."""
    for mechanism in (
        NoisyCount(epsilon=1, low=0, high=2),
        KaryResponse(epsilon=1, choices=3),
        OneBitMean(epsilon=1, bound=2),
        LaplaceResponse(epsilon=1, low=0, high=2),
    ):
        assert mechanism(value, coins()) in (False, True, 0, 1, 2)


@pytest.mark.parametrize("extreme", [np.iinfo(np.int64).max, np.iinfo(np.int64).min], ids=str)
def test_the_extremes_of_int64_are_counted_without_overflow(extreme: int) -> None:
    data = np.array([extreme, 0], dtype=np.int64)
    for read in READERS.values():
        assert np.all(np.isin(read(data), (None, 0, 1, 2, 3)))
    clamped = NoisyCounts(epsilon=1, queries=2, low=0, high=2)(data, EnumeratingCoins(reach=1))
    assert clamped[0] == (1 if extreme > 0 else 0)  # 2 or 0, less 1 of noise on the first path: not the other end
    for report in REPORTERS.values():
        report(data)


def test_cells_need_not_be_of_one_type_nor_comparable() -> None:
    cells = [None, 1, "1", True, 1.0, (1, "a"), b"1", frozenset({1}), 1, "1"]
    mechanism = StabilityHistogram(epsilon=100, delta="2/5", rows=len(cells))
    released = mechanism(cells, EnumeratingCoins(reach=1))
    assert mechanism.cut == 2
    assert [cell for cell, _ in released] == [] or all(count >= 2 for _, count in released)


@pytest.mark.parametrize(
    "epsilon", [Fraction(1, 10**300), 1e-300, Fraction(1, 10**5000), 10_000], ids=lambda e: f"{float(e):.0e}"
)
@pytest.mark.parametrize("kind", FINE, ids=lambda kind: kind.__name__)
def test_extreme_epsilons_are_taken_at_once(kind: Callable[..., Any], epsilon: Any) -> None:
    """Or refused, where they ask for more rows than there are; in no case do they hang."""
    figures = dict(FINE[kind])  # pyright: ignore[reportArgumentType]
    if "inner" in figures:
        figures["inner"] = Summarised(sum, NoisyCount(epsilon=epsilon, low=0, high=2))
    else:
        figures["epsilon"] = epsilon
    if kind in (PointRelease, SampleWithReplacementAsPublished):
        return
    start = process_time()
    mechanism = kind(**figures)
    assert mechanism.loss.epsilon >= 0
    for name in ("truthful", "numerators", "scale", "cut", "rate"):
        constant = getattr(mechanism, name, None)
        assert callable(constant) or constant is None or np.all(np.asarray(constant) >= 0)
    assert process_time() - start < 1
