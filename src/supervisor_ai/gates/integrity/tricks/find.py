"""Finds tricks in the code of a change: what stands in it now and stood nowhere before."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.run.gates import Finding
from supervisor_ai.gates.change.risks.sources import RiskSource, family_of, read_source
from supervisor_ai.gates.integrity.change_sides import FileSides
from supervisor_ai.gates.integrity.tricks.places import PRODUCT, place_of, test_lines
from supervisor_ai.gates.integrity.tricks.table import Trick, tricks

_FAMILIES: Final = frozenset({"python", "script", "go", "rust", "java"})
_IN_ALL: Final = 8 * 1024 * 1024
"""So many characters are looked through, those of the smallest files first."""
_SHOWN: Final = 80
_MOST: Final = 200
"""Whoever does one thing more often in one file wrote it by machine."""


class _Code(Struct, frozen=True, kw_only=True):
    path: str
    place: str
    source: RiskSource
    whole: str
    """With its comments."""

    def text_for(self, trick: Trick) -> str:
        """Return what a trick is looked for in."""
        match trick.row.looks_at:
            case "code":
                return self.source.code
            case "all":
                return self.whole
            case _:
                return self.source.text

    def found(self, trick: Trick) -> "Iterator[_Seen]":
        """Find a trick in the file."""
        text = self.text_for(trick)
        is_for = trick.is_for(self.source.family, self.place, self.path)
        if not is_for or not trick.may_be_in(text):
            return
        group = "said" if "said" in trick.pattern.groupindex else 0
        for match in islice(trick.pattern.finditer(text), _MOST):
            if not trick.unless.match(text, match.end()):
                said = " ".join(match[group].split())
                line = text.count("\n", 0, match.start(group)) + 1
                yield _Seen(trick=trick, path=self.path, line=line, said=said)


class _Seen(Struct, frozen=True, kw_only=True):
    trick: Trick
    path: str
    line: int
    said: str

    @property
    def key(self) -> tuple[str, str]:
        return self.trick.row.rule, "".join(self.said.split())

    def finding(self) -> Finding:
        row = self.trick.row
        shown = self.said[:_SHOWN]
        shown = shown if shown.isprintable() else ascii(shown)
        return Finding(
            rule=row.rule,
            message=f"{row.tells}: `{shown}`.",
            file=self.path,
            line=self.line,
            severity=self.trick.severity(self.path),
        )


def find_tricks(files: Iterable[FileSides], is_test: Callable[[str], bool]) -> Iterator[Finding]:
    """Find what the change brings; what was only moved is not new."""
    known = [(file, place) for file in files if (place := place_of(file.path, is_test))]
    after = [
        seen for code in _codes((it.path, it.after, at) for it, at in known) for seen in _seen(code)
    ]
    if not after:
        return
    before = Counter(
        seen.key
        for code in _codes((it.path, it.before, at) for it, at in known)
        for seen in _seen(code)
    )
    told = set[tuple[str, str, int]]()
    for seen in after:
        if before[seen.key] > 0:
            before[seen.key] -= 1
            continue
        finding = seen.finding()
        where = finding.rule, seen.path, seen.line
        if where not in told:
            told.add(where)
            yield finding


def _codes(sides: Iterable[tuple[str, bytes | None, str]]) -> Iterator[_Code]:
    left = _IN_ALL
    there = sorted(
        ((path, text, at) for path, text, at in sides if text), key=lambda it: len(it[1])
    )
    for path, contents, place in there:
        family = family_of(path) or ""
        left -= len(contents)
        if family in _FAMILIES and left >= 0:
            whole = contents.decode("utf-8", "replace")
            source = _of_place(read_source(family, whole), place)
            yield _Code(path=path, place=place, source=source, whole=whole)


def _of_place(source: RiskSource, place: str) -> RiskSource:
    """Leave out what stands in a file of the product and is for its tests."""
    if source.family != "rust" or place != PRODUCT:
        return source
    left_out = test_lines(source.code)
    text, code = (_without(side, left_out) for side in (source.text, source.code))
    return RiskSource(family=source.family, text=text, code=code)


def _without(text: str, lines: frozenset[int]) -> str:
    kept = ("" if place in lines else line for place, line in enumerate(text.split("\n")))
    return "\n".join(kept)


def _seen(code: _Code) -> Sequence[_Seen]:
    return [seen for trick in tricks() for seen in code.found(trick)]
