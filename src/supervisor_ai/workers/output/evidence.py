"""Exit code and output of an agent that has ended, and what is concluded from them."""

from datetime import datetime

from msgspec import Struct

from supervisor_ai.domain.run.failures.diagnosis import Diagnosis
from supervisor_ai.domain.run.values import NO_USAGE, Usage
from supervisor_ai.engine.ports.sandbox import SandboxEnd


class ProcessEvidence(Struct, frozen=True, kw_only=True):
    """What is left when the process is gone; of each stream, at least the end."""

    exit_code: int | None
    stdout: str
    stderr: str
    now: datetime
    """When it ended; reset times are resolved against it."""
    end: SandboxEnd = SandboxEnd.EXITED
    has_schema: bool = False
    """Whether it was started with a schema for its answer, which its records may not tell."""


class AgentConclusion(Struct, frozen=True, kw_only=True):
    """What the evidence means."""

    diagnosis: Diagnosis
    text: str = ""
    """The words in which the answer is to be found; a structured answer as a fenced block."""
    usage: Usage = NO_USAGE
    num_turns: int | None = None
    because: str = ""
    """Which record or text decided."""
