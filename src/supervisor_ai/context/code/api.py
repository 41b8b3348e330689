"""What a file offers to others, and nothing of how it does it."""

from supervisor_ai.context.code.entry import Entry
from supervisor_ai.context.code.outline import signatures


def public_api(path: str, text: str) -> str | None:
    """Return the public signatures of a file, or None if its language is unknown."""
    return signatures(path, text, _is_public)


def _is_public(entry: Entry) -> bool:
    return entry.is_public
