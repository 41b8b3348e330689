"""Container engines through the suite of every sandbox.

Podman needs nothing but storage of its own; docker needs a daemon, hence only long tests.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.sandboxes.containers.engines import TestEngine, docker_daemon, podman_storage

from supervisor_ai.testing.sandbox_egress_suite import EgressSuite
from supervisor_ai.testing.sandbox_limits_suite import LimitSuite
from supervisor_ai.testing.sandbox_suite import IsolationSuite, SandboxSuite


@pytest.fixture(scope="module")
def podman() -> Iterator[TestEngine]:
    with podman_storage() as engine:
        yield engine


@pytest.fixture(scope="module")
def docker() -> Iterator[TestEngine]:
    with docker_daemon() as engine:
        yield engine


class TestPodman(SandboxSuite, IsolationSuite, LimitSuite, EgressSuite):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path, podman: TestEngine) -> None:
        self.ground = tmp_path
        self.sandbox = podman.sandbox(tmp_path / "state")


@pytest.mark.long
class TestDocker(SandboxSuite, IsolationSuite, LimitSuite, EgressSuite):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path, docker: TestEngine) -> None:
        self.ground = tmp_path
        self.sandbox = docker.sandbox(tmp_path / "state")
