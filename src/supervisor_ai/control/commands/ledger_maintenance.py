"""Ledger maintenance: verify, rebuild the tables, erase a text."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.queries import (
    FaultKind,
    LedgerFault,
    Progress,
    Verification,
    tell_nobody,
)
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.control.slices import stream_kind
from supervisor_ai.domain.envelope import NewEvent
from supervisor_ai.domain.errors import StaleVersion, SupervisorError
from supervisor_ai.domain.ids import (
    PROJECT_STREAM,
    ArtifactHash,
    StreamId,
    stream_run,
    stream_session,
)
from supervisor_ai.domain.project.events import ArtifactErased
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.ledger import Batch, CachedState, StreamAppend
from supervisor_ai.engine.streams.project_view import ProjectView, fold_project
from supervisor_ai.engine.streams.session_view import fold_session

_RACES: Final = 100


class Erasure(Struct, frozen=True, kw_only=True):
    """A text to be removed, and why."""

    artifact: ArtifactHash
    reason: str | None = None


def verify(project: OpenProject, progress: Progress = tell_nobody) -> Verification:
    """Look at all that a ledger is: its events, what is told of them, and what they name."""
    ledger = project.care.verify(progress)
    if any(fault.kind is FaultKind.EVENT for fault in ledger.faults):
        # What such events name or lead to says nothing.
        return ledger
    artifacts = project.care.verify_artifacts(progress)
    faults = (*ledger.faults, *artifacts.faults, *_state_faults(project))
    return replace(ledger, faults=faults, notes=(*ledger.notes, *artifacts.notes))


def rebuild(project: OpenProject) -> MutationView:
    """Make the projections again from the events."""
    count = project.care.rebuild()
    detail = f"The tables were made again from {count} events."
    return MutationView(
        target=str(project.records.ledger), applied=True, dry_run=False, detail=detail
    )


def erase(project: OpenProject, erasure: Erasure, *, dry_run: bool = False) -> MutationView:
    """Remove a text for ever and record that it was done."""
    artifact = erasure.artifact
    project.world.artifacts.get(artifact)
    if dry_run:
        detail = "Would remove the text for ever; its name stays in the ledger."
        return MutationView(target=artifact, applied=False, dry_run=True, detail=detail)
    reason = project.keep(erasure.reason) if erasure.reason else None
    project.world.artifacts.erase(artifact)
    _record(project, ArtifactErased(artifact=artifact, reason=reason))
    # A log may quote what is gone; it is written again when its run is driven or asked about.
    project.records.retry_logs.remove_all()
    detail = "The text is gone; its name stays in the ledger."
    return MutationView(target=artifact, applied=True, dry_run=False, detail=detail)


def _state_faults(project: OpenProject) -> Iterator[LedgerFault]:
    """Fold again what is kept folded: a run would be driven on by what is kept."""
    for stream, cached in project.care.states():
        try:
            folded = _fold_again(project, stream, cached.version)
        except SupervisorError as error:
            yield _state_fault(stream, f"cannot be compared: {error.message}")
        else:
            if folded.fold == cached.fold and folded != cached:
                yield _state_fault(stream, "is not what the events lead to")


def _fold_again(project: OpenProject, stream: StreamId, version: int) -> CachedState:
    run, session = stream_run(stream), stream_session(stream)
    if session is not None:
        return fold_session(project.world.log, session, project.world.documents, upto=version)
    kind = stream_kind(stream) if run is None else None
    if kind is not None:
        return kind.fold.again(project.world.log, stream, project.world.documents, upto=version)
    if run is None:
        return fold_project(project.world.log, project.world.documents, upto=version)
    playback, reached = project.player.play(run, upto=version)
    return CachedState(version=reached, fold=playback.fold, state=playback.encode())


def _state_fault(stream: StreamId, what: str) -> LedgerFault:
    return LedgerFault(
        kind=FaultKind.STATE,
        where=f"the kept state of stream {stream!r}",
        message=f"The kept state of stream {stream!r} {what}.",
        hint="`supervisor ledger rebuild` throws it away.",
    )


def _record(project: OpenProject, event: ArtifactErased) -> None:
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
