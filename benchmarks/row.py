# SPDX-License-Identifier: Apache-2.0
"""One line of the table: what was measured, of ours and of a peer, what is required, and whether it is met."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

from benchmarks.peers import Missing


@dataclass(frozen=True, kw_only=True)
class Row:
    """`ours` and `theirs` are both in `unit`: "s" (less is better), "/s" (more is better) or "x" (a ratio of ours).

    At most one is required: `ratio` >= `least_ratio`, or `ours` >= `least`, or `ours` <= `most`.
    """

    what: str
    ours: float
    unit: str
    peer: str = ""
    theirs: float | None = None
    missing: str = ""
    least_ratio: float | None = None
    least: float | None = None
    most: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times faster than the peer."""
        if self.theirs is None:
            return None
        return self.ours / self.theirs if self.unit == "/s" else self.theirs / self.ours

    @property
    def required(self) -> str:
        """In words; empty if the row only informs."""
        if self.least_ratio is not None:
            return f"≥ {self.least_ratio:g}×"
        if self.least is not None:
            return f"≥ {shown(self.least, self.unit)}"
        return "" if self.most is None else f"≤ {shown(self.most, self.unit)}"

    @property
    def verdict(self) -> str:
        """What became of the requirement: "pass", "MISS", why the peer was skipped, or nothing."""
        if self.missing:
            return f"skipped: {self.missing}"
        return ("pass" if self._met() else "MISS") if self.required else ""

    def _met(self) -> bool:
        if self.least_ratio is not None:
            return self.ratio is not None and self.ratio >= self.least_ratio
        return (self.least is None or self.ours >= self.least) and (self.most is None or self.ours <= self.most)

    def beside(self, peer: str, measure: Callable[[], float]) -> Row:
        """The same row beside a peer, whose time is taken now; or why it was not."""
        try:
            return replace(self, peer=peer, theirs=measure())
        except Missing as reason:
            return replace(self, peer=peer, missing=str(reason))

    def cells(self) -> tuple[str, ...]:
        """As people read it: what, ours, peer, ratio, required, verdict."""
        theirs = self.peer if self.theirs is None else f"{shown(self.theirs, self.unit)}  {self.peer}"
        ratio = "" if self.ratio is None else f"{self.ratio:,.3g}×" if self.ratio < 100 else f"{self.ratio:,.0f}×"
        return self.what, shown(self.ours, self.unit), theirs, ratio, self.required, self.verdict

    def as_json(self) -> dict[str, object]:
        """As machines read it."""
        return {**asdict(self), "ratio": self.ratio, "verdict": self.verdict}


def shown(value: float, unit: str) -> str:
    """A time, a rate or a ratio, in three digits."""
    if unit == "x":
        return f"{value:.3g}×"
    if unit == "/s":
        return f"{value / 1e6:.3g} M/s" if value >= 1e6 else f"{value:,.0f} /s"
    return f"{value:.3g} s" if value >= 1 else f"{value * 1e3:.3g} ms" if value >= 1e-3 else f"{value * 1e9:.3g} ns"
