# SPDX-License-Identifier: Apache-2.0
"""`discreet`: what can be learned, learned privately.

So far: exact coins, verified mechanisms, the verifier itself, schemas and the ledger. Each room of the theory is a
package of its own; what most programs need is here.
"""

from discreet.coins.fair import Seeded, System
from discreet.errors import BudgetError, DiscreetError, EntropyError, LedgerError, ParameterError, SchemaError
from discreet.privacy.loss import PrivacyLoss

__all__ = [
    "BudgetError",
    "DiscreetError",
    "EntropyError",
    "LedgerError",
    "ParameterError",
    "PrivacyLoss",
    "SchemaError",
    "Seeded",
    "System",
    "__version__",
]

__version__ = "0.1.0"
