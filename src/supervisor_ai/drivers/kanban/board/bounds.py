"""What counts as a file of a kanban, and how much of it is read."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.domain.errors import InvalidInput

MOST_FILES: Final = 1000
FILE_BYTES: Final = 1 << 20
ALL_BYTES: Final = 64 << 20
_HINT: Final = "Keep the files of one kanban in a folder of their own."


def is_markdown(name: str) -> bool:
    """Tell whether a file of this name belongs to a kanban."""
    return name.endswith(".md")


def check_sizes(sizes: Mapping[str, int]) -> None:
    """Refuse more than a kanban can have, before anything is read."""
    if len(sizes) > MOST_FILES:
        found = f"{len(sizes)} markdown files are in the kanban's folder"
        raise InvalidInput(f"{found}; {MOST_FILES} are the most that are read.", hint=_HINT)
    for name, size in sizes.items():
        check_file(name, size)
    if sum(sizes.values()) > ALL_BYTES:
        found = f"The markdown files of the kanban's folder have {sum(sizes.values())} bytes"
        raise InvalidInput(f"{found}; {ALL_BYTES} are the most that are read.", hint=_HINT)


def check_file(name: str, size: int) -> None:
    """Refuse a file that is too large, or whose name no document can spell."""
    if size > FILE_BYTES:
        found = f"The file {name!r} has more than {FILE_BYTES} bytes"
        raise InvalidInput(f"{found}, the most that a file of a kanban may have.")
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"The file {name!r} has a name that is not UTF-8 text.") from error
