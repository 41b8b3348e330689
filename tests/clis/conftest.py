"""A stage for each test, or the reason why there is none; and nobody stays behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.clis.stage import Stage, require
from tests.clis.strays import registered, strays


@pytest.fixture(autouse=True)
def nobody_stays_behind(tmp_path: Path) -> Iterator[None]:
    """Look after every test whether a process of it lives on."""
    yield
    assert strays(tmp_path) == []
    assert registered(tmp_path) == []


@pytest.fixture
def stage(adapter: str, tmp_path: Path) -> Stage:
    """Set up a workspace for a CLI that is installed."""
    require(adapter)
    stage = Stage(adapter, tmp_path)
    stage.tree.mkdir()
    return stage
