"""An agent that is a command of its own: its launch profile and the dialect of its output."""

from collections.abc import Mapping
from importlib import import_module

from msgspec import Struct

from supervisor_ai.engine.ports.sandbox import Sandbox
from supervisor_ai.engine.ports.workers import Worker
from supervisor_ai.workers.agent_worker import AgentWorker
from supervisor_ai.workers.launch.launcher import Launcher
from supervisor_ai.workers.launch.profile import LaunchProfile
from supervisor_ai.workers.output.dialect import CliDialect


class CliAgent(Struct, frozen=True, kw_only=True):
    """All that is to be known about one agent; each has a folder, with this value in `agent`."""

    profile: LaunchProfile
    dialect: CliDialect

    def worker(self, sandbox: Sandbox, environment: Mapping[str, str]) -> Worker:
        """Make a worker that is this agent."""
        return AgentWorker(self.dialect, Launcher(self.profile), sandbox, environment)


def find_agent(name: str) -> CliAgent:
    """Load one agent of ours, and no other."""
    agent: CliAgent = import_module(f"supervisor_ai.workers.{name}.agent").AGENT
    return agent
