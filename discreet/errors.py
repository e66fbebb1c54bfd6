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


class SchemaError(DiscreetError, ValueError):
    """What was declared about a table is incomplete or contradicts itself."""


class BudgetError(DiscreetError, ValueError):
    """A release would cost more than is left. Nothing was spent and no row was read."""


class LedgerError(DiscreetError):
    """A ledger that cannot be trusted or written: damaged, older than it was, closed, of other people, locked, or full.

    No row was read after this was raised.
    """


class StorageError(LedgerError):
    """The system refused to read or write. What was written before is unknown until it is read anew."""
