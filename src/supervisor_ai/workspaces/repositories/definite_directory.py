"""A directory of the user's, named once and for all: no link of a checkout is on the way to it."""

import os
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.workspaces.repositories.repository import GitRepository

_FORBIDDEN: Final = frozenset({".git", ".supervisor"})


def find_directory(directory: str, repository: GitRepository, *, what: str) -> Path:
    """Return where a directory really is; refuse one that is not the user's to fill."""
    given = Path(directory)
    if not given.is_absolute() or ".." in given.parts or "\0" in directory:
        raise InvalidInput(f"The directory {directory!r} is not a definite path.")
    real = _real(given)
    ours = (repository.git.directory, repository.state_directory)
    is_ours = any(real.is_relative_to(_real(place)) for place in ours)
    if is_ours or _FORBIDDEN & {part.lower() for part in real.parts}:
        raise InvalidInput(f"The directory {directory!r} is no place for the files of {what}.")
    roots = {_real(repository.root), _real(repository.checkout)}
    for above in (given, *given.parents):
        # What a checkout holds may come from anybody, links to anywhere included.
        if _real(above) in roots and real != _real(above) / given.relative_to(above):
            raise InvalidInput(f"The way to the directory {directory!r} has a symbolic link.")
    return real


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
