"""Annotations of Python as types, whichever of their spellings is used."""

import re
from collections.abc import Mapping
from typing import Final

from supervisor_ai.gates.public_api.type_trees import (
    FUNCTION,
    TUPLE,
    TypeTree,
    opaque,
    union,
)

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<name>[\w.]+)|(?P<text>\"[^\"]*\"|'[^']*')|(?P<mark>\.\.\.|[\[\]|,()*]))"
)
_LOWER: Final[Mapping[str, str]] = {
    **{name: name.lower() for name in ("List", "Dict", "Set", "FrozenSet", "Tuple", "Type")},
    "Deque": "deque",
    "DefaultDict": "defaultdict",
    "Text": "str",
    "NoneType": "None",
}
_LONGEST: Final = 2_000
_DEEPEST: Final = 30


class _NotUnderstoodError(Exception): ...


def annotation(text: str) -> TypeTree | None:
    """Understand an annotation; None where nothing is written."""
    plain = " ".join(text.split())
    if not plain:
        return None
    if len(plain) > _LONGEST:
        return opaque(plain)
    try:
        words = _Words(plain)
        found = words.union(0)
        words.expect_end()
    except _NotUnderstoodError:
        return opaque(plain)
    return TypeTree(found.name, found.parts, plain)


class _Words:
    """Reads one annotation from left to right."""

    def __init__(self, text: str) -> None:
        self._words = list(_split(text))
        self._at = 0

    def union(self, depth: int) -> TypeTree:
        """Read alternatives."""
        found = [self._one(depth)]
        while self._next() == "|":
            self._at += 1
            found.append(self._one(depth))
        return union(found)

    def expect_end(self) -> None:
        """Refuse what is left over."""
        if self._at < len(self._words):
            raise _NotUnderstoodError

    def _next(self) -> str:
        return self._words[self._at] if self._at < len(self._words) else ""

    def _one(self, depth: int) -> TypeTree:
        if depth > _DEEPEST:
            raise _NotUnderstoodError
        word = self._next()
        self._at += 1
        if word[:1] in {'"', "'"}:
            inner = annotation(word[1:-1])
            return opaque(word) if inner is None else inner
        if word == "[":
            return TypeTree(TUPLE, self._listed(depth + 1))
        if not (word == "..." or re.fullmatch(r"[\w.]+", word)):
            raise _NotUnderstoodError
        name = word if word == "..." else word.rpartition(".")[2]
        if self._next() != "[":
            return TypeTree(_LOWER.get(name, name))
        self._at += 1
        if name == "Literal":
            return union([opaque(it) for it in self._literals()])
        return _applied(_LOWER.get(name, name), self._listed(depth + 1))

    def _listed(self, depth: int) -> tuple[TypeTree, ...]:
        found: list[TypeTree] = []
        while self._next() != "]":
            found.append(self.union(depth))
            if self._next() == ",":
                self._at += 1
            elif self._next() != "]":
                raise _NotUnderstoodError
        self._at += 1
        return tuple(found)

    def _literals(self) -> list[str]:
        end = self._words.index("]", self._at) if "]" in self._words[self._at :] else -1
        if end < 0:
            raise _NotUnderstoodError
        found = [word.replace('"', "'") for word in self._words[self._at : end] if word != ","]
        self._at = end + 1
        return found


def _split(text: str) -> list[str]:
    found, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _NotUnderstoodError
        found.append(match.group().strip())
        at = match.end()
    return found


def _applied(name: str, parts: tuple[TypeTree, ...]) -> TypeTree:
    match name, parts:
        case "Optional", (one,):
            return union([one, TypeTree("None")])
        case "Union", _ if parts:
            return union(parts)
        case "Annotated", (one, *_):
            return one
        case "Final" | "ClassVar" | "Required" | "NotRequired" | "ReadOnly", (one,):
            return one
        case "Callable", (TypeTree(name="[]", parts=given), returned):
            return TypeTree(FUNCTION, (*given, returned))
        case _:
            return TypeTree(name, parts)
