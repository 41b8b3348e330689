"""What each provider is asked, and what becomes of its answers."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from tests.integration.workers.api.attempt import KEY, PROMPT, SCHEMA, Attempt, model
from tests.integration.workers.api.service import Answering, Service, events, lines, whole

from supervisor_ai.domain.run.values import Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Channel, SandboxEnd
from supervisor_ai.engine.ports.workers import (
    UsageSeen,
    WorkerFinished,
    WorkerReport,
    WorkerSaid,
    WorkerStarted,
)

ANSWER = '{"status": "COMPLETE", "summary": "✓ ```"}'
BLOCK = f"```json\n{ANSWER}\n```\n"
USAGE = {"prompt_tokens": 11, "completion_tokens": 7}
SPENT = Usage(tokens_in=11, tokens_out=7)
CACHED = Usage(tokens_in=11, tokens_out=7, cache_read=6)


def chat(text: str, **more: object) -> dict[str, Any]:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": "stop",
    }
    return {"id": "c-1", "model": "m-full", "choices": [choice], "usage": USAGE, **more}


def chat_events(*pieces: str, usage: Mapping[str, object] = USAGE) -> Answering:
    head = {"id": "c-1", "model": "m-full"}
    deltas = [{**head, "choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    end = {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    return events(*deltas, end, {**head, "choices": [], "usage": usage}, "[DONE]", "never read")


def message(*blocks: dict[str, object], stop: str = "end_turn") -> dict[str, Any]:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 6, "output_tokens": 7}
    head = {"id": "msg-1", "type": "message", "model": "m-full", "usage": usage}
    return {**head, "content": list(blocks), "stop_reason": stop}


def message_events(*deltas: dict[str, object], stop: str = "end_turn") -> Answering:
    start = {"id": "msg-1", "model": "m-full", "usage": {"input_tokens": 11, "output_tokens": 1}}
    return events(
        {"type": "message_start", "message": start},
        {"type": "ping"},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 7}},
        {"type": "message_stop"},
    )


def local(text: str, *, done: bool = True) -> dict[str, Any]:
    record: dict[str, Any] = {"model": "m-full", "message": {"content": text}, "done": done}
    counts = {"done_reason": "stop", "prompt_eval_count": 11, "eval_count": 7}
    return {**record, **counts} if done else record


def attempt(provider: str, answer: Answering, **more: Any) -> tuple[Service, Attempt, WorkerReport]:
    with Service(answer) as service:
        one = Attempt([model("m", service.url, provider, **more)])
        report = one.run()
    return service, one, report


STRUCTURED = [
    ("openai_compatible", False, whole(chat(ANSWER)), SPENT),
    ("openai_compatible", True, chat_events(ANSWER[:9], ANSWER[9:]), SPENT),
    ("openrouter", False, whole(chat(ANSWER)), SPENT),
    ("openrouter", True, chat_events(ANSWER), SPENT),
    (
        "anthropic",
        False,
        whole(message({"type": "tool_use", "name": "answer", "input": json.loads(ANSWER)})),
        CACHED,
    ),
    (
        "anthropic",
        True,
        message_events(
            {"type": "input_json_delta", "partial_json": ""},
            {"type": "input_json_delta", "partial_json": ANSWER[:9]},
            {"type": "input_json_delta", "partial_json": ANSWER[9:]},
            stop="tool_use",
        ),
        SPENT,
    ),
    ("ollama", False, whole(local(ANSWER)), SPENT),
    ("ollama", True, lines(local(ANSWER[:9], done=False), local(ANSWER[9:])), SPENT),
]


@pytest.mark.parametrize(("provider", "stream", "answer", "usage"), STRUCTURED)
def test_a_structured_answer_ends_in_the_one_block(
    provider: str, *, stream: bool, answer: Answering, usage: Usage
) -> None:
    _, one, report = attempt(provider, answer, stream=stream)
    assert report.output == BLOCK
    assert (report.result.end, report.result.exit_code) == (SandboxEnd.EXITED, 0)
    assert report.usage == usage
    assert report.diagnosis is not None
    assert report.diagnosis.has_succeeded
    assert report.diagnosis.model == "m-full"
    assert report.diagnosis.message == f"m ({provider}, m-1) answered."
    assert one.printed == {Channel.STDOUT: ANSWER.encode(), Channel.STDERR: b""}


@pytest.mark.parametrize(("provider", "stream", "answer", "usage"), STRUCTURED)
def test_what_happens_can_be_watched(
    provider: str, *, stream: bool, answer: Answering, usage: Usage
) -> None:
    _, one, _ = attempt(provider, answer, stream=stream)
    session = {"anthropic": "msg-1", "ollama": None}.get(provider, "c-1")
    assert one.seen[0] == WorkerStarted(session=session, model="m-full")
    assert "".join(o.text for o in one.seen if isinstance(o, WorkerSaid)) == ANSWER
    assert [o for o in one.seen if isinstance(o, UsageSeen)][-1] == UsageSeen(usage=usage)
    assert one.seen[-1] == WorkerFinished(message=f"m ({provider}, m-1) answered.")


@pytest.mark.parametrize("stream", [False, True])
def test_openai_is_asked_in_its_own_way(*, stream: bool) -> None:
    answer = chat_events(ANSWER) if stream else whole(chat(ANSWER))
    service, _, _ = attempt(
        "openai_compatible", answer, stream=stream, max_tokens=900, temperature=0.5
    )
    [asked] = service.asked
    assert asked.path == "/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.headers["content-type"] == "application/json"
    system, user = asked.body.pop("messages")
    assert (system["role"], user) == ("system", {"role": "user", "content": PROMPT})
    assert "'planner'" in system["content"]
    assert asked.body == {
        "model": "m-1",
        "stream": stream,
        **({"stream_options": {"include_usage": True}} if stream else {}),
        "max_tokens": 900,
        "temperature": 0.5,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": SCHEMA, "strict": False},
        },
    }


def test_a_role_has_words_of_its_own_beside_ours() -> None:
    with Service(whole(chat(ANSWER))) as service:
        Attempt([model("m", service.url, stream=False)], system_prompt="Be kind.").run()
    said = service.asked[0].body["messages"][0]["content"]
    assert said.startswith("You work as 'planner'")
    assert said.endswith("\n\nBe kind.")


def test_openrouter_tells_what_it_cost() -> None:
    answer = chat_events(ANSWER, usage={**USAGE, "cost": 0.0042})
    service, _, report = attempt("openrouter", answer)
    assert service.asked[0].body["usage"] == {"include": True}
    assert report.usage == Usage(tokens_in=11, tokens_out=7, cost=Decimal("0.0042"))


def test_anthropic_is_asked_in_its_own_way() -> None:
    answer = whole(message({"type": "text", "text": "x"}))
    service, _, _ = attempt("anthropic", answer, stream=False, temperature=0.0)
    [asked] = service.asked
    assert asked.path == "/v1/messages"
    assert (asked.headers["x-api-key"], asked.headers["anthropic-version"]) == (KEY, "2023-06-01")
    assert "authorization" not in asked.headers
    assert "'planner'" in asked.body.pop("system")
    [tool] = asked.body.pop("tools")
    assert (tool["name"], tool["input_schema"]) == ("answer", SCHEMA)
    assert asked.body == {
        "model": "m-1",
        "max_tokens": 16_000,
        "messages": [{"role": "user", "content": PROMPT}],
        "stream": False,
        "temperature": 0.0,
        "tool_choice": {"type": "tool", "name": "answer"},
    }


def test_ollama_is_asked_in_its_own_way_and_needs_no_key() -> None:
    service, _, _ = attempt("ollama", lines(local(ANSWER)), key=None, max_tokens=50)
    [asked] = service.asked
    assert asked.path == "/api/chat"
    assert "authorization" not in asked.headers
    assert [one["role"] for one in asked.body.pop("messages")] == ["system", "user"]
    assert asked.body == {
        "model": "m-1",
        "stream": True,
        "options": {"num_predict": 50},
        "format": SCHEMA,
    }
    service, _, _ = attempt("ollama", lines(local(ANSWER)))
    assert service.asked[0].headers["authorization"] == f"Bearer {KEY}"


PROSE = f"I thought about it.\n\n{BLOCK}"


@pytest.mark.parametrize(
    ("provider", "answer"),
    [
        ("openai_compatible", chat_events(PROSE[:30], PROSE[30:])),
        ("openrouter", chat_events(PROSE)),
        ("anthropic", message_events({"type": "text_delta", "text": PROSE})),
        ("ollama", lines(local(PROSE[:5], done=False), local(PROSE[5:]))),
    ],
)
def test_without_a_schema_the_words_are_the_output(provider: str, answer: Answering) -> None:
    service, _, report = attempt(provider, answer, structured=False)
    assert report.output == PROSE
    assert not {"response_format", "tools", "tool_choice", "format"} & set(service.asked[0].body)


def test_a_service_that_ignores_the_schema_is_taken_at_its_words() -> None:
    _, _, report = attempt("openai_compatible", chat_events(PROSE))
    assert report.output == PROSE
    _, _, report = attempt("openai_compatible", whole(chat(PROSE)))
    assert report.output == PROSE


def test_where_the_answer_has_a_channel_nothing_else_counts() -> None:
    quoted = 'As asked:\n```json\n{"status": "BLOCKED"}\n```\n'
    tool: dict[str, object] = {
        "type": "tool_use",
        "name": "answer",
        "input": {"status": "COMPLETE"},
    }
    thoughts: dict[str, object] = {"type": "thinking", "thinking": "hm"}
    answer = whole(message(thoughts, {"type": "text", "text": quoted}, tool))
    _, _, report = attempt("anthropic", answer)
    assert report.output == '```json\n{"status": "COMPLETE"}\n```\n'


def test_a_service_that_does_not_stream_is_understood_too() -> None:
    _, _, report = attempt("openai_compatible", whole(chat(ANSWER)), stream=True)
    assert report.output == BLOCK


def test_the_attempts_tokens_bound_the_answer() -> None:
    with Service(whole(chat(ANSWER))) as service:
        Attempt([model("m", service.url, max_tokens=900)], tokens=40).run()
        Attempt([model("m", service.url)], tokens=50).run()
        Attempt([model("m", service.url)]).run()
    assert [asked.body.get("max_tokens") for asked in service.asked] == [40, 50, None]


def test_a_path_of_the_base_url_stays() -> None:
    with Service(whole(chat(ANSWER))) as service:
        Attempt([model("m", f"{service.url}/api/v1/")]).run()
    assert service.asked[0].path == "/api/v1/chat/completions"
    assert service.asked[0].headers["host"] == f"127.0.0.1:{service.port}"


@pytest.mark.parametrize(
    "strange",
    [
        {"prompt_tokens": -5, "completion_tokens": True, "cost": "NaN"},
        {"prompt_tokens": 10**15, "completion_tokens": 1.5, "cost": "much"},
        {"prompt_tokens_details": {"cached_tokens": -1, "cache_write_tokens": "9"}},
        {},
    ],
)
def test_who_says_nothing_sensible_is_counted_by_words(strange: dict[str, object]) -> None:
    service, _, report = attempt("openrouter", whole(chat(ANSWER, usage=strange)))
    size = int(service.asked[0].headers["content-length"])
    assert report.usage == Usage(
        tokens_in=size // 4, tokens_out=len(ANSWER.encode()) // 4, estimated=True
    )


@pytest.mark.parametrize(
    ("details", "parts"),
    [
        ({"cached_tokens": 6}, (6, 0)),
        ({"cached_tokens": 6, "cache_write_tokens": 3}, (6, 3)),
        ({"cached_tokens": 99, "cache_write_tokens": 99}, (11, 0)),
        ({"cached_tokens": 6, "cache_write_tokens": 99}, (6, 5)),
    ],
)
def test_a_cache_never_had_more_than_went_in(
    details: dict[str, object], parts: tuple[int, int]
) -> None:
    usage = {**USAGE, "prompt_tokens_details": details}
    _, _, report = attempt("openai_compatible", chat_events(ANSWER, usage=usage))
    assert report.usage == replace(SPENT, cache_read=parts[0], cache_write=parts[1])


def test_what_a_cache_took_is_part_of_the_input() -> None:
    usage = {"input_tokens": 5, "cache_creation_input_tokens": 9, "output_tokens": 7}
    answer = whole({**message({"type": "text", "text": ANSWER}), "usage": usage})
    _, _, report = attempt("anthropic", answer)
    assert report.usage == Usage(tokens_in=14, tokens_out=7, cache_write=9)
