"""Port of the classifier: what the output of an agent's command that has ended means."""

from datetime import datetime
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.run.failures.diagnosis import Diagnosis
from supervisor_ai.domain.run.values import Usage


class RecordedRun(Struct, frozen=True, kw_only=True):
    """A run of an agent's command, as somebody kept it."""

    cli: str
    exit_code: int | None
    stdout: str
    stderr: str
    ended_at: datetime
    has_schema: bool = False
    """Whether it was started with a schema for its answer."""


class Classification(Struct, frozen=True, kw_only=True):
    """What came of it, what it took, and which record or words decided."""

    diagnosis: Diagnosis
    usage: Usage
    because: str


class Classifier(Protocol):
    """Knows how agents' commands tell how they ended."""

    @property
    def names(self) -> tuple[str, ...]:
        """Name the commands whose output can be read."""
        ...

    @property
    def schema_names(self) -> tuple[str, ...]:
        """Name the commands that give an answer by a schema apart from their words."""
        ...

    def classify(self, run: RecordedRun) -> Classification:
        """Judge a run of one of these commands."""
        ...
