"""The agent CLIs that come with the package, by name: launch profiles and output dialects."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.control.ports.classification import Classification, RecordedRun
from supervisor_ai.domain.run.failures.diagnosis import Diagnosis
from supervisor_ai.domain.run.values import NO_USAGE
from supervisor_ai.workers.cli_agent import find_agent
from supervisor_ai.workers.command import diagnose_exit
from supervisor_ai.workers.launch.profile import LaunchProfile
from supervisor_ai.workers.output.dialect import CliDialect
from supervisor_ai.workers.output.evidence import ProcessEvidence
from supervisor_ai.workers.registry import AGENTS

PROFILES: Final[Mapping[str, LaunchProfile]] = {name: find_agent(name).profile for name in AGENTS}
_COMMAND: Final = "command"
DIALECTS: Final[Mapping[str, CliDialect]] = {name: find_agent(name).dialect for name in AGENTS}


class DialectClassifier:
    """Classifies recorded runs with the same dialects that follow living workers."""

    @property
    def names(self) -> tuple[str, ...]:
        """Name the commands whose output can be read."""
        return (*DIALECTS, _COMMAND)

    @property
    def schema_names(self) -> tuple[str, ...]:
        """Name the commands that give an answer by a schema apart from their words."""
        return tuple(name for name, dialect in DIALECTS.items() if dialect.fills_schema)

    def classify(self, run: RecordedRun) -> Classification:
        """Judge a run of one of these commands."""
        if run.cli == _COMMAND:
            return _of_command(run)
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


def _of_command(run: RecordedRun) -> Classification:
    """Judge a run of somebody's own agent, which leaves no records."""
    if run.exit_code:
        found = diagnose_exit(run.exit_code, run.stdout, run.stderr, run.ended_at)
        because = "It leaves no records; its exit code and these words decided."
    else:
        found = Diagnosis(message="It ended well; a run would read its answer now.")
        because = "Its exit code is 0."
    return Classification(diagnosis=found, usage=NO_USAGE, because=because)
