"""How text that somebody else wrote is put into a document so that it comes back as it was."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Final

_BARE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*")
_RESERVED: Final = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
_SHORT: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}
_STRUCTURE: Final = re.compile(
    r"#|>|```|~~~|<!--|---|\.\.\.|"
    r"[\W\d_]{0,16}(?:facts?|findings?|analysis|conclusions?|status|work_items)(?![a-z])",
    re.IGNORECASE,
)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """Return text that a file can hold: lines end in one way, and everything can be encoded."""
    return _SURROGATE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """Return text that fits into a heading."""
    return " ".join(clean(text).split())


def passage(text: str) -> str:
    """Write text as a part of a document; quoted where it looks like structure of the document."""
    text = clean(text)
    lines = text.split("\n")
    is_plain = text == text.strip() and not any(map(_is_structure, lines))
    return text if is_plain else quoted(text)


def _is_structure(line: str) -> bool:
    return _STRUCTURE.match(line.strip()) is not None


def quoted(text: str) -> str:
    """Write text as a block quote: in it nothing means anything."""
    return "\n".join(f"> {line}" if line else ">" for line in clean(text).split("\n"))


def unquoted(lines: Sequence[str]) -> str:
    """Read a passage back, without the empty lines around it."""
    first, last = 0, len(lines)
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    kept = lines[first:last]
    if not is_quoted(kept):
        return "\n".join(kept).strip()
    return "\n".join(line.removeprefix(">").removeprefix(" ") for line in kept)


def is_quoted(lines: Sequence[str]) -> bool:
    """Tell whether lines are one block quote and nothing else."""
    return bool(lines) and all(line.startswith(">") for line in lines)


def scalar(text: str) -> str:
    """Write text as one YAML scalar in one line."""
    text = clean(text)
    if _BARE.fullmatch(text) and text.lower() not in _RESERVED:
        return text
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    return character if character.isprintable() else f"\\U{ord(character):08X}"


def sequence(texts: Iterable[str]) -> str:
    """Write texts as one YAML list in one line."""
    return f"[{', '.join(map(scalar, texts))}]"


def bullet(text: str) -> str:
    """Write a name as an entry of a markdown list."""
    text = clean(text)
    is_simple = text == text.strip() and text.isprintable() and "`" not in text
    return f"- `{text}`" if text and is_simple else f"- {json.dumps(text)}"
