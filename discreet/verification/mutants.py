# SPDX-License-Identifier: Apache-2.0
"""Mutants: the shipped code with one slip in it. The verifier must tell each of them from the real thing.

A slip is a text of the module's own source and what stands there instead, so a mutant stays the shipped code
but for that one place; when the place changes, the mutant says so instead of testing nothing.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

from discreet.errors import ParameterError
from discreet.verification.case import Case
from discreet.verification.verify import Verdict, verify


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """`slip` in words; in `module`, `found` is replaced by `instead`; `case` builds the case from the mutated module.

    Where the slip is in a module that the mechanism's module imports, name the latter in `through`: it is loaded anew
    on top of the mutated one and handed to `case`.
    """

    slip: str
    module: str
    found: str
    instead: str
    case: Callable[[ModuleType], Case]
    through: str = ""

    def load(self) -> ModuleType:
        """The module in which the mutated mechanism is found."""
        wrong = mutated(self.module, self.found, self.instead)
        return loaded_on(self.through, {self.module: wrong}) if self.through else wrong

    def verdict(self) -> Verdict:
        """What the verifier finds; a mutant is killed if this is not `ok`."""
        return verify(self.case(self.load()))


def mutated(module: str, found: str, instead: str) -> ModuleType:
    """A copy of the module with one place of its source changed; the module itself stays as it is."""
    source = inspect.getsource(importlib.import_module(module))
    if source.count(found) != 1:
        raise ParameterError(f"`found` must be in the source of {module} exactly once, is {source.count(found)} times.")
    return _executed(module, source.replace(found, instead), {})


def loaded_on(module: str, stand_ins: dict[str, ModuleType]) -> ModuleType:
    """A copy of the module that imports the stand-ins in place of the modules of those names."""
    return _executed(module, inspect.getsource(importlib.import_module(module)), stand_ins)


def _executed(module: str, source: str, stand_ins: dict[str, ModuleType]) -> ModuleType:
    copy = ModuleType(f"{module} (mutant)")
    stand_ins = {**stand_ins, copy.__name__: copy}
    before = {name: sys.modules.get(name) for name in stand_ins}
    sys.modules.update(stand_ins)
    try:
        exec(compile(source, f"<mutant of {module}>", "exec", dont_inherit=True), copy.__dict__)
    finally:
        for name, original in before.items():
            if original is not None:
                sys.modules[name] = original
            elif name != copy.__name__:
                del sys.modules[name]
    return copy
