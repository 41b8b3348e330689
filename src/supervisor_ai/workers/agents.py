"""The agent CLIs that come with the package, by name: launch profiles and output dialects."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.control.ports.classification import Classification, RecordedRun
from supervisor_ai.workers.cli_agent import find_agent
from supervisor_ai.workers.launch.profile import LaunchProfile
from supervisor_ai.workers.output.dialect import CliDialect
from supervisor_ai.workers.output.evidence import ProcessEvidence
from supervisor_ai.workers.registry import AGENTS

PROFILES: Final[Mapping[str, LaunchProfile]] = {name: find_agent(name).profile for name in AGENTS}
DIALECTS: Final[Mapping[str, CliDialect]] = {name: find_agent(name).dialect for name in AGENTS}


class DialectClassifier:
    """Classifies recorded runs with the same dialects that follow living workers."""

    @property
    def names(self) -> tuple[str, ...]:
        """Name the commands whose output can be read."""
        return tuple(DIALECTS)

    @property
    def schema_names(self) -> tuple[str, ...]:
        """Name the commands that give an answer by a schema apart from their words."""
        return tuple(name for name, dialect in DIALECTS.items() if dialect.fills_schema)

    def classify(self, run: RecordedRun) -> Classification:
        """Judge a run of one of these commands."""
        found = DIALECTS[run.cli].conclude(
            ProcessEvidence(
                exit_code=run.exit_code,
                stdout=run.stdout,
                stderr=run.stderr,
                now=run.ended_at,
                has_schema=run.has_schema,
            )
        )
        return Classification(diagnosis=found.diagnosis, usage=found.usage, because=found.because)
