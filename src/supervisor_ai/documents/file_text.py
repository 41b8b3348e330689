"""Files as they come: bytes that somebody else wrote."""

from typing import Final

from supervisor_ai.documents.fields import Fields, Mistakes
from supervisor_ai.documents.front_matter import opens, problems, read_header, take_apart
from supervisor_ai.drivers.kanban.board.bounds import FILE_BYTES

MAX_LINES: Final = 20_000


def decode(file: str, content: bytes, mistakes: Mistakes) -> str | None:
    """Return the text of a file; None, with a mistake noted, where it is none."""
    if _note_size(file, content, mistakes):
        return None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        mistakes.add(file, line, f"The byte 0x{content[error.start]:02x} is not UTF-8 text.")
        return None


def _note_size(file: str, content: bytes, mistakes: Mistakes) -> bool:
    lines = content.count(b"\n")
    if len(content) > FILE_BYTES:
        problem = f"The file has {len(content)} bytes; expected at most {FILE_BYTES}."
        mistakes.add(file, None, problem)
    elif lines > MAX_LINES:
        problem = f"The file has {lines} lines; expected at most {MAX_LINES}."
        mistakes.add(file, MAX_LINES + 1, problem)
    return len(content) > FILE_BYTES or lines > MAX_LINES


def read_fields(file: str, text: str, mistakes: Mistakes) -> Fields | None:
    """Read the header of a file; None, with a mistake noted, where there is none."""
    parts = take_apart(text)
    if parts is None:
        _note_missing(file, text, mistakes)
        return None
    tree = read_header(parts)
    for line, problem in problems(tree):
        mistakes.add(file, line, problem)
    if isinstance(tree.value, dict) or _is_empty(parts.header):
        return Fields(file, tree, mistakes)
    if not tree.problems:
        problem = "The front matter is no mapping; expected keys with values."
        mistakes.add(file, tree.first_line, problem)
    return None


def _is_empty(header: str) -> bool:
    return all(not line or line.startswith("#") for line in map(str.strip, header.split("\n")))


def _note_missing(file: str, text: str, mistakes: Mistakes) -> None:
    line = opens(text)
    if line is None:
        problem = "There is no front matter; expected a line '---' at the beginning of the file."
    else:
        problem = "The front matter that begins here has no end; expected a second line '---'."
    mistakes.add(file, line or 1, problem)
