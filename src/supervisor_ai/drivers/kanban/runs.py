"""The runs that worked on a kanban."""

from collections.abc import Iterator

from msgspec import Struct

from supervisor_ai.control.ports.queries import RunRow
from supervisor_ai.control.records import Records
from supervisor_ai.domain.ids import RunId, run_stream
from supervisor_ai.domain.run.events import RunSubmitted
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace, KanbanPolicy
from supervisor_ai.drivers.kanban.definition import KanbanDefinition
from supervisor_ai.drivers.kanban.driver import KanbanDriver
from supervisor_ai.drivers.kanban.places import permit_of


class KanbanRun(Struct, frozen=True, kw_only=True):
    """A run and the kanban that it works on."""

    row: RunRow
    policy: KanbanPolicy

    @property
    def is_unfinished(self) -> bool:
        """Tell whether it may still change the kanban."""
        return self.row.status not in ENDED


def policy_of_run(records: Records, run: RunId) -> KanbanPolicy | None:
    """Return what a run pinned about its kanban; None: it has none."""
    for envelope in records.log.read(run_stream(run), upto=1):
        event = envelope.event
        if isinstance(event, RunSubmitted) and event.driver == KanbanDriver.name:
            return records.documents.load(event.definition, KanbanDefinition).kanban
    return None


def kanban_runs(records: Records | None) -> Iterator[KanbanRun]:
    """List the runs on any kanban, newest first."""
    if records is None:
        return
    for row in records.queries.runs_of(KanbanDriver.name):
        policy = policy_of_run(records, row.id)
        if policy is not None:
            yield KanbanRun(row=row, policy=policy)


def runs_on(records: Records | None, place: KanbanPlace) -> Iterator[KanbanRun]:
    """List the runs on one kanban, newest first."""
    permit = permit_of(place)
    for found in kanban_runs(records):
        if permit_of(found.policy.place) == permit:
            yield found


def newest_on(records: Records | None, place: KanbanPlace) -> KanbanRun | None:
    """Return the run that worked on a kanban last."""
    return next(runs_on(records, place), None)


def unfinished_on(records: Records | None, place: KanbanPlace) -> KanbanRun | None:
    """Return the run that may still change a kanban."""
    return next((found for found in runs_on(records, place) if found.is_unfinished), None)


def known_kanbans(records: Records | None) -> tuple[str, ...]:
    """Name the kanbans that runs worked on, newest first."""
    places = (found.policy.place for found in kanban_runs(records))
    named = (
        it.file if it.directory is None else f"{it.file} (--dir {it.directory})" for it in places
    )
    return tuple(dict.fromkeys(named))
