"""A checkpoint of any files, without a session: what their text decides, told at once."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from supervisor_ai.control.preflight import Preflight
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import SessionId
from supervisor_ai.domain.session.tasks import TaskStatus
from supervisor_ai.drivers.checkpoint.checks.judgement import weigh
from supervisor_ai.drivers.checkpoint.checks.model import CheckGroup, CheckMaterial, LoadedArtifact
from supervisor_ai.drivers.checkpoint.checks.rounds import run_checks
from supervisor_ai.drivers.checkpoint.commands.start import load_supervisor
from supervisor_ai.drivers.checkpoint.commands.wishes import WantedSupervisor
from supervisor_ai.drivers.checkpoint.decisions.definition import expect_resident
from supervisor_ai.drivers.checkpoint.queries.checkpoints import CheckpointView
from supervisor_ai.drivers.checkpoint.report import CheckpointReport, by_group, render
from supervisor_ai.drivers.checkpoint.score import QualityTrend

_NOBODY: Final = SessionId("files")
_EVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""What is said of files holds whenever it is asked; only the health of a team has a time."""


def check_files(preflight: Preflight, task: str, files: Mapping[str, str | None]) -> CheckpointView:
    """Make the checks of a checkpoint on texts, by their paths; None: there is no such file."""
    wanted = WantedSupervisor(session=_NOBODY, is_alone=True)
    spec = expect_resident(load_supervisor(preflight, wanted, None).definition).residence.spec
    checks = spec.checks_of(task)
    if checks is None:
        known = ", ".join(spec.checkpoints)
        raise InvalidInput(f"There is no checkpoint {task[:80]!r}.", hint=f"There are {known}.")
    there = {path: text for path, text in files.items() if text is not None}
    material = CheckMaterial(
        checkpoint=task,
        scope=tuple(files),
        now=_EVER,
        artifacts={path: LoadedArtifact(text=text, task=path) for path, text in there.items()},
        expected={path: (path,) for path in files},
    )
    # There is no team whose health could be looked at.
    made = run_checks(material, [it for it in checks if it.group is not CheckGroup.HEALTH])
    report = CheckpointReport(
        task=task,
        number=1,
        scope=tuple(files),
        results=by_group((*made.results, *weigh(made.questions, None, there).results)),
        trend=QualityTrend.STABLE,
    )
    return CheckpointView(
        task_id=task,
        status=TaskStatus.COMPLETED,
        verdict=report.verdict,
        score=report.score.number,
        decided=report.decided,
        checks=report.checks,
        findings=report.findings,
        risks=len(report.risks),
        text=render(report),
    )
