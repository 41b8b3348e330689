"""The table of tricks: how code looks that makes tests pass without being right."""

import re
from functools import cache
from typing import Literal

import msgspec
from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.gates import Severity
from supervisor_ai.gates.own_tables import load_table, own_text


class TrickRow(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"families": "in"}
):
    """One way to cheat, as it stands in the table; the table says what each key means."""

    rule: str
    tells: str
    families: tuple[str, ...]
    where: tuple[str, ...] = ("product",)
    paths: str = ""
    words: tuple[str, ...]
    pattern: str
    unless: str = r"(?!)"
    looks_at: Literal["text", "code", "all"] = "text"
    lenient: str = r"(?!)"
    severity: Severity = Severity.ERROR


class Trick(Struct, frozen=True, kw_only=True):
    """One way to cheat, ready to be looked for."""

    row: TrickRow
    pattern: re.Pattern[str]
    paths: re.Pattern[str]
    unless: re.Pattern[str]
    """What may follow where it is honest."""
    lenient: re.Pattern[str]
    """The files in which it is only noted."""

    def is_for(self, family: str, place: str, path: str) -> bool:
        """Tell whether it is looked for in a file."""
        row = self.row
        is_there = family in row.families and place in row.where
        return is_there and self.paths.search(path) is not None

    def may_be_in(self, text: str) -> bool:
        """Tell whether a file has one of the words without which it cannot be there."""
        return any(word in text for word in self.row.words)

    def severity(self, path: str) -> Severity:
        """Say how much it weighs in a file."""
        return Severity.NOTE if self.lenient.search(path) else self.row.severity


@cache
def tricks() -> tuple[Trick, ...]:
    """Return the table that is ours."""
    return parse(own_text("tricks.yaml"))


def parse(text: str) -> tuple[Trick, ...]:
    """Understand a table; raise InvalidInput where it cannot be understood."""
    try:
        return tuple(map(_trick, msgspec.convert(load_table(text), list[TrickRow])))
    except (msgspec.ValidationError, re.error) as error:
        raise InvalidInput(f"The table of tricks cannot be understood: {error}.") from error


def _trick(row: TrickRow) -> Trick:
    return Trick(
        row=row,
        pattern=re.compile(row.pattern),
        paths=re.compile(row.paths),
        unless=re.compile(row.unless),
        lenient=re.compile(row.lenient),
    )
