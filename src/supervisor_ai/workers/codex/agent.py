"""Codex as an agent that workers can be."""

from typing import Final

from supervisor_ai.workers.cli_agent import CliAgent
from supervisor_ai.workers.codex.launch import CODEX
from supervisor_ai.workers.codex.output import TABLE, observe, testify
from supervisor_ai.workers.output.dialect import CliDialect

AGENT: Final = CliAgent(
    profile=CODEX,
    dialect=CliDialect(observe=observe, testify=testify, table=TABLE),
)
