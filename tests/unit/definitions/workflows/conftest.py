"""What the tests of workflows share."""

from pathlib import Path

import pytest
from tests.unit.definitions.workflows.flows import Flows


@pytest.fixture
def flows(tmp_path: Path) -> Flows:
    """Give a project with every gate that the built-in workflows need."""
    return Flows(tmp_path)
