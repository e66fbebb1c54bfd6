# SPDX-License-Identifier: Apache-2.0
"""The libraries that we are compared with. None of them is required: what is not installed is skipped, and said so."""

from __future__ import annotations

import importlib
from typing import Any


class Missing(Exception):
    """Why a peer has no time, in plain words."""


def imported(module: str, distribution: str) -> Any:
    """The module of a peer."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        absent = (error.name or module).partition(".")[0]
        own = absent == module.partition(".")[0]
        raise Missing(f"{distribution} is not installed" if own else f"{distribution} needs {absent}") from None


def opendp() -> Any:
    """OpenDP's prelude, with the constructors that we need switched on."""
    prelude = imported("opendp.prelude", "opendp")
    prelude.enable_features("contrib")
    return prelude
