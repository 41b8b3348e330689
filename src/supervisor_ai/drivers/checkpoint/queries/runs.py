"""The runs that watch over sessions."""

from supervisor_ai.control.ports.queries import RunRow
from supervisor_ai.control.records import Records
from supervisor_ai.domain.ids import RunId, SessionId, run_stream
from supervisor_ai.domain.run.events import RunSubmitted
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.drivers.checkpoint.decisions.definition import ResidentDefinition
from supervisor_ai.drivers.checkpoint.driver import CheckpointDriver


def definition_of_run(records: Records, run: RunId) -> ResidentDefinition | None:
    """Return what a run pinned about its session; None: it watches over none."""
    for envelope in records.log.read(run_stream(run), upto=1):
        event = envelope.event
        if isinstance(event, RunSubmitted) and event.driver == CheckpointDriver.name:
            return records.documents.load(event.definition, ResidentDefinition)
    return None


def unfinished_for(records: Records, session: SessionId) -> RunRow | None:
    """Return the run that watches over a session, if one still does."""
    for row in records.queries.runs_of(CheckpointDriver.name):
        if row.status not in ENDED:
            found = definition_of_run(records, row.id)
            if found is not None and found.residence.session == session:
                return row
    return None
