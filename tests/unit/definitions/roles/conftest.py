"""What the tests of roles share."""

from pathlib import Path

import pytest
from tests.unit.definitions.roles.scene import Scene


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """Give a user and a project with nothing of their own."""
    return Scene(tmp_path)
