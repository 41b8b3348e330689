"""The dialect of Ollama's own chat API."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.tools.json_value import JsonObject, inner
from supervisor_ai.workers.api.dialect import ApiDialect, most_tokens
from supervisor_ai.workers.api.model import Model
from supervisor_ai.workers.api.records import read_lines
from supervisor_ai.workers.api.reply import ModelQuestion, ModelReply, Stop, word

_STOPS: Final[Mapping[str, Stop]] = {"length": Stop.LENGTH}


def _headers(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


def _body(model: Model, question: ModelQuestion) -> JsonObject:
    options = {"num_predict": most_tokens(model, question), "temperature": model.temperature}
    body: JsonObject = {
        "model": model.model,
        "messages": [
            {"role": "system", "content": question.system},
            {"role": "user", "content": question.prompt},
        ],
        "stream": model.stream,
        "options": {name: value for name, value in options.items() if value is not None},
    }
    if question.schema is not None:
        body["format"] = question.schema
    return body


def _read(record: JsonObject, reply: ModelReply) -> None:
    if record.get("error") is not None:
        reply.fault = record
        return
    reply.model = word(record.get("model"))
    reply.say(inner(record, "message", "content"))
    reply.think(inner(record, "message", "thinking"))
    if record.get("done") is True:
        reply.stop = _STOPS.get(word(record.get("done_reason")) or "", Stop.DONE)
        reply.count(record)
        reply.is_over = True


OLLAMA: Final = ApiDialect(
    path="/api/chat",
    headers=_headers,
    body=_body,
    records=read_lines,
    read_piece=_read,
    read_whole=_read,
)
