"""Anthropic Messages, as Claude Code speaks it."""

from collections.abc import Iterator, Mapping
from typing import Final

from supervisor_ai.lab.dialect import BadRequest, Frame, LabQuestion, answered, fresh, pieces
from supervisor_ai.lab.shapes import DialectName, Turn
from supervisor_ai.tools.json_value import Json, json_line, mapping, sequence, text

_SIGNATURE: Final = "c2ln"
_INPUT_PIECE: Final = 200
_KINDS: Final[Mapping[int, str]] = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_WORDS: Final[Mapping[int, str]] = {
    401: "invalid x-api-key",
    429: "This request would exceed your account's rate limit. Please try again later.",
    529: "Overloaded",
}


class Anthropic:
    """`POST /v1/messages`."""

    name: Final[DialectName] = "anthropic"
    breakdown: Final = Frame(
        event="error",
        payload={
            "type": "error",
            "error": {"type": "overloaded_error", "message": "Overloaded"},
        },
    )

    def read(self, body: Mapping[str, Json], path: str) -> LabQuestion:
        """Understand a request."""
        del path
        messages = sequence(body.get("messages"))
        if not messages:
            raise BadRequest("messages: Field required")
        roles = (mapping(message).get("role") for message in messages)
        wanted = mapping(mapping(body.get("output_config")).get("format")).get("schema")
        return LabQuestion(
            model=text(body.get("model"), "scripted"),
            is_streamed=body.get("stream") is True,
            has_tools=bool(body.get("tools")),
            answered=answered(role == "assistant" for role in roles),
            opening=messages[0],
            schema=mapping(wanted) or None,
        )

    def whole(self, turn: Turn, question: LabQuestion) -> Mapping[str, Json]:
        """Write a message."""
        return {
            "id": fresh("msg"),
            "type": "message",
            "role": "assistant",
            "model": turn.model or question.model,
            "content": list(_blocks(turn)),
            "stop_reason": turn.stop or ("tool_use" if turn.calls else "end_turn"),
            "stop_sequence": None,
            "usage": _usage(turn),
        }

    def frames(self, turn: Turn, question: LabQuestion) -> Iterator[Frame]:
        """Write a message as events."""
        message = self.whole(turn, question)
        usage = {**_usage(turn), "output_tokens": 1}
        head = {**message, "content": [], "stop_reason": None, "usage": usage}
        yield _event("message_start", message=head)
        for index, block in enumerate(_blocks(turn)):
            yield _event("content_block_start", index=index, content_block=_empty(block))
            for delta in _deltas(block):
                yield _event("content_block_delta", index=index, delta=delta)
            yield _event("content_block_stop", index=index)
        stop: Json = {"stop_reason": message["stop_reason"], "stop_sequence": None}
        yield _event("message_delta", delta=stop, usage=_usage(turn))
        yield _event("message_stop")

    def error(self, status: int, message: str | None = None) -> Mapping[str, Json]:
        """Write an error."""
        words = message or _WORDS.get(status, f"The script says {status}.")
        return {
            "type": "error",
            "error": {"type": _KINDS.get(status, "api_error"), "message": words},
            "request_id": fresh("req"),
        }


def _event(kind: str, **fields: Json) -> Frame:
    return Frame(event=kind, payload={"type": kind, **fields})


def _usage(turn: Turn) -> dict[str, Json]:
    return {
        "input_tokens": turn.usage.input,
        "cache_creation_input_tokens": turn.usage.cache_write,
        "cache_read_input_tokens": turn.usage.cache_read,
        "output_tokens": turn.usage.output,
        "service_tier": "standard",
    }


def _blocks(turn: Turn) -> Iterator[Mapping[str, Json]]:
    if turn.thinking:
        yield {"type": "thinking", "thinking": turn.thinking, "signature": _SIGNATURE}
    if turn.text is not None:
        yield {"type": "text", "text": turn.text}
    for call in turn.calls:
        number = call.id or fresh("toolu")
        yield {"type": "tool_use", "id": number, "name": call.name, "input": call.input}


def _empty(block: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return a block as it begins, before its content has come."""
    blanks: dict[str, Json] = {"thinking": "", "signature": "", "text": "", "input": {}}
    return {key: blanks.get(key, value) for key, value in block.items()}


def _deltas(block: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    if block["type"] == "text":
        for piece in pieces(str(block["text"])):
            yield {"type": "text_delta", "text": piece}
    elif block["type"] == "thinking":
        yield {"type": "thinking_delta", "thinking": block["thinking"]}
        yield {"type": "signature_delta", "signature": block["signature"]}
    else:
        for piece in pieces(json_line(block["input"]), _INPUT_PIECE):
            yield {"type": "input_json_delta", "partial_json": piece}
