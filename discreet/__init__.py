# SPDX-License-Identifier: Apache-2.0
"""`discreet`: what can be learned, learned privately.

So far: exact coins, verified mechanisms, and the verifier itself. Each room of the theory is a package of its own;
what most programs need is here.
"""

from discreet.coins.fair import Seeded, System
from discreet.errors import DiscreetError, EntropyError, ParameterError
from discreet.privacy.loss import PrivacyLoss

__all__ = ["DiscreetError", "EntropyError", "ParameterError", "PrivacyLoss", "Seeded", "System", "__version__"]

__version__ = "0.1.0"
