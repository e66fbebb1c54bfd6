# SPDX-License-Identifier: Apache-2.0
"""CPU time: what other users of a shared machine do counts for little, and the median leaves out the rest."""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median


def cpu_seconds(work: Callable[[], object], *, repetitions: int) -> float:
    """Median CPU seconds of one call, all threads together; a first call, which makes tables, is left out."""
    return cpu_seconds_in_turn({"it": work}, repetitions=repetitions)["it"]


def cpu_seconds_in_turn(works: Mapping[str, Callable[[], object]], *, repetitions: int) -> dict[str, float]:
    """The same of several, one call of each at a time: a busy spell of the machine meets them all."""
    for work in works.values():
        work()
    rounds = [{name: _timed(work) for name, work in works.items()} for _ in range(repetitions)]
    return {name: median(times[name] for times in rounds) for name in works}


def cpu_seconds_of_command(command: Sequence[str], *, repetitions: int) -> float:
    """Median CPU seconds of a fresh process. A first one, which may write bytecode, is left out."""
    _child(command)
    return median(_child(command) for _ in range(repetitions))


def _timed(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _child(command: Sequence[str]) -> float:
    start = _children()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return _children() - start


def _children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
