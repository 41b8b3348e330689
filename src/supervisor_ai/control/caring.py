"""Looking after the ledger."""

from dataclasses import dataclass
from typing import Final

from supervisor_ai.control.project import Project
from supervisor_ai.control.views import MutationView
from supervisor_ai.domain.envelope import NewEvent
from supervisor_ai.domain.errors import StaleVersion
from supervisor_ai.domain.ids import PROJECT_STREAM, ArtifactHash
from supervisor_ai.domain.project.events import ArtifactErased
from supervisor_ai.engine.ports.ledger import Batch, StreamAppend
from supervisor_ai.engine.ports.queries import Verification
from supervisor_ai.engine.project_view import ProjectView

_RACES: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """A text to be removed, and why."""

    artifact: ArtifactHash
    reason: str | None = None


def verify(project: Project) -> Verification:
    """Look for a change, a gap, a reorder or a cut tail."""
    return project.care.verify()


def rebuild(project: Project) -> MutationView:
    """Make the projections again from the events."""
    count = project.care.rebuild()
    detail = f"The tables were made again from {count} events."
    return MutationView(
        target=str(project.records.ledger), applied=True, dry_run=False, detail=detail
    )


def erase(project: Project, erasure: Erasure, *, dry_run: bool = False) -> MutationView:
    """Remove a text for ever and record that it was done."""
    artifact = erasure.artifact
    project.world.artifacts.get(artifact)
    if dry_run:
        detail = "Would remove the text for ever; its name stays in the ledger."
        return MutationView(target=artifact, applied=False, dry_run=True, detail=detail)
    reason = project.keep(erasure.reason) if erasure.reason else None
    project.world.artifacts.erase(artifact)
    _record(project, ArtifactErased(artifact=artifact, reason=reason))
    detail = "The text is gone; its name stays in the ledger."
    return MutationView(target=artifact, applied=True, dry_run=False, detail=detail)


def _record(project: Project, event: ArtifactErased) -> None:
    log = project.world.log
    shared = ProjectView(log)
    for _ in range(_RACES):
        shared.refresh()
        append = StreamAppend(
            stream=PROJECT_STREAM,
            expected=shared.version,
            events=(NewEvent(event=event, actor=project.actor),),
        )
        try:
            log.append(Batch(appends=(append,)))
        except StaleVersion:
            continue
        return
    raise StaleVersion("The project's stream grew faster than it could be written.")
