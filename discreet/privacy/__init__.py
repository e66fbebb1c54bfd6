# SPDX-License-Identifier: Apache-2.0
"""What a release costs: exact losses and how they add up."""
