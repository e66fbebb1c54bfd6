# SPDX-License-Identifier: Apache-2.0
"""A private count of a made-up table of 1,000 people, and what it costs.

Run it with `python examples/private_count.py`; every run draws fresh coins of the operating system.
"""

from fractions import Fraction

from discreet import System
from discreet.mechanisms.counts import NoisyCount

PEOPLE = 1000
smokers = sum(person % 7 < 2 for person in range(PEOPLE))  # made up: anybody can compute it, so it may be shown here

for epsilon in (Fraction(1, 10), Fraction(1)):
    mechanism = NoisyCount(epsilon=epsilon, low=0, high=PEOPLE)
    released = mechanism(smokers, System())
    print(f"at {mechanism.loss}: {released} of {PEOPLE} smoke (made up, so it may be said: {smokers} do)")
    assert 0 <= released <= PEOPLE
