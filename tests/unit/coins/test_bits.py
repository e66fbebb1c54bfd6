# SPDX-License-Identifier: Apache-2.0
"""T21, the hygiene of words: no draw is repeated by copies, children or threads, and no entropy means no draw."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest

from discreet.coins.bits import BLOCK, BUFFERED, Exhausted, ListedBits, SeededBits, SystemBits
from discreet.coins.fair import FairCoins, Seeded, System
from discreet.errors import DiscreetError, EntropyError

CHILDREN = 1000

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")

FAMILY = """
import os, sys
from discreet.coins.bits import {source}
from discreet.errors import EntropyError

parent = {source}({seed})
parent.word(), parent.words(4)
for _ in range({children}):
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        refused = 0
        for draw in (parent.word, lambda: parent.words(1)):
            try:
                draw()
            except EntropyError:
                refused += 1
        own = {own}
        os.write(write, bytes([refused]) + own.words(2).tobytes())
        os._exit(0)
    os.close(write)
    print(os.read(read, 64).hex())
    os.close(read)
    os.waitpid(pid, 0)
print("02" + parent.words(2).tobytes().hex())
"""


def draws_of_a_family(source: str, seed: str, own: str, children: int) -> tuple[list[str], set[str]]:
    """What every child drew (and then the parent), and how often each was refused its parent's words."""
    program = FAMILY.format(source=source, seed=seed, own=own, children=children)
    lines = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    assert len(lines) == children + 1
    return [line[2:] for line in lines], {line[:2] for line in lines}


@needs_fork
def test_a_thousand_forked_children_share_no_draw():
    """1,000 children draw 128 bits each with new coins: all differ; the parent's coins refuse in all of them.

    A true repeat has probability below 2^-108.
    """
    draws, refusals = draws_of_a_family("SystemBits", "", "SystemBits()", CHILDREN)
    assert len(set(draws)) == CHILDREN + 1
    assert {len(draw) for draw in draws} == {32}
    assert refusals == {"02"}


@needs_fork
def test_children_who_share_a_stream_would_be_seen():
    """Power: seeded words, inherited from the parent, are the same in every child."""
    draws, _ = draws_of_a_family("SeededBits", "7", "parent", 5)
    assert len(set(draws)) < 6


@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_child_forked_while_a_thread_works_with_balls_can_draw():
    """The lock around the precision of balls is free in the child."""
    stop: list[bool] = []
    coins = System()
    with ThreadPoolExecutor(1) as pool:
        busy = pool.submit(lambda: [coins.geometric(Fraction(2)) for _ in iter(lambda: bool(stop), True)])
        codes = [child_draws() for _ in range(50)]
        stop.append(True)
        busy.result()
    assert codes == [0] * 50


def child_draws() -> int:
    pid = os.fork()
    if pid == 0:
        signal.alarm(10)
        System().geometric(Fraction(2))
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_another_process_is_refused(monkeypatch: pytest.MonkeyPatch):
    coins = System()
    monkeypatch.setattr(os, "getpid", lambda: -1)
    for draw in (lambda: coins.below(10), lambda: coins.belows(10, 5), lambda: coins.geometrics(Fraction(2), 5)):
        with pytest.raises(EntropyError, match=r"^these coins belong to another process; [^.]+\.$"):
            draw()


@pytest.mark.parametrize("failure", [OSError("no"), NotImplementedError("no")])
def test_without_entropy_there_are_no_coins(failure: Exception, monkeypatch: pytest.MonkeyPatch):
    def urandom(count: int) -> bytes:
        raise failure

    monkeypatch.setattr(os, "urandom", urandom)
    with pytest.raises(EntropyError, match=r"^the operating system gave no entropy; [^.]+\.$") as caught:
        System()
    assert isinstance(caught.value, DiscreetError)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("make", [System, lambda: Seeded(1), SystemBits, lambda: SeededBits(1)])
@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, pickle.dumps, lambda coins: copy.deepcopy({"a": [coins]})]
)
def test_coins_cannot_be_copied_or_pickled(make: Callable[[], object], duplicate: Callable[[object], object]):
    with pytest.raises(EntropyError, match="cannot be copied or pickled"):
        duplicate(make())


def test_seeded_coins_taint_and_system_coins_do_not():
    assert Seeded(1).simulated
    assert FairCoins(ListedBits([1], word_bits=4)).simulated
    assert not System().simulated


def every_draw(coins: FairCoins) -> list[object]:
    return [
        coins.below(10**20),
        coins.bernoulli(Fraction(1, 3)),
        coins.bernoulli_exp(Fraction(1)),
        coins.geometric(Fraction(10**6)),
        coins.belows(1000, 50).tolist(),
        coins.bernoullis(Fraction(1, 3), 50).tolist(),
        coins.geometrics(Fraction(50), 50).tolist(),
        coins.geometrics(Fraction(5000), 50).tolist(),
    ]


def test_the_same_seed_draws_the_same():
    assert every_draw(Seeded(5)) == every_draw(Seeded(5))
    assert every_draw(Seeded(5)) != every_draw(Seeded(6))


def test_system_coins_never_repeat():
    """500 bits and more each: equal with probability below 2^-100."""
    assert every_draw(System()) != every_draw(System())


def test_a_stream_is_one_stream_however_it_is_cut():
    """Blocks longer than the cipher's, none, and one: the same words."""
    whole = SeededBits(3).words(2 * BLOCK + 10)
    bits = SeededBits(3)
    parts = [bits.words(size) for size in (0, 1, BLOCK, 0, 7, BLOCK + 2)]
    assert np.array_equal(np.concatenate(parts), whole)
    assert whole.dtype == np.uint64


def test_single_words_are_words_of_the_stream_and_none_twice():
    bits = SeededBits(3)
    words = [bits.word() for _ in range(2 * BUFFERED)]
    assert set(words) == set(SeededBits(3).words(2 * BUFFERED).tolist())


@pytest.mark.parametrize("make", [SystemBits, lambda: SeededBits(9)])
def test_threads_that_share_coins_share_no_word(make: Callable[[], SystemBits]):
    """Eight threads, 20,000 single words and 50 vectors each: all words differ (by chance below 2^-24)."""
    bits = make()

    def work(_: int) -> list[int]:
        single = [bits.word() for _ in range(20_000)]
        return single + [word for _ in range(50) for word in bits.words(37).tolist()]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            words = [word for part in pool.map(work, range(8)) for word in part]
    finally:
        sys.setswitchinterval(interval)
    assert len(words) == len(set(words)) == 8 * (20_000 + 50 * 37)


def test_threads_that_share_coins_draw_from_the_right_laws():
    """Eight threads draw balls and tables at once: sums of geometrics stay small.

    The sum of 4,000 has a standard deviation below 181; 3,000 off has probability below 10^-50.
    """
    coins = System()

    def work(_: int) -> int:
        return sum(coins.geometric(Fraction(2)) for _ in range(200)) + int(coins.geometrics(Fraction(2), 300).sum())

    with ThreadPoolExecutor(8) as pool:
        assert abs(sum(pool.map(work, range(8)))) < 3000


def test_listed_words_end():
    bits = ListedBits([1, 2], word_bits=2)
    assert bits.words(2).tolist() == [1, 2]
    with pytest.raises(Exhausted):
        bits.word()


@pytest.mark.parametrize("bits", [SystemBits(), SeededBits(0)])
def test_words_are_balanced(bits: SystemBits):
    """Every bit of 100,000 words is set in half of them, within 6.9 deviations: error below 64 * 6e-12 < 1e-9."""
    words = bits.words(100_000)
    ones = [int(((words >> np.uint64(place)) & np.uint64(1)).sum()) for place in range(64)]
    assert max(abs(count - 50_000) for count in ones) < 6.9 * 158.2
