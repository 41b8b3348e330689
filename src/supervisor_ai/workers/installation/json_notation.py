"""An entry of a JSON file, which may have comments and commas too many as some agents allow."""

import json
import re
from typing import Final, NamedTuple

from supervisor_ai.tools.json_value import BadJson, Json, read_json
from supervisor_ai.workers.installation.notations import Keys, Notation, Tree

_TOKEN: Final = re.compile(
    r'"(?:[^"\\\n]|\\.)*+"|(?P<comment>//[^\n]*+|/\*.*?\*/)|[{}\[\],:]|[^\s{}\[\],:"/]++|(?P<space>\s++)',
    re.DOTALL,
)
_INDENT: Final = "  "


class _Token(NamedTuple):
    text: str
    start: int
    end: int


class _Member(NamedTuple):
    """A member of an object, by the numbers of its tokens: its name, its value's first and last."""

    name: int
    first: int
    last: int


class _Object(NamedTuple):
    opening: int
    closing: int
    members: dict[str, _Member]


class _Text:
    """A text and where everything in it is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(_tokens(text))
        if not self.tokens or self.tokens[0].text != "{":
            raise BadJson("it is no object")
        self.root = self.object_at(0)

    def object_at(self, opening: int) -> _Object:
        members: dict[str, _Member] = {}
        at = opening + 1
        while self._word(at) != "}":
            if self._word(at + 1) != ":":
                raise BadJson("a name or a colon is missing")
            last = self._last_of(at + 2)
            members[str(json.loads(self._word(at)))] = _Member(at, at + 2, last)
            at = last + 1
            if self._word(at) == ",":
                at += 1
        return _Object(opening, at, members)

    def inner(self, member: _Member) -> _Object | None:
        return self.object_at(member.first) if self._word(member.first) == "{" else None

    def _last_of(self, first: int) -> int:
        depth, at = 0, first
        while True:
            depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(self._word(at), 0)
            if depth <= 0:
                return at
            at += 1

    def _word(self, at: int) -> str:
        if at >= len(self.tokens):
            raise BadJson("its end is missing")
        return self.tokens[at].text

    def indent_of(self, thing: _Object) -> str:
        """Return how far the members of an object are from the margin."""
        for member in thing.members.values():
            before = self.text[: self.tokens[member.name].start]
            margin = before[before.rfind("\n") + 1 :]
            if "\n" in before and not margin.strip():
                return margin
        return self.margin_of(thing) + self.unit

    def margin_of(self, thing: _Object) -> str:
        start = self.text.rfind("\n", 0, self.tokens[thing.opening].start) + 1
        line = self.text[start:]
        return line[: len(line) - len(line.lstrip(" \t"))]

    @property
    def unit(self) -> str:
        first = next(iter(self.root.members.values()), None)
        if first is None:
            return _INDENT
        before = self.text[: self.tokens[first.name].start]
        margin = before[before.rfind("\n") + 1 :]
        return margin if "\n" in before and margin and not margin.strip() else _INDENT


def _tokens(text: str) -> "list[_Token]":
    found: list[_Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise BadJson(f"character {at} cannot be understood")
        if match.lastgroup is None:
            found.append(_Token(match[0], at, match.end()))
        at = match.end()
    return found


def read(text: str) -> Tree:
    """Read a text as the agents do: comments and commas too many count for nothing."""
    words = [it.text for it in _tokens(text)]
    kept = [
        word
        for word, after in zip(words, [*words[1:], ""], strict=True)
        if not (word == "," and after in {"}", "]"})
    ]
    value = read_json(" ".join(kept))
    if not isinstance(value, dict):
        raise BadJson("it is no object")
    return dict(value)


def entry_text(keys: Keys, value: Json) -> str:
    """Write a file with nothing but the entry."""
    return json.dumps({keys[0]: {keys[1]: value}}, indent=2, ensure_ascii=False) + "\n"


def put(text: str, keys: Keys, value: Json) -> str:
    """Put a member into an object, or another value in the place of its own."""
    if not text.strip():
        return entry_text(keys, value)
    end = "\r\n" if "\r\n" in text and text.count("\n") == text.count("\r\n") else "\n"
    made = _put(_Text(text.replace("\r\n", "\n") if end == "\r\n" else text), keys, value)
    return made.replace("\n", end)


def _put(text: _Text, keys: Keys, value: Json) -> str:
    table = text.root.members.get(keys[0])
    if table is None:
        return _with_member(text, text.root, keys[0], {keys[1]: value})
    inside = text.inner(table)
    if inside is None:
        raise BadJson(f"{keys[0]!r} is no object")
    old = inside.members.get(keys[1])
    if old is None:
        return _with_member(text, inside, keys[1], value)
    start, end = text.tokens[old.first].start, text.tokens[old.last].end
    written = _written(value, text.indent_of(inside), text.unit)
    return text.text[:start] + written + text.text[end:]


def _written(value: Json, margin: str, unit: str) -> str:
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", f"\n{margin}")


def _with_member(text: _Text, thing: _Object, name: str, value: Json) -> str:
    margin = text.indent_of(thing)
    member = f"\n{margin}{json.dumps(name)}: {_written(value, margin, text.unit)}"
    closing = text.tokens[thing.closing].start
    inside = text.text[:closing].rstrip()
    tail = text.text[len(inside) :]
    if "\n" not in tail[: closing - len(inside)]:
        tail = f"\n{text.margin_of(thing)}" + tail[closing - len(inside) :]
    before = text.tokens[thing.closing - 1]
    if before.text in {",", "{"}:
        return inside + member + tail
    return inside[: before.end] + "," + inside[before.end :] + member + tail


def drop(text: str, keys: Keys) -> str:
    """Take a member out of an object; the object goes with it where nothing else is in it."""
    if not text.strip():
        return text
    whole = _Text(text)
    table = whole.root.members.get(keys[0])
    inside = whole.inner(table) if table is not None else None
    if table is None or inside is None or keys[1] not in inside.members:
        return text
    if len(inside.members) == 1:
        return _without_member(whole, table)
    return _without_member(whole, inside.members[keys[1]])


def _without_member(text: _Text, member: _Member) -> str:
    before, name = text.tokens[member.name - 1], text.tokens[member.name]
    value, after = text.tokens[member.last], text.tokens[member.last + 1]
    start = len(text.text[: name.start].rstrip())
    if after.text == ",":
        return text.text[:start] + text.text[after.end :]
    end = value.end
    if before.text == ",":
        return text.text[: before.start] + text.text[before.end : start] + text.text[end:]
    return text.text[:start] + text.text[end:]


JSON: Final = Notation(name="JSON", read=read, put=put, drop=drop, entry=entry_text)
