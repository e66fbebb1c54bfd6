# SPDX-License-Identifier: Apache-2.0
"""The command line: parse and show, nothing else."""
