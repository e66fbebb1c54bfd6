# SPDX-License-Identifier: Apache-2.0
"""The one way to write a JSON value, so that equal values have equal bytes and equal hashes."""

import json

_JSON = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def canonical(value: object) -> bytes:
    """Sorted keys, no spaces, ASCII, no NaN."""
    return _JSON.encode(value).encode()
