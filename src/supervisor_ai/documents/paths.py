"""Paths as kanban files name them: from the root of the project, or from the kanban's folder."""

import posixpath

from supervisor_ai.domain.kanban.kanban import folder_of


def resolve(named: str, folder: str) -> str | None:
    """Return the path in the project of a file right in the folder; None: it is not in there."""
    text = named.strip()
    if not text or text.startswith("/") or text.endswith("/") or "\0" in text or "\n" in text:
        return None
    for candidate in (posixpath.normpath(text), posixpath.normpath(posixpath.join(folder, text))):
        name = posixpath.basename(candidate)
        if folder_of(candidate) == folder and name not in {".", ".."}:
            return candidate
    return None
