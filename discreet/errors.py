# SPDX-License-Identifier: Apache-2.0
"""Every error that `discreet` raises on purpose.

A message names the parameter, what it must be, what it got and how to mend it. It echoes what the
caller chose; it never holds a record, a count or a score.
"""


class DiscreetError(Exception):
    """The root of the family: catch this to catch all of them."""


class ParameterError(DiscreetError, ValueError):
    """A public parameter is outside its domain. Raised from public values alone."""


class EntropyError(DiscreetError):
    """Random bits that may be released cannot be had here; nothing was released."""
