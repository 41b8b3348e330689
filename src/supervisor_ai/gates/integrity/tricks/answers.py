"""Finds answers of the tests that were written into the product instead of worked out by it."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.gates.change.risks.changes import compare_sources
from supervisor_ai.gates.change.risks.sources import family_of, read_source
from supervisor_ai.gates.integrity.change_sides import FileSides
from supervisor_ai.gates.integrity.comparison.words import literals
from supervisor_ai.gates.integrity.tricks.places import PRODUCT, place_of

_FAMILIES: Final = frozenset({"python", "script", "go", "rust"})
_PLAIN: Final = re.compile(r"[a-z_]*|[A-Z]?[a-z]+|\d{1,2}|\W*")
"""Words, small numbers and signs stand in any code."""
_ODD: Final = re.compile(r"(?=.*\d)(?=.*[^\w.])")
"""What mixes digits and signs is hardly written twice by chance."""
_EXAMPLE: Final = re.compile(r"(?m)^[ \t]*>>> (?:.*\S.*\n?)+")
"""What is typed and answered, to the next empty line."""
_WORDS: Final = re.compile(r"\w+")
_MANY: Final = 3
_FEW: Final = 2
_SHARE: Final = 0.6
_LONGEST: Final = 200


class _Statement(Struct, frozen=True, kw_only=True):
    path: str
    text: str
    values: frozenset[str]
    replaces: bool
    """Whether the change takes something away from the same file."""


class TestTexts(Struct, frozen=True, kw_only=True):
    """What the tests say, each read only where somebody asks."""

    __test__ = False
    sources: Callable[[], Iterable[bytes]]
    readings: Callable[[], Iterable[bytes]]
    """The files that they read."""


def copied_answers(
    files: Iterable[FileSides], is_test: Callable[[str], bool], tests: TestTexts
) -> Iterator[Finding]:
    """Find new statements of the product whose values nearly all stand in the tests of before."""
    product = [file for file in files if place_of(file.path, is_test) == PRODUCT]
    statements = [found for file in product for found in _statements(file)]
    if not statements:
        return
    known = _known(tests, product)
    old = frozenset[str]().union(*(literals(_worked(file.before)) for file in product))
    for found in statements:
        values = found.values - old
        copied = frozenset(value for value in values if _is_known(value, known))
        if len(copied) >= _FEW and len(copied) >= _SHARE * len(values):
            yield _finding(found, copied)


def _known(tests: TestTexts, product: Iterable[FileSides]) -> frozenset[str]:
    code = (*map(_text, tests.sources()), *map(_examples, product))
    said = frozenset[str]().union(*(literals(line) for text in code for line in text.splitlines()))
    lines = [line.strip() for text in map(_text, tests.readings()) for line in text.splitlines()]
    return said.union(lines, *map(_WORDS.findall, lines))


def _is_known(value: str, known: frozenset[str]) -> bool:
    """Tell whether a value stands in the tests, or two of them do that it is joined of."""
    if value in known:
        return True
    signs = (place for place in range(1, len(value) - 1) if not value[place].isalnum())
    return any(value[:place] in known and value[place + 1 :] in known for place in signs)


def _finding(found: _Statement, copied: frozenset[str]) -> Finding:
    is_sure = len(copied) >= _MANY or any(map(_ODD.match, copied))
    shown = ", ".join(sorted(map(ascii, copied))[:_MANY])
    return Finding(
        rule="answer_copied",
        message=f"Values of the tests were written into the product: {shown}.",
        file=found.path,
        severity=Severity.ERROR if is_sure and found.replaces else Severity.NOTE,
    )


def _statements(file: FileSides) -> Iterator[_Statement]:
    """Yield what is new in a file that was there, with the values that say something."""
    family = family_of(file.path) or ""
    if family not in _FAMILIES or not file.before or not file.after:
        return
    before, after = (read_source(family, _text(side)) for side in (file.before, file.after))
    change = compare_sources(family, [before], [after])
    for unit in change.added:
        values = frozenset(it for it in literals(unit.text) if _says_something(it))
        if len(values) >= _FEW:
            is_less = bool(change.removed)
            yield _Statement(path=file.path, text=unit.text, values=values, replaces=is_less)


def _examples(file: FileSides) -> str:
    """Return the examples in a file as it was, which say what it answers as tests do."""
    return "\n".join(_EXAMPLE.findall(_text(file.before)))


def _worked(side: bytes | None) -> str:
    """Return a file without its examples."""
    return _EXAMPLE.sub("", _text(side))


def _says_something(value: str) -> bool:
    return len(value) <= _LONGEST and not _PLAIN.fullmatch(value)


def _text(side: bytes | None) -> str:
    return (side or b"").decode(errors="replace")
