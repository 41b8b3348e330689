"""A user for each test."""

from pathlib import Path

import pytest
from tests.e2e.command import User, furnish, make_user
from tests.support.preloaded import Preloaded

from supervisor_ai.domain.structs import replace


@pytest.fixture(scope="session")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Share what the sandbox has proved about itself between all tests."""
    return tmp_path_factory.mktemp("state")


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory, state: Path) -> Path:
    """Make the repository that every user begins with, once."""
    user = make_user(tmp_path_factory.mktemp("furnished"), state)
    furnish(user)
    return user.repository


@pytest.fixture
def newcomer(tmp_path: Path, state: Path, preloaded: Preloaded) -> User:
    """Give the test a user whose repository has no commit yet."""
    return replace(make_user(tmp_path, state), preloaded=preloaded)


@pytest.fixture
def user(tmp_path: Path, state: Path, furnished: Path, preloaded: Preloaded) -> User:
    """Give the test a user with a repository that is ready for runs."""
    return replace(make_user(tmp_path, state, repository=furnished), preloaded=preloaded)


@pytest.fixture(scope="module")
def reader(
    tmp_path_factory: pytest.TempPathFactory, state: Path, furnished: Path, preloaded: Preloaded
) -> User:
    """Give tests that only read a user with one completed run."""
    user = make_user(tmp_path_factory.mktemp("reader"), state, repository=furnished)
    user.preloaded = preloaded
    assert user.run().code == 0
    return user
