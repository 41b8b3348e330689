"""Domain objects come back exactly as they were, the order of their mappings included."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Optional

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct, field

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, StepName, TimerName, TreeSha
from supervisor_ai.domain.run import definition as d
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run import run as machine
from supervisor_ai.domain.run.answers import AnswerKind, Meaning
from supervisor_ai.domain.run.run import Run
from supervisor_ai.domain.run.status import StepStatus, Verdict
from supervisor_ai.domain.run.values import Base, Feedback, FeedbackKind, ForkPoint, Snapshot, Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.slots import Slot
from supervisor_ai.drivers.moves.state import StepRecord, Visit, WorkflowState
from supervisor_ai.store.documents import ArtifactDocuments
from supervisor_ai.store.shapes import from_json, to_json
from supervisor_ai.testing.memory_ledger import MemoryArtifacts

DUE = datetime(2030, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
PLAN, TEST = StepName("plan"), StepName("test")
HASH = ArtifactHash("a" * 64)
SNAPSHOT = Snapshot(commit=CommitSha("c"), tree=TreeSha("t"))


@pytest.fixture
def documents() -> ArtifactDocuments:
    return ArtifactDocuments(MemoryArtifacts())


def definition() -> d.Definition:
    role = d.Role(
        name="coder",
        description="Writes",
        answer=AnswerKind.IMPLEMENTATION,
        writes=True,
        cli="agent",
        template="{{ task }} \u2603",
        timeout=timedelta(minutes=3, microseconds=1),
    )
    steps = {
        TEST: d.Step(name=TEST, kind=d.StepKind.GATE, gate="test", on_fail=PLAN),
        PLAN: d.Step(name=PLAN, kind=d.StepKind.ROLE, role="coder", next=TEST),
    }
    return d.Definition(
        workflow=d.Workflow(name="w", description="", initial_step=PLAN, steps=steps),
        roles={"coder": role},
        clis={"agent": d.Cli(name="agent", adapter="command", environment={"B": "2", "A": "1"})},
        gates={"test": d.Gate(name="test", command=("make",), timeout=timedelta(days=2))},
        sandbox=d.SandboxPolicy(ro_paths=("/b", "/a")),
    )


def run() -> Run:
    birth = e.RunSubmitted(
        task=HASH,
        driver="workflow",
        workflow="w",
        definition=HASH,
        base=Base(ref="main", sha=CommitSha("c"), tree=TreeSha("t")),
        branch="b",
        identity=None,
        parent=None,
        root=RunId("r1"),
        fork=ForkPoint(run=RunId("r0"), version=4),
    )
    events: tuple[Event, ...] = (
        e.RunStarted(driver="workflow", parent=None, root=RunId("r1")),
        e.PermitRequested(permit="zeta", limit=1),
        e.AttemptStarted(step=PLAN, visit=1, attempt=1, role="r", cli="c", start=CommitSha("c")),
        e.GateStarted(step=TEST, visit=1, gate="test", snapshot=CommitSha("c")),
        e.TimerSet(timer=TimerName("z"), due=DUE, parks=False),
        e.TimerSet(timer=TimerName("a"), due=DUE, parks=True),
        e.TimerFired(timer=TimerName("a")),
        e.PermitRequested(permit="alpha", limit=1),
        e.PermitGranted(permit="zeta"),
        e.ChildStarted(step=PLAN, visit=1, child=RunId("r2")),
    )
    folded = machine.submit(RunId("r1"), birth)
    for event in events:
        folded = machine.evolve(folded, event)
    return folded


def state() -> WorkflowState:
    news = e.AttemptSucceeded(
        step=PLAN,
        visit=1,
        attempt=1,
        meaning=Meaning.REJECT,
        said="REJECTED",
        answer=HASH,
        feedback=HASH,
        transcript=HASH,
        snapshot=SNAPSHOT,
        usage=Usage(cost=Decimal("1.50")),
    )
    back = Feedback(kind=FeedbackKind.GATE, source="test", artifact=HASH)
    return WorkflowState(
        definition=definition(),
        head=SNAPSHOT,
        visit=Visit(
            step=PLAN,
            number=2,
            start=CommitSha("c"),
            feedback=(back,),
            slots=(Slot(retry=back, news=news),),
            verdicts=(
                e.GateEnded(
                    step=TEST, visit=1, gate="test", verdict=Verdict.PASSED, reason="", output=HASH
                ),
            ),
        ),
        news=e.IntegrationLost(step=TEST, visit=1),
        steps={
            TEST: StepRecord(status=StepStatus.PASSED, visits=1),
            PLAN: StepRecord(attempts=2, verdict="FAILED"),
        },
        answers={TEST: HASH, PLAN: HASH},
    )


def test_what_the_engine_keeps_comes_back(documents: ArtifactDocuments) -> None:
    for document in (definition(), run(), state(), replace(state(), news=None, visit=None)):
        encoded = documents.encode(document)
        assert documents.decode(encoded, type(document)) == document
        assert documents.encode(documents.decode(encoded, type(document))) == encoded
        assert documents.load(documents.save(document), type(document)) == document


def test_the_order_of_mappings_is_kept(documents: ArtifactDocuments) -> None:
    read = documents.decode(documents.encode(state()), WorkflowState)
    assert list(read.answers) == list(read.steps) == [TEST, PLAN]
    assert list(read.definition.clis["agent"].environment) == ["B", "A"]
    assert list(documents.decode(documents.encode(run()), Run).open) == list(run().open)


def test_a_choice_carries_the_name_of_its_type(documents: ArtifactDocuments) -> None:
    encoded = documents.encode(run())
    assert b'{"@type":"AttemptStarted",' in encoded
    assert encoded.count(b"@type") == len(run().open)


class Small(Struct, frozen=True, kw_only=True):
    number: int
    name: Optional[str] = None  # noqa: UP045 - the older spelling must work too


class Nested(Struct, frozen=True, kw_only=True):
    money: Decimal
    length: timedelta
    at: datetime
    numbers: frozenset[int]
    either: tuple[Small | d.Gate | None, ...] = ()
    inner: "Nested | None" = None
    names: dict[StepName, tuple[str, ...]] = field(default_factory=dict)


def test_equal_objects_give_equal_bytes(documents: ArtifactDocuments) -> None:
    first, second = (
        Nested(money=Decimal(1), length=timedelta(), at=DUE, numbers=numbers)
        for numbers in (frozenset([0, 8]), frozenset([8, 0]))
    )
    assert first == second
    assert list(first.numbers) != list(second.numbers)
    assert documents.encode(first) == documents.encode(second)


smalls = st.builds(Small, number=st.integers(-(2**53), 2**53), name=st.none() | st.text())
nested: st.SearchStrategy[Nested] = st.deferred(
    lambda: st.builds(
        Nested,
        money=st.decimals(allow_nan=False, allow_infinity=False),
        length=st.timedeltas(),
        at=st.datetimes(timezones=st.just(UTC)),
        numbers=st.frozensets(st.integers(-(2**53), 2**53)),
        either=st.lists(st.none() | smalls, max_size=3).map(tuple),
        inner=st.none() | nested,
        names=st.dictionaries(st.text().map(StepName), st.lists(st.text()).map(tuple), max_size=3),
    )
)


@given(nested)
def test_any_object_comes_back(value: Nested) -> None:
    documents = ArtifactDocuments(MemoryArtifacts())
    read = documents.decode(documents.encode(value), Nested)
    assert read == value
    assert (str(read.money), list(read.names)) == (str(value.money), list(value.names))


@pytest.mark.parametrize(
    ("encoded", "message"),
    [
        (b'{"number":1,"colour":2}', "'colour'"),
        (b'{"number":"one"}', "int"),
        (b"{}", "number"),
        (b"[]", "Expected `dict`"),
        (b"{", "truncated"),
    ],
)
def test_what_does_not_fit_is_refused(
    documents: ArtifactDocuments, encoded: bytes, message: str
) -> None:
    with pytest.raises(Unavailable, match=f"A stored Small cannot be read.*{message}"):
        documents.decode(encoded, Small)


def test_an_unknown_choice_is_refused(documents: ArtifactDocuments) -> None:
    encoded = documents.encode(run()).replace(b'"AttemptStarted"', b'"AttemptDreamt"')
    with pytest.raises(Unavailable, match="'AttemptDreamt' is none of"):
        documents.decode(encoded, Run)


def test_a_field_that_came_later_is_written_only_where_it_says_something() -> None:
    gate = d.Gate(name="test", command=("make",), timeout=timedelta(minutes=1))
    assert b"report" not in to_json(gate)
    said = replace(gate, report="junit.xml")
    assert b'"report":"junit.xml"' in to_json(said)
    assert from_json(to_json(gate), d.Gate) == gate
    assert from_json(to_json(said), d.Gate) == said
