# SPDX-License-Identifier: Apache-2.0
"""Rows, and what is publicly known about them before anybody looks."""
