"""OpenAI Responses, as Codex speaks it."""

import time
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Final

from supervisor_ai.lab.dialect import BadRequest, Frame, LabQuestion, answered, fresh, pieces
from supervisor_ai.lab.dialects.openai_errors import openai_error
from supervisor_ai.lab.shapes import DialectName, Turn
from supervisor_ai.tools.json_value import Json, json_line, mapping, sequence, text

_OURS: Final = frozenset({"function_call", "custom_tool_call", "local_shell_call", "reasoning"})
_STOPS: Final[Mapping[str, str]] = {"max_tokens": "max_output_tokens", "refusal": "content_filter"}

Item = Mapping[str, Json]
Event = Callable[..., Frame]


class Responses:
    """`POST /v1/responses`."""

    name: Final[DialectName] = "responses"
    breakdown: Final = Frame(
        event="response.failed",
        payload={
            "type": "response.failed",
            "response": {
                "id": "resp_failed",
                "object": "response",
                "status": "failed",
                "output": [],
                "error": {"code": "server_is_overloaded", "message": "Overloaded"},
            },
        },
    )

    def read(self, body: Mapping[str, Json], path: str) -> LabQuestion:
        """Understand a request."""
        del path
        asked = body.get("input")
        items = sequence(asked)
        if not items and not (isinstance(asked, str) and asked):
            raise BadRequest("Missing required parameter: 'input'.")
        wanted = mapping(mapping(body.get("text")).get("format")).get("schema")
        return LabQuestion(
            model=text(body.get("model"), "scripted"),
            is_streamed=body.get("stream") is True,
            has_tools=bool(body.get("tools")),
            answered=answered(_is_answer(mapping(item)) for item in items),
            opening=next(filter(_is_from_user, items), asked),
            schema=mapping(wanted) or None,
        )

    def whole(self, turn: Turn, question: LabQuestion) -> Mapping[str, Json]:
        """Write a response."""
        reason = _STOPS.get(turn.stop or "")
        return {
            "id": fresh("resp"),
            "object": "response",
            "created_at": int(time.time()),
            "status": "incomplete" if reason else "completed",
            "incomplete_details": {"reason": reason} if reason else None,
            "model": turn.model or question.model,
            "output": list(_items(turn)),
            "usage": _usage(turn),
        }

    def frames(self, turn: Turn, question: LabQuestion) -> Iterator[Frame]:
        """Write a response as numbered events."""
        numbers = count()

        def event(kind: str, **fields: Json) -> Frame:
            numbered: dict[str, Json] = {"type": kind, "sequence_number": next(numbers)}
            return Frame(event=kind, payload={**numbered, **fields})

        whole = self.whole(turn, question)
        head = {**whole, "status": "in_progress", "output": [], "usage": None}
        yield event("response.created", response=head)
        yield event("response.in_progress", response=head)
        for index, item in enumerate(map(mapping, sequence(whole["output"]))):
            yield event("response.output_item.added", output_index=index, item=_begun(item))
            yield from _growth(event, index, item)
            yield event("response.output_item.done", output_index=index, item=item)
        yield event(f"response.{whole['status']}", response=whole)

    def error(self, status: int, message: str | None = None) -> Mapping[str, Json]:
        """Write an error."""
        return openai_error(status, message)


def _is_answer(item: Item) -> bool:
    return item.get("role") == "assistant" or item.get("type") in _OURS


def _is_from_user(item: Json) -> bool:
    return mapping(item).get("role") == "user"


def _usage(turn: Turn) -> Item:
    usage = turn.usage
    return {
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cache_read},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.input + usage.output,
    }


def _items(turn: Turn) -> Iterator[Item]:
    if turn.thinking:
        summary: Item = {"type": "summary_text", "text": turn.thinking}
        yield {"type": "reasoning", "id": fresh("rs"), "summary": [summary]}
    if turn.text is not None:
        part: Item = {"type": "output_text", "text": turn.text, "annotations": []}
        yield {"type": "message", "role": "assistant", **_identity("msg"), "content": [part]}
    for call in turn.calls:
        space: Item = {"namespace": call.namespace} if call.namespace else {}
        yield {
            "type": "function_call",
            **_identity("fc"),
            "call_id": call.id or fresh("call"),
            "name": call.name,
            "arguments": json_line(call.input),
            **space,
        }
    if turn.custom is not None:
        yield {
            "type": "custom_tool_call",
            **_identity("ctc"),
            "call_id": turn.custom.id or fresh("call"),
            "name": turn.custom.name,
            "input": turn.custom.input,
        }


def _identity(prefix: str) -> Item:
    return {"id": fresh(prefix), "status": "completed"}


def _begun(item: Item) -> Item:
    """Return an item as it begins, before its content has come."""
    blanks: dict[str, Json] = {"content": [], "arguments": "", "status": "in_progress"}
    return {key: blanks.get(key, value) for key, value in item.items()}


def _growth(event: Event, index: int, item: Item) -> Iterator[Frame]:
    at: dict[str, Json] = {"item_id": item["id"], "output_index": index}
    if item["type"] == "message":
        part = mapping(sequence(item["content"])[0])
        yield from _text(event, {**at, "content_index": 0}, part)
    elif item["type"] == "function_call":
        arguments = item["arguments"]
        yield event("response.function_call_arguments.delta", **at, delta=arguments)
        yield event("response.function_call_arguments.done", **at, arguments=arguments)


def _text(event: Event, at: dict[str, Json], part: Item) -> Iterator[Frame]:
    words = str(part["text"])
    yield event("response.content_part.added", **at, part={**part, "text": ""})
    for piece in pieces(words):
        yield event("response.output_text.delta", **at, delta=piece)
    yield event("response.output_text.done", **at, text=words)
    yield event("response.content_part.done", **at, part=part)
