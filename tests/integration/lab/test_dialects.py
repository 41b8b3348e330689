"""Every dialect, in one piece and as a stream, read as the CLIs read it."""

import json
from typing import Any

import pytest
from tests.integration.lab.client import SPEECHES, Reply, ask

from supervisor_ai.lab.server import LabServer

TEXT = "I will write the file, and this sentence is longer than one piece of a stream."
INPUT = {"path": "hello.txt", "content": "Hällo\n" * 50}
USAGE = {"in": 7, "out": 3, "cache_read": 2, "cache_write": 1}
TURN = {"text": TEXT, "tool": {"name": "Write", "input": INPUT}, "usage": USAGE}

Said = tuple[str, list[tuple[str, object]], str]


def said(turn: object, dialect: str, *, streamed: bool) -> Reply:
    with LabServer([turn]) as lab:
        return ask(lab.url, dialect, streamed=streamed)


def anthropic(reply: Reply) -> Said:
    message = reply.json
    calls = [(it["name"], it["input"]) for it in message["content"] if it["type"] == "tool_use"]
    text = "".join(it["text"] for it in message["content"] if it["type"] == "text")
    return text, calls, message["stop_reason"]


def anthropic_stream(reply: Reply) -> Said:
    assert [kind for kind, _ in reply.events] == [frame["type"] for frame in reply.frames]
    blocks: dict[int, Any] = {}
    stop = ""
    for frame in reply.frames:
        if frame["type"] == "content_block_start":
            blocks[frame["index"]] = {**frame["content_block"], "json": ""}
        elif frame["type"] == "content_block_delta":
            delta, block = frame["delta"], blocks[frame["index"]]
            for key, into in (("text", "text"), ("partial_json", "json"), ("thinking", "thinking")):
                block[into] = block.get(into, "") + delta.get(key, "")
        elif frame["type"] == "message_delta":
            stop = frame["delta"]["stop_reason"]
            assert frame["usage"]["output_tokens"] > 0
    assert reply.frames[0]["message"]["content"] == []
    assert reply.frames[-1]["type"] == "message_stop"
    calls = [(b["name"], json.loads(b["json"])) for b in blocks.values() if b["type"] == "tool_use"]
    return "".join(b["text"] for b in blocks.values() if b["type"] == "text"), calls, stop


def responses(reply: Reply) -> Said:
    return _response(reply.json)


def responses_stream(reply: Reply) -> Said:
    frames = reply.frames
    assert [frame["sequence_number"] for frame in frames] == list(range(len(frames)))
    assert [kind for kind, _ in reply.events] == [frame["type"] for frame in frames]
    done = [it["item"] for it in frames if it["type"] == "response.output_item.done"]
    whole = frames[-1]["response"]
    assert whole["output"] == done
    deltas = [it["delta"] for it in frames if it["type"] == "response.output_text.delta"]
    text, calls, stop = _response(whole)
    assert "".join(deltas) == text
    return text, calls, stop


def _response(whole: Any) -> Said:
    text = "".join(it["content"][0]["text"] for it in whole["output"] if it["type"] == "message")
    calls = [
        (it["name"], json.loads(it["arguments"]))
        for it in whole["output"]
        if it["type"] == "function_call"
    ]
    stop = (whole["incomplete_details"] or {}).get("reason", whole["status"])
    return text, calls, stop


def chat(reply: Reply) -> Said:
    (choice,) = reply.json["choices"]
    calls = [it["function"] for it in choice["message"].get("tool_calls", [])]
    told = [(it["name"], json.loads(it["arguments"])) for it in calls]
    return choice["message"]["content"] or "", told, choice["finish_reason"]


def chat_stream(reply: Reply) -> Said:
    assert reply.events[-1] == (None, "[DONE]")
    assert reply.frames[-1]["usage"]["total_tokens"] > 0
    choices = [frame["choices"][0] for frame in reply.frames if frame["choices"]]
    text = "".join(choice["delta"].get("content", "") for choice in choices)
    calls = [call["function"] for it in choices for call in it["delta"].get("tool_calls", [])]
    told = [(it["name"], json.loads(it["arguments"])) for it in calls]
    return text, told, choices[-1]["finish_reason"]


def gemini(reply: Reply) -> Said:
    return _candidates([reply.json])


def gemini_stream(reply: Reply) -> Said:
    return _candidates(reply.frames)


def _candidates(frames: list[Any]) -> Said:
    parts = [part for frame in frames for part in frame["candidates"][0]["content"]["parts"]]
    stops = [frame["candidates"][0].get("finishReason") for frame in frames]
    assert not any(stops[:-1])
    text = "".join(part.get("text", "") for part in parts if not part.get("thought"))
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    return text, [(it["name"], it["args"]) for it in calls], stops[-1]


READERS = {
    ("anthropic", False): anthropic,
    ("anthropic", True): anthropic_stream,
    ("responses", False): responses,
    ("responses", True): responses_stream,
    ("chat", False): chat,
    ("chat", True): chat_stream,
    ("gemini", False): gemini,
    ("gemini", True): gemini_stream,
}
STOPS = {
    "anthropic": ("tool_use", "end_turn", "max_tokens", "refusal"),
    "responses": ("completed", "completed", "max_output_tokens", "content_filter"),
    "chat": ("tool_calls", "stop", "length", "content_filter"),
    "gemini": ("STOP", "STOP", "MAX_TOKENS", "SAFETY"),
}


@pytest.mark.parametrize(("dialect", "streamed"), READERS)
def test_words_and_a_call_arrive(dialect: str, streamed: bool) -> None:  # noqa: FBT001
    reply = said(TURN, dialect, streamed=streamed)
    kind = "text/event-stream" if streamed else "application/json"
    assert (reply.status, reply.headers["content-type"]) == (200, kind)
    assert READERS[dialect, streamed](reply) == (TEXT, [("Write", INPUT)], STOPS[dialect][0])


@pytest.mark.parametrize(("dialect", "streamed"), READERS)
def test_parallel_calls_arrive_in_order(dialect: str, streamed: bool) -> None:  # noqa: FBT001
    turn = {"tools": [{"name": "a", "input": {"n": 1}}, {"name": "b", "input": {"n": 2}}]}
    _, calls, _ = READERS[dialect, streamed](said(turn, dialect, streamed=streamed))
    assert calls == [("a", {"n": 1}), ("b", {"n": 2})]


@pytest.mark.parametrize(("dialect", "streamed"), READERS)
def test_thinking_is_not_said(dialect: str, streamed: bool) -> None:  # noqa: FBT001
    reply = said({"thinking": "hm", "text": ""}, dialect, streamed=streamed)
    assert READERS[dialect, streamed](reply) == ("", [], STOPS[dialect][1])


@pytest.mark.parametrize(("dialect", "streamed"), READERS)
@pytest.mark.parametrize(("number", "stop"), [(2, "max_tokens"), (3, "refusal")])
def test_a_stop_has_the_word_of_the_dialect(
    dialect: str,
    streamed: bool,  # noqa: FBT001
    number: int,
    stop: str,
) -> None:
    reply = said({"text": "a", "stop": stop}, dialect, streamed=streamed)
    assert READERS[dialect, streamed](reply) == ("a", [], STOPS[dialect][number])


def test_usage_is_told_in_the_words_of_the_dialect() -> None:
    told = {name: said(TURN, name, streamed=False).json for name in SPEECHES}
    assert told["anthropic"]["usage"] == {
        "input_tokens": 7,
        "cache_creation_input_tokens": 1,
        "cache_read_input_tokens": 2,
        "output_tokens": 3,
        "service_tier": "standard",
    }
    assert told["responses"]["usage"]["input_tokens_details"] == {"cached_tokens": 2}
    assert told["responses"]["usage"]["total_tokens"] == 10
    assert told["chat"]["usage"]["prompt_tokens"] == 7
    assert told["gemini"]["usageMetadata"] == {
        "promptTokenCount": 7,
        "candidatesTokenCount": 3,
        "cachedContentTokenCount": 2,
        "totalTokenCount": 10,
    }


@pytest.mark.parametrize(("dialect", "key"), [("anthropic", "model"), ("gemini", "modelVersion")])
def test_the_model_is_the_one_asked_for_unless_the_script_says_otherwise(
    dialect: str, key: str
) -> None:
    assert said({"text": "a"}, dialect, streamed=False).json[key] == "m"
    assert said({"text": "a", "model": "x"}, dialect, streamed=False).json[key] == "x"


@pytest.mark.parametrize("streamed", [False, True])
def test_codex_gets_a_patch_as_plain_text_and_the_namespace_of_a_tool(
    streamed: bool,  # noqa: FBT001
) -> None:
    patch = {"name": "apply_patch", "input": "*** Begin Patch"}
    turn = {"custom": patch, "tool": {"name": "report", "namespace": "mcp__sup", "id": "c1"}}
    reply = said(turn, "responses", streamed=streamed)
    call, custom = (reply.frames[-1]["response"] if streamed else reply.json)["output"]
    assert (call["namespace"], call["call_id"], call["arguments"]) == ("mcp__sup", "c1", "{}")
    assert (custom["type"], custom["input"]) == ("custom_tool_call", "*** Begin Patch")


HISTORIES: dict[str, tuple[str, list[object]]] = {
    "anthropic": ("messages", [{"role": "user"}, {"role": "assistant"}, {"role": "user"}]),
    "chat": ("messages", [{"role": "system"}, {"role": "assistant"}, {"role": "tool"}]),
    "responses": (
        "input",
        [{"role": "user"}, {"type": "reasoning"}, {"type": "function_call"},
         {"type": "function_call_output"}],
    ),
    "gemini": ("contents", [{"role": "user"}, {"role": "model"}, {"role": "user"}]),
}  # fmt: skip


@pytest.mark.parametrize("dialect", HISTORIES)
def test_history_is_counted_in_every_dialect(dialect: str) -> None:
    key, messages = HISTORIES[dialect]
    turns = [{"text": "first"}, {"text": "second"}]
    with LabServer({"cursor": "history", "scenarios": [{"turns": turns}]}) as lab:
        reply = ask(lab.url, dialect, more={key: messages})
        assert READERS[dialect, False](reply)[0] == "second"
        assert lab.requests[0].answered == 1


SCHEMA = {"type": "object", "properties": {"route": {"enum": ["flash"]}}}
WANTS: dict[str, dict[str, object]] = {
    "anthropic": {"output_config": {"format": {"schema": SCHEMA}}},
    "responses": {"text": {"format": {"schema": SCHEMA}}},
    "chat": {"response_format": {"json_schema": {"schema": SCHEMA}}},
    "gemini": {"generationConfig": {"responseJsonSchema": SCHEMA}},
}


@pytest.mark.parametrize("dialect", WANTS)
def test_a_side_call_gets_an_answer_of_its_schema(dialect: str) -> None:
    with LabServer([{"text": "main"}]) as lab:
        reply = ask(lab.url, dialect, more={"tools": [], **WANTS[dialect]})
    assert json.loads(READERS[dialect, False](reply)[0]) == {"route": "flash"}
