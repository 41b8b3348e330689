"""Gemini CLI as an agent that workers can be."""

from typing import Final

from supervisor_ai.workers.cli_agent import CliAgent
from supervisor_ai.workers.gemini.launch import GEMINI
from supervisor_ai.workers.gemini.output import TABLE, observe, overhear, testify
from supervisor_ai.workers.output.dialect import CliDialect

AGENT: Final = CliAgent(
    profile=GEMINI,
    dialect=CliDialect(observe=observe, testify=testify, table=TABLE, overhear=overhear),
)
