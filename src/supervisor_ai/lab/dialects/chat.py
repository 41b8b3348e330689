"""OpenAI Chat Completions, as opencode, qwen and most other services speak it."""

import time
from collections.abc import Iterator, Mapping
from typing import Final

from supervisor_ai.lab.dialect import BadRequest, Frame, LabQuestion, answered, fresh, pieces
from supervisor_ai.lab.dialects.openai_errors import openai_error
from supervisor_ai.lab.shapes import DialectName, Turn
from supervisor_ai.tools.json_value import Json, json_line, mapping, sequence, text

_STOPS: Final[Mapping[str, str]] = {"max_tokens": "length", "refusal": "content_filter"}


class Chat:
    """`POST /v1/chat/completions`."""

    name: Final[DialectName] = "chat"
    breakdown: Final = Frame(payload={"error": {"message": "Overloaded", "code": 503}})

    def read(self, body: Mapping[str, Json], path: str) -> LabQuestion:
        """Understand a request."""
        del path
        messages = [mapping(message) for message in sequence(body.get("messages"))]
        if not messages:
            raise BadRequest("Missing required parameter: 'messages'.")
        roles = [message.get("role") for message in messages]
        wanted = mapping(mapping(body.get("response_format")).get("json_schema")).get("schema")
        return LabQuestion(
            model=text(body.get("model"), "scripted"),
            is_streamed=body.get("stream") is True,
            has_tools=bool(body.get("tools")),
            answered=answered(role == "assistant" for role in roles),
            opening=messages[roles.index("user")] if "user" in roles else messages[0],
            schema=mapping(wanted) or None,
        )

    def whole(self, turn: Turn, question: LabQuestion) -> Mapping[str, Json]:
        """Write a completion."""
        calls = _calls(turn)
        message: dict[str, Json] = {"role": "assistant", "content": turn.text}
        if calls:
            message["tool_calls"] = calls
        choice: Json = {
            "index": 0,
            "message": message,
            "logprobs": None,
            "finish_reason": _finish(turn),
        }
        head = _head("chat.completion", turn, question)
        return {**head, "choices": [choice], "usage": _usage(turn)}

    def frames(self, turn: Turn, question: LabQuestion) -> Iterator[Frame]:
        """Write a completion as chunks, with the usage in the last one."""
        head = _head("chat.completion.chunk", turn, question)

        def chunk(delta: Json, finish: str | None = None) -> Frame:
            choice: Json = {"index": 0, "delta": delta, "finish_reason": finish}
            return Frame(payload={**head, "choices": [choice]})

        yield chunk({"role": "assistant", "content": ""})
        for piece in pieces(turn.text) if turn.text is not None else ():
            yield chunk({"content": piece})
        for index, call in enumerate(_calls(turn)):
            yield chunk({"tool_calls": [{"index": index, **call}]})
        yield chunk({}, _finish(turn))
        yield Frame(payload={**head, "choices": [], "usage": _usage(turn)})
        yield Frame(payload="[DONE]")

    def error(self, status: int, message: str | None = None) -> Mapping[str, Json]:
        """Write an error."""
        return openai_error(status, message)


def _head(kind: str, turn: Turn, question: LabQuestion) -> Mapping[str, Json]:
    return {
        "id": fresh("chatcmpl"),
        "object": kind,
        "created": int(time.time()),
        "model": turn.model or question.model,
    }


def _finish(turn: Turn) -> str:
    return _STOPS.get(turn.stop or "", "tool_calls" if turn.calls else "stop")


def _calls(turn: Turn) -> list[Mapping[str, Json]]:
    return [
        {
            "id": call.id or fresh("call"),
            "type": "function",
            "function": {"name": call.name, "arguments": json_line(call.input)},
        }
        for call in turn.calls
    ]


def _usage(turn: Turn) -> Mapping[str, Json]:
    usage = turn.usage
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
    }
