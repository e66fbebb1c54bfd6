# SPDX-License-Identifier: Apache-2.0
"""Three sources of uniform words: the system's, seeded ones, and listed ones."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from hashlib import sha256
from threading import Lock
from typing import NoReturn

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes

from discreet.coins.contract import Words
from discreet.coins.domains import require_integer
from discreet.errors import EntropyError

BUFFERED = 512
"""Words kept ready for scalar draws."""

BLOCK = 1 << 16
"""Words of one block of zeros that the cipher turns into key stream: half a megabyte stays in the cache."""

UNIQUE = "coins cannot be copied or pickled: the copy would repeat the same draws; make new coins."

_zeros = bytes(8 * BLOCK)
_forks = [0]


def _forked() -> None:
    _forks[0] += 1


if sys.platform != "win32":  # which has no fork
    os.register_at_fork(after_in_child=_forked)


def _process() -> tuple[int, int]:
    """This process, told from every process it was forked from, even when a number is used again."""
    return os.getpid(), _forks[0]


class _KeyStream:
    """AES-256 in counter mode under one key: 64-bit words that are as good as uniform.

    Threads may share it: no word is handed out twice. Cipher and refill are locked; `list.pop` is atomic.
    """

    word_bits = 64

    def __init__(self, key: bytes) -> None:
        self._encrypt: CipherContext = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
        self._lock = Lock()
        self._ready: list[int] = []

    def words(self, count: int) -> Words:
        out = np.empty(count, dtype="<u8")
        target = out.view(np.uint8)
        with self._lock:
            for start in range(0, 8 * count, len(_zeros)):
                size = min(len(_zeros), 8 * count - start)
                stream = self._encrypt.update(_zeros[:size] if size < len(_zeros) else _zeros)
                target[start : start + size] = np.frombuffer(stream, dtype=np.uint8)
        return out.astype(np.uint64, copy=False)

    def word(self) -> int:
        try:
            return self._ready.pop()
        except IndexError:
            fresh: list[int] = self.words(BUFFERED).tolist()
        word = fresh.pop()
        self._ready = fresh  # what another thread has put there meanwhile is lost, never drawn twice
        return word

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise EntropyError(UNIQUE)


class SystemBits(_KeyStream):
    """Words for *one* release: AES-256-CTR under a key drawn from the operating system.

    Raises EntropyError if the system gives no key, and in every process but the one that drew it: a forked
    child would repeat its parent's stream.
    """

    simulated = False

    def __init__(self) -> None:
        try:
            key = os.urandom(32)
        except (OSError, NotImplementedError):
            raise EntropyError("the operating system gave no entropy; nothing was drawn or released.") from None
        super().__init__(key)
        self._owner = _process()

    def words(self, count: int) -> Words:
        self._check()
        return super().words(count)

    def word(self) -> int:
        self._check()
        return super().word()

    def _check(self) -> None:
        if _process() != self._owner:
            raise EntropyError("these coins belong to another process; make new ones in each process.")


class SeededBits(_KeyStream):
    """The same words for the same seed: for simulations only, and what is drawn from them says so."""

    simulated = True

    def __init__(self, seed: int) -> None:
        require_integer("seed", seed)
        super().__init__(sha256(b"discreet simulation " + f"{seed:x}".encode()).digest())


class Exhausted(Exception):
    """The listed words have run out: the draw is undecided on them."""


class ListedBits:
    """The given words of `word_bits` bits, then `Exhausted`. All lists of one length enumerate a sampler."""

    simulated = True

    def __init__(self, words: Iterable[int], *, word_bits: int) -> None:
        require_integer("word_bits", word_bits, 1, 64)
        self.word_bits = word_bits
        self._words = iter(words)

    def word(self) -> int:
        for word in self._words:
            return word
        raise Exhausted

    def words(self, count: int) -> Words:
        return np.array([self.word() for _ in range(count)], dtype=np.uint64)
