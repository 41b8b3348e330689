"""opencode as an agent that workers can be."""

from typing import Final

from supervisor_ai.workers.cli_agent import CliAgent
from supervisor_ai.workers.opencode.launch import OPENCODE
from supervisor_ai.workers.opencode.output import TABLE, observe, testify
from supervisor_ai.workers.output.dialect import CliDialect

AGENT: Final = CliAgent(
    profile=OPENCODE,
    dialect=CliDialect(observe=observe, testify=testify, table=TABLE, adds_usage=True),
)
