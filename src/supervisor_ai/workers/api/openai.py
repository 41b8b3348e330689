"""The chat-completions dialect: OpenAI, OpenRouter and the many that speak like them."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from supervisor_ai.tools.json_value import JsonObject, inner
from supervisor_ai.workers.api.dialect import ApiDialect, most_tokens
from supervisor_ai.workers.api.model import Model
from supervisor_ai.workers.api.records import read_events
from supervisor_ai.workers.api.reply import ModelQuestion, ModelReply, Stop, money, word

_STOPS: Final[Mapping[str, Stop]] = {"length": Stop.LENGTH, "content_filter": Stop.REFUSAL}
_THOUGHTS: Final = ("reasoning", "reasoning_content")
# OpenAI's own newer models refuse the old name, most others do not know the new one.
_NEW_NAME_HOST: Final = "api.openai.com"


def _headers(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


def _body(model: Model, question: ModelQuestion) -> JsonObject:
    body: JsonObject = {
        "model": model.model,
        "messages": [
            {"role": "system", "content": question.system},
            {"role": "user", "content": question.prompt},
        ],
        "stream": model.stream,
    }
    if model.stream:
        body["stream_options"] = {"include_usage": True}
    if (limit := most_tokens(model, question)) is not None:
        is_new = urlsplit(model.url).hostname == _NEW_NAME_HOST
        body["max_completion_tokens" if is_new else "max_tokens"] = limit
    if model.temperature is not None:
        body["temperature"] = model.temperature
    if question.schema is not None:
        # Strict mode knows no optional keys; our own reader is strict anyway.
        schema: JsonObject = {"name": "answer", "schema": question.schema, "strict": False}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


def _openrouter_body(model: Model, question: ModelQuestion) -> JsonObject:
    return {**_body(model, question), "usage": {"include": True}}


def _read_piece(record: JsonObject, reply: ModelReply) -> None:
    _read(record, "delta", reply)


def _read_whole(record: JsonObject, reply: ModelReply) -> None:
    _read(record, "message", reply)


def _read(record: JsonObject, holder: str, reply: ModelReply) -> None:
    if record.get("error") is not None:
        reply.fault = record
        return
    reply.session = reply.session or word(record.get("id"))
    reply.model = reply.model or word(record.get("model"))
    reply.count(record.get("usage"))
    if (cost := inner(record, "usage", "cost")) is not None:
        reply.cost = money(cost)
    choice = inner(record, "choices", 0)
    reply.say(inner(choice, holder, "content"))
    for name in _THOUGHTS:
        reply.think(inner(choice, holder, name))
    if isinstance(reason := inner(choice, "finish_reason"), str):
        reply.stop = _STOPS.get(reason, Stop.DONE)
    if inner(choice, holder, "refusal"):
        reply.stop = Stop.REFUSAL


OPENAI_COMPATIBLE: Final = ApiDialect(
    path="/chat/completions",
    headers=_headers,
    body=_body,
    records=read_events,
    read_piece=_read_piece,
    read_whole=_read_whole,
)
OPENROUTER: Final = ApiDialect(
    path="/chat/completions",
    headers=_headers,
    body=_openrouter_body,
    records=read_events,
    read_piece=_read_piece,
    read_whole=_read_whole,
)
