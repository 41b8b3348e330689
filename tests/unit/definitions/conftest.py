"""What the tests of definitions share."""

from pathlib import Path

import pytest
from tests.unit.definitions.layered import Layers


@pytest.fixture
def layers(tmp_path: Path) -> Layers:
    """Give a user's directory with nothing in it."""
    return Layers(tmp_path)
