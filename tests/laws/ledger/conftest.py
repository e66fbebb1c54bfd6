# SPDX-License-Identifier: Apache-2.0
import pytest

from tests.laws.ledger.scene import Scene


@pytest.fixture(autouse=True)
def scene(tmp_path, monkeypatch) -> Scene:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Scene(tmp_path / "ledger", tmp_path / "state")
