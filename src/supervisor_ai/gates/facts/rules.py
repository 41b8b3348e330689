"""What makes facts of a change true, as the table writes it."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.approvals.facts import FLAGS
from supervisor_ai.gates.change.path_patterns import path_pattern
from supervisor_ai.gates.change.picked_keys import FORMATS
from supervisor_ai.gates.own_tables import load_table, own_text

_KNOWN: Final = frozenset(
    {"fact", "reason", "paths", "path_words", "words", "pattern", "in", "in_strings", "anywhere"}
    | {"format", "keys"}
)
_LOOKED_FOR: Final = ("paths", "path_words", "words", "pattern")
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


class FactRule(Struct, frozen=True, kw_only=True):
    """One row: a fact, and what in a change speaks for it."""

    fact: str
    reason: str
    paths: re.Pattern[str] | None = None
    path_words: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    pattern: re.Pattern[str] | None = None
    families: frozenset[str] | None = None
    """The kinds of files that statements are looked at in; None: all."""
    in_strings: bool = False
    anywhere: bool = False
    """Whether tests, documents and examples count as well."""
    form: str | None = None
    keys: tuple[str, ...] = ()
    """Where only these keys of a file count."""

    @property
    def is_about_code(self) -> bool:
        """Tell whether statements are looked at, and not only where a file lies."""
        return bool(self.words) or self.pattern is not None

    def knows(self, path: str) -> bool:
        """Tell whether a path alone speaks for the fact."""
        return bool(self.paths and self.paths.match(path)) or bool(self.path_words & words(path))

    def speaks_of(self, family: str) -> bool:
        """Tell whether statements of such files are looked at."""
        return self.families is None or family in self.families


def words(text: str) -> frozenset[str]:
    """Return the words that names are made of: `signInUser` has three."""
    return frozenset(word.lower() for word in _WORD.findall(text))


@cache
def fact_rules() -> tuple[FactRule, ...]:
    """Return the table."""
    return parse_rules(own_text("facts.yaml"))


def parse_rules(text: str) -> tuple[FactRule, ...]:
    """Understand the table of facts; raise InvalidInput where it cannot be understood."""
    table = load_table(text)
    if not isinstance(table, list) or not all(isinstance(row, dict) for row in table):
        raise InvalidInput("The table of facts is no list of rows.")
    return tuple(_rule(row) for row in table)


def _rule(row: Mapping[str, object]) -> FactRule:
    if not _KNOWN.issuperset(row) or row.get("fact") not in FLAGS:
        raise InvalidInput(f"A row of the table of facts has unknown keys or no fact: {row!r}.")
    if not any(row.get(key) for key in _LOOKED_FOR):
        raise InvalidInput(f"A row of the table of facts looks for nothing: {row!r}.")
    form, paths, families = row.get("format"), _texts(row, "paths"), row.get("in")
    if form not in (None, *FORMATS):
        raise InvalidInput(f"A row of the table of facts has an unknown format: {form!r}.")
    return FactRule(
        fact=str(row["fact"]),
        reason=str(row.get("reason", "")),
        paths=path_pattern(paths) if paths else None,
        path_words=frozenset(_texts(row, "path_words")),
        words=frozenset(_texts(row, "words")),
        pattern=_pattern(row),
        families=None if families is None else frozenset(_texts(row, "in")),
        in_strings=row.get("in_strings") is True,
        anywhere=row.get("anywhere") is True,
        form=None if form is None else str(form),
        keys=_texts(row, "keys"),
    )


def _texts(row: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = row.get(key, [])
    if not isinstance(value, list):
        raise InvalidInput(f"A row of the table of facts has no list of {key}: {value!r}.")
    return tuple(map(str, value))


def _pattern(row: Mapping[str, object]) -> re.Pattern[str] | None:
    if "pattern" not in row:
        return None
    try:
        return re.compile(str(row["pattern"]))
    except re.error as error:
        raise InvalidInput(f"A row of the table of facts has no good pattern: {row!r}.") from error
