"""Typed access to what a header says; everything wrong with it is noted, and reading goes on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeVar

from supervisor_ai.documents.front_matter import normal_key
from supervisor_ai.drivers.kanban.board.kanban import Mistake
from supervisor_ai.tools.text import excerpt

if TYPE_CHECKING:
    from supervisor_ai.tools.yaml_tree import KeyPath, TextValue, YamlTree

Word = TypeVar("Word", bound=StrEnum)

_NOTHING: Final = frozenset({"", "null", "none", "~"})


@dataclass(slots=True, kw_only=True)
class Mistakes:
    """Everything that is wrong with the files, as far as they were read."""

    found: list[Mistake] = field(default_factory=list)

    def add(self, file: str, line: int | None, problem: str) -> None:
        """Note one."""
        self.found.append(Mistake(file=file, line=line, problem=problem))


class Fields:
    """A mapping in a document, by the one spelling of its keys."""

    def __init__(
        self, file: str, tree: "YamlTree[TextValue]", mistakes: Mistakes, at: "KeyPath" = ()
    ) -> None:
        self.file = file
        self.tree = tree
        self.mistakes = mistakes
        self.at = at
        value: TextValue = tree.value
        for key in at:
            value = _inner(value, key)
        self.is_mapping = isinstance(value, dict)
        self._values: dict[str, TextValue] = {}
        self._keys: dict[str, str] = {}
        for key, inner in value.items() if isinstance(value, dict) else ():
            self._note_spelling(key)
            self._values[normal_key(key)] = inner
            self._keys[normal_key(key)] = key

    def _note_spelling(self, key: str) -> None:
        other = self._keys.get(normal_key(key))
        if other is not None:
            line = self.tree.line(*self.at, key)
            problem = (
                f"The keys {excerpt(other)} and {excerpt(key)} are the same one; expected it once."
            )
            self.mistakes.add(self.file, line, problem)

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def line(self, name: str, *inner: int) -> int:
        """Find the line of a key, or where it would have to be."""
        return self.tree.line(*self.at, self._keys.get(name, name), *inner)

    def wrong(self, name: str, problem: str, *inner: int) -> None:
        """Note a mistake in the value of a key."""
        self.mistakes.add(self.file, self.line(name, *inner), problem)

    def value(self, name: str) -> "TextValue":
        """Return what stands behind a key."""
        return self._values.get(name)

    def inner(self, name: str) -> "Fields":
        """Return the mapping behind a key."""
        return Fields(self.file, self.tree, self.mistakes, (*self.at, self._keys.get(name, name)))

    def entries(self, name: str) -> list["Fields"]:
        """Return the mappings in the list behind a key."""
        value = self.value(name)
        at = (*self.at, self._keys.get(name, name))
        count = len(value) if isinstance(value, list) else 0
        return [Fields(self.file, self.tree, self.mistakes, (*at, n)) for n in range(count)]

    def text(self, name: str) -> str | None:
        """Return the text behind a key; None where there is none."""
        value = self.value(name)
        if value is None or isinstance(value, str):
            return value
        self.wrong(name, f"The value of {name!r} is no text; expected one text.")
        return None

    def name(self, name: str) -> str | None:
        """Return the text behind a key, where words such as `null` mean nothing, quoted or not."""
        text = (self.text(name) or "").strip()
        return None if text.lower() in _NOTHING else text

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the list of texts behind a key; a text alone is a list of one."""
        return tuple(text for text, _ in self.lined_texts(name))

    def lined_texts(self, name: str) -> list[tuple[str, int]]:
        """Return the list of texts behind a key, each with its line."""
        value = self.value(name)
        if value is None:
            return []
        if isinstance(value, str):
            return [] if value.strip().lower() in _NOTHING else [(value, self.line(name))]
        if isinstance(value, list):
            return self._lined(name, value)
        self.wrong(name, f"The value of {name!r} is a mapping; expected a list of texts.")
        return []

    def _lined(self, name: str, values: "list[TextValue]") -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []
        for number, value in enumerate(values):
            if isinstance(value, str):
                found.append((value, self.line(name, number)))
            else:
                problem = f"Entry {number + 1} of {name!r} is no text; expected a list of texts."
                self.wrong(name, problem, number)
        return found

    def word(self, name: str, words: Mapping[str, Word]) -> Word | None:
        """Return which of some words stands behind a key; None where nothing does."""
        text = self.name(name)
        if text is None:
            return None
        word = words.get(text.lower().replace("-", "_"))
        if word is None:
            shown = (getattr(known, "shown", str(known)) for known in words.values())
            expected = ", ".join(dict.fromkeys(shown))
            problem = f"The {name} {excerpt(text)} is unknown; expected one of {expected}."
            self.wrong(name, problem)
        return word


def _inner(value: "TextValue", key: str | int) -> "TextValue":
    if isinstance(value, list) and isinstance(key, int):
        return value[key]
    return value.get(key) if isinstance(value, dict) and isinstance(key, str) else None
