"""Which dialect is spoken at which path."""

import re
from typing import Final

from supervisor_ai.lab.dialect import Dialect
from supervisor_ai.lab.dialects.anthropic import Anthropic
from supervisor_ai.lab.dialects.chat import Chat
from supervisor_ai.lab.dialects.gemini import Gemini
from supervisor_ai.lab.dialects.ollama import Ollama
from supervisor_ai.lab.dialects.responses import Responses

_ANTHROPIC: Final = Anthropic()
_GEMINI: Final = Gemini()
_PATHS: Final[tuple[tuple[re.Pattern[str], Dialect], ...]] = (
    (re.compile(r"(/.*)?/messages"), _ANTHROPIC),
    (re.compile(r"(/.*)?/responses"), Responses()),
    (re.compile(r"(/.*)?/chat/completions"), Chat()),
    (re.compile(r"(/.*)?/api/chat"), Ollama()),
    (re.compile(r"(/.*)?/models/[^/]+:(g|streamG)enerateContent"), _GEMINI),
)
_COUNTS: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"(/.*)?/messages/count_tokens"), "input_tokens"),
    (re.compile(r"(/.*)?/models/[^/]+:countTokens"), "totalTokens"),
)
_BYTES_PER_TOKEN: Final = 4


def dialect_at(path: str) -> Dialect | None:
    """Find the dialect of a path."""
    return next((dialect for form, dialect in _PATHS if form.fullmatch(path)), None)


def token_count(path: str, size: int) -> dict[str, int] | None:
    """Answer a question for the number of tokens; None when the path asks something else."""
    keys = (key for form, key in _COUNTS if form.fullmatch(path))
    return next(({key: max(1, size // _BYTES_PER_TOKEN)} for key in keys), None)
