"""The runs that build a feature, and how it stands by their events."""

from collections.abc import Iterator

from msgspec import Struct

from supervisor_ai.control.ports.queries import RunRow
from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import RunId, run_stream
from supervisor_ai.domain.run.events import DefinitionMigrated, RunSubmitted
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.domain.run.values import ForkPoint
from supervisor_ai.drivers.feature.definition import NAME, FeatureDefinition
from supervisor_ai.drivers.feature.driver import FeatureDriver
from supervisor_ai.drivers.feature.state import FeatureState


class FeatureRun(Struct, frozen=True, kw_only=True):
    """A run and the feature that it builds."""

    row: RunRow
    definition: FeatureDefinition

    @property
    def is_unfinished(self) -> bool:
        """Tell whether it may still build."""
        return self.row.status not in ENDED


def definition_of_run(records: Records, run: RunId) -> FeatureDefinition | None:
    """Return what a run pinned about its feature; None: it builds none."""
    for envelope in records.log.read(run_stream(run), upto=1):
        event = envelope.event
        if isinstance(event, RunSubmitted) and event.driver == NAME:
            return records.documents.load(event.definition, FeatureDefinition)
    return None


def feature_runs(records: Records | None) -> Iterator[FeatureRun]:
    """List the runs that build features, newest first."""
    if records is None:
        return
    for row in records.queries.runs_of(NAME):
        definition = definition_of_run(records, row.id)
        if definition is not None:
            yield FeatureRun(row=row, definition=definition)


def children_of(records: Records, run: RunRow) -> tuple[RunRow, ...]:
    """List the runs that a feature's run has started, and those that it has gone on with."""
    found, at = list[RunRow](), records.queries.run(run.id)
    while at is not None:
        found += records.queries.children(at.id)
        at = records.queries.run(at.fork.run) if at.fork is not None else None
    return tuple(found)


def newest_of(records: Records | None, feature: str) -> FeatureRun | None:
    """Return the run that built a feature last."""
    found = (it for it in feature_runs(records) if it.definition.feature.id == feature)
    return next(found, None)


def state_of(records: Records, run: FeatureRun) -> FeatureState:
    """Fold the events of a run into where its components stand."""
    return _folded(records, run.row.id, None)


def _folded(records: Records, run: RunId, upto: int | None) -> FeatureState:
    """Fold a run's past, which begins in another run where it goes on with that one's."""
    driver, documents = FeatureDriver(), records.documents
    state: FeatureState | None = None
    for envelope in records.log.read(run_stream(run), upto=upto):
        match envelope.event:
            case RunSubmitted(fork=None, definition=definition) as birth:
                state = driver.begin(birth, documents.load(definition, FeatureDefinition))
            case RunSubmitted(fork=ForkPoint(run=before, version=version), definition=definition):
                state = driver.fork(_folded(records, before, version))
                pinned = documents.load(definition, FeatureDefinition)
                state = state if pinned == state.definition else driver.migrate(state, pinned)
            case event if state is not None:
                state = driver.evolve(state, event)
                if isinstance(event, DefinitionMigrated):
                    pinned = documents.load(event.definition, FeatureDefinition)
                    state = driver.migrate(state, pinned)
            case _:
                break
    if state is None:
        raise InternalError(f"The stream of run {run!r} does not begin with its birth.")
    return state
