"""What the tests of packs share."""

from pathlib import Path

import pytest
from tests.unit.definitions.packs.scene import Scene


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """Give an empty place for packs."""
    return Scene(tmp_path)
