"""The header of a document: YAML between two lines of three dashes, before everything else."""

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from supervisor_ai.documents.quotes import scalar

if TYPE_CHECKING:
    from supervisor_ai.tools.yaml_tree import KeyPath, TextValue, YamlTree

_OPEN: Final = "---"
_CLOSE: Final = frozenset({"---", "..."})
_MARK: Final = "\ufeff"
_INDIRECT: Final = (" ", "\t", "{", "?", "[", "%")
_MAX_DEPTH: Final = 20
_MAX_VALUES: Final = 20_000


class Parts(Struct, frozen=True, kw_only=True):
    """A document taken apart; put together again it is as it was."""

    before: str
    """A byte order mark, empty lines and the line that opens the header."""
    header: str
    after: str
    """The line that closes the header, and the body."""
    first_line: int
    """The line of the file in which the header's YAML begins."""

    @property
    def newline(self) -> str:
        """Say how lines of this document end."""
        return "\r\n" if self.before.endswith("\r\n") else "\n"


def take_apart(text: str) -> Parts | None:
    """Find the header; None where there is none, or where it has no end."""
    lines = text.split("\n")
    start = _opening(lines)
    if start is None:
        return None
    end = next((n for n in range(start + 1, len(lines)) if lines[n].rstrip() in _CLOSE), None)
    if end is None:
        return None
    return Parts(
        before="\n".join(lines[: start + 1]) + "\n",
        header="".join(f"{line}\n" for line in lines[start + 1 : end]),
        after="\n".join(lines[end:]),
        first_line=start + 2,
    )


def opens(text: str) -> int | None:
    """Find the line that opens a header, whether or not something closes it."""
    start = _opening(text.split("\n"))
    return None if start is None else start + 1


def _opening(lines: list[str]) -> int | None:
    for number, line in enumerate(lines):
        content = (line.removeprefix(_MARK) if number == 0 else line).rstrip()
        if content:
            return number if content == _OPEN else None
    return None


def normal_key(key: str) -> str:
    """Return the one spelling of a key that people write in several."""
    return key.strip().lower().replace("-", "_").replace(" ", "_")


def chunks(header: str) -> list[tuple[str, str]]:
    """Take a header apart into its keys with the lines that belong to each, as they are.

    Lines before the first key, which are comments, come with an empty key.
    """
    tree = read_texts(header, 0)
    keys = tree.value if isinstance(tree.value, dict) else {}
    starts = [tree.line(key) for key in keys]
    lines = header.split("\n")
    is_plain = sorted(set(starts)) == starts and not any(
        lines[start].startswith(_INDIRECT) for start in starts
    )
    if not is_plain:
        return [(key, f"{scalar(key)}: {dump(value)}\n") for key, value in keys.items()]
    pieces = _between(lines[:-1], starts)
    return list(zip(["", *keys], pieces, strict=True))


def _between(lines: list[str], starts: list[int]) -> list[str]:
    edges = [0, *starts, len(lines)]
    return ["".join(f"{line}\n" for line in lines[a:b]) for a, b in pairwise(edges)]


def dump(value: "TextValue") -> str:
    """Write a value in one line."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return scalar(value)
    if isinstance(value, list):
        return f"[{', '.join(map(dump, value))}]"
    return "{" + ", ".join(f"{scalar(key)}: {dump(inner)}" for key, inner in value.items()) + "}"


def read_texts(text: str, first_line: int) -> "YamlTree[TextValue]":
    """Read a piece of YAML that begins in a line of its file."""
    from supervisor_ai.tools.yaml_tree import YamlLimits, read_yaml_texts

    limits = YamlLimits(depth=_MAX_DEPTH, values=_MAX_VALUES)
    return read_yaml_texts(text, limits=limits, first_line=first_line)


def problems(tree: "YamlTree[TextValue]") -> list[tuple[int, str]]:
    """Say what is wrong with a piece of YAML, in sentences with their lines."""
    return [(at.line, f"{_subject(at.path)} {at.text}.") for at in tree.problems]


def _subject(path: "KeyPath") -> str:
    if not path:
        return "This"
    return f"The key {path[-1]!r}" if isinstance(path[-1], str) else f"Entry {path[-1] + 1}"


def read_header(parts: Parts) -> "YamlTree[TextValue]":
    """Read the header's YAML, with the lines of the file."""
    return read_texts(parts.header.replace("\r\n", "\n"), parts.first_line)
