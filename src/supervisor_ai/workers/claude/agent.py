"""Claude Code as an agent that workers can be."""

from typing import Final

from supervisor_ai.workers.claude.launch import CLAUDE
from supervisor_ai.workers.claude.output import TABLE, observe, testify
from supervisor_ai.workers.cli_agent import CliAgent
from supervisor_ai.workers.output.dialect import CliDialect

AGENT: Final = CliAgent(
    profile=CLAUDE,
    dialect=CliDialect(observe=observe, testify=testify, table=TABLE, fills_schema=True),
)
