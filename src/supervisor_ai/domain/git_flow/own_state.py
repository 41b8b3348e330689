"""Which paths of a repository are our own state, which belongs to one machine."""

import unicodedata
from typing import Final

DIRECTORY: Final = ".supervisor"
_LEDGER: Final = "state.db"
_UNSEEN: Final = "Cf"
_FOLDERS: Final = frozenset({"artifacts", "locks", "logs", "sessions"})


def is_own_directory(name: str) -> bool:
    """Tell whether some file system could take a name for our directory.

    There are some that know no case, and some that leave out what nobody sees.
    """
    if not name.isascii():
        whole = unicodedata.normalize("NFKC", name)
        name = "".join(it for it in whole if unicodedata.category(it) != _UNSEEN)
    return name.casefold() == DIRECTORY


def is_own_state(path: str) -> bool:
    """Tell whether a path could be our state, also on a file system that knows no case."""
    first, _, rest = path.casefold().partition("/")
    if not is_own_directory(first):
        return False
    # Where the folder itself is an entry, it is a link or another repository, not a folder.
    return not rest or rest.startswith(_LEDGER) or rest.partition("/")[0] in _FOLDERS
