# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ISC004 -- slips quote the lines of the source as they stand
"""Slips in discreet/mechanisms/counts.py."""

from __future__ import annotations

from functools import partial
from types import ModuleType

import numpy as np

from discreet.mechanisms.contract import Summarised
from discreet.mechanisms.subsampling import PoissonSample
from discreet.verification.case import Case
from discreet.verification.catalogue import BITS, LABELLED, TRITS, per_cell, per_question
from tests.laws.mutants.slips import before, slips

MODULE = "discreet.mechanisms.counts"


def one_count(module: ModuleType) -> Case:
    mechanism = module.NoisyCount(epsilon=1, low=0, high=2)
    return Case(name="NoisyCount", mechanism=Summarised(sum, mechanism), universe=BITS, rows=2, reach=2)


def cautious_count(module: ModuleType) -> Case:
    """At epsilon = 1/2, where the scale is above 1."""
    mechanism = module.NoisyCount(epsilon="1/2", low=0, high=2)
    return Case(name="NoisyCount", mechanism=Summarised(sum, mechanism), universe=BITS, rows=2, reach=2)


def weighty_count(module: ModuleType) -> Case:
    mechanism = module.NoisyCount(epsilon=1, low=0, high=4, sensitivity=2)
    return Case(name="NoisyCount", mechanism=Summarised(sum, mechanism), universe=TRITS, rows=2, reach=4)


def overflowing_count(module: ModuleType) -> Case:
    """Counts of up to 3 in a public range that ends at 1."""
    mechanism = module.NoisyCount(epsilon=1, low=0, high=1)
    return Case(name="NoisyCount", mechanism=Summarised(sum, mechanism), universe=BITS, rows=3, reach=3)


def sampled_count(module: ModuleType) -> Case:
    inner = Summarised(sum, module.NoisyCount(epsilon=1, low=0, high=1))
    return Case(name="PoissonSample", mechanism=PoissonSample(inner=inner, rate="1/2", rows=2), universe=BITS, rows=2)


def two_counts(module: ModuleType) -> Case:
    mechanism = module.NoisyCounts(epsilon=1, queries=2, low=0, high=1)
    summary = partial(per_question, questions=2)
    return Case(name="NoisyCounts", mechanism=Summarised(summary, mechanism), universe=LABELLED, rows=1)


def two_weighty_counts(module: ModuleType) -> Case:
    mechanism = module.NoisyCounts(epsilon=1, queries=2, low=0, high=2, sensitivity=2)
    summarised = Summarised(partial(per_question, questions=2), mechanism)
    return Case(name="NoisyCounts", mechanism=summarised, universe=((0, 0), (2, 2)), rows=1, reach=2)


def histogram(module: ModuleType) -> Case:
    mechanism = module.NoisyHistogram(epsilon=1, cells=2, rows=2)
    summary = partial(per_cell, cells=2)
    return Case(name="NoisyHistogram", mechanism=Summarised(summary, mechanism), universe=BITS, rows=2, reach=2)


def three_cells(module: ModuleType) -> Case:
    mechanism = module.NoisyHistogram(epsilon=1, cells=3, rows=1)
    return Case(
        name="NoisyHistogram", mechanism=Summarised(partial(per_cell, cells=3), mechanism), universe=TRITS, rows=1
    )


def without_strays(rows: tuple[int, ...]) -> object:
    """Two declared cells; a row in neither is left out."""
    return np.array([rows.count(0), rows.count(1)], dtype=np.int64)


def histogram_with_strays(module: ModuleType) -> Case:
    mechanism = module.NoisyHistogram(epsilon=1, cells=2, rows=2)
    return Case(name="NoisyHistogram", mechanism=Summarised(without_strays, mechanism), universe=TRITS, rows=2, reach=2)


def sampled_histogram(module: ModuleType) -> Case:
    inner = Summarised(partial(per_cell, cells=2), module.NoisyHistogram(epsilon=1, cells=2, rows=2))
    mechanism = PoissonSample(inner=inner, rate="1/2", rows=2)
    return Case(name="PoissonSample", mechanism=mechanism, universe=BITS, rows=2, reach=2)


COUNT_SCALE = "return self.sensitivity / self.epsilon"
COUNT_LOSS = '"""epsilon."""\n        return PrivacyLoss(self.epsilon)'
INSIDE = "        inside = max(self.low, min(self.high, int(count)))"
COUNT = "        return max(self.low, min(self.high, inside + coins.geometric(self.scale)))"
QUERIES_SCALE = "return self.queries * self.sensitivity / self.epsilon"
QUERIES = "        return np.clip(inside + coins.geometrics(self.scale, self.queries), self.low, self.high)"
CELLS = "        return np.clip(inside + coins.geometrics(self.scale, self.cells), 0, self.rows)"
CELLS_SCALE = "return 2 / self.epsilon"

KILLED = (
    *slips(MODULE, weighty_count, ("the sensitivity is forgotten", COUNT_SCALE, "return 1 / self.epsilon")),
    *slips(
        MODULE,
        cautious_count,
        ("epsilon and its inverse are exchanged", COUNT_SCALE, "return self.sensitivity * self.epsilon"),
    ),
    *slips(
        MODULE,
        one_count,
        ("half the noise", COUNT_SCALE, "return self.sensitivity / self.epsilon / 2"),
        ("half the loss is declared", COUNT_LOSS, COUNT_LOSS.replace("epsilon)", "epsilon / 2)")),
        (
            "the noise is clamped, and then added",
            "min(self.high, inside + coins.geometric(self.scale))",
            "inside + max(self.low, min(self.high, coins.geometric(self.scale)))",
        ),
        ("nothing is clamped after the noise", COUNT, "        return inside + coins.geometric(self.scale)"),
        (
            "only the lower end is clamped after the noise",
            COUNT,
            "        return max(self.low, inside + coins.geometric(self.scale))",
        ),
        (
            "the noise moves in steps of two",
            "inside + coins.geometric(self.scale)",
            "inside + 2 * coins.geometric(self.scale)",
        ),
        (
            "the noise never lowers a count",
            "inside + coins.geometric(self.scale)",
            "inside + abs(coins.geometric(self.scale))",
        ),
        (
            "the noise is of another kind: a fair step up or down",
            "inside + coins.geometric(self.scale)",
            "inside + 2 * coins.below(2) - 1",
        ),
        ("the range is the count's own", "min(self.high, inside + coins", "min(inside, inside + coins"),
        ("the noise grows with the count", "coins.geometric(self.scale)", "coins.geometric(self.scale * (1 + inside))"),
        ("the noise is drawn and dropped", "inside + coins.geometric(self.scale)", "inside + 0 * coins.below(2)"),
        ("no rows, no noise", *before("if not inside: return 0", COUNT)),
        ("an exception where the range overflows", *before("if count == self.high: raise OverflowError", INSIDE)),
        ("an exception that shows the count", *before("if count: raise ValueError(f'{count} rows')", INSIDE)),
        ("a debugging line with the count", *before("import logging; logging.debug('count %s', count)", INSIDE)),
        (
            "a line for a logger of its own, only for rare counts",
            *before("import logging; count and logging.getLogger('discreet.counts').info('not empty')", INSIDE),
        ),
        ("the count is printed", *before("print(count)", INSIDE)),
        ("the count is printed to stderr", *before("import sys; print(count, file=sys.stderr)", INSIDE)),
        ("a warning where the count is 0", *before("if not count: import warnings; warnings.warn('empty')", INSIDE)),
        ("a draw more where the count is odd", *before("if count % 2: coins.below(2)", COUNT)),
        (
            "noise until it keeps the count inside the range",
            COUNT,
            "        noise = [coins.geometric(self.scale), coins.geometric(self.scale)]\n"
            "        fitting = [step for step in noise if self.low <= inside + step <= self.high]\n"
            "        return inside + (fitting or [0])[0]",
        ),
    ),
    *slips(
        MODULE,
        sampled_count,
        (
            "half the add/remove loss is declared",
            'at least 0."""\n        return AddRemoveLoss(self.epsilon)',
            'at least 0."""\n        return AddRemoveLoss(self.epsilon / 2)',
        ),
    ),
    *slips(
        MODULE,
        two_counts,
        ("each query is given the whole epsilon", QUERIES_SCALE, "return self.sensitivity / self.epsilon"),
        (
            "one noise for all the answers",
            "coins.geometrics(self.scale, self.queries)",
            "coins.geometric(self.scale)",
        ),
        ("only the upper end is clamped", QUERIES, QUERIES.replace("self.low, self.high", "None, self.high")),
        ("an answer of 0 stays 0", QUERIES, QUERIES.replace("inside + ", "inside + (inside > 0) * ")),
        ("the answers come without noise if they agree", *before("if len(set(counts)) == 1: return inside", QUERIES)),
        (
            "the type of the answer is that of the least that holds the counts",
            QUERIES,
            QUERIES + ".astype(np.min_scalar_type(-int(inside.max())))",
        ),
    ),
    *slips(MODULE, two_weighty_counts, ("the sensitivity is forgotten", QUERIES_SCALE, "return 2 / self.epsilon")),
    *slips(
        MODULE,
        histogram,
        ("a replaced row is thought to move one cell by 1", CELLS_SCALE, "return 1 / self.epsilon"),
        ("empty cells stay empty", CELLS, CELLS.replace("inside + ", "inside + (inside > 0) * ")),
        ("the range ends at the fullest cell", CELLS, CELLS.replace("0, self.rows", "0, inside.max()")),
        ("one noise for all the cells", "coins.geometrics(self.scale, self.cells)", "coins.geometric(self.scale)"),
        ("the fullest cell is named", CELLS, CELLS + "[int(np.argmax(inside)):]"),
    ),
    *slips(
        MODULE,
        histogram_with_strays,
        (
            "rows outside the declared cells are refused",
            *before("if inside.sum() != self.rows: raise ValueError('`counts` must add up to `rows`.')", CELLS),
        ),
    ),
    *slips(
        MODULE,
        sampled_histogram,
        (
            "a quarter of epsilon is declared under add/remove",
            "return AddRemoveLoss(self.epsilon / 2)",
            "return AddRemoveLoss(self.epsilon / 4)",
        ),
    ),
)

HARMLESS = (
    *slips(
        MODULE,
        overflowing_count,
        (
            "A count outside the range is not clamped before the noise. Proof: counts of neighbours differ by at most"
            " the sensitivity without it too; the clamp after the noise is post-processing.",
            "inside = max(self.low, min(self.high, int(count)))",
            "inside = int(count)",
        ),
    ),
    *slips(
        MODULE,
        one_count,
        (
            "The answer's type tells whether it lies at the end of the range. Proof: the answer itself tells it.",
            COUNT,
            COUNT.replace("return ", "noisy = ") + "\n        return np.int64(noisy) if noisy == self.high else noisy",
        ),
        (
            "The sign of the noise is turned. Proof: the law of the noise is symmetric.",
            "inside + coins.geometric(self.scale)",
            "inside - coins.geometric(self.scale)",
        ),
    ),
    *slips(
        MODULE,
        two_counts,
        (
            "The answers are sorted. Proof: post-processing.",
            QUERIES,
            QUERIES.replace("return ", "return np.sort(") + ")",
        ),
    ),
    *slips(
        MODULE,
        three_cells,
        (
            "The sensitivity of a histogram is taken for its number of cells. Proof: for two cells or more that is at"
            " least 2, so there is more noise than is needed.",
            CELLS_SCALE,
            "return self.cells / self.epsilon",
        ),
    ),
)
