"""Which paths of a repository are our own state, which belongs to one machine."""

from typing import Final

DIRECTORY: Final = ".supervisor"
_LEDGER: Final = "state.db"
_FOLDERS: Final = frozenset({"artifacts", "locks", "logs", "sessions"})


def is_own_state(path: str) -> bool:
    """Tell whether a path could be our state, also on a file system that knows no case."""
    first, _, rest = path.casefold().partition("/")
    if first != DIRECTORY:
        return False
    # Where the folder itself is an entry, it is a link or another repository, not a folder.
    return not rest or rest.startswith(_LEDGER) or rest.partition("/")[0] in _FOLDERS
