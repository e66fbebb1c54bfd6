# SPDX-License-Identifier: Apache-2.0
"""A ledger in a file: the one place with file input and output. POSIX only, for the sake of its locks."""

from __future__ import annotations

import os
import time
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import ModuleType

from discreet.errors import LedgerError, StorageError
from discreet.privacy.entries import ANCHOR_BYTES
from discreet.privacy.storage import Opened

PATIENCE = 30
"""Seconds to wait for the lock."""


def anchors_folder() -> Path:
    """Where this user's anchors are: $XDG_STATE_HOME/discreet/anchors, by default under ~/.local/state."""
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    try:
        return (state if state.is_absolute() else Path.home() / ".local" / "state") / "discreet" / "anchors"
    except RuntimeError:
        raise LedgerError("there is no home folder for the ledger's anchor; set XDG_STATE_HOME to a folder.") from None


@dataclass(frozen=True)
class FileStorage:
    """A file, locked by `flock` while it is appended to, with results beside it in `<name>.results/`.

    Nothing stays open between two uses, and each use opens the file anew: so the lock also holds between threads, and
    no forked child ever shares it.
    """

    path: Path
    anchors: Path = field(default_factory=anchors_folder)

    @classmethod
    def at(cls, path: str | Path) -> FileStorage:
        """The file of that name, by whatever links: its results lie beside it in one place."""
        try:
            return cls(Path(os.fsdecode(os.path.realpath(os.fsencode(path)))))
        except ValueError:
            raise LedgerError("this is no path to a ledger: no file can have such a name.") from None

    @classmethod
    def create(cls, path: str | Path, first: bytes, *, anchor: str, record: bytes) -> FileStorage:
        """A new file with one durable line. Opening never creates and creating never overwrites.

        The anchor comes first: without a place for it there shall be no ledger.
        """
        storage, steps = cls.at(path), _Steps("created")
        with steps.told():
            _locks()
            if storage.path.exists():
                raise _exists(storage.path)
            with closing(_AnchorFile(storage, steps)) as anchors:
                anchors.write(anchor, record)
            steps.doing = "created"
            _write_new(storage.path, first)
        return storage

    @contextmanager
    def locked(self) -> Generator[Opened]:
        """Open the file and hold its lock; waits at most `PATIENCE` seconds."""
        steps = _Steps("opened")
        with steps.told():
            system = _locks()
            try:
                file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
            except FileNotFoundError:
                raise LedgerError(f"there is no ledger at {self.path}; `discreet ledger create` makes one.") from None
            with closing(_OpenedFile(file, self, steps)) as opened:
                _await(system, file, self.path)
                yield opened


class _Steps:
    """What is being done, for the sentence if the system refuses it; its own text may name what it should not."""

    def __init__(self, doing: str) -> None:
        self.doing = doing

    @contextmanager
    def told(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else "unknown"
            raise StorageError(f"the ledger could not be {self.doing} ({reason}); nothing was released.") from None


class _AnchorFile:
    """An anchor, open and locked from its first use on: two copies of a ledger are two files, but have one anchor."""

    def __init__(self, storage: FileStorage, steps: _Steps) -> None:
        self._storage = storage
        self._steps = steps
        self._file: int | None = None

    def read(self, name: str) -> bytes | None:
        self._steps.doing = "compared with its anchor"
        try:
            self._file = os.open(f"{self._storage.anchors}/{name}", os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        _await(_locks(), self._file, self._storage.path)
        return os.pread(self._file, ANCHOR_BYTES + 1, 0)

    def write(self, name: str, record: bytes) -> None:
        """Overwrite in place, without fsync."""
        self._steps.doing = "anchored"
        if self._file is None:
            self._storage.anchors.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._file = os.open(f"{self._storage.anchors}/{name}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if os.fstat(self._file).st_size > len(record):
            os.ftruncate(self._file, len(record))
        os.lseek(self._file, 0, os.SEEK_SET)
        _write_all(self._file, record)

    def close(self) -> None:
        if self._file is not None:
            _release(self._file)


class _OpenedFile:
    """The file and its anchor, open and locked."""

    def __init__(self, file: int, storage: FileStorage, steps: _Steps) -> None:
        self._file = file
        self._storage = storage
        self._steps = steps
        self._anchor = _AnchorFile(storage, steps)

    @property
    def identity(self) -> object:
        status = os.fstat(self._file)
        return status.st_dev, status.st_ino

    @property
    def size(self) -> int:
        return os.fstat(self._file).st_size

    def read(self, start: int, length: int) -> bytes:
        self._steps.doing = "read"
        return os.pread(self._file, length, start)

    def append(self, line: bytes) -> None:
        self._steps.doing = "written"
        before = self.size
        _write_all(self._file, line)
        os.fsync(self._file)
        if self.size != before + len(line):
            raise StorageError("something else writes to this ledger without its lock; nothing was released.")

    def cut(self, size: int) -> None:
        self._steps.doing = "mended"
        os.ftruncate(self._file, size)
        os.fsync(self._file)

    def read_anchor(self, name: str) -> bytes | None:
        return self._anchor.read(name)

    def write_anchor(self, name: str, record: bytes) -> None:
        self._anchor.write(name, record)

    def keep(self, content: bytes) -> str:
        """Beside the ledger, under its SHA-256."""
        self._steps.doing = "written"
        digest = sha256(content).hexdigest()
        self._results.mkdir(exist_ok=True, mode=0o700)
        path, draft = self._results / digest, self._results / f"{digest}.draft"
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            _write_all(file, content)
            os.fsync(file)
        finally:
            os.close(file)
        draft.replace(path)  # never a moment in which an earlier result of the same bytes is not whole
        _sync_folder(self._results)
        _sync_folder(self._results.parent)
        return digest

    def kept(self, digest: str) -> bytes:
        """Read back and compared with its name."""
        try:
            content = (self._results / digest).read_bytes()
        except FileNotFoundError:
            raise LedgerError(f"a result is missing from {self._results}; restore that folder.") from None
        if sha256(content).hexdigest() != digest:
            raise LedgerError(f"a result in {self._results} was changed: it is not what was released.")
        return content

    def close(self) -> None:
        """Unlock in any case: a child forked by another thread may have inherited the open file."""
        try:
            self._anchor.close()
        finally:
            _release(self._file)

    @property
    def _results(self) -> Path:
        path = self._storage.path
        return path.with_name(path.name + ".results")


def _file_locks() -> ModuleType | None:
    try:
        import fcntl
    except ImportError:
        return None
    return fcntl


_LOCKS = _file_locks()


def _locks() -> ModuleType:
    if _LOCKS is None:
        raise LedgerError("ledgers in files need POSIX file locks, which this system lacks; use Linux or macOS.")
    return _LOCKS


def _release(file: int) -> None:
    with suppress(OSError):
        _locks().flock(file, _locks().LOCK_UN)
    os.close(file)


def _await(system: ModuleType, file: int, path: Path) -> None:
    until = time.monotonic_ns() + PATIENCE * 10**9
    while True:
        try:
            return system.flock(file, system.LOCK_EX | system.LOCK_NB)
        except BlockingIOError:
            if time.monotonic_ns() > until:
                raise LedgerError(f"{path} has been locked for {PATIENCE} seconds; try again.") from None
        time.sleep(1 / 500)


def _exists(path: Path) -> LedgerError:
    return LedgerError(f"{path} exists already; open it, or choose another name.")


def _write_new(path: Path, content: bytes) -> None:
    """A new durable file, or none."""
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise _exists(path) from None
    try:
        _write_all(file, content)
        os.fsync(file)
        _sync_folder(path.parent)
    except OSError:
        with suppress(OSError):
            path.unlink()
        raise
    finally:
        os.close(file)


def _write_all(file: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]


def _sync_folder(folder: Path) -> None:
    file = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)
