# SPDX-License-Identifier: Apache-2.0
"""Exhaustive verification: the exact output law of the shipped code on every database of a tiny universe.

What is enumerated: every branch of every law asked of `Coins`, on all databases of the stated universe and number of
rows, and all ordered pairs that differ in one row. What is not: larger n, and the time that refinement takes.
"""

from discreet.verification.case import Case
from discreet.verification.verify import Verdict, verify

__all__ = ["Case", "Verdict", "verify"]
