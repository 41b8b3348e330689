"""The YAML in documents, with lines: texts, lists and mappings, and nothing that acts.

The text is hostile: the tree is built from parser events under a bound on depth and size, and
aliases and tags are refused. Scalars stay the text that they are, so that no value changes by
being read: only an empty one and a bare `null` mean nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import yaml

Value = None | str | list["Value"] | dict[str, "Value"]
KeyPath = tuple[str | int, ...]

_MAX_DEPTH: Final = 20
_MAX_VALUES: Final = 20_000
_NOTHING: Final = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(slots=True, kw_only=True)
class Tree:
    """What a piece of YAML says, and what is wrong with it."""

    value: Value = None
    first_line: int = 1
    lines: dict[KeyPath, int] = field(default_factory=dict)
    problems: list[tuple[int, str]] = field(default_factory=list)
    """Line and sentence of every mistake."""

    def line(self, *path: str | int) -> int:
        """Find the line of a key, or of the nearest one above it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, self.first_line)


class _Refused(Exception):
    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem


def read_tree(text: str, first_line: int) -> Tree:
    """Read a piece of YAML that begins in a line of its file."""
    import yaml

    tree = Tree(first_line=first_line)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _Builder(tree, yaml.parse(text, Loader=loader)).build()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = first_line + (mark.line if mark else 0)
        # PyYAML puts a mistake at the end of the text into the line after it.
        last = first_line + text.rstrip("\n").count("\n")
        tree.problems.append((min(line, last), f"This is not valid YAML: {error.problem}."))
    except (yaml.YAMLError, UnicodeEncodeError):
        line = first_line + _line_of_control(text)
        tree.problems.append((line, "This is not valid YAML: it contains control characters."))
    except _Refused as error:
        tree.problems.append((error.line, error.problem))
    return tree


def _line_of_control(text: str) -> int:
    """Count the lines before the first character that YAML does not allow."""
    lines = text.replace("\t", " ").split("\n")
    odd = (number for number, line in enumerate(lines) if not line.rstrip("\r").isprintable())
    return next(odd, 0)


class _Builder:
    """Fills a tree from the parser's events."""

    def __init__(self, tree: Tree, events: "Iterator[yaml.Event]") -> None:
        self._tree = tree
        self._events = events
        self._count = 0

    def build(self) -> None:
        """Read the first document; a second one is a mistake."""
        import yaml

        documents = 0
        for event in self._events:
            if not isinstance(event, yaml.DocumentStartEvent):
                continue
            documents += 1
            if documents > 1:
                raise _Refused(
                    self._line(event), "A second YAML document begins here; expected one."
                )
            self._tree.value = self._value(next(self._events), ())

    def _line(self, event: "yaml.Event") -> int:
        return self._tree.first_line + (event.start_mark.line if event.start_mark else 0)

    def _value(self, event: "yaml.Event", path: KeyPath) -> Value:
        import yaml

        self._check(event, path)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(path)
        if not isinstance(event, yaml.ScalarEvent):
            raise _Refused(self._line(event), "There is a YAML alias; write the value out instead.")
        text = str(event.value)
        return None if event.implicit[0] and text in _NOTHING else text

    def _check(self, event: "yaml.Event", path: KeyPath) -> None:
        self._count += 1
        if len(path) > _MAX_DEPTH:
            problem = f"The YAML is nested deeper than {_MAX_DEPTH} levels."
            raise _Refused(self._line(event), problem)
        if self._count > _MAX_VALUES:
            raise _Refused(self._line(event), f"The YAML holds more than {_MAX_VALUES} values.")
        if getattr(event, "tag", None) is not None:
            raise _Refused(self._line(event), "There is a YAML tag; write the plain value instead.")
        if getattr(event, "anchor", None) is not None and not _is_alias(event):
            raise _Refused(
                self._line(event), "There is a YAML anchor; write the value out instead."
            )

    def _mapping(self, path: KeyPath) -> Value:
        import yaml

        found: dict[str, Value] = {}
        for event in self._events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            if not isinstance(event, yaml.ScalarEvent):
                raise _Refused(self._line(event), "A key is no plain text.")
            key = str(event.value)
            self._note_key(event, (*path, key), is_repeated=key in found)
            found[key] = self._value(next(self._events), (*path, key))
        return found

    def _note_key(self, event: "yaml.Event", path: KeyPath, *, is_repeated: bool) -> None:
        if is_repeated:
            first = self._tree.lines[path]
            problem = f"The key {path[-1]!r} is given twice, first in line {first}."
            self._tree.problems.append((self._line(event), problem))
        self._tree.lines[path] = self._line(event)

    def _sequence(self, path: KeyPath) -> Value:
        import yaml

        found: list[Value] = []
        for event in self._events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            inner = (*path, len(found))
            self._tree.lines[inner] = self._line(event)
            found.append(self._value(event, inner))
        return found


def _is_alias(event: "yaml.Event") -> bool:
    import yaml

    return isinstance(event, yaml.AliasEvent)
