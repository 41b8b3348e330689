"""New tests of a change: those that it adds or alters, what they need, what they belong to."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.commits import Commits
from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.engine.ports.evidence import Half
from supervisor_ai.engine.ports.gates import ChangeCase, NewTests
from supervisor_ai.gates.change.differences import is_test_path, shown
from supervisor_ai.gates.change.planned_tasks import components_of
from supervisor_ai.gates.change.risks.sources import family_of, read_source
from supervisor_ai.gates.evidence.conventions import Conventions
from supervisor_ai.gates.integrity.analysis.table_reader import TableReader
from supervisor_ai.gates.integrity.change_sides import FileSides, changed_files
from supervisor_ai.gates.integrity.comparison.matches import pair
from supervisor_ai.gates.integrity.comparison.sides import CheckedTest, side_of
from supervisor_ai.gates.integrity.examine import Languages
from supervisor_ai.gates.integrity.model import TestFile

_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_PLAIN_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN: Final = frozenset({"__init__", "index", "main", "mod", "lib"})
"""Names of files that say nothing; the folder does."""
_WHOLE: Final = "the change"
_IMPORT: Final = re.compile(r"^[ \t]*(?:import|from|use|require|using|include)\b.*$", re.MULTILINE)


def new_tests(case: ChangeCase, commits: Commits, languages: Sequence[TableReader]) -> NewTests:
    """Find the tests that a change adds or alters, and the files that they need."""
    reader = Languages(languages)
    changed = changed_files(commits, case.base, case.head, is_first=reader.is_test)
    halves = Conventions(
        HarnessRules(),
        [file.path for file in changed.files if file.before is not None],
        [file.path for file in changed.files if file.after is not None],
    )
    is_harness = {file.path: halves.of(file.path).half == Half.HARNESS for file in changed.files}
    files = [file for file in changed.files if is_harness[file.path] or reader.is_test(file.path)]
    others = [file for file in changed.files if file not in files]
    every = _names(files, reader)
    names = _of_own(case, every, commits, reader)
    foreign = {file for file, _ in every} - {file for file, _ in names}
    return NewTests(
        contents={file.path: file.after for file in files if file.path not in foreign},
        names=names,
        components=_components(
            case, [file for file in changed.files if reader.is_code(file.path)], names
        ),
        added_files=tuple(file.path for file in others if file.before is None),
        added_words=_words(others, is_after=True) - _words(others, is_after=False),
    )


def _of_own(
    case: ChangeCase, names: Sequence[tuple[str, str]], commits: Commits, reader: Languages
) -> tuple[tuple[str, str], ...]:
    """Keep the tests that the named parts of the change have added or altered."""
    paths, own = {file for file, _ in names}, set[tuple[str, str]]()
    for start, end in case.own:
        changed = changed_files(commits, start, end, is_first=reader.is_test).files
        own.update(_names([file for file in changed if file.path in paths], reader))
    return tuple(name for name in names if name in own or not case.own)


def _components(
    case: ChangeCase, files: Sequence[FileSides], names: Sequence[tuple[str, str]]
) -> tuple[tuple[str, int], ...]:
    if not files:
        return ()
    texts = {file.path: (file.after or b"").decode("utf-8", "replace") for file in files}
    return tests_of_components(
        case.plans, [NewTest(file=file, text=texts[file]) for file, _ in names]
    )


def _words(files: Sequence[FileSides], *, is_after: bool) -> frozenset[str]:
    """Collect the words of code; what is only imported is nobody's own."""
    found: set[str] = set()
    for file in files:
        contents, family = file.after if is_after else file.before, family_of(file.path)
        if contents is not None and family is not None:
            code = read_source(family, contents.decode("utf-8", "replace")).code
            found.update(_WORD.findall(_IMPORT.sub("", code)))
    return frozenset(found)


def _names(files: Sequence[FileSides], reader: Languages) -> tuple[tuple[str, str], ...]:
    before = side_of(_read(reader, [(file.path, file.before) for file in files]), is_head=False)
    after = side_of(_read(reader, [(file.path, file.after) for file in files]), is_head=True)
    pairing = pair(before.tests, after.tests)
    same = {id(new) for old, new in pairing.pairs if _is_same(old, new)}
    changed = [test for test in after.tests if id(test) not in same and not test.is_skipped]
    return tuple((test.file, test.test.name) for test in changed)


def _read(reader: Languages, sources: Sequence[tuple[str, bytes | None]]) -> list[TestFile]:
    read = (reader.read(path, source) for path, source in sources)
    return [file for file in read if isinstance(file, TestFile)]


def _is_same(old: CheckedTest, new: CheckedTest) -> bool:
    """Tell whether a test says what it said before, wherever it stands now."""
    then = [check.assertion.text for check in old.checks]
    now = [check.assertion.text for check in new.checks]
    return old.test.body == new.test.body and then == now and old.is_skipped == new.is_skipped


class NewTest(Struct, frozen=True, kw_only=True):
    """A test that a change adds or alters, and the text of its file."""

    file: str
    text: str


def tests_of_components(
    plans: Sequence[str], tests: Sequence[NewTest]
) -> tuple[tuple[str, int], ...]:
    """Count the tests of each component; without components, those of the whole change."""
    components = components_of(plans)
    if not components:
        return ((_WHOLE, len(tests)),)
    words = {test.file: frozenset(map(str.lower, _PLAIN_WORD.findall(test.text))) for test in tests}
    return tuple(
        (_name(part), sum(_belongs(test, part, words[test.file]) for test in tests))
        for part in components
    )


def _name(part: Mapping[str, object]) -> str:
    return shown(str(part.get("title") or part.get("id") or "a component"))


def _belongs(test: NewTest, part: Mapping[str, object], words: frozenset[str]) -> bool:
    """Tell whether a test is one of the component's own files, or speaks of one of them.

    A component whose files nobody names may have any test.
    """
    files = [file for file in _files(part) if file]
    stems = {_stem(file) for file in files if not is_test_path(file)}
    return test.file in files or not stems or not stems.isdisjoint(words)


def _files(part: Mapping[str, object]) -> Iterator[str]:
    files = part.get("files")
    return (str(file) for file in (files if isinstance(files, list) else ())[:200])


def _stem(file: str) -> str:
    pure = PurePosixPath(file)
    return (pure.parent.name if pure.stem in _PLAIN else pure.stem).lower()
