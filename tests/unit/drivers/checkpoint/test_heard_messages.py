"""What a resident supervisor remembers of what it hears."""

from datetime import UTC, datetime

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.performers.context import HeardMessage, SessionMemory, hear
from supervisor_ai.tools.json_value import JsonObject

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


def named(task: str, path: str, speaker: str = "stranger") -> HeardMessage:
    data: JsonObject = {"task_id": task, "ref": path}
    return replace(SAID, kind="state_update", data=data, speaker=speaker)


def test_the_owner_names_what_a_task_has_left_and_a_stranger_is_told_apart() -> None:
    memory = SessionMemory(owners={"DRAFT-001": "writer"})
    for speaker in ("writer", "stranger"):
        memory = hear(memory, named("DRAFT-001", f"spec/{speaker}.md", speaker), "/session")
    assert memory.refs == {"DRAFT-001": ("spec/writer.md",)}
    assert memory.strange == {"DRAFT-001": {"stranger": ("spec/stranger.md",)}}


def test_a_state_of_a_task_without_an_artifact_names_none() -> None:
    memory = hear(SessionMemory(owners={}), named("DRAFT-001", ""), "/session")
    assert (memory.refs, memory.strange) == ({}, {})


def test_tasks_that_a_stranger_makes_up_are_remembered_within_bounds() -> None:
    memory = SessionMemory(owners={"DRAFT-001": "writer"})
    for number in range(1_100):
        memory = hear(memory, named(f"MADE-{number}", "a.md"), "/session")
    memory = hear(memory, named("DRAFT-001", "b.md"), "/session")
    assert len(memory.strange) == 1_001
    assert "DRAFT-001" in memory.strange
