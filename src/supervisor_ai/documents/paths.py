"""Paths as kanban files name them: from the root of the project, or from the kanban's folder."""

import posixpath

from supervisor_ai.drivers.kanban.board.kanban import folder_of


def resolve(named: str, folder: str) -> str | None:
    """Return the path in the project of a file right in the folder; None: it is no such path.

    A name with characters that cannot be printed is none: paths are shown to people.
    """
    text = named.strip()
    if not text or not text.isprintable() or text.startswith("/") or text.endswith("/"):
        return None
    for candidate in (posixpath.normpath(text), posixpath.normpath(posixpath.join(folder, text))):
        name = posixpath.basename(candidate)
        if folder_of(candidate) == folder and name not in {".", ".."}:
            return candidate
    return None


def is_shown(named: str) -> bool:
    """Tell whether a name can be shown to people as it is."""
    return named.strip().isprintable()
