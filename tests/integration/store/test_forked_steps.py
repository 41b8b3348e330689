"""The tables of a run, its picture and the steps of its forks say the same of any history."""

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.integration.store.any_facts import any_fact
from tests.integration.store.conftest import OnlyProcess
from tests.support.example_counts import examples

from supervisor_ai.control.ports.queries import StepRow
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, StepName, run_stream
from supervisor_ai.domain.knowledge.life import KnowledgeUse
from supervisor_ai.domain.picture import Picture, StepPicture
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.run.values import ForkPoint
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.events import KANBAN_EVENTS
from supervisor_ai.store.codec import EventCodec
from supervisor_ai.store.connection import Connection
from supervisor_ai.store.event_log import SqliteEventLog
from supervisor_ai.store.files.locks import OwnerLocks
from supervisor_ai.store.leases import SqliteLeases
from supervisor_ai.store.tables.queries import SqliteKnowledgeUses, SqliteRunQueries
from supervisor_ai.testing.ledger_harness import RUN, StillClock, batch, birth

ENTERED: Final = any_fact(e.StepEntered)
KINDS: Final = [kind for kind in (*e.RUN_EVENTS, *KANBAN_EVENTS) if kind is not e.RunSubmitted]


def _numbered(facts: list[Event]) -> list[Event]:
    """Give each comment a number of its own, as whoever writes them does."""
    return [
        replace(fact, number=at) if isinstance(fact, e.CommentMade) else fact
        for at, fact in enumerate(facts, 1)
    ]


HISTORIES: Final = st.lists(ENTERED | st.sampled_from(KINDS).flatmap(any_fact), max_size=15).map(
    _numbered
)
TEST: Final = StepName("test")
GATES: Final = (e.GateStarted, e.GateEnded, e.GateLost, e.GateCancelled)
"""Of these several must speak of the same slot before one can tell a fold from another."""


def _here(fact: Event) -> Event:
    """Put a fact into one of two slots of a single visit."""
    if not isinstance(fact, e.PlacedEvent):
        return fact
    return replace(fact, step=TEST, visit=1, slot=1 + fact.slot % 2)


_LIKELY: Final[tuple[type[Event], ...]] = (e.StepEntered, *GATES * 40, *KINDS)
CROWDED: Final = st.lists(
    st.sampled_from(_LIKELY).flatmap(any_fact).map(_here),
    min_size=8,
    max_size=20,
).map(lambda facts: [e.StepEntered(step=TEST, visit=1, start=None), *_numbered(facts)])


class Scene:
    """A ledger in memory, and the runs in it."""

    def __init__(self, connection: Connection) -> None:
        codec, clock = EventCodec(), StillClock()
        locks = OwnerLocks(Path("/nonexistent"))
        leases = SqliteLeases(connection, locks=locks, clock=clock, processes=OnlyProcess())
        self._log = SqliteEventLog(connection, clock=clock, codec=codec)
        self._queries = SqliteRunQueries(connection, leases=leases, codec=codec)
        self._uses = SqliteKnowledgeUses(connection)
        self._versions: dict[RunId, int] = {}

    def submit(self, run: RunId, point: ForkPoint | None = None) -> None:
        self.add(run, replace(birth(), root=run, fork=point))

    def add(self, run: RunId, *facts: Event) -> None:
        version = self._versions.get(run, 0)
        self._log.append(batch(run_stream(run), version, *facts))
        self._versions[run] = version + len(facts)

    def fork(self, source: RunId, version: int) -> RunId:
        run = RunId(f"{source}.{version}")
        self.submit(run, ForkPoint(run=source, version=version))
        return run

    def steps(self, run: RunId) -> Sequence[StepRow]:
        return self._queries.steps(run)

    def live(self, run: RunId, history: Sequence[Event]) -> list[Sequence[StepRow]]:
        """Add facts one by one; return what the run shows after each of its versions."""
        shown = [self.steps(run)]
        for fact in history:
            self.add(run, fact)
            shown.append(self.steps(run))
        return shown

    def uses(self) -> Sequence[KnowledgeUse]:
        return self._uses.knowledge_uses()

    def waits(self, run: RunId) -> tuple[object, ...]:
        row = self._queries.run(run)
        assert row is not None
        return row.status, row.waits_for, row.waits_until


@settings(max_examples=100)
@given(HISTORIES | CROWDED)
def test_the_picture_of_any_history_is_what_the_tables_say(history: list[Event]) -> None:
    with closing(Connection.scratch()) as connection:
        scene, picture = Scene(connection), Picture()
        scene.submit(RUN)
        for fact in history:
            scene.add(RUN, fact)
            picture.see(fact, datetime(2030, 1, 1, tzinfo=UTC))
            assert [row(step) for step in picture.steps.values()] == scene.steps(RUN)
            waits = (picture.status, picture.waits_for, picture.waits_until)
            assert waits == scene.waits(RUN)


def row(step: StepPicture) -> StepRow:
    return StepRow(
        step=step.step,
        role=step.role,
        status=step.status,
        visits=step.visits,
        attempts=step.attempts,
        last_verdict=step.last_verdict,
    )


@settings(max_examples=examples(60))
@given(HISTORIES, HISTORIES)
def test_a_fork_at_any_point_shows_what_the_run_showed_there(
    history: list[Event], later: list[Event]
) -> None:
    with closing(Connection.scratch()) as connection:
        scene = Scene(connection)
        scene.submit(RUN)
        for version, shown in enumerate(scene.live(RUN, history), start=1):
            fork = scene.fork(RUN, version)
            assert scene.steps(fork) == shown
            assert scene.steps(scene.fork(fork, 1)) == shown
        twin = scene.fork(RUN, len(history) + 1)
        assert scene.live(twin, later) == scene.live(RUN, later)


@pytest.fixture
def scene() -> Scene:
    scene = Scene(Connection.scratch())
    scene.submit(RUN)
    scene.add(RUN, e.StepEntered(step=TEST, visit=1, start=None, feedback=()))
    return scene


def gate(slot: int, verdict: Verdict) -> tuple[Event, Event]:
    begun = e.GateStarted(step=TEST, visit=1, slot=slot, gate="g", snapshot=CommitSha("c"))
    ended = e.GateEnded(
        step=TEST, visit=1, slot=slot, gate="g", verdict=verdict, reason="It ran.", output=None
    )
    return begun, ended


def test_one_red_gate_stays_red_in_a_fork(scene: Scene) -> None:
    scene.add(RUN, *gate(0, Verdict.FAILED), *gate(1, Verdict.PASSED))
    fork = scene.fork(RUN, 6)
    assert [step.last_verdict for step in scene.steps(fork)] == ["failed"]


def test_a_fork_that_is_its_own_past_is_refused(scene: Scene) -> None:
    scene.submit(RunId("a"), ForkPoint(run=RunId("b"), version=1))
    scene.submit(RunId("b"), ForkPoint(run=RunId("a"), version=1))
    with pytest.raises(Unavailable, match="forked from itself"):
        scene.steps(RunId("a"))


def test_a_document_that_is_told_twice_in_one_fact_is_one_use() -> None:
    told = e.ToldDocument(path="rules/names.md", fingerprint="1")
    fact = e.KnowledgeInjected(
        step=TEST,
        visit=1,
        attempt=1,
        record=ArtifactHash("r"),
        tokens=1,
        budget=1,
        documents=(told, told),
    )
    with closing(Connection.scratch()) as connection:
        scene = Scene(connection)
        scene.submit(RUN)
        scene.add(RUN, fact, fact)
        assert [(use.path, use.fingerprint) for use in scene.uses()] == [("rules/names.md", "1")]
