"""A file without its bodies: what it imports and declares."""

from collections.abc import Callable

from supervisor_ai.context.code.entries import comment_mark, entries
from supervisor_ai.context.code.entry import Entry, rendered
from supervisor_ai.context.code.syntax_tree import MAX_SOURCE


def outline(path: str, text: str) -> str | None:
    """Return the signatures of a file, or None if its language is unknown."""
    return signatures(path, text, _everything)


def signatures(path: str, text: str, wanted: Callable[[Entry], bool]) -> str | None:
    """Return some of the signatures of a file, and say so where it was too long to be read."""
    found = entries(path, text)
    if found is None:
        return None
    mark = comment_mark(path)
    lines = list(rendered(found, mark, wanted))
    if len(text) > MAX_SOURCE:
        lines.append(f"{mark} (cut: {len(text) - MAX_SOURCE} characters not read)")
    return "".join(f"{line}\n" for line in lines)


def _everything(_entry: Entry) -> bool:
    return True
