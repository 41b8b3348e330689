"""What tells one provider's way of speaking from another's."""

from collections.abc import AsyncIterator, Callable

from msgspec import Struct

from supervisor_ai.tools.json_value import JsonObject
from supervisor_ai.workers.api.model import Model
from supervisor_ai.workers.api.reply import ModelQuestion, ModelReply


class ApiDialect(Struct, frozen=True, kw_only=True):
    """How a provider is asked, and how its answers are read."""

    path: str
    headers: Callable[[str], dict[str, str]]
    """Which headers carry a key."""
    body: Callable[[Model, ModelQuestion], JsonObject]
    records: Callable[[AsyncIterator[bytes]], AsyncIterator[JsonObject]]
    """How the body of a streamed answer is cut into records."""
    read_piece: Callable[[JsonObject, ModelReply], None]
    read_whole: Callable[[JsonObject, ModelReply], None]


def most_tokens(model: Model, question: ModelQuestion, otherwise: int | None = None) -> int | None:
    """Choose how long an answer may be: the model's setting within what the attempt may spend."""
    limits = [n for n in (model.max_tokens or otherwise, question.most_tokens) if n is not None]
    return min(limits, default=None)
