# SPDX-License-Identifier: Apache-2.0
"""Where results are shown: what a person wrote is shown as it was written, brackets and all."""

from __future__ import annotations

from rich.console import Console


class Paper(Console):
    """Standard output without markup or colours of its own; a closed pipe is for `main` to deal with."""

    def __init__(self) -> None:
        super().__init__(markup=False, highlight=False, emoji=False, soft_wrap=True)

    def on_broken_pipe(self) -> None:
        """Whoever reads has seen enough."""
        raise BrokenPipeError
