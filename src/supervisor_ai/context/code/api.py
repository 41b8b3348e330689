"""What a file offers to others, and nothing of how it does it."""

from supervisor_ai.context.code.entries import comment_mark, entries
from supervisor_ai.context.code.entry import Entry, rendered
from supervisor_ai.context.code.syntax_tree import MAX_SOURCE


def public_api(path: str, text: str) -> str | None:
    """Return the public signatures of a file, or None if its language is unknown."""
    found = entries(path, text)
    if found is None:
        return None
    mark = comment_mark(path)
    lines = list(rendered(found, mark, _is_public))
    if len(text) > MAX_SOURCE:
        lines.append(f"{mark} (cut: {len(text) - MAX_SOURCE} characters not read)")
    return "".join(f"{line}\n" for line in lines)


def _is_public(entry: Entry) -> bool:
    return entry.is_public
