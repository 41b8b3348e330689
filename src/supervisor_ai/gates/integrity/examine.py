"""Looks at what a change does to the tests, and to what decides how they are run."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.commits import CommitFile, Commits
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.gates import Area, Finding, Severity
from supervisor_ai.engine.ports.gates import ChangeCase, Examination
from supervisor_ai.gates.change.differences import is_test_path
from supervisor_ai.gates.change_view import ChangeView
from supervisor_ai.gates.integrity.analysis.table_reader import TableReader
from supervisor_ai.gates.integrity.change_sides import (
    LARGEST,
    ChangedFiles,
    FileSides,
    changed_files,
)
from supervisor_ai.gates.integrity.comparison.compare import Compared, Comparison, compare
from supervisor_ai.gates.integrity.comparison.removed_names import defined_names, removed_names
from supervisor_ai.gates.integrity.comparison.twins import Twins
from supervisor_ai.gates.integrity.examples import lost_examples
from supervisor_ai.gates.integrity.languages.go.table import GO
from supervisor_ai.gates.integrity.languages.java.table import JAVA
from supervisor_ai.gates.integrity.languages.javascript.table import JAVASCRIPT
from supervisor_ai.gates.integrity.languages.python.table import PYTHON
from supervisor_ai.gates.integrity.languages.rust.table import RUST
from supervisor_ai.gates.integrity.languages.rust.targets import unbuilt_left_out
from supervisor_ai.gates.integrity.model import TestFile, Unreadable
from supervisor_ai.gates.integrity.protected_files.loosened import loosened_settings
from supervisor_ai.gates.integrity.protected_files.protected_changes import (
    is_protected,
    protected_changes,
)
from supervisor_ai.gates.integrity.tricks.answers import TestTexts, copied_answers
from supervisor_ai.gates.integrity.tricks.find import find_tricks
from supervisor_ai.tools.text import counted

_SAYING: Final = re.compile(
    r"(?:.*/)?(?:pyproject\.toml|setup\.cfg|tox\.ini|\.?pytest\.ini|Makefile|noxfile\.py|conftest\.py"
    r"|[^/]*doc_?tests?[^/]*\.py)|\.github/workflows/[^/]+"
)
_DATA: Final = re.compile(r"\.(?:txt|csv|tsv|json|ya?ml|toml|snap|golden|out|expected|want)$")
_DATA_BYTES: Final = 16 * 1024
_SHARED_FILES: Final = 500
_SHARED_BYTES: Final = 8 * 1024 * 1024


class Languages(Struct, frozen=True):
    """All languages whose tests can be read, as one."""

    all: Sequence[TableReader]

    def is_code(self, path: str) -> bool:
        """Tell whether a file is written in one of the languages."""
        return any(PurePosixPath(path).suffix in each.suffixes for each in self.all)

    def defined_names(self, path: str, source: bytes) -> frozenset[str]:
        """Find the names that a file defines."""
        suffix = PurePosixPath(path).suffix
        method = next((each.method for each in self.all if suffix in each.suffixes), None)
        return defined_names(source, method)

    def is_test(self, path: str, source: bytes = b"") -> bool:
        """Tell whether a file holds tests; without a source: by its path alone."""
        return any(language.is_test(path, source) for language in self.all)

    def read(self, path: str, source: bytes | None) -> TestFile | Unreadable | None:
        """Read a file's tests; None where it has none."""
        if source is None:
            return None
        for language in self.all:
            if language.is_test(path, source):
                return language.read(path, source)
        return None


def known_languages() -> Sequence[TableReader]:
    """Return the readers of all languages whose tests are understood."""
    return tuple(map(TableReader, (PYTHON, JAVASCRIPT, GO, RUST, JAVA)))


def look_at_tests(view: ChangeView) -> Examination:
    """Find what makes the tests say less than before, in all languages that are known."""
    return examine_tests(view.case, view.commits, known_languages())


def examine_tests(
    case: ChangeCase, commits: Commits, languages: Sequence[TableReader]
) -> Examination:
    """Find what makes the tests say less than before."""
    reader = Languages(languages)
    changed = changed_files(
        commits,
        case.base,
        case.head,
        is_first=lambda path: reader.is_test(path) or is_protected(path),
    )
    before = _built(
        commits, case.base, _read(reader, ((file.path, file.before) for file in changed.files))
    )
    after = _built(
        commits, case.head, _read(reader, ((file.path, file.after) for file in changed.files))
    )
    shared = _shared(case, commits, reader, (before, after), changed)
    gone = _gone(changed, reader)
    compared = compare(
        Comparison(
            before=before,
            after=after,
            shared_before=shared,
            shared_after=shared,
            gone=gone,
        )
    )
    findings = [
        *_not_looked_at(changed, reader),
        *_allowed(case, compared.findings),
        *protected_changes(changed.files, case.may_change),
        *lost_examples(changed.files, gone, lambda: _runs_examples(case, commits)),
        *loosened_settings(changed.files, case.may_change),
        *find_tricks(changed.files, reader.is_test),
        *copied_answers(changed.files, reader.is_test, _texts(case, commits, reader)),
    ]
    return Examination(findings=tuple(findings), summary=_summary(len(before), after, compared))


def _read(
    reader: Languages, sources: Iterable[tuple[str, bytes | None]]
) -> list[TestFile | Unreadable]:
    read = (reader.read(path, source) for path, source in sources)
    return [file for file in read if file is not None]


def _built(
    commits: Commits, commit: CommitSha, files: list[TestFile | Unreadable]
) -> list[TestFile | Unreadable]:
    """Leave out the tests that no target of cargo holds."""
    if not any(file.path.endswith(".rs") for file in files):
        return files
    there = commits.list(commit)
    chosen = [it for it in there if it.path.endswith("Cargo.toml") and it.size <= LARGEST]
    manifests = "".join(text.decode(errors="replace") for _, text in commits.read(chosen[:50]))
    return unbuilt_left_out(files, frozenset(it.path for it in there), manifests)


def _allowed(case: ChangeCase, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Leave out what the role may do without a word: expect other values."""
    is_free = Area.TESTS in case.may_change
    for found in findings:
        if not (is_free and found.rule == "expectation_changed"):
            yield found


def _not_looked_at(changed: ChangedFiles, reader: Languages) -> Iterator[Finding]:
    for path in changed.unread:
        if reader.is_test(path) or is_protected(path):
            message = f"{path!r} is too large to be looked at, or one of too many files."
            yield Finding(rule="unreadable_test", message=message, file=path)
    for file in changed.files:
        if file.is_retyped and _was_test(file, reader):
            message = f"{file.path!r} is no longer a plain file, or was none before."
            yield Finding(rule="test_file_retyped", message=message, file=file.path)


def _was_test(file: FileSides, reader: Languages) -> bool:
    return reader.is_test(file.path, file.before or file.after or b"")


def _gone(changed: ChangedFiles, reader: Languages) -> frozenset[str]:
    """Find what the product no longer defines; what is only for tests is no product."""
    product = [
        file
        for file in changed.files
        if reader.is_code(file.path) and not reader.is_test(file.path)
    ]
    before = [(file.path, file.before) for file in product if file.before is not None]
    after = [(file.path, file.after) for file in product if file.after is not None]
    return removed_names(before, after, reader.defined_names)


def _shared(
    case: ChangeCase,
    commits: Commits,
    reader: Languages,
    sides: tuple[Sequence[TestFile | Unreadable], Sequence[TestFile | Unreadable]],
    changed: ChangedFiles,
) -> list[TestFile]:
    """Read the unchanged files that define what the changed tests call, or say it once more."""
    before, after = sides
    names, twins = _unknown_calls([*before, *after]), Twins(before, after)
    touched = {file.path for file in changed.files} | set(changed.unread)
    if not names and not twins.wanted:
        return []
    found = []
    for file, source in commits.read(_candidates(commits.list(case.head), reader, touched)):
        is_wanted = names & reader.defined_names(file.path, source) or twins.may_be_in(source)
        read = reader.read(file.path, source) if is_wanted else None
        if isinstance(read, TestFile):
            found.append(read)
    return found


def _runs_examples(case: ChangeCase, commits: Commits) -> bool:
    """Tell whether a project says somewhere that the examples of its documentation are tests."""
    there = [it for it in commits.list(case.base) if _SAYING.fullmatch(it.path)]
    return any(b"doctest" in text for _, text in commits.read(there[:_SHARED_FILES]))


def _texts(case: ChangeCase, commits: Commits, reader: Languages) -> TestTexts:
    """Read the files of tests as they were before, and what they read."""

    def sources() -> Iterator[bytes]:
        chosen = _candidates(commits.list(case.base), reader, set())
        yield from (source for _, source in commits.read(chosen))

    def readings() -> Iterator[bytes]:
        there = (it for it in commits.list(case.base) if _DATA.search(it.path))
        chosen = [it for it in there if is_test_path(it.path) and it.size <= _DATA_BYTES]
        yield from (text for _, text in commits.read(chosen[:_SHARED_FILES]))

    return TestTexts(sources=sources, readings=readings)


def _unknown_calls(files: Iterable[TestFile | Unreadable]) -> set[str]:
    calls: set[str] = set()
    known: set[str] = set()
    for file in files:
        if isinstance(file, TestFile):
            for test in (*file.tests, *file.checkers):
                calls |= {call.rpartition(".")[2] for call in test.calls}
            known |= {checker.name.rpartition(".")[2] for checker in file.checkers}
    return {name for name in calls - known if name.isidentifier()}


def _candidates(
    files: Iterable[CommitFile], reader: Languages, touched: set[str]
) -> tuple[CommitFile, ...]:
    chosen: list[CommitFile] = []
    total = 0
    for file in files:
        if file.path not in touched and file.size <= LARGEST and reader.is_test(file.path):
            total += file.size
            if total > _SHARED_BYTES or len(chosen) >= _SHARED_FILES:
                break
            chosen.append(file)
    return tuple(chosen)


def _summary(before: int, after: Sequence[TestFile | Unreadable], compared: Compared) -> str:
    errors = sum(found.severity is Severity.ERROR for found in compared.findings)
    if not before and not after:
        return "The change touches no tests."
    files = counted(max(before, len(after)), "changed test file")
    was = counted(compared.tests_before, "test")
    return f"In {files}: {was} before, {compared.tests_after} after; losses: {errors}."
