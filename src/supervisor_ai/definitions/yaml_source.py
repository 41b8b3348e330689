"""YAML with positions: what a file says, and in which line it says so.

The text is hostile: the tree is built from parser events under a bound on depth and size, scalars
follow the YAML 1.2 core schema, and aliases and tags, which can make a small file large or active,
are mistakes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import yaml

from supervisor_ai.definitions.mistakes import KeyPath, Mistakes, Place, key_text

Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]

MAX_CHARACTERS: Final = 1024 * 1024
_MAX_DEPTH: Final = 40
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,40}")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What one file says."""

    file: str
    value: Value
    lines: dict[KeyPath, int] = field(default_factory=dict)

    def place(self, *path: str | int) -> Place:
        """Find a key, or the nearest one above it that stands in the file."""
        above = path
        while above and above not in self.lines:
            above = above[:-1]
        return Place(file=self.file, line=self.lines.get(above, 1), key=key_text(path))


class _TooDeep(Exception):
    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line


def read_yaml(file: str, text: str, mistakes: Mistakes) -> Document | None:
    """Read one file; None, with a mistake noted, when it is no YAML."""
    if len(text) > MAX_CHARACTERS:
        mistakes.add(Place(file=file), f"is larger than {MAX_CHARACTERS} characters")
        return None
    builder = _Builder(file, text, mistakes)
    try:
        return Document(file=file, value=builder.build(), lines=builder.lines)
    except yaml.MarkedYAMLError as error:
        mistakes.add(_mark_place(file, error), f"is not valid YAML: {error.problem}")
    except (yaml.YAMLError, UnicodeEncodeError):
        mistakes.add(Place(file=file), "is not valid YAML: it contains control characters")
    except _TooDeep as error:
        place = Place(file=file, line=error.line)
        mistakes.add(place, f"is nested deeper than {_MAX_DEPTH} levels")
    return None


def _mark_place(file: str, error: yaml.MarkedYAMLError) -> Place:
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return Place(file=file)
    return Place(file=file, line=mark.line + 1, column=mark.column + 1)


class _Builder:
    """Builds one document's tree from the parser's events."""

    def __init__(self, file: str, text: str, mistakes: Mistakes) -> None:
        self.lines: dict[KeyPath, int] = {}
        self._file = file
        self._mistakes = mistakes
        self._events: Iterator[yaml.Event] = yaml.parse(text, Loader=_LOADER)

    def build(self) -> Value:
        """Return the value of the only document."""
        value: Value = None
        documents = 0
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                content = self._value(next(self._events), ())
                value = content if documents == 1 else value
            if documents > 1:
                self._mistake(event, (), "has a second document; one file holds one document")
                break
        return value

    def _value(self, event: yaml.Event, path: KeyPath) -> Value:
        if len(path) > _MAX_DEPTH:
            raise _TooDeep(_line(event))
        if getattr(event, "tag", None) is not None:
            self._mistake(event, path, "has a tag; tags are not supported")
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(path)
        if isinstance(event, yaml.ScalarEvent):
            return _scalar(event)
        self._mistake(event, path, "is an alias; write the value out instead")
        return None

    def _mapping(self, path: KeyPath) -> Value:
        found: dict[str, Value] = {}
        for event in self._events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key = self._key(event, path)
            inner = (*path, key)
            is_repeated = key in found
            if is_repeated:
                first = self.lines[inner]
                self._mistake(event, inner, f"is given twice, first in line {first}")
            else:
                self.lines[inner] = _line(event)
            value = self._value(next(self._events), inner)
            if not is_repeated:
                found[key] = value
        return found

    def _key(self, event: yaml.Event, path: KeyPath) -> str:
        if isinstance(event, yaml.ScalarEvent):
            return str(event.value)
        self._mistake(event, path, "has a key that is not plain text")
        self._value(event, (*path, "?"))
        return "?"

    def _sequence(self, path: KeyPath) -> Value:
        found: list[Value] = []
        for event in self._events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            inner = (*path, len(found))
            self.lines[inner] = _line(event)
            found.append(self._value(event, inner))
        return found

    def _mistake(self, event: yaml.Event, path: KeyPath, problem: str) -> None:
        place = Place(file=self._file, line=_line(event), key=key_text(path))
        self._mistakes.add(place, problem)


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _scalar(event: yaml.ScalarEvent) -> Value:
    text = str(event.value)
    if not event.implicit[0]:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text
