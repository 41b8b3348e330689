"""What a resident supervisor remembers of what it hears."""

from datetime import UTC, datetime

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.performers.context import HeardMessage, SessionMemory, hear

SAID = HeardMessage(
    number=1,
    at=datetime(2030, 1, 1, tzinfo=UTC),
    sender="writer",
    kind="note",
    summary="Here.",
    data={},
    tokens=7,
)


def test_a_message_is_remembered_and_counted() -> None:
    memory = hear(SessionMemory(), SAID, "/session")
    assert (len(memory.messages), memory.tokens) == (1, 7)


def test_what_is_no_message_is_only_counted() -> None:
    memory = hear(SessionMemory(), replace(SAID, sender=""), "/session")
    assert (memory.messages, memory.tokens) == ((), 7)
