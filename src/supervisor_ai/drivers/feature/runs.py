"""The runs that build a feature, and how it stands by their events."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.queries import RunRow
from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import RunId, run_stream
from supervisor_ai.domain.run.events import RunSubmitted
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.drivers.feature.definition import NAME, FeatureDefinition
from supervisor_ai.drivers.feature.driver import FeatureDriver
from supervisor_ai.drivers.feature.state import FeatureState

_MOST: Final = 1_000_000


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
    rows, _ = records.queries.runs(limit=_MOST)
    for row in rows:
        if row.driver == NAME:
            definition = definition_of_run(records, row.id)
            if definition is not None:
                yield FeatureRun(row=row, definition=definition)


def children_of(records: Records, run: RunId) -> tuple[RunRow, ...]:
    """List the runs that a feature's run has started."""
    rows, _ = records.queries.runs(limit=_MOST)
    return tuple(row for row in rows if row.parent == run)


def newest_of(records: Records | None, feature: str) -> FeatureRun | None:
    """Return the run that built a feature last."""
    found = (it for it in feature_runs(records) if it.definition.feature.id == feature)
    return next(found, None)


def state_of(records: Records, run: FeatureRun) -> FeatureState:
    """Fold the events of a run into where its components stand."""
    driver = FeatureDriver()
    state: FeatureState | None = None
    for envelope in records.log.read(run_stream(run.row.id)):
        if isinstance(envelope.event, RunSubmitted):
            state = driver.begin(envelope.event, run.definition)
        elif state is not None:
            state = driver.evolve(state, envelope.event)
    if state is None:
        raise InternalError(f"The stream of run {run.row.id!r} does not begin with its birth.")
    return state
