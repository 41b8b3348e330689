"""Permits that runs share, and the names of streams and facts."""

from datetime import UTC, datetime

from supervisor_ai.domain.envelope import Actor, ActorKind, Envelope, Event
from supervisor_ai.domain.ids import PROJECT_STREAM, RunId, run_stream, stream_run
from supervisor_ai.domain.project.events import PermitFreed, PermitTaken
from supervisor_ai.domain.project.project import Project, evolve


def test_a_permit_has_room_until_its_limit() -> None:
    project = evolve(Project(), PermitTaken(permit="gpu", run=RunId("r1")))
    assert not project.has_room("gpu", limit=1)
    assert project.has_room("gpu", limit=2)
    assert project.has_room("cpu", limit=1)


def test_a_freed_permit_has_room_again() -> None:
    project = evolve(Project(), PermitTaken(permit="gpu", run=RunId("r1")))
    project = evolve(project, PermitFreed(permit="gpu", run=RunId("r1")))
    assert project.has_room("gpu", limit=1)


def test_other_facts_do_not_concern_permits() -> None:
    assert evolve(Project(), Event()) == Project()


def test_a_stream_knows_its_run() -> None:
    assert stream_run(run_stream(RunId("r1"))) == "r1"
    assert stream_run(PROJECT_STREAM) is None


def test_an_envelope_names_the_kind_of_its_fact() -> None:
    envelope = Envelope(
        seq=1,
        stream=PROJECT_STREAM,
        version=1,
        event=PermitTaken(permit="gpu", run=RunId("r1")),
        recorded_at=datetime(2030, 1, 1, tzinfo=UTC),
        actor=Actor(kind=ActorKind.RUNTIME, id="me", via="engine"),
        cause=None,
        epoch=1,
        hash="",
    )
    assert envelope.type == "PermitTaken"
