"""Qwen Code as an agent that workers can be."""

from typing import Final

from supervisor_ai.workers.cli_agent import CliAgent
from supervisor_ai.workers.output.dialect import CliDialect
from supervisor_ai.workers.qwen.launch import QWEN
from supervisor_ai.workers.qwen.output import TABLE, observe, testify

AGENT: Final = CliAgent(
    profile=QWEN,
    dialect=CliDialect(observe=observe, testify=testify, table=TABLE, fills_schema=True),
)
