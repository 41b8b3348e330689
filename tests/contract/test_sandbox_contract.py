"""Every sandbox through the same suite."""

import os
from pathlib import Path

import pytest
from tests.support.known_tools import known_tools
from tests.support.plain_machine import plain_environment

from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox
from supervisor_ai.sandboxes.unsandboxed import UnsandboxedSandbox
from supervisor_ai.testing.fake_sandbox import ScriptedSandbox
from supervisor_ai.testing.sandbox_egress_suite import EgressSuite
from supervisor_ai.testing.sandbox_limits_suite import LimitSuite
from supervisor_ai.testing.sandbox_suite import IsolationSuite, SandboxSuite, suite_script


class TestBubblewrap(SandboxSuite, IsolationSuite, LimitSuite, EgressSuite):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path) -> None:
        self.ground = tmp_path
        self.sandbox = BubblewrapSandbox(
            state=known_tools(tmp_path / "state"), environment=plain_environment()
        )


class TestUnsandboxed(SandboxSuite):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path) -> None:
        self.ground = tmp_path
        self.sandbox = UnsandboxedSandbox(state=tmp_path / "state", environment=os.environ)


class TestScripted(SandboxSuite):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path) -> None:
        self.ground = tmp_path
        self.sandbox = ScriptedSandbox(suite_script)


class TestBubblewrapWithoutGroups(LimitSuite):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path) -> None:
        self.ground = tmp_path
        self.sandbox = BubblewrapSandbox(
            state=known_tools(tmp_path / "state"),
            environment=plain_environment(),
            find_cgroups=lambda: None,
        )
