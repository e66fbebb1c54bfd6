# SPDX-License-Identifier: Apache-2.0
"""CPU time of what ships, beside the peers in the same run: `python -m benchmarks [name ...] [--json]`."""
