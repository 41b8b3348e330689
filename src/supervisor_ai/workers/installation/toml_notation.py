"""An entry of a TOML file: a table of its own at the end."""

import re
from typing import Final

from supervisor_ai.tools.json_value import Json, mapping
from supervisor_ai.tools.toml import read_toml
from supervisor_ai.workers.installation.notations import Keys, Notation
from supervisor_ai.workers.launch.means import toml

_HEADER: Final = re.compile(r"\s*\[")
_IDLE: Final = re.compile(r"\s*(#.*)?")


def entry_text(keys: Keys, value: Json) -> str:
    """Write a table."""
    lines = [f"[{'.'.join(keys)}]", *(f"{key} = {_toml(it)}" for key, it in mapping(value).items())]
    return "\n".join(lines) + "\n"


def _toml(value: Json) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{toml(key)} = {_toml(it)}' for key, it in value.items())} }}"
    return toml(value)


def put(text: str, keys: Keys, value: Json) -> str:
    """Put a table at the end, in place of one of the same name."""
    kept = drop(text, keys)
    end = "\r\n" if "\r\n" in text and text.count("\n") == text.count("\r\n") else "\n"
    if kept and not kept.endswith("\n"):
        kept += end
    gap = end if kept.strip() else ""
    return kept + gap + entry_text(keys, value).replace("\n", end)


def drop(text: str, keys: Keys) -> str:
    """Take a table out, with those inside it; comments before the next one stay."""
    own = re.compile(rf"\s*\[\s*{_name(keys[0])}\s*\.\s*{_name(keys[1])}\s*[.\]]")
    kept: list[str] = []
    block: list[str] | None = None
    for line in text.splitlines(keepends=True):
        if own.match(line):
            if block is None and kept and not kept[-1].strip():
                kept.pop()
            block = block or []
        elif block is not None and _HEADER.match(line):
            kept += _idle_end(block)
            block = None
        (kept if block is None else block).append(line)
    return "".join([*kept, *_idle_end(block or [])])


def _name(key: str) -> str:
    return f"(?:{re.escape(key)}|\"{re.escape(key)}\"|'{re.escape(key)}')"


def _idle_end(block: list[str]) -> list[str]:
    """Return the blank lines and comments that a table ends with: they are not about it."""
    end = len(block)
    while end and _IDLE.fullmatch(block[end - 1].rstrip("\r\n")):
        end -= 1
    return block[end:]


TOML: Final = Notation(name="TOML", read=read_toml, put=put, drop=drop, entry=entry_text)
