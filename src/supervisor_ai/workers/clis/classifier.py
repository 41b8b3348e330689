"""Judges recorded runs by the dialects of the commands."""

from supervisor_ai.control.ports.classification import Classification, RecordedRun
from supervisor_ai.workers.clis.dialects import DIALECTS, SCHEMA_DIALECTS
from supervisor_ai.workers.clis.evidence import Evidence


class DialectClassifier:
    """Classifies with the same dialects that follow living workers."""

    @property
    def names(self) -> tuple[str, ...]:
        """Name the commands whose output can be read."""
        return tuple(DIALECTS)

    @property
    def schema_names(self) -> tuple[str, ...]:
        """Name the commands that give an answer by a schema apart from their words."""
        return SCHEMA_DIALECTS

    def classify(self, run: RecordedRun) -> Classification:
        """Judge a run of one of these commands."""
        found = DIALECTS[run.cli].conclude(
            Evidence(
                exit_code=run.exit_code,
                stdout=run.stdout,
                stderr=run.stderr,
                now=run.ended_at,
                has_schema=run.has_schema,
            )
        )
        return Classification(diagnosis=found.diagnosis, usage=found.usage, because=found.because)
