"""The dialect of Anthropic's Messages API."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.tools.json_value import Json, JsonObject, inner, json_line, mapping, sequence
from supervisor_ai.workers.api.dialect import ApiDialect, most_tokens
from supervisor_ai.workers.api.model import Model
from supervisor_ai.workers.api.records import read_events
from supervisor_ai.workers.api.reply import ModelQuestion, ModelReply, Stop, word

_VERSION: Final = "2023-06-01"
_MAX_TOKENS: Final = 16_000
_TOOL: Final = "answer"
_STOPS: Final[Mapping[str, Stop]] = {
    "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
    "refusal": Stop.REFUSAL,
}


def _headers(key: str) -> dict[str, str]:
    return {"x-api-key": key, "anthropic-version": _VERSION}


def _body(model: Model, question: ModelQuestion) -> JsonObject:
    body: JsonObject = {
        "model": model.model,
        "max_tokens": most_tokens(model, question, _MAX_TOKENS),
        "system": question.system,
        "messages": [{"role": "user", "content": question.prompt}],
        "stream": model.stream,
    }
    if model.temperature is not None:
        body["temperature"] = model.temperature
    if question.schema is not None:
        description = "Gives the answer. Call it exactly once."
        body["tools"] = [
            {"name": _TOOL, "description": description, "input_schema": question.schema}
        ]
        body["tool_choice"] = {"type": "tool", "name": _TOOL}
    return body


def _read_piece(record: JsonObject, reply: ModelReply) -> None:
    match record.get("type"):
        case "message_start":
            _read_message(mapping(record.get("message")), reply)
        case "content_block_delta":
            reply.say(inner(record, "delta", "text"))
            reply.think(inner(record, "delta", "thinking"))
            reply.answer(inner(record, "delta", "partial_json"))
        case "message_delta":
            _read_stop(inner(record, "delta", "stop_reason"), reply)
            reply.count(record.get("usage"))
        case "message_stop":
            reply.is_over = True
        case "error":
            reply.fault = record
        case _:
            pass  # a ping, or news of a later version


def _read_whole(record: JsonObject, reply: ModelReply) -> None:
    if record.get("type") == "error":
        reply.fault = record
        return
    _read_message(record, reply)
    for block in sequence(record.get("content")):
        match inner(block, "type"):
            case "text":
                reply.say(inner(block, "text"))
            case "tool_use":
                reply.answer(json_line(inner(block, "input")))
            case _:
                pass  # thoughts are no part of the answer
    _read_stop(record.get("stop_reason"), reply)


def _read_message(message: JsonObject, reply: ModelReply) -> None:
    reply.session = word(message.get("id"))
    reply.model = word(message.get("model"))
    reply.count(message.get("usage"))


def _read_stop(reason: Json, reply: ModelReply) -> None:
    if isinstance(reason, str):
        reply.stop = _STOPS.get(reason, Stop.DONE)


ANTHROPIC: Final = ApiDialect(
    path="/v1/messages",
    headers=_headers,
    body=_body,
    records=read_events,
    read_piece=_read_piece,
    read_whole=_read_whole,
)
