"""Grafts TOML: the base's settings of the harness into the head's file, statement by statement.

The result is read again; what does not say exactly what both halves say is no graft.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.structs import replace
from supervisor_ai.tools.toml import read_toml

IsHarness = Callable[[tuple[str, ...], str], bool]
"""Tells of a setting, by the way to it and its text, whether it belongs to the harness."""

_PART: Final = r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|[\w-]+"
_KEY: Final = rf"(?:{_PART})(?:[ \t]*\.[ \t]*(?:{_PART}))*"
_HEADER: Final = re.compile(rf"[ \t]*(\[\[?)[ \t]*({_KEY})[ \t]*\]\]?[^\n]*(?:\n|\Z)")
_SETTING: Final = re.compile(rf"[ \t]*({_KEY})[ \t]*=")
_PARTS: Final = re.compile(_PART)
_EMPTY: Final = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n|[ \t]+\Z|[ \t]*#[^\n]*\Z)+")
_VALUE: Final = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}'
    r"|'''(?:[^']|'(?!''))*+'{3,5}"
    r"|\"(?:[^\"\\\n]|\\.)*+\"|'[^'\n]*+'|#[^\n]*"
    r"|(?P<open>[\[{])|(?P<close>[\]}])|(?P<end>\n)|.",
    re.DOTALL,
)


class NoGraft(ValueError):
    """The halves of a file cannot be told apart; the message goes on after "because"."""


class _Setting(Struct, frozen=True, kw_only=True):
    key: tuple[str, ...]
    text: str


class _Table(Struct, frozen=True, kw_only=True):
    """A header and what stands below it; the first one has no header."""

    key: tuple[str, ...] = ()
    header: str = ""
    is_listed: bool = False
    """Whether it is one of a list: `[[test]]`."""
    settings: tuple[_Setting, ...] = ()


def graft_toml(before: str, after: str, is_harness: IsHarness) -> str:
    """Return the head's text with the harness of the base; raise NoGraft where that fails."""
    try:
        old, new = _leaves(before, is_harness), _leaves(after, is_harness)
    except (ValueError, RecursionError) as error:
        raise NoGraft(f"it is no TOML that we can read ({error})") from None
    wanted = {leaf: value for leaf, value in old.items() if leaf[1]}
    wanted |= {leaf: value for leaf, value in new.items() if not leaf[1]}
    for text, said in ((after, new), (before, old)):
        if said == wanted:
            return text
    made = "".join(_composed(_tables(before), _tables(after), is_harness))
    try:
        is_same = _leaves(made, is_harness) == wanted
    except (ValueError, RecursionError):
        is_same = False
    if not is_same:
        raise NoGraft("its settings for tests and those of the product are woven together")
    return made


_Leaves = dict[tuple[tuple[str, ...], bool], object]


def _leaves(text: str, is_harness: IsHarness) -> _Leaves:
    """Name every setting by the way to it and by its half."""
    found: _Leaves = {}
    stack: list[tuple[tuple[str, ...], object]] = [((), read_toml(text))]
    while stack:
        key, value = stack.pop()
        if key and is_harness(key, str(value)):
            found[key, True] = value
        elif isinstance(value, dict) and value:
            stack.extend(((*key, str(name)), each) for name, each in value.items())
        elif key:
            found[key, False] = value
    return found


def _composed(
    before: Sequence[_Table], after: Sequence[_Table], is_harness: IsHarness
) -> Iterator[str]:
    """Write the product's settings of one side, with the harness' ones of the other."""
    halves = (_half(table, is_harness, harness=True) for table in before)
    old = [table for table in halves if table.settings or is_harness(table.key, "")]
    left = {table.key: table for table in old if not table.is_listed}
    for table in after:
        kept = _half(table, is_harness, harness=False)
        added = left.pop(table.key, None) if not table.is_listed else None
        if kept.settings or added or not (table.settings or is_harness(table.key, "")):
            yield from _written(kept, added.settings if added else ())
    for table in old:
        if table.is_listed or table.key in left:
            yield from _written(table, ())


def _half(table: _Table, is_harness: IsHarness, *, harness: bool) -> _Table:
    chosen = (
        each for each in table.settings if is_harness((*table.key, *each.key), each.text) == harness
    )
    return replace(table, settings=tuple(chosen))


def _written(table: _Table, added: Sequence[_Setting]) -> Iterator[str]:
    for text in (table.header, *(each.text for each in (*table.settings, *added))):
        yield text if not text or text.endswith("\n") else f"{text}\n"


def _tables(text: str) -> list[_Table]:
    """Take a text apart; what cannot be understood ends up in one piece with what it follows."""
    tables = [_Table()]
    at = 0
    while at < len(text):
        start, empty = at, _EMPTY.match(text, at)
        at = empty.end() if empty else at
        header, setting = _HEADER.match(text, at), _SETTING.match(text, at)
        if header:
            at = header.end()
            is_listed = header[1] == "[["
            key = _key(header[2])
            tables.append(_Table(key=key, header=text[start:at], is_listed=is_listed))
        else:
            at = _value_end(text, setting.end() if setting else at)
            found = _Setting(key=_key(setting[1]) if setting else (), text=text[start:at])
            tables[-1] = replace(tables[-1], settings=(*tables[-1].settings, found))
    return tables


def _key(text: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PARTS.findall(text))


def _value_end(text: str, start: int) -> int:
    """Return where the line ends on which a value does."""
    depth = 0
    for token in _VALUE.finditer(text, start):
        depth += {"open": 1, "close": -1}.get(token.lastgroup or "", 0)
        if token.lastgroup == "end" and depth <= 0:
            return token.end()
    return len(text)
