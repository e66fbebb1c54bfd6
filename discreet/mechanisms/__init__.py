# SPDX-License-Identifier: Apache-2.0
"""Randomised functions of rows that may be released, each with its loss and its theorem."""
