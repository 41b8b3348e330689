"""Bounded YAML reader with line numbers, for text of which nobody knows who wrote it.

Built from parser events under bounds on length, depth and number. What can make a small text large
or active is a mistake and never followed: an alias counts as nothing, an anchor and a tag as not
there. Of a key that is given twice the first counts, and the second is a mistake. Reading goes on.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar, cast

import yaml
from msgspec import Struct

Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]
TextValue = None | str | list["TextValue"] | dict[str, "TextValue"]
KeyPath = tuple[str | int, ...]
"""Where a value stands: keys of mappings and indices of lists."""
Said = TypeVar("Said")

_MOST_PROBLEMS: Final = 500
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NOTHING: Final = dict.fromkeys(("", "~", "null", "Null", "NULL"))
_YES: Final = dict.fromkeys(("true", "True", "TRUE"), True)
_NO: Final = dict.fromkeys(("false", "False", "FALSE"), False)
_WORDS: Final[dict[str, bool | None]] = {**_NOTHING, **_YES, **_NO}
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,40}")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


class YamlLimits(Struct, frozen=True, kw_only=True):
    """How much a text may hold."""

    characters: int = 1024 * 1024
    depth: int = 40
    values: int = 100_000


class YamlProblem(Struct, frozen=True, kw_only=True):
    """A mistake and where it stands; its text goes on after "it"."""

    line: int
    text: str
    path: KeyPath = ()
    column: int | None = None


@dataclass(slots=True, kw_only=True)
class YamlTree(Generic[Said]):
    """What a text says, in which lines, and what is wrong with it."""

    value: Said | None = None
    first_line: int = 1
    lines: dict[KeyPath, int] = field(default_factory=dict)
    problems: list[YamlProblem] = field(default_factory=list)
    is_read: bool = False

    def line(self, *path: str | int) -> int:
        """Find the line of a key, or of the nearest one above it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, self.first_line)


def read_yaml_tree(text: str, *, limits: YamlLimits, first_line: int = 1) -> YamlTree[Value]:
    """Read a text; plain scalars mean what the core schema of YAML 1.2 says."""
    return _read(text, first_line, limits, _meaning)


def read_yaml_texts(text: str, *, limits: YamlLimits, first_line: int = 1) -> YamlTree[TextValue]:
    """Read a text of which every scalar stays the text that it is, unless it says nothing."""
    tree = _read(text, first_line, limits, lambda word: None if word in _NOTHING else word)
    return cast("YamlTree[TextValue]", tree)


def _meaning(text: str) -> Value:
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else _WORDS.get(text, text)


class _Unreadable(Exception): ...  # a line, and what is wrong there


def _read(
    text: str, first_line: int, limits: YamlLimits, meaning: Callable[[str], Value]
) -> YamlTree[Value]:
    tree: YamlTree[Value] = YamlTree(first_line=first_line)
    if len(text) > limits.characters:
        problem = f"is larger than {limits.characters} characters"
        tree.problems.append(YamlProblem(line=first_line, text=problem))
        return tree
    try:
        _Builder(tree, yaml.parse(text, Loader=_LOADER), limits, meaning).build()
        tree.is_read = True
    except yaml.MarkedYAMLError as error:
        tree.problems.append(_syntax_problem(text, first_line, error))
    except (yaml.YAMLError, UnicodeEncodeError):
        lines = enumerate(text.replace("\t", " ").split("\n"), first_line)
        odd = next((line for line, it in lines if not it.rstrip("\r").isprintable()), first_line)
        problem = "is not valid YAML: it contains control characters"
        tree.problems.append(YamlProblem(line=odd, text=problem))
    except _Unreadable as error:
        tree.problems.append(YamlProblem(line=error.args[0], text=error.args[1]))
    return tree


def _syntax_problem(text: str, first_line: int, error: yaml.MarkedYAMLError) -> YamlProblem:
    problem = f"is not valid YAML: {error.problem}"
    mark = error.problem_mark or error.context_mark
    # PyYAML puts a mistake at the end of the text into the line after it.
    last = text.rstrip("\n").count("\n")
    if mark is None or mark.line > last:
        return YamlProblem(line=first_line + (last if mark else 0), text=problem)
    return YamlProblem(line=first_line + mark.line, column=mark.column + 1, text=problem)


@dataclass(slots=True)
class _Builder:
    """Fills a tree from the parser's events."""

    tree: YamlTree[Value]
    events: Iterator[yaml.Event]
    limits: YamlLimits
    meaning: Callable[[str], Value]
    count: int = 0

    def build(self) -> None:
        """Read the only document."""
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                if self.count:
                    self._note(event, (), "has a second document; expected one")
                    return
                self.tree.value = self._value(next(self.events), ())

    def _value(self, event: yaml.Event, path: KeyPath) -> Value:
        self._check(event, path)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(path)
        if isinstance(event, yaml.ScalarEvent):
            return self.meaning(event.value) if event.implicit[0] else str(event.value)
        return None

    def _check(self, event: yaml.Event, path: KeyPath) -> None:
        self.count += 1
        if len(path) > self.limits.depth:
            problem = f"is nested deeper than {self.limits.depth} levels"
            raise _Unreadable(self._line(event), problem)
        if self.count > self.limits.values:
            raise _Unreadable(self._line(event), f"holds more than {self.limits.values} values")
        if getattr(event, "tag", None) is not None:
            self._note(event, path, "has a tag; write the plain value instead")
        if getattr(event, "anchor", None) is not None:
            what = "is an alias" if isinstance(event, yaml.AliasEvent) else "has an anchor"
            self._note(event, path, f"{what}; write the value out instead")

    def _mapping(self, path: KeyPath) -> Value:
        found: dict[str, Value] = {}
        for event in self.events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key = self._key(event, path)
            inner = (*path, key)
            line = self.tree.lines.setdefault(inner, self._line(event))
            if key in found:
                self._note(event, inner, f"is given twice, first in line {line}")
            value = self._value(next(self.events), inner)
            found.setdefault(key, value)
        return found

    def _key(self, event: yaml.Event, path: KeyPath) -> str:
        if isinstance(event, yaml.ScalarEvent):
            return str(event.value)
        self._note(event, path, "has a key that is not plain text")
        self._value(event, (*path, "?"))
        return "?"

    def _sequence(self, path: KeyPath) -> Value:
        found: list[Value] = []
        for event in self.events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            inner = (*path, len(found))
            self.tree.lines.setdefault(inner, self._line(event))
            found.append(self._value(event, inner))
        return found

    def _line(self, event: yaml.Event) -> int:
        return self.tree.first_line + (event.start_mark.line if event.start_mark else 0)

    def _note(self, event: yaml.Event, path: KeyPath, problem: str) -> None:
        line = self._line(event)
        if len(self.tree.problems) >= _MOST_PROBLEMS:
            raise _Unreadable(line, f"has more than {_MOST_PROBLEMS} mistakes up to here")
        self.tree.problems.append(YamlProblem(line=line, path=path, text=problem))
