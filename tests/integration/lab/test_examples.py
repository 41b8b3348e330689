"""The examples, each played as its first line says."""

from importlib import resources
from typing import Any

import pytest
import yaml
from tests.integration.lab.client import (
    SPEECHES,
    ask,
    open_line,
    raw_request,
    until_end,
    until_mark,
)

from supervisor_ai.definitions.worker_answers.parser import read_answer
from supervisor_ai.domain.run.answers import AnswerKind, AnswerWord
from supervisor_ai.engine.ports.workers import Answer
from supervisor_ai.lab.server import LabServer
from supervisor_ai.lab.service import example

NONCE = "kvmq-tzrb-xwph"
TOLD = f"The nonce of this attempt is `{NONCE}`."


def script(name: str) -> Any:
    return yaml.safe_load(example(name))


def said(url: str, prompt: str) -> tuple[str, list[Any]]:
    """Talk to the model as Claude Code does; return its last words and its tool calls."""
    messages: list[Any] = [{"role": "user", "content": prompt}]
    calls: list[Any] = []
    while True:
        more = {"messages": messages, "system": TOLD}
        content = ask(url, "anthropic", more=more).json["content"]
        asked = [block for block in content if block["type"] == "tool_use"]
        if not asked:
            return content[-1]["text"], calls
        calls += asked
        messages += [{"role": "assistant", "content": content}, {"role": "user", "content": "ok"}]


@pytest.mark.parametrize(
    ("template", "kind", "edits"),
    [
        ("planning", AnswerKind.PLAN, []),
        ("implement", AnswerKind.IMPLEMENTATION, ["Write"]),
        ("review_strict", AnswerKind.REVIEW, []),
    ],
)
def test_edit_answers_every_role_of_the_standard_workflow(
    template: str, kind: AnswerWord, edits: list[str]
) -> None:
    prompts = resources.files("supervisor_ai.definitions") / "builtin" / "prompts"
    with LabServer(script("edit")) as lab:
        words, calls = said(lab.url, (prompts / f"{template}.j2").read_text())
    assert [call["name"] for call in calls] == edits
    assert isinstance(read_answer(kind, words, nonce=NONCE), Answer)


@pytest.mark.parametrize("dialect", SPEECHES)
def test_edit_edits_in_every_dialect(dialect: str) -> None:
    with LabServer(script("edit")) as lab:
        assert b"hello.txt" in ask(lab.url, dialect, streamed=True).body


def test_limit_refuses_for_a_while_and_says_how_long() -> None:
    limit = script("limit")
    assert limit["scenarios"][-1]["turns"][0]["reset"] == 30
    limit["scenarios"][-1]["turns"][0]["reset"] = 0.2
    with LabServer(limit) as lab:
        first = ask(lab.url, "anthropic")
        assert (first.status, first.headers["retry-after"]) == (429, "1")
        while ask(lab.url, "anthropic").status == 429:
            pass
        words, _ = said(lab.url, "go on")
    assert isinstance(read_answer(AnswerKind.IMPLEMENTATION, words, nonce=NONCE), Answer)


def test_outage_ends_after_four_troubles() -> None:
    with LabServer(script("outage")) as lab:
        assert [ask(lab.url, "responses").status for _ in range(3)] == [500, 500, 503]
        with pytest.raises(ConnectionResetError):
            ask(lab.url, "responses")
        assert ask(lab.url, "responses").status == 200
        assert [seen.fault for seen in lab.requests] == [None, None, None, "reset", None]


def test_stall_says_nothing_until_the_client_tries_again() -> None:
    with LabServer(script("stall")) as lab:
        with open_line(lab.url) as line:
            line.sendall(raw_request("anthropic", streamed=True))
            until_mark(line, b"content_block_start")
            line.settimeout(0.3)
            with pytest.raises(TimeoutError):
                until_end(line)
        words, _ = said(lab.url, SPEECHES["anthropic"].body["messages"][0]["content"])
    assert isinstance(read_answer(AnswerKind.IMPLEMENTATION, words, nonce=NONCE), Answer)
