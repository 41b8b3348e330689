"""What the coordinator says is read strictly, and nothing else is guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.drivers.checkpoint.protocol.requests import (
    LONGEST_REQUEST,
    CheckpointRequest,
    Incoming,
    MessageProblems,
    PipelineProgress,
    ShutdownRequest,
    format_request,
    read_message,
    read_request,
)

REQUEST = """\
## Checkpoint Request
task_id: CHECKPOINT-001
scope: [DRAFT-001, DRAFT-002]
pipeline_progress: 3/10 tasks completed"""


def incoming(text: str, kind: str = "message", **fields: object) -> Incoming:
    return Incoming(sender="coordinator", kind=kind, text=text, fields=fields)


def test_the_request_of_the_seed_is_read_and_written() -> None:
    found = read_message(incoming(REQUEST))
    assert found == CheckpointRequest(
        task="CHECKPOINT-001",
        scope=("DRAFT-001", "DRAFT-002"),
        progress=PipelineProgress(done=3, total=10),
    )
    assert isinstance(found, CheckpointRequest)
    assert format_request(found) == REQUEST


@pytest.mark.parametrize(
    "text",
    [
        "## Checkpoint Request\ntask_id: CHECKPOINT-001\nscope: [DRAFT-001, DRAFT-002]",
        "\n## Checkpoint Request\n\ntask_id: CHECKPOINT-001\n\nscope: [DRAFT-001,DRAFT-002]\n",
        "## Checkpoint Request\r\ntask_id: CHECKPOINT-001\r\nscope: [ DRAFT-001 , DRAFT-002 ]\r\n",
    ],
)
def test_blanks_and_a_missing_progress_are_no_mistake(text: str) -> None:
    assert read_request(text) == CheckpointRequest(
        task="CHECKPOINT-001", scope=("DRAFT-001", "DRAFT-002")
    )


def test_a_request_without_a_progress_is_written_without_one() -> None:
    request = CheckpointRequest(task="CHECKPOINT-001", scope=("DRAFT-001", "DRAFT-002"))
    assert format_request(request) == REQUEST.rpartition("\n")[0]


HEAD = "## Checkpoint Request\n"
TASK = "task_id: CHECKPOINT-001\n"
SCOPE = "scope: [A]\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "Asked for '## Checkpoint Request' as the first line; found ''."),
        ("hello", "first line; found 'hello'."),
        ("please do\n" + REQUEST, "first line; found 'please do'."),
        ("# Checkpoint Request\n" + TASK, "first line"),
        (HEAD, "Asked for 'task_id: CHECKPOINT-NNN' as line 2; found nothing."),
        (HEAD + SCOPE + TASK, "as line 2; found 'scope: [A]'."),
        (HEAD + "task_id:CHECKPOINT-001\n" + SCOPE, "found 'task_id:CHECKPOINT-001'."),
        (HEAD + TASK, "Asked for 'scope: [TASK-A, TASK-B, ...]' as line 3; found nothing."),
        (HEAD + "task_id: CHECKPOINT-1\n" + SCOPE, "Asked for CHECKPOINT-NNN as 'task_id'"),
        (HEAD + "task_id: CHECKPOINT-000\n" + SCOPE, "found 'CHECKPOINT-000'."),
        (HEAD + "task_id: CHECKPOINT-0001\n" + SCOPE, "found 'CHECKPOINT-0001'."),
        (HEAD + "task_id: DRAFT-001\n" + SCOPE, "found 'DRAFT-001'."),
        (HEAD + TASK + "scope: A, B\n", "Asked for 1 to 100 different tasks in brackets"),
        (HEAD + TASK + "scope: []\n", "found '[]'."),
        (HEAD + TASK + "scope: [A, A]\n", "found '[A, A]'."),
        (HEAD + TASK + "scope: [A; rm]\n", "found '[A; rm]'."),
        (HEAD + TASK + "scope: [A,]\n", "found '[A,]'."),
        (HEAD + TASK + f"scope: [{', '.join(f'A{n}' for n in range(101))}]", "1 to 100"),
        (HEAD + TASK + SCOPE + "pipeline_progress: 3 of 10\n", "Asked for M/N tasks completed"),
        (HEAD + TASK + SCOPE + "pipeline_progress: 4/3 tasks completed\n", "found '4/3"),
        (HEAD + TASK + SCOPE + "pipeline_progress: 0/0 tasks completed\n", "found '0/0"),
        (HEAD + TASK + SCOPE + "priority: high\n", "'pipeline_progress: M/N tasks completed'"),
        (REQUEST + "\nscope: [B]\n", "Asked for nothing after line 4; found 'scope: [B]'."),
    ],
)
def test_anything_else_is_a_problem_that_says_what_was_found(text: str, problem: str) -> None:
    found = read_request(text)
    assert isinstance(found, MessageProblems)
    assert problem in found.text


def test_all_problems_are_told_at_once() -> None:
    found = read_request(HEAD + "task_id: X\nscope: none\npipeline_progress: all\n")
    assert isinstance(found, MessageProblems)
    assert len(found.problems) == 3


def test_a_request_is_the_coordinators_to_make() -> None:
    found = read_message(Incoming(sender="writer", kind="message", text=REQUEST))
    assert found == MessageProblems(
        problems=("Asked for a message from 'coordinator'; found 'writer'.",)
    )


def test_a_message_has_an_end() -> None:
    found = read_message(incoming("x" * (LONGEST_REQUEST + 1)))
    assert isinstance(found, MessageProblems)
    assert "at most 16384 characters" in found.text


@pytest.mark.parametrize(
    "message",
    [
        incoming("", "shutdown_request", request_id="req-1"),
        incoming("bye", "shutdown_request", request_id="req-1"),
        incoming('{"type": "shutdown_request", "request_id": "req-1"}'),
        incoming('{"request_id": "req-1"}', "shutdown_request"),
    ],
)
def test_the_wish_to_shut_down_names_its_request(message: Incoming) -> None:
    assert read_message(message) == ShutdownRequest(request_id="req-1")


@pytest.mark.parametrize("request_id", [None, "", "a b", "a\nb", 7, "x" * 129])
def test_a_wish_to_shut_down_without_a_name_is_a_problem(request_id: object) -> None:
    found = read_message(incoming("", "shutdown_request", request_id=request_id))
    assert isinstance(found, MessageProblems)
    assert "Asked for a shutdown_request with its 'request_id'" in found.text


@pytest.mark.parametrize("text", ['{"type": "other"}', '{"type": '])
def test_other_json_is_no_request(text: str) -> None:
    assert isinstance(read_message(incoming(text)), MessageProblems)


WORDS = st.from_regex(r"[A-Z]{1,5}-[0-9]{1,3}", fullmatch=True)


@given(
    st.integers(1, 999),
    st.lists(WORDS, min_size=1, max_size=20, unique=True),
    st.none() | st.tuples(st.integers(0, 99), st.integers(1, 99)),
)
def test_what_is_written_is_read_back(
    number: int, scope: list[str], progress: tuple[int, int] | None
) -> None:
    done = None if progress is None else PipelineProgress(done=min(progress), total=max(progress))
    request = CheckpointRequest(task=f"CHECKPOINT-{number:03}", scope=tuple(scope), progress=done)
    assert read_request(format_request(request)) == request


@given(st.text(max_size=300))
def test_no_text_is_too_strange_to_be_refused(text: str) -> None:
    found = read_message(incoming(text))
    assert isinstance(found, MessageProblems)
    assert "\n" not in found.text
    assert found.text.isprintable()
