"""A stage for each test, or the reason why there is none."""

from pathlib import Path

import pytest
from tests.clis.stage import Stage, require


@pytest.fixture
def stage(adapter: str, tmp_path: Path) -> Stage:
    """Set up a workspace for a CLI that is installed."""
    require(adapter)
    stage = Stage(adapter, tmp_path)
    stage.tree.mkdir()
    return stage
