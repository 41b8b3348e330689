"""Scenes and shops."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.tui.scene import TuiScene
from tests.integration.tui.shop import Shop


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[TuiScene]:
    """Give the test a project without runs."""
    made = TuiScene(tmp_path)
    yield made
    made.kernel.close()


@pytest.fixture(scope="session")
def shared_shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """Make a project with runs in many states, once."""
    made = Shop(tmp_path_factory.mktemp("shop"))
    yield made
    made.kernel.close()


@pytest.fixture
def shop(shared_shop: Shop) -> Shop:
    """Give tests that only look a project with runs in many states."""
    shared_shop.renew()
    return shared_shop


@pytest.fixture
def own_shop(tmp_path: Path) -> Iterator[Shop]:
    """Give the test a project of its own, whose runs it may change."""
    made = Shop(tmp_path)
    yield made
    made.kernel.close()
