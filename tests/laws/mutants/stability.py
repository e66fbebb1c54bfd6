# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501, ISC004 -- slips quote the lines of the source as they stand
"""Slips in discreet/mechanisms/stability.py, the printed A_dist of [5] Alg 1 among them."""

from __future__ import annotations

from functools import partial
from types import ModuleType

import numpy as np

from discreet.mechanisms.contract import Summarised
from discreet.verification.case import Case
from discreet.verification.catalogue import BITS, first, per_cell
from tests.laws.mutants.slips import before, slips

MODULE = "discreet.mechanisms.stability"
CELLS = "discreet.mechanisms.cells"


def a_dist(module: ModuleType) -> Case:
    """The more common of two values among four rows: gaps of 4, 2 and 0."""
    mechanism = module.ADist(epsilon=1, delta="1/4")
    summarised = Summarised(partial(per_cell, cells=2), mechanism)
    return Case(name="ADist", mechanism=summarised, universe=BITS, rows=4, reach=4 + int(mechanism.cut))


def scores_of_three(rows: tuple[tuple[int, ...], ...]) -> object:
    """Two candidates that are far ahead of a third; a row says to which of them it adds 1."""
    return np.array([6, 6, 0], dtype=np.int64) + np.array(rows[0], dtype=np.int64)


def a_dist_of_three(module: ModuleType) -> Case:
    mechanism = module.ADist(epsilon=1, delta="1/4")
    summarised = Summarised(scores_of_three, mechanism)
    return Case(name="ADist", mechanism=summarised, universe=((1, 1, 0), (0, 1, 1)), rows=1, reach=20, tight=False)


def a_dist_at_the_printed_figures(module: ModuleType) -> Case:
    """Epsilon = 1 and delta = 1/100, where the printed version needs delta = 0.39."""
    mechanism = module.ADist(epsilon=1, delta="1/100")
    summarised = Summarised(partial(per_cell, cells=2), mechanism)
    return Case(name="ADist", mechanism=summarised, universe=BITS, rows=6, reach=20, tight=False)


def stability(module: ModuleType) -> Case:
    mechanism = module.StabilityHistogram(epsilon=2, delta="2/5", rows=2)
    return Case(name="StabilityHistogram", mechanism=mechanism, universe=("a", "b"), rows=2, reach=6)


def three_rows(module: ModuleType) -> Case:
    mechanism = module.StabilityHistogram(epsilon=2, delta="2/5", rows=3)
    return Case(name="StabilityHistogram", mechanism=mechanism, universe=("a", "b"), rows=3, reach=3)


def two_full_cells(module: ModuleType) -> Case:
    """Two neighbours of four rows, where both cells are likely to be released."""
    mechanism = Summarised(first, module.StabilityHistogram(epsilon=2, delta="2/5", rows=4))
    return Case(name="StabilityHistogram", mechanism=mechanism, universe=("aabb", "babb"), rows=1, reach=3, tight=False)


def of_two_types(module: ModuleType) -> Case:
    """Rows that Python calls equal, and that are not of one type."""
    mechanism = module.StabilityHistogram(epsilon=2, delta="2/5", rows=2)
    return Case(name="StabilityHistogram", mechanism=mechanism, universe=(1, True), rows=2, reach=2)


def of_one_type(module: ModuleType) -> Case:
    """Numbers that Python calls equal, and that are not the same."""
    mechanism = module.StabilityHistogram(epsilon=2, delta="2/5", rows=2)
    return Case(name="StabilityHistogram", mechanism=mechanism, universe=(0.0, -0.0), rows=2, reach=2)


def pairs_of_two_types(module: ModuleType) -> Case:
    """Tuples that Python calls equal, and whose parts are not of one type."""
    mechanism = module.StabilityHistogram(epsilon=2, delta="2/5", rows=2)
    return Case(name="StabilityHistogram", mechanism=mechanism, universe=((1, 0), (1, False)), rows=2, reach=2)


def no_cells(module: ModuleType) -> Case:
    """A cell, and a row with none."""
    mechanism = module.StabilityHistogram(epsilon=2, delta="2/5", rows=2)
    return Case(name="StabilityHistogram", mechanism=mechanism, universe=("a", ["b"]), rows=2, reach=2)


def points(module: ModuleType) -> Case:
    """As few rows as the published precondition allows."""
    mechanism = module.PointRelease(epsilon=8, delta="2/5", alpha="99/100", rows=5)
    return Case(name="PointRelease", mechanism=mechanism, universe=("a", "b"), rows=5, reach=5, tight=False)


def points_at_the_cut(module: ModuleType) -> Case:
    """alpha n / 2 = 3 exactly: the two databases around alpha n / 4, where all of delta arises."""
    mechanism = module.PointRelease(epsilon=12, delta="1/16", alpha="6/7", rows=7)
    summarised = Summarised(first, mechanism)
    return Case(
        name="PointRelease", mechanism=summarised, universe=("aabbbbb", "abbbbbb"), rows=1, reach=5, tight=False
    )


GAP_SCALE = '"""Scale of the noise on the gap."""\n        return 2 / self.epsilon'
GAP_CUT = "return 2 + _steps(self.epsilon, self.delta)"
GAP_LOSS = "return PrivacyLoss(self.epsilon, _tail(self.epsilon, self.cut - 2))"
SECOND = "        second = int(np.delete(array, best).max())"
GAP = "gap = int(array[best]) - second + coins.geometric(self.scale)"
GAP_RETURN = "        return best if gap >= self.cut else None"

CELL_CUT = "return 1 + _steps(self.epsilon, self.delta)"
CELL_LOSS = "return PrivacyLoss(self.epsilon, _tail(self.epsilon, self.cut - 1))"
NOISE = "        noise = coins.geometrics(self.scale, self.rows).tolist()"
NOISY = "(name, count + added) for"
KEPT = "kept = sorted((name, min(value, rows)) for name, value in noisy if value >= cut)"
STEPS = "return max(0, round_up(needed))"
NEEDED = "return -(ball(delta) * (1 + ratio)).log() * ball(2 / epsilon)"
HEAVY = "counts = [(cell, count) for cell, count in tally(cells).items() if count >= self.heavy]"
PLAIN = "return kind.__name__, cell"
NUMBER = 'return "float", struct.pack(">d", cell)'
TUPLE = 'return None if None in parts else ("tuple", tuple(parts))'
NO_CELL = "    return None\n\n\ndef cell_of"
ROW = "        if name is not None:"
COUNTED = "counts[name] = counts.get(name, 0) + 1"
TAIL = "return (-ball(epsilon * steps / 2)).exp() / (1 + (-ball(epsilon / 2)).exp())"


def gap_cut_and_loss(cut: str, loss: str) -> tuple[str, str]:
    """The cut and the loss of ADist lie side by side, so one slip may take both."""
    between = '\n\n    @property\n    def loss(self) -> PrivacyLoss:\n        """(epsilon, the delta that is reached)."""\n        '
    return GAP_CUT + between + GAP_LOSS, cut + between + loss


def cell_cut_and_loss(cut: str, loss: str) -> tuple[str, str]:
    found, instead = gap_cut_and_loss(cut, loss)
    return found.replace(GAP_CUT, CELL_CUT).replace(GAP_LOSS, CELL_LOSS), instead


PRINTED = (
    GAP_SCALE
    + '\n\n    @property\n    def cut(self) -> int:\n        """The noisy gap at which the best candidate is released."""\n        '
    + gap_cut_and_loss("", "")[0]
)

ASKED = "return PrivacyLoss(self.epsilon, self.delta)"

KILLED = (
    *slips(
        MODULE,
        a_dist_at_the_printed_figures,
        (
            "A_dist as printed: noise of scale 1/epsilon, cut ln(1/delta)/epsilon",
            PRINTED,
            PRINTED.replace("2 / self.epsilon", "1 / self.epsilon")
            .replace(GAP_CUT, "return round_up(lambda bits: -ball(self.delta).log() / ball(self.epsilon))")
            .replace(GAP_LOSS, ASKED),
        ),
        (
            "A_dist with the printed cut and the right noise",
            *gap_cut_and_loss("return round_up(lambda bits: -ball(self.delta).log() / ball(self.epsilon))", ASKED),
        ),
    ),
    *slips(
        MODULE,
        a_dist,
        ("the gap is thought to move by 1", GAP_SCALE, GAP_SCALE.replace("2 /", "1 /")),
        ("the cut is one lower", *gap_cut_and_loss("return 1 + _steps(self.epsilon, self.delta)", ASKED)),
        (
            "the cut is two lower, and the smaller delta is declared",
            *gap_cut_and_loss(
                "return _steps(self.epsilon, self.delta)",
                "return PrivacyLoss(self.epsilon, _tail(self.epsilon, self.cut))",
            ),
        ),
        ("the delta declared is that of a gap of one more", GAP_LOSS, GAP_LOSS.replace("cut - 2", "cut - 1")),
        ("no delta is declared", GAP_LOSS, "return PrivacyLoss(self.epsilon)"),
        ("the gap is compared without noise", GAP, "gap = int(array[best]) - second + 0 * coins.below(2)"),
        (
            "the noise is clamped before it is added",
            GAP,
            GAP.replace("coins.geometric(self.scale)", "min(0, coins.geometric(self.scale))"),
        ),
        ("the noisy gap is released too", GAP_RETURN, "        return best if gap >= self.cut else gap"),
        ("the runner-up is released too", GAP_RETURN, "        return (best, second) if gap >= self.cut else None"),
        (
            "the best candidate is released whenever it leads by the cut itself",
            GAP_RETURN,
            "        return best if max(gap, int(array[best]) - second) >= self.cut else None",
        ),
        (
            "no noise is drawn where there is no gap",
            *before(
                "if array[best] == second: return None",
                "        gap = int(array[best]) - second + coins.geometric(self.scale)",
            ),
        ),
        (
            "a clear lead is logged",
            *before(
                "import logging; array[best] > second + 2 and logging.debug('clear')",
                "        gap = int(array[best]) - second + coins.geometric(self.scale)",
            ),
        ),
        (
            "an exception where the best are tied",
            *before("if array[best] == second: raise ValueError('tied')", GAP_RETURN),
        ),
        ("the number of steps is one fewer, and the asked delta declared", *gap_cut_and_loss(GAP_CUT + " - 1", ASKED)),
    ),
    *slips(
        MODULE,
        a_dist_of_three,
        (
            "the candidates tied with the best are left out of the second best",
            SECOND,
            "        second = max([int(score) for score in array if score < array[best]], default=0)",
        ),
        ("the gap is taken to the worst", SECOND, "        second = int(array.min())"),
        ("the gap is taken to the mean", SECOND, "        second = int(array.sum() - array[best]) // (len(array) - 1)"),
    ),
    *slips(
        MODULE,
        stability,
        ("the cut is one lower", *cell_cut_and_loss("return _steps(self.epsilon, self.delta)", ASKED)),
        ("the delta declared is that of a cut one higher", CELL_LOSS, CELL_LOSS.replace("cut - 1", "cut")),
        ("no delta is declared", CELL_LOSS, "return PrivacyLoss(self.epsilon)"),
        ("no noise", NOISE, NOISE.replace("self.scale", "0 * self.scale")),
        ("every cell that a row is in is released", KEPT, KEPT.replace(" if value >= cut", "")),
        (
            "cells are named whatever their noisy count, the counts cut",
            KEPT,
            KEPT.replace("min(value, rows)", "max(0, min(value, rows) - cut)").replace(" if value >= cut", ""),
        ),
        (
            "the exact count is released where the noisy one passes",
            KEPT,
            KEPT.replace("min(value, rows)", "dict(counts)[name]"),
        ),
        (
            "the exact count decides, the noisy one is released",
            KEPT,
            KEPT.replace("if value >= cut", "if dict(counts)[name] >= cut"),
        ),
        ("counts are not clamped to the number of rows", KEPT, KEPT.replace("min(value, rows)", "value")),
        ("as many draws at once as there are cells", NOISE, NOISE.replace("self.rows)", "len(tally(cells)))")),
        (
            "one draw for each cell there is",
            NOISE,
            "        noise = [coins.geometric(self.scale) for _ in tally(cells)]",
        ),
        ("one noise for all the cells", NOISE, "        noise = [coins.geometric(self.scale)] * self.rows"),
        (
            "a full cell is released without noise",
            *before("if len(set(cells)) == 1: return ((cells[0], self.rows),)", NOISE),
        ),
        (
            "the number of cells is logged",
            *before("import logging; logging.info('%s cells', len(tally(cells)))", NOISE),
        ),
        ("the cells are printed", *before("print(*sorted(set(cells)))", NOISE)),
        ("a cell too long for its column is refused", *before("if 'b' in cells: raise ValueError('too long')", NOISE)),
        ("the tail is halved, as that of Laplace noise", TAIL, "return (-ball(epsilon * steps / 2)).exp() / 2"),
        ("the tail is that of the next step", TAIL, TAIL.replace("epsilon * steps / 2", "epsilon * (steps + 1) / 2")),
        ("the tail is that of the full epsilon", TAIL, TAIL.replace("epsilon * steps / 2", "epsilon * steps")),
    ),
    *slips(
        MODULE,
        three_rows,
        (
            "the noise is half as wide",
            '"""Scale of the noise in each cell."""\n        return 2 / self.epsilon\n\n    @property\n    def cut(self) -> int:\n        """The noisy count',
            '"""Scale of the noise in each cell."""\n        return 1 / self.epsilon\n\n    @property\n    def cut(self) -> int:\n        """The noisy count',
        ),
    ),
    *slips(
        MODULE,
        two_full_cells,
        ("cells are released in the order of the rows", KEPT, KEPT.replace("sorted(", "list(")),
        (
            "cells are released in the order of their counts",
            KEPT,
            KEPT + "\n    kept.sort(key=lambda item: -dict(counts)[item[0]])",
        ),
    ),
    *slips(
        CELLS,
        of_two_types,
        ("cells are told apart as Python does, 1 from True not at all", PLAIN, 'return "plain", cell'),
        (
            "a cell's type is told of the first row only",
            COUNTED,
            COUNTED + "\n            print(name[0]) if len(counts) == 1 else None",
        ),
        through=MODULE,
    ),
    *slips(
        CELLS,
        of_one_type,
        ("0.0 and -0.0 are one cell, named by whichever came first", NUMBER, 'return "number", cell'),
        through=MODULE,
    ),
    *slips(
        CELLS,
        pairs_of_two_types,
        ("a tuple is named by itself, not by its parts", TUPLE, 'return None if None in parts else ("plain", cell)'),
        through=MODULE,
    ),
    *slips(
        CELLS,
        no_cells,
        ("what is no cell is refused", NO_CELL, NO_CELL.replace("return None", "raise TypeError('no cell')")),
        ("what is no cell is told of", *before("if name is None: print('no cell')", ROW)),
        ("what is no cell clears the counts", *before("if name is None: counts.clear()", ROW)),
        through=MODULE,
    ),
    *slips(
        CELLS,
        stability,
        ("each row counts twice", COUNTED, COUNTED.replace("+ 1", "+ 2")),
        ("a cell's first row counts twice", COUNTED, COUNTED.replace("0) + 1", "1) + 1")),
        through=MODULE,
    ),
    *slips(
        MODULE,
        points,
        (
            "heavy cells are those above alpha n / 2",
            "return int(self.alpha * self.rows / 4) + 1",
            "return int(self.alpha * self.rows / 2) + 1",
        ),
        (
            "a cell is released above alpha n / 4",
            "return int(self.alpha * self.rows / 2) + 1",
            "return int(self.alpha * self.rows / 4) + 1",
        ),
        (
            "as many draws as there are heavy cells",
            "noise = coins.geometrics(self.scale, self.rows // self.heavy).tolist()",
            "noise = [coins.geometric(self.scale) for _ in counts]",
        ),
        ("fewer draws than there can be heavy cells", "self.rows // self.heavy)", "self.rows // self.heavy - 1)"),
        (
            "a light cell is told of",
            HEAVY,
            HEAVY + "\n        import warnings; len(counts) < len(tally(cells)) and warnings.warn('a light cell')",
        ),
        (
            "the noise is of scale 1/epsilon",
            '"""Scale of the noise in each cell."""\n        return 2 / self.epsilon\n\n    @property\n    def cut(self) -> int:\n        """The least',
            '"""Scale of the noise in each cell."""\n        return 1 / self.epsilon\n\n    @property\n    def cut(self) -> int:\n        """The least',
        ),
    ),
)

HARMLESS = (
    *slips(
        MODULE,
        a_dist,
        (
            "> for >=. Proof: the cut is one higher, and so delta is smaller than declared.",
            "if gap >= self.cut",
            "if gap > self.cut",
        ),
        (
            "The cut is that of Laplace noise, without (1 + r). Proof: it is not lower, and the loss states what is reached.",
            NEEDED,
            "return -ball(delta).log() * ball(2 / epsilon)",
        ),
        ("The asked delta is declared. Proof: it is at least the one that is reached.", GAP_LOSS, ASKED),
        (
            "Ties go to the last candidate. Proof: at a tie the gap is 0, whichever of the tied is named, and neighbours' gaps sum"
            " to at most 2 all the same.",
            "best = int(np.argmax(array))",
            "best = len(array) - 1 - int(np.argmax(array[::-1]))",
        ),
        (
            "Too few steps are taken, and the delta declared is the larger one that they reach. Proof: the loss is computed from the"
            " cut, so it is true of any cut of at least 2.",
            STEPS,
            "return max(0, round_up(needed) - 1)",
        ),
    ),
    *slips(
        MODULE,
        stability,
        (
            "> for >=. Proof: the cut is one higher, and so delta is smaller than declared.",
            "if value >= cut",
            "if value > cut",
        ),
        ("The noise is handed out backwards. Proof: it is independent and of one law.", NOISE, NOISE + "[::-1]"),
        (
            "Released cells are sorted by their noisy counts. Proof: that is a function of what is released.",
            KEPT,
            KEPT + "\n    kept.sort(key=lambda item: item[1])",
        ),
        (
            "Counts are not clamped below by 0. Proof: below the cut nothing is released.",
            NOISY,
            "(name, max(0, count + added)) for",
        ),
        ("The asked delta is declared. Proof: it is at least the one that is reached.", CELL_LOSS, ASKED),
    ),
    *slips(
        CELLS,
        no_cells,
        (
            "What is no cell is counted as None. Proof: it is one cell like another, and a replaced row still moves two by 1.",
            NO_CELL,
            NO_CELL.replace("return None", 'return "", 0'),
        ),
        through=MODULE,
    ),
    *slips(
        CELLS,
        pairs_of_two_types,
        (
            "A cell's type is told by its first letter. Proof: b and i stay two names, and the cell released is in the name.",
            PLAIN,
            "return kind.__name__[0], cell",
        ),
        through=MODULE,
    ),
    *slips(
        MODULE,
        points_at_the_cut,
        (
            '">=" for ">" alpha n / 2 (a cut one lower where that is an integer). Proof: the published precondition bounds the tail at'
            " alpha n / 2 itself, P[Lap < alpha n / 4 - 1].",
            "return int(self.alpha * self.rows / 2) + 1",
            "return -int(-self.alpha * self.rows // 2)",
        ),
    ),
)
