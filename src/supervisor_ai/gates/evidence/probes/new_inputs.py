"""Gives other values to the tests that a change adds: what they give should matter.

A feature that ignores what it is given passes its own new test whatever that gives. Two forms of
it are asked about: an argument of a new function whose answer is compared as a whole, and new
tests that want nothing but a yes. A text with a call in it is asked about as the call would be.
"""

import difflib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.commits import CommitFile, Commits
from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.engine.ports.evidence import Half, TestProbe
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.evidence.conventions import Conventions
from supervisor_ai.gates.evidence.messages import ProbesFound
from supervisor_ai.gates.evidence.probes.asserted import is_asserting, wants_only_a_yes
from supervisor_ai.gates.evidence.probes.called_in_text import called_in_text
from supervisor_ai.gates.evidence.probes.literals import GRAMMARS, Literal, literals_of
from supervisor_ai.gates.evidence.probes.neighbours import TESTS
from supervisor_ai.gates.evidence.probes.other_values import with_blank_values, with_far_values
from supervisor_ai.gates.evidence.toml_graft import NoGraft
from supervisor_ai.gates.integrity.change_sides import FileSides, changed_files
from supervisor_ai.gates.integrity.examine import Languages, known_languages

_LARGEST: Final = 256 * 1024
_TURNS: Final = (0, 5)
_PROBES: Final = 3
_ALONE: Final = 4
_LEAST: Final = 2
_UNLOADABLE: Final = b"\n)(\n"
_QUOTED: Final = re.compile(rb"""["'`]([A-Za-z_]\w*)["'`]""")
_MADE: Final = re.compile(r"[nN]ew|[A-Z]\w*[a-z]\w*|__\w+__")
"""What makes an object need not use all that it is given at once; in Go every name looks so."""


class _NewTests(Struct, frozen=True, kw_only=True):
    """What a change adds to a file of tests."""

    path: str
    source: bytes
    added: str
    """The text of the lines that are new."""
    literals: Sequence[Literal]
    """The values on them."""
    in_texts: Sequence[Literal]
    """The numbers in those of them that are texts with calls in them."""


_Given = dict[tuple[str, int], list[tuple[_NewTests, Literal]]]
"""The values that a function is given as one of its arguments."""


def new_inputs(case: ChangeCase, rules: HarnessRules, commits: Commits) -> ProbesFound:
    """Write the new tests of a change with other values, one question after the other."""
    head = commits.list(case.head)
    paths = [frozenset(file.path for file in side) for side in (commits.list(case.base), head)]
    conventions, languages = Conventions(rules, *paths), Languages(known_languages())
    changed = changed_files(commits, case.base, case.head, is_first=languages.is_test)
    halves = {it.path: conventions.of(it.path).half for it in changed.files}
    tests = [it for it in changed.files if TESTS.fullmatch(it.path) and it.after]
    product = [it for it in changed.files if halves[it.path] == Half.PRODUCT and it not in tests]
    new = [found for it in tests if (found := _new_tests(it)) is not None]
    probes = [
        *_of_arguments(new, _added_names(product, languages)),
        *_of_texts(new, _added_words(product)),
        *_of_tests(new),
    ]
    far = _others(head, frozenset(it.path for it in changed.files), new) if probes else ()
    return ProbesFound(probes=tuple(probes[:_PROBES]), far_tests=far)


def _new_tests(file: FileSides) -> _NewTests | None:
    after = file.after or b""
    if PurePosixPath(file.path).suffix not in GRAMMARS or len(after) > _LARGEST:
        return None
    lines = after.splitlines(keepends=True)
    added = _added_lines((file.before or b"").splitlines(keepends=True), lines)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    spans = [(starts[at], starts[at + 1]) for at in added]
    try:
        found = literals_of(file.path, after)
    except NoGraft:
        return None
    return _NewTests(
        path=file.path,
        source=after,
        added=b"".join(lines[at] for at in added).decode(errors="replace"),
        literals=_within(found, spans),
        in_texts=_within(list(called_in_text(after, found)), spans),
    )


def _within(found: Sequence[Literal], spans: Sequence[tuple[int, int]]) -> list[Literal]:
    return [it for it in found if any(start <= it.start < end for start, end in spans)]


def _added_lines(before: Sequence[bytes], after: Sequence[bytes]) -> list[int]:
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    blocks = [(tag, low, high) for tag, _, _, low, high in matcher.get_opcodes()]
    return [
        at for tag, low, high in blocks if tag in ("insert", "replace") for at in range(low, high)
    ]


def _added_names(product: Sequence[FileSides], languages: Languages) -> frozenset[str]:
    """Return the names of functions that the product has since the change."""
    before = (languages.defined_names(it.path, it.before) for it in product if it.before)
    after = (languages.defined_names(it.path, it.after) for it in product if it.after)
    return frozenset[str]().union(*after) - frozenset[str]().union(*before)


def _added_words(product: Sequence[FileSides]) -> frozenset[str]:
    """Return the words that stand in quotation marks in the product since the change."""
    old, new = (
        frozenset[bytes]().union(*(_QUOTED.findall(side) for side in sides if side))
        for sides in ([it.before for it in product], [it.after for it in product])
    )
    return frozenset(word.decode() for word in new - old)


def _of_texts(new: Sequence[_NewTests], names: frozenset[str]) -> Iterator[TestProbe]:
    """Ask the same of a new function of a language that the product reads."""
    given: _Given = defaultdict(list)
    for tests in new:
        for literal in tests.in_texts:
            if literal.call in names:
                given[literal.call, literal.at].append((tests, literal))
    yield from _of_given(new, given)


def _of_arguments(new: Sequence[_NewTests], names: frozenset[str]) -> Iterator[TestProbe]:
    """Ask about each argument of a new function that all its calls give as a value."""
    given: _Given = defaultdict(list)
    for tests in new:
        for literal in tests.literals:
            if literal.call in names and not _is_making(literal.call, tests.path):
                given[literal.call, literal.at].append((tests, literal))
    yield from _of_given(new, given)


def _of_given(new: Sequence[_NewTests], given: _Given) -> Iterator[TestProbe]:
    for (name, at), places in given.items():
        calls = {(tests.path, literal.opened) for tests, literal in places}
        is_whole = all(literal.is_compared for _, literal in places)
        if is_whole and len(calls) == sum(_times(name, tests.added) for tests in new):
            subject = f"what {name!r} is given as its argument {at + 1}"
            yield _probe(subject, new, [literal for _, literal in places], is_blank=True)


def _is_making(name: str, path: str) -> bool:
    return name.startswith("New") if path.endswith(".go") else bool(_MADE.fullmatch(name))


def _times(name: str, text: str) -> int:
    return len(re.findall(rf"\b{re.escape(name)}\s*\(", text))


def _of_tests(new: Sequence[_NewTests]) -> Iterator[TestProbe]:
    """Ask new tests that want a yes whether anything that they give matters for it."""
    chosen = [literal for it in new for literal in it.literals if not is_asserting(literal.call)]
    if len(chosen) < _LEAST or not wants_only_a_yes([it.added for it in new]):
        return
    yield _probe("what the new tests give to the product", new, chosen, is_blank=False)


def _probe(
    subject: str, new: Sequence[_NewTests], chosen: Sequence[Literal], *, is_blank: bool
) -> TestProbe:
    variants = [_varied(new, chosen, turn) for turn in _TURNS]
    if is_blank:
        variants.append(_blank(new, chosen))
    else:
        step = -(-len(chosen) // _ALONE)
        variants += [_varied(new, [it], _TURNS[0]) for it in chosen[::step]]
    control = {it.path: it.source + _UNLOADABLE for it in new}
    is_other = all(variants)
    return TestProbe(subject=subject, variants=tuple(variants) if is_other else (), control=control)


def _varied(new: Sequence[_NewTests], chosen: Sequence[Literal], turn: int) -> dict[str, bytes]:
    made = {it.path: with_far_values(it.source, _in(it, chosen), turn) for it in new}
    return {it.path: made[it.path] for it in new if made[it.path] != it.source}


def _blank(new: Sequence[_NewTests], chosen: Sequence[Literal]) -> dict[str, bytes]:
    made = {it.path: with_blank_values(it.source, _in(it, chosen)) for it in new}
    return {it.path: made[it.path] for it in new if made[it.path] != it.source}


def _in(tests: _NewTests, chosen: Sequence[Literal]) -> list[Literal]:
    return [it for it in (*tests.literals, *tests.in_texts) if any(it is each for each in chosen)]


def _others(
    head: Sequence[CommitFile], changed: frozenset[str], new: Sequence[_NewTests]
) -> tuple[str, ...]:
    """Return the files of tests that need not run: the others tell sooner."""
    text = "\n".join(it.source.decode(errors="replace") for it in new)
    folders = {PurePosixPath(it.path).parent for it in new}
    return tuple(
        file.path
        for file in head
        if TESTS.fullmatch(file.path)
        and file.path not in changed
        and not file.path.endswith(".rs")
        and not (file.path.endswith(".go") and PurePosixPath(file.path).parent in folders)
        and PurePosixPath(file.path).stem not in text
    )
