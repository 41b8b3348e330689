"""Finds changes that may have the tests' answers in them, and gives their tests other values.

What was worked out before and is now looked up is right where the tests look, and wrong beside it.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.control.ports.commits import CommitFile, Commits
from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.engine.ports.evidence import Half, TestProbe
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.change.risks.sources import family_of, read_source
from supervisor_ai.gates.change.risks.units import Unit
from supervisor_ai.gates.evidence.conventions import Conventions
from supervisor_ai.gates.evidence.far_tests import far_tests
from supervisor_ai.gates.evidence.messages import ProbesFound
from supervisor_ai.gates.evidence.probes.literals import GRAMMARS, Literal, literals_of
from supervisor_ai.gates.evidence.probes.near_names import near_names
from supervisor_ai.gates.evidence.probes.other_values import with_near_values
from supervisor_ai.gates.evidence.probes.reach import forgotten_parameters
from supervisor_ai.gates.evidence.probes.reach_words import added_units, may_know_caller
from supervisor_ai.gates.evidence.probes.spoken import Spoken
from supervisor_ai.gates.evidence.toml_graft import NoGraft
from supervisor_ai.gates.integrity.change_sides import FileSides, changed_files
from supervisor_ai.gates.integrity.comparison.words import literals

_FAMILIES: Final = frozenset({"python", "script", "go", "rust"})
_FEW, _MANY = 2, 4
_PLAIN: Final = re.compile(r"[a-z_]*|[A-Z]?[a-z]+|\d{1,2}|\W*")
"""Words, small numbers and signs stand in any code."""
_DULL: Final = re.compile(r"[a-z_]*|[A-Z]?[a-z]+|\d|10*|\W*")
"""Values that product and tests share by chance."""
_READING: Final = re.compile(
    r"\b(?:open|read_text|read_bytes|i?glob|rglob|iterdir|listdir|scandir|readFile\w*|readdir\w*"
    r"|ReadFile|ReadDir|Glob|WalkDir|include_str|read_to_string|read_dir|linecache|getsource\w*)\b"
)
TESTS: Final = re.compile(
    r"(?:.*/)?(?:test_[^/]*|[^/]*_test)\.py|(?:.*/)?[^/]*_test\.go"
    r"|(?:.*/)?[^/]*[._-](?:test|spec)\.[cm]?[jt]sx?|(?:.*/)?(?:tests?|__tests__)/[^/]*\.[cm]?[jt]sx?"
    r"|(?:.*/)?tests/[^/]*\.rs",
    re.DOTALL,
)
_LARGEST: Final = 256 * 1024
_BYTES: Final = 1024 * 1024
_STEPS: Final = (0, 2)


def neighbours(
    case: ChangeCase, rules: HarnessRules, commits: Commits, speaking: Sequence[str] = ()
) -> ProbesFound:
    """Give other values to the base's tests of what changed, if the change looks like answers.

    Where the tests that speak for the change say how it answers, the values are left alone.
    """
    base = commits.list(case.base)
    conventions = Conventions(
        rules,
        frozenset(file.path for file in base),
        frozenset(file.path for file in commits.list(case.head)),
    )
    changed = changed_files(commits, case.base, case.head, is_first=_is_code)
    product = [it for it in changed.files if conventions.of(it.path).half == Half.PRODUCT]
    code = [it for it in product if it.after and _is_code(it.path)]
    if not code:
        return ProbesFound()
    names = near_names(commits, base, product)
    far = far_tests(commits, base, [file.path for file in product], names)
    near = [
        file
        for file in base
        if TESTS.fullmatch(file.path) and file.path not in far and file.size <= _LARGEST
    ]
    if not any(map(_may_hold_answers, code)) and not _holds_one_of(commits, near, code):
        return ProbesFound()
    spoken = Spoken(case, commits, product, speaking) if speaking else None
    variants = tuple(each for each in _variants(commits, near, spoken) if each)
    return ProbesFound(probes=(TestProbe(variants=variants),) if variants else (), far_tests=far)


def _is_code(path: str) -> bool:
    return family_of(path) in _FAMILIES


def _may_hold_answers(file: FileSides) -> bool:
    """Tell whether a change brings values of its own, reads files, or forgets what it is given.

    One that looks at its callers could find the answers there, and one that says what is equal to
    an answer needs none.
    """
    if may_know_caller(file):
        return True
    added, new = _added(file)
    telling = [value for value in new if not _PLAIN.fullmatch(value)]
    is_reading = any(_READING.search(unit.code) for unit in added)
    is_full = is_reading or len(telling) >= _FEW or len(new) >= _MANY
    return is_full or bool(forgotten_parameters(file.path, file.before or b"", file.after or b""))


def _holds_one_of(commits: Commits, near: Sequence[CommitFile], code: Sequence[FileSides]) -> bool:
    """Tell whether a value of the tests stands in the product since the change."""
    new = {value for file in code for value in _added(file)[1] if not _DULL.fullmatch(value)}
    texts = (source for _, source in commits.read(near)) if new else ()
    return any(not new.isdisjoint(literals(_text(source))) for source in texts)


def _added(file: FileSides) -> tuple[list[Unit], frozenset[str]]:
    """Return the statements that a file has since the change, and the values in them."""
    added = list(added_units(file))
    values = frozenset[str]().union(*(literals(unit.text) for unit in added))
    before = read_source(family_of(file.path) or "", _text(file.before))
    return added, values - literals(before.text)


def _variants(
    commits: Commits, near: Sequence[CommitFile], spoken: Spoken | None
) -> Iterator[dict[str, bytes]]:
    sources: dict[str, bytes] = {}
    left = _BYTES
    for file, source in commits.read(near):
        left -= file.size
        if left >= 0 and PurePosixPath(file.path).suffix in GRAMMARS:
            sources[file.path] = source
    values = {path: _values(path, source, spoken) for path, source in sources.items()}
    for step in _STEPS:
        made = {path: with_near_values(it, values[path], step) for path, it in sources.items()}
        yield {path: it for path, it in made.items() if it != sources[path]}


def _values(path: str, source: bytes, spoken: Spoken | None) -> list[Literal]:
    places = () if spoken is None else tuple(spoken.places(path, source))
    try:
        found = literals_of(path, source)
    except NoGraft:
        return []
    return [it for it in found if not any(start <= it.start < end for start, end in places)]


def _text(side: bytes | None) -> str:
    return (side or b"").decode(errors="replace")
