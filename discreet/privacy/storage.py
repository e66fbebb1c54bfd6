# SPDX-License-Identifier: Apache-2.0
"""Where a ledger's bytes are kept: the contract, and the memory of one process.

A storage holds an append-only run of bytes and an anchor: a short record, kept elsewhere, of how far it had come.
Whoever has it locked is the only one who appends. Every error of the system becomes one StorageError; a write or fsync
that failed is never tried again.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock
from typing import Protocol

from discreet.errors import LedgerError

CHUNK = 1 << 20
"""Bytes read at once."""


class Opened(Protocol):
    """A storage while it is locked."""

    @property
    def identity(self) -> object:
        """Changes when the bytes that were read before may have been exchanged."""
        ...

    @property
    def size(self) -> int:
        """How many bytes there are."""
        ...

    def read(self, start: int, length: int) -> bytes:
        """At most `length` bytes from `start` on."""
        ...

    def append(self, line: bytes) -> None:
        """Add bytes at the end; they are durable when this returns."""
        ...

    def cut(self, size: int) -> None:
        """Drop what is beyond `size`: a line that was never finished."""
        ...

    def read_anchor(self, name: str) -> bytes | None:
        """The anchor of that name, None if there is none."""
        ...

    def write_anchor(self, name: str, record: bytes) -> None:
        """Overwrite the anchor in place. It need not be durable: an older one only detects less."""
        ...

    def keep(self, content: bytes) -> str:
        """Put a large result beside the ledger, durable when this returns; gives its SHA-256."""
        ...

    def kept(self, digest: str) -> bytes:
        """The result with that SHA-256."""
        ...


class Storage(Protocol):
    """An append-only run of bytes with an anchor elsewhere."""

    def locked(self) -> AbstractContextManager[Opened]:
        """Keep all others from appending: other processes and other threads."""
        ...


def chunks(file: Opened, start: int) -> Iterator[bytes]:
    """All bytes from `start` on."""
    while start < file.size:
        chunk = file.read(start, CHUNK)
        if not chunk:
            raise LedgerError("the ledger became shorter while it was read; nothing was released.")
        start += len(chunk)
        yield chunk


@dataclass
class MemoryStorage:
    """Bytes of this process: for tutorials. It is its own opened state."""

    content: bytearray = field(default_factory=bytearray)
    anchors: dict[str, bytes] = field(default_factory=dict[str, bytes])
    results: dict[str, bytes] = field(default_factory=dict[str, bytes])
    lock: Lock = field(default_factory=Lock)
    owner: int = field(default_factory=os.getpid)
    identity: object = None

    @contextmanager
    def locked(self) -> Generator[Opened]:
        """One thread at a time, in one process: a forked child has a copy, and could spend it again."""
        if os.getpid() != self.owner:
            raise LedgerError("a ledger in memory cannot be used in another process; create one in a file.")
        with self.lock:
            yield self

    @property
    def size(self) -> int:
        return len(self.content)

    def read(self, start: int, length: int) -> bytes:
        return bytes(self.content[start : start + length])

    def append(self, line: bytes) -> None:
        self.content += line

    def cut(self, size: int) -> None:
        del self.content[size:]

    def read_anchor(self, name: str) -> bytes | None:
        return self.anchors.get(name)

    def write_anchor(self, name: str, record: bytes) -> None:
        self.anchors[name] = record

    def keep(self, content: bytes) -> str:
        digest = sha256(content).hexdigest()
        self.results[digest] = content
        return digest

    def kept(self, digest: str) -> bytes:
        return self.results[digest]
