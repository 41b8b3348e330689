"""Gemini's generateContent, as Gemini CLI speaks it."""

from collections.abc import Iterator, Mapping
from typing import Final

from supervisor_ai.lab.dialect import BadRequest, Frame, LabQuestion, answered, fresh, pieces
from supervisor_ai.lab.shapes import DialectName, Turn
from supervisor_ai.tools.json_value import Json, mapping, sequence

_SIGNATURE: Final = "c2ln"
_STOPS: Final[Mapping[str, str]] = {"max_tokens": "MAX_TOKENS", "refusal": "SAFETY"}
_NAMES: Final[Mapping[int, str]] = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}
_WORDS: Final[Mapping[int, str]] = {
    401: "API key not valid. Please pass a valid API key.",
    429: "Resource has been exhausted (e.g. check quota).",
    503: "The model is overloaded. Please try again later.",
}
_OVERLOAD: Final[Mapping[str, Json]] = {
    "error": {"code": 503, "message": _WORDS[503], "status": _NAMES[503]}
}


class Gemini:
    """`POST /v1beta/models/MODEL:generateContent` and `:streamGenerateContent`."""

    name: Final[DialectName] = "gemini"
    breakdown: Final = Frame(payload=_OVERLOAD)

    def read(self, body: Mapping[str, Json], path: str) -> LabQuestion:
        """Understand a request."""
        contents = sequence(body.get("contents"))
        if not contents:
            raise BadRequest("* GenerateContentRequest.contents: contents is not specified")
        roles = (mapping(content).get("role") for content in contents)
        declared = (
            mapping(tool).get("functionDeclarations") for tool in sequence(body.get("tools"))
        )
        config = mapping(body.get("generationConfig"))
        wanted = config.get("responseJsonSchema") or config.get("responseSchema")
        return LabQuestion(
            model=path.rpartition("/models/")[2].partition(":")[0] or "scripted",
            is_streamed=":streamGenerateContent" in path,
            has_tools=any(declared),
            answered=answered(role == "model" for role in roles),
            opening=contents[0],
            schema=mapping(wanted) or None,
        )

    def whole(self, turn: Turn, question: LabQuestion) -> Mapping[str, Json]:
        """Write a response."""
        return _response(list(_parts(turn)), _finish(turn), turn, question)

    def frames(self, turn: Turn, question: LabQuestion) -> Iterator[Frame]:
        """Write a response as a stream of responses, text cut in pieces."""
        parts = [piece for part in _parts(turn) for piece in _cut(part)] or [{"text": ""}]
        for part in parts[:-1]:
            yield Frame(payload=_response([part], None, turn, question))
        yield Frame(payload=_response(parts[-1:], _finish(turn), turn, question))

    def error(self, status: int, message: str | None = None) -> Mapping[str, Json]:
        """Write an error."""
        words = message or _WORDS.get(status, f"The script says {status}.")
        name = _NAMES.get(status, "UNKNOWN")
        return {"error": {"code": status, "message": words, "status": name}}


def _finish(turn: Turn) -> str:
    return _STOPS.get(turn.stop or "", "STOP")


def _parts(turn: Turn) -> Iterator[Mapping[str, Json]]:
    if turn.thinking:
        yield {"text": turn.thinking, "thought": True}
    if turn.text is not None:
        yield {"text": turn.text}
    for call in turn.calls:
        function: Json = {"name": call.name, "args": call.input}
        yield {"functionCall": function, "thoughtSignature": _SIGNATURE}


def _cut(part: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    if "text" not in part:
        return [part]
    return [{**part, "text": piece} for piece in pieces(str(part["text"]))]


def _response(
    parts: list[Mapping[str, Json]], finish: str | None, turn: Turn, question: LabQuestion
) -> Mapping[str, Json]:
    candidate: dict[str, Json] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    usage = turn.usage
    return {
        "candidates": [candidate],
        "modelVersion": turn.model or question.model,
        "responseId": fresh("r"),
        "usageMetadata": {
            "promptTokenCount": usage.input,
            "candidatesTokenCount": usage.output,
            "cachedContentTokenCount": usage.cache_read,
            "totalTokenCount": usage.input + usage.output,
        },
    }
