"""Facts on their way into columns and back, whatever version wrote them."""

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import msgspec
import pytest

from supervisor_ai.domain.envelope import Actor, ActorKind, Event, NewEvent
from supervisor_ai.domain.errors import InternalError, Unavailable
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, StepName, StreamId, TreeSha
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.domain.run.values import Feedback, FeedbackKind, Snapshot, Usage
from supervisor_ai.store.codec import (
    EVENT_KINDS,
    EventCodec,
    EventPlace,
    Record,
    canonical,
    instant,
    link,
    moment,
)
from supervisor_ai.store.upcasters import RawEvent, Upcasters

ACTOR = Actor(kind=ActorKind.USER, id="ada", via="cli")
NOW = datetime(2030, 1, 1, tzinfo=UTC)
HASH = ArtifactHash("a" * 64)


def succeeded() -> e.AttemptSucceeded:
    return e.AttemptSucceeded(
        step=StepName("plan"),
        visit=1,
        attempt=1,
        meaning=Meaning.PASS,
        said="COMPLETE",
        answer=HASH,
        feedback=HASH,
        transcript=HASH,
        snapshot=Snapshot(commit=CommitSha("c"), tree=TreeSha("t")),
        usage=Usage(tokens_in=1, cost=Decimal("0.10")),
    )


def seal(event: Event) -> Record:
    place = EventPlace(1, StreamId("run:r1"), 1, NOW, 3)
    return EventCodec().seal(NewEvent(event=event, actor=ACTOR), place, previous="").record


def test_a_fact_comes_back_as_it_was() -> None:
    place = EventPlace(7, StreamId("run:r1"), 2, NOW, 3)
    new = NewEvent(event=succeeded(), actor=ACTOR, cause="letter:1")
    sealed = EventCodec().seal(new, place, previous="before")
    assert EventCodec().unseal(sealed.record) == sealed
    assert sealed.envelope.event == succeeded()
    assert str(succeeded().usage.cost) == "0.10"


def test_payloads_are_canonical() -> None:
    payload = seal(succeeded()).payload
    assert payload == canonical(msgspec.json.decode(payload))
    assert payload.startswith('{"answer":"aaa')
    assert ", " not in payload


def test_the_hash_covers_every_column_and_the_record_before() -> None:
    record = seal(succeeded())
    seen = {record.hash, link("other", record[:-1])}
    for column, value in enumerate(record[:-1]):
        changed = [*record[:-1]]
        changed[column] = 99 if isinstance(value, int) else f"{value}x"
        seen.add(link("", tuple(changed)))
    assert len(seen) == len(record) + 1


def test_every_type_has_its_own_name() -> None:
    assert len({kind.__name__ for kind in EVENT_KINDS}) == len(EVENT_KINDS)


def test_moments_have_one_width_and_sort_by_time() -> None:
    moments = [NOW, NOW + timedelta(microseconds=1), NOW + timedelta(seconds=1)]
    texts = [instant(at) for at in moments]
    assert texts == sorted(texts)
    assert len({len(text) for text in texts}) == 1
    assert [moment(text) for text in texts] == moments
    assert instant(NOW.astimezone(timezone(timedelta(hours=5)))) == texts[0]


def test_a_type_from_the_future_is_refused() -> None:
    record = seal(succeeded())._replace(type="RunTeleported")
    with pytest.raises(Unavailable, match=r"newer version.*'RunTeleported'") as caught:
        EventCodec().unseal(record)
    assert caught.value.hint == "Upgrade supervisor and try again."


def test_a_revision_from_the_future_is_refused() -> None:
    with pytest.raises(Unavailable, match=r"newer version.*revision 2"):
        EventCodec().unseal(seal(succeeded())._replace(revision=2))


@pytest.mark.parametrize(
    ("known", "future", "name"),
    [
        ('"said":', '"mood":1,"said":', "mood"),
        ('"tree":', '"colour":1,"tree":', "snapshot.colour"),
    ],
)
def test_a_field_from_the_future_is_refused(known: str, future: str, name: str) -> None:
    record = seal(succeeded())
    changed = record._replace(payload=record.payload.replace(known, future, 1))
    with pytest.raises(Unavailable, match=f"newer version.*'{name}'"):
        EventCodec().unseal(changed)


def test_a_field_from_the_future_is_refused_in_a_list_too() -> None:
    back = Feedback(kind=FeedbackKind.GATE, source="test", artifact=HASH)
    record = seal(e.StepEntered(step=StepName("plan"), visit=1, start=None, feedback=(back,)))
    changed = record._replace(payload=record.payload.replace('"kind":', '"mood":1,"kind":'))
    with pytest.raises(Unavailable, match=r"newer version.*'feedback.mood'"):
        EventCodec().unseal(changed)


def test_a_field_that_an_older_version_did_not_know_gets_its_default() -> None:
    fields = msgspec.json.decode(seal(succeeded()).payload)
    del fields["redactions"], fields["usage"]["estimated"]
    read = EventCodec().decode("AttemptSucceeded", 1, canonical(fields))
    assert read == succeeded()


@pytest.mark.parametrize("payload", ["{}", "not json", '{"reason":7}', "[]"])
def test_a_damaged_payload_is_reported_with_its_place(payload: str) -> None:
    record = seal(e.RunWaiting(reason="a timer"))._replace(seq=12, payload=payload)
    with pytest.raises(Unavailable, match=r"Event 12 \(RunWaiting\)"):
        EventCodec().unseal(record)


def test_a_damaged_time_is_reported_with_its_place() -> None:
    record = seal(e.RunContinued())._replace(recorded_at="yesterday")
    with pytest.raises(Unavailable, match=r"Event 1 \(RunContinued\)"):
        EventCodec().unseal(record)


class DoorOpened(Event, frozen=True, kw_only=True):
    """What is written today: the third form of the fact."""

    door: str
    by: str
    is_wide: bool = False


OLD_DOORS: Upcasters = {
    # First there was a type of another name, without an opener.
    ("DoorMoved", 1): lambda fields: RawEvent(
        type="DoorOpened", revision=1, fields={"door": fields["name"]}
    ),
    # Then the opener was added, without a default.
    ("DoorOpened", 1): lambda fields: RawEvent(
        type="DoorOpened", revision=2, fields={**fields, "by": "nobody"}
    ),
}


def test_old_facts_are_lifted_step_by_step() -> None:
    codec = EventCodec([DoorOpened], OLD_DOORS)
    assert codec.encode(DoorOpened(door="front", by="ada")).revision == 2
    assert codec.decode("DoorMoved", 1, '{"name":"back"}') == DoorOpened(door="back", by="nobody")
    assert codec.decode("DoorOpened", 1, '{"door":"side"}') == DoorOpened(door="side", by="nobody")
    today = '{"by":"ada","door":"front","is_wide":true}'
    assert codec.decode("DoorOpened", 2, today) == DoorOpened(door="front", by="ada", is_wide=True)


def test_a_revision_before_the_first_upcaster_is_not_guessed() -> None:
    with pytest.raises(Unavailable, match="revision 0"):
        EventCodec([DoorOpened], OLD_DOORS).decode("DoorOpened", 0, "{}")


def test_a_type_that_nobody_registered_cannot_be_written() -> None:
    with pytest.raises(InternalError, match="'DoorOpened' is not in the codec's table"):
        EventCodec().encode(DoorOpened(door="front", by="ada"))
