"""Ollama's own chat API, whose streams are lines of JSON."""

from collections.abc import Iterator, Mapping
from typing import Final

from supervisor_ai.lab.dialect import BadRequest, Frame, LabQuestion, answered, pieces
from supervisor_ai.lab.shapes import DialectName, Turn
from supervisor_ai.tools.json_value import Json, mapping, sequence, text

_STOPS: Final[Mapping[str, str]] = {"max_tokens": "length"}
_WHEN: Final = "2026-01-01T00:00:00Z"


class Ollama:
    """`POST /api/chat`."""

    name: Final[DialectName] = "ollama"
    breakdown: Final = Frame(payload={"error": "model runner has unexpectedly stopped"}, bare=True)

    def read(self, body: Mapping[str, Json], path: str) -> LabQuestion:
        """Understand a request; what does not say otherwise is streamed."""
        del path
        messages = [mapping(message) for message in sequence(body.get("messages"))]
        if not messages or not body.get("model"):
            raise BadRequest("model and messages are required")
        roles = [message.get("role") for message in messages]
        return LabQuestion(
            model=text(body.get("model"), "scripted"),
            is_streamed=body.get("stream") is not False,
            has_tools=bool(body.get("tools")),
            answered=answered(role == "assistant" for role in roles),
            opening=messages[roles.index("user")] if "user" in roles else messages[0],
            schema=mapping(body.get("format")) or None,
        )

    def whole(self, turn: Turn, question: LabQuestion) -> Mapping[str, Json]:
        """Write an answer in one piece."""
        return {**_piece(turn, question, turn.text or ""), **_end(turn)}

    def frames(self, turn: Turn, question: LabQuestion) -> Iterator[Frame]:
        """Write an answer as lines, with the counts in the last one."""
        for piece in pieces(turn.text or ""):
            yield Frame(payload=_piece(turn, question, piece), bare=True)
        yield Frame(payload={**_piece(turn, question, ""), **_end(turn)}, bare=True)

    def error(self, status: int, message: str | None = None) -> Mapping[str, Json]:
        """Write an error."""
        return {"error": message or f"status {status}"}


def _piece(turn: Turn, question: LabQuestion, words: str) -> dict[str, Json]:
    message: dict[str, Json] = {"role": "assistant", "content": words}
    if turn.calls and not words:
        message["tool_calls"] = [
            {"function": {"name": it.name, "arguments": it.input}} for it in turn.calls
        ]
    model = turn.model or question.model
    return {"model": model, "created_at": _WHEN, "message": message, "done": False}


def _end(turn: Turn) -> dict[str, Json]:
    return {
        "done": True,
        "done_reason": _STOPS.get(turn.stop or "", "stop"),
        "prompt_eval_count": turn.usage.input,
        "eval_count": turn.usage.output,
    }
