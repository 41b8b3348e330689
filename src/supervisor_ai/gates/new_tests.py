"""The tests that a change adds or alters, with all that they need to run on the old code."""

import re
from collections.abc import Sequence
from typing import Final

from supervisor_ai.engine.ports.commits import Commits
from supervisor_ai.engine.ports.gates import ChangeCase, NewTests
from supervisor_ai.gates.integrity.both_sides import ChangedFile, changed_files
from supervisor_ai.gates.integrity.examine import Languages
from supervisor_ai.gates.integrity.matching import pair
from supervisor_ai.gates.integrity.model import Language, TestFile
from supervisor_ai.gates.integrity.sides import Checked, side_of

_SUPPORT: Final = re.compile(
    r"(?:.*/)?(?:tests?|__tests__|specs?|testdata|__snapshots__|__fixtures__|__mocks__)/.*"
    r"|(?:.*/)?conftest\.py|.*\.(?:snap|ambr|golden)"
)
"""What only tests use; a file whose tests stand beside its code is not among it."""


def new_tests(case: ChangeCase, commits: Commits, languages: Sequence[Language]) -> NewTests:
    """Find the tests that a change adds or alters, and the files that they need."""
    reader = Languages(languages)
    changed = changed_files(commits, case.base, case.head, is_first=reader.is_test)
    files = [
        file for file in changed.files if reader.is_test(file.path) or _SUPPORT.fullmatch(file.path)
    ]
    return NewTests(contents={file.path: file.after for file in files}, names=_names(files, reader))


def _names(files: Sequence[ChangedFile], reader: Languages) -> tuple[tuple[str, str], ...]:
    before = side_of(_read(reader, [(file.path, file.before) for file in files]), is_head=False)
    after = side_of(_read(reader, [(file.path, file.after) for file in files]), is_head=True)
    pairing = pair(before.tests, after.tests)
    same = {id(new) for old, new in pairing.pairs if _is_same(old, new)}
    changed = [test for test in after.tests if id(test) not in same and not test.is_skipped]
    return tuple((test.file, test.test.name) for test in changed)


def _read(reader: Languages, sources: Sequence[tuple[str, bytes | None]]) -> list[TestFile]:
    read = (reader.read(path, source) for path, source in sources)
    return [file for file in read if isinstance(file, TestFile)]


def _is_same(old: Checked, new: Checked) -> bool:
    """Tell whether a test says what it said before, wherever it stands now."""
    then = [check.assertion.text for check in old.checks]
    now = [check.assertion.text for check in new.checks]
    return old.test.body == new.test.body and then == now and old.is_skipped == new.is_skipped
