# SPDX-License-Identifier: Apache-2.0
"""The kernel places words the same with numba and without, with a cache for its code and without one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import discreet
from discreet.coins import kernels, vectors
from discreet.coins.bits import ListedBits, SeededBits

PACKAGE = Path(discreet.__path__[0])


def planted(thresholds: np.ndarray, word_bits: int) -> np.ndarray:
    """Words at every threshold, beside it, at both ends, and 100,000 others."""
    limit = (1 << word_bits) - 1
    beside = [max(0, min(limit, int(edge) + step)) for edge in thresholds.tolist() for step in (-2, -1, 0, 1, 2)]
    others = SeededBits(1).words(100_000) >> np.uint64(64 - word_bits)
    return np.concatenate([np.array([0, 1, limit - 1, limit, *beside], dtype=np.uint64), others])


def compiled_place(words: np.ndarray, table: vectors.Table) -> np.ndarray:
    compiled = kernels._compiled()
    assert compiled is not None
    out = np.empty(len(words), dtype=np.int64)
    compiled(words, table.thresholds, table.guide, table.word_bits - min(kernels.GUIDE_BITS, table.word_bits), out)
    return out


TABLES = [
    ("1/5", 1, 64),
    ("2", 1, 64),
    ("1000", 1, 64),
    ("1/5", 1, 16),
    ("2", 1, 12),
    ("900", 1, 12),
    ("1000000", 2048, 64),
]


@pytest.mark.parametrize(("text", "stride", "word_bits"), TABLES)
def test_both_kernels_place_every_word_alike(text: str, stride: int, word_bits: int):
    """Ties with every threshold, tails, both ends: numba's integers are NumPy's, and so is each refinement."""
    pytest.importorskip("numba")
    tables = [vectors.strides(Fraction(text), stride, word_bits)]
    tables += [vectors.rests(Fraction(text), stride, word_bits)] if stride > 1 else []
    for table in tables:
        words = planted(table.thresholds, word_bits)
        assert np.array_equal(compiled_place(words, table), kernels._place_numpy(words, table.thresholds))
        assert np.array_equal(
            kernels.place(words, table.thresholds, table.guide, word_bits), compiled_place(words, table)
        )


def test_planted_ties_are_refined_alike(monkeypatch: pytest.MonkeyPatch):
    """A whole draw of words that all tie: the same outcomes with numba and without."""
    table = vectors.strides(Fraction(2), 1, 64)
    ties = [*table.thresholds.tolist(), 0, 2**64 - 1] * 3
    listed = [*ties, *SeededBits(2).words(1000).tolist()]
    with_numba = table.draw(ListedBits(listed, word_bits=64), len(ties))
    monkeypatch.setattr(kernels, "_compiled", no_numba)
    assert np.array_equal(table.draw(ListedBits(listed, word_bits=64), len(ties)), with_numba)


def test_the_loop_itself_places_every_word_alike():
    """Interpreted, on every 31st word of 20 bits, where the guide's 16 bits leave thresholds to be passed."""
    for table in (vectors.strides(Fraction(1000), 1, 20), vectors.rests(Fraction(1025), 4, 20)):
        words = np.concatenate([np.arange(0, 1 << 20, 31, dtype=np.uint64), table.thresholds])
        out = np.empty(len(words), dtype=np.int64)
        kernels._place_loop(words, table.thresholds, table.guide, 4, out)
        assert np.array_equal(out, kernels._place_numpy(words, table.thresholds))


def test_without_numba_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    assert kernels._compiled.__wrapped__() is None


@pytest.mark.parametrize("failure", [RuntimeError("no locator"), OSError("disk full")])
def test_without_a_cache_it_is_compiled_for_this_process(failure: Exception, monkeypatch: pytest.MonkeyPatch):
    def njit(signature: str, **options: bool) -> object:
        if options.get("cache"):
            raise failure
        return lambda loop: (loop, signature, options)

    monkeypatch.setitem(sys.modules, "numba", SimpleNamespace(njit=njit))
    assert kernels._compiled.__wrapped__() == (kernels._place_loop, kernels.SIGNATURE, {"nogil": True})


def no_numba() -> None:
    return None


no_numba.cache_info = kernels._compiled.cache_info  # type: ignore[attr-defined]  # as of the cached function it stands for


DRAW = """
import hashlib, sys
{before}
from fractions import Fraction
from discreet.coins.fair import Seeded
assert "numba" not in sys.modules or sys.modules["numba"] is None
coins = Seeded(7)
drawn = [coins.geometrics(scale, 150_000) for scale in {scales}]
print(hashlib.sha256(b"".join(array.tobytes() for array in drawn)).hexdigest(), {loaded})
{after}
"""
SCALES = "Fraction(2), Fraction(999), Fraction(10**5)"
BLOCKED = "sys.modules['numba'] = None"
LOADED = "sys.modules.get('numba') is not None"
FULL = """
import os
replace = os.replace
def full(source, target):
    if str(target).endswith((".nbi", ".nbc")):
        raise OSError(28, "No space left on device")
    return replace(source, target)
os.replace = full
"""


def drawn(before: str = "", *, tree: Path = PACKAGE.parent, after: str = "", **variables: str) -> str:
    """A digest of what a fresh process draws, and whether numba was loaded."""
    program = DRAW.format(before=before, after=after, scales=f"({SCALES})", loaded=LOADED)
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", **variables}
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, cwd=tree)
    assert done.stderr == ""
    return done.stdout.strip()


@pytest.fixture(scope="module")
def digest() -> str:
    """What is drawn where numba is absent."""
    text, loaded = drawn(BLOCKED).split()
    assert loaded == "False"
    return text


def read_only(folder: Path) -> Path:
    """A copy of the package in which no `__pycache__` can be made, not even by root: a file is in its place."""
    tree = folder / "tree"
    shutil.copytree(PACKAGE, tree / "discreet", ignore=shutil.ignore_patterns("__pycache__"))
    (tree / "discreet" / "coins" / "__pycache__").write_text("not a folder")
    return tree


def test_the_same_is_drawn_with_numba_and_without(digest: str):
    pytest.importorskip("numba")
    assert drawn().split() == [digest, "True"]


def test_the_same_is_drawn_where_no_cache_can_be_written(digest: str, tmp_path: Path):
    """A read-only tree, no home, and a folder for numba's cache that cannot be made: it compiles anew."""
    pytest.importorskip("numba")
    nowhere = {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null/none"}
    tree = read_only(tmp_path)
    assert drawn(tree=tree, **nowhere).split() == [digest, "True"]
    assert drawn(tree=tree, NUMBA_CACHE_DIR="/dev/null/none", **nowhere).split() == [digest, "True"]


def test_the_same_is_drawn_where_the_disk_is_full(digest: str, tmp_path: Path):
    pytest.importorskip("numba")
    assert drawn(FULL, NUMBA_CACHE_DIR=str(tmp_path)).split() == [digest, "True"]


def test_importing_the_coins_imports_no_numba():
    program = "import sys, discreet.coins.fair, discreet.coins.enumerating; sys.exit('numba' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)


def test_short_vectors_load_no_numba():
    program = (
        "import sys; from fractions import Fraction; from discreet.coins.fair import System;"
        "System().geometrics(Fraction(2), 60_000); sys.exit('numba' in sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
