"""What agents and Managers may answer."""

import json

import pytest
from tests.unit.definitions.answer_texts import (
    AGENT,
    KANBAN,
    block,
    invalid,
    quoted,
    read,
    unparsed,
)

from supervisor_ai.domain.run.answers import AnswerWord
from supervisor_ai.drivers.kanban.kinds import OF_AGENT, OF_MANAGER

KINDS = (OF_AGENT, OF_MANAGER)


def test_an_agent_says_how_it_went_and_nothing_else() -> None:
    answer = read(OF_AGENT, block({"status": "blocked", "message": "No \x1b[31mkey."}))
    assert json.loads(answer.document) == {"status": "blocked", "message": "No \x1b[31mkey."}
    assert (answer.notes, answer.concerns) == ("No [31mkey.", ())
    assert read(OF_AGENT, block({**AGENT, "message": ""})).notes == "The worker answered ok."


@pytest.mark.parametrize("key", ["next_task", "tasks", "work_items", "summary", "odd\x1b[31m"])
def test_what_else_an_answer_says_is_noted_and_not_kept(key: str) -> None:
    answer = read(OF_AGENT, block({**AGENT, key: ["x"]}))
    assert json.loads(answer.document) == AGENT
    assert answer.notes.startswith("Done.\nNobody looked at ")
    assert "\x1b" not in answer.notes


def test_a_manager_may_say_more_too() -> None:
    answer = read(OF_MANAGER, block({**KANBAN, "confidence": 0.9}))
    assert json.loads(answer.document) == KANBAN
    assert answer.notes == "Done.\nNobody looked at confidence."


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", ["status", "message"])
def test_neither_status_nor_message_may_be_left_out(kind: AnswerWord, key: str) -> None:
    document = AGENT if kind == OF_AGENT else KANBAN
    left = {name: value for name, value in document.items() if name != key}
    assert f"{key}: is missing" in invalid(kind, left)


@pytest.mark.parametrize("status", ["ok", "blocked", "error", "escalate"])
@pytest.mark.parametrize("left", [{"next_task"}, {"tasks"}, {"next_task", "tasks"}])
def test_a_manager_need_not_repeat_what_its_file_says(status: str, left: set[str]) -> None:
    said = {name: value for name, value in KANBAN.items() if name not in left} | {"status": status}
    assert json.loads(read(OF_MANAGER, block(said)).document) == said


@pytest.mark.parametrize(
    ("key", "value"),
    [("message", None), ("message", 1), ("next_task", 3), ("tasks", None), ("tasks", [1])],
)
def test_everything_has_its_type(key: str, value: object) -> None:
    assert key in invalid(OF_MANAGER, {**KANBAN, key: value})


def test_no_next_task_is_said_with_null() -> None:
    answer = read(OF_MANAGER, block({**KANBAN, "tasks": ["tasks/1-a.md"]}))
    assert json.loads(answer.document) == {
        "status": "ok",
        "message": "Done.",
        "next_task": None,
        "tasks": ["tasks/1-a.md"],
    }
    assert answer.notes == "Done.", "a person who is asked needs no list"
    read(OF_MANAGER, block({**KANBAN, "next_task": "tasks/1-a.md"}))


@pytest.mark.parametrize("kind", KINDS)
def test_words_are_not_another_answer(kind: AnswerWord) -> None:
    document = AGENT if kind == OF_AGENT else KANBAN
    for words in (
        "The status is error, I fear. status: blocked",
        'The endpoint says {"status": "healthy"}.',
        '{"status": "ok"}',
        '"status": "OK"',
    ):
        assert read(kind, f"{words}\n\n{block(document)}").said == "ok"


@pytest.mark.parametrize("kind", KINDS)
def test_a_quoted_status_that_differs_is_doubtful(kind: AnswerWord) -> None:
    document = AGENT if kind == OF_AGENT else KANBAN
    told = unparsed(f'{{"status": "escalate"}}\n\n{quoted(document)}', kind)
    assert "it says escalate before the final json block" in told
    second = unparsed(block({**document, "message": "Other."}) + block(document), kind)
    assert "two different answers" in second
