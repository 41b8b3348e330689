"""Which of the new tests belong to which component of the plan."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.gates.changed_files import is_test_path, shown
from supervisor_ai.gates.planned_tasks import components_of

_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN: Final = frozenset({"__init__", "index", "main", "mod", "lib"})
"""Names of files that say nothing; the folder does."""
_WHOLE: Final = "the change"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTest:
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
    words = {test.file: frozenset(map(str.lower, _WORD.findall(test.text))) for test in tests}
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
