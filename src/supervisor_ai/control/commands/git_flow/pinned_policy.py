"""What a run has pinned, for whoever merges its work."""

from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.records import Records
from supervisor_ai.control.slices import definition_of
from supervisor_ai.domain.ids import RunId, run_stream
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.events import DefinitionMigrated, RunSubmitted
from supervisor_ai.domain.run.inbox_commands import Migrate


def pinned_definition(records: Records, run: RunId) -> Definition | None:
    """Return what a run has pinned, or went over to; None where it pins no steps."""
    kind, pinned = None, None
    for envelope in records.log.read(run_stream(run)):
        event = envelope.event
        if isinstance(event, RunSubmitted):
            kind = definition_of(event.driver)
        if isinstance(event, RunSubmitted | DefinitionMigrated):
            pinned = event.definition
    return None if kind is None or pinned is None else records.documents.load(pinned, kind)


def coming_definition(project: OpenProject, run: RunId) -> Definition | None:
    """Return what a run goes on under: its owner first takes in a migration that waits for it."""
    waiting = [it.command for it in project.world.inbox.pending(run)]
    asked = [it.definition for it in waiting if isinstance(it, Migrate)]
    kind = definition_of(project.birth(run).driver)
    if not asked or kind is None:
        return pinned_definition(project.records, run)
    return project.records.documents.load(asked[-1], kind)
