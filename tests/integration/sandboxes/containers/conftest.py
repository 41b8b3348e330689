"""Engines for the tests of this package."""

from collections.abc import Iterator

import pytest
from tests.integration.sandboxes.containers.engines import TestEngine, docker_daemon, podman_storage


@pytest.fixture(scope="package")
def podman() -> Iterator[TestEngine]:
    with podman_storage() as engine:
        yield engine


@pytest.fixture(scope="package")
def docker() -> Iterator[TestEngine]:
    with docker_daemon() as engine:
        yield engine
