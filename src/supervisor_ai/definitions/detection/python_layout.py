"""Where a Python project keeps its packages and its tests, and how these are written."""

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.control.ports.project_survey import ManifestEvidence
from supervisor_ai.definitions.detection.facts import TOP, Facts, ProjectFact
from supervisor_ai.definitions.detection.reader import BoundedReader

_MANIFESTS: Final = ("pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "requirements.txt")
_SOURCES: Final = ("src", "lib", "python")
"""Where packages are kept besides the top."""
REQUIREMENTS: Final = (
    *("requirements.txt", "requirements-dev.txt", "requirements-test.txt", "requirements_dev.txt"),
    *("dev-requirements.txt", "test-requirements.txt", "requirements-tests.txt"),
    *("requirements/test.txt", "requirements/tests.txt", "requirements/dev.txt"),
)
"""Where people list what their tests need."""
_TEST_FILE: Final = re.compile(r"(test_.*|.*_tests?|tests?)\.py")
_PYTEST: Final = re.compile(
    r"^(\s*import pytest|\s*from pytest\b|(async )?def test_|class Test\w*(\(object\))?:)",
    re.MULTILINE,
)
_UNITTEST: Final = re.compile(r"\bunittest\b")
_READ: Final = 20
"""So many files of tests tell how all of them are written."""


def python_facts(
    paths: Sequence[str], facts: Facts, reader: BoundedReader
) -> Iterator[ProjectFact]:
    """Find `layout:NAME`, `tests:pytest` and `tests:plain`, each for its own project."""
    found = (fact for name in _MANIFESTS for fact in facts.named(f"file:{name}"))
    homes = {fact.directory for fact in found} or {TOP}
    yield from _layouts(paths, homes)
    there = frozenset(paths)
    for home in homes:
        for name in REQUIREMENTS:
            if str(PurePosixPath(home, name)) in there:
                yield _fact(f"requirements:{name}", str(PurePosixPath(home, name)), home)
    for home, tests in _tests(paths, homes).items():
        yield from _kinds(home, tests, reader)


def _home(path: PurePosixPath, homes: set[str]) -> str | None:
    return next((str(above) for above in path.parents if str(above) in homes), None)


def _layouts(paths: Sequence[str], homes: set[str]) -> Iterator[ProjectFact]:
    seen: set[tuple[str, str]] = set()
    for path in map(PurePosixPath, paths):
        home = _home(path, homes)
        if path.suffix != ".py" or home is None:
            continue
        inside = path.relative_to(home).parts
        is_package = len(inside) == 3 and inside[2] == "__init__.py"  # noqa: PLR2004 - src/NAME/__init__.py
        is_module = len(inside) == 2 and inside[1] != "__init__.py"  # noqa: PLR2004 - src/NAME.py
        if inside[0] in _SOURCES and (is_package or is_module) and (home, inside[0]) not in seen:
            seen.add((home, inside[0]))
            yield _fact(f"layout:{inside[0]}", str(path), home)


def _tests(paths: Sequence[str], homes: set[str]) -> dict[str, list[str]]:
    tests: dict[str, list[str]] = {}
    for path in map(PurePosixPath, paths):
        home = _home(path, homes)
        is_test = _TEST_FILE.fullmatch(path.name) or path.name == "conftest.py"
        if is_test and home is not None:
            tests.setdefault(home, []).append(str(path))
    return tests


def _kinds(home: str, tests: list[str], reader: BoundedReader) -> Iterator[ProjectFact]:
    texts = {path: reader.text(path) or "" for path in tests[:_READ]}
    by_pytest = [it for it in texts if it.endswith("conftest.py") or _PYTEST.search(texts[it])]
    plain = [path for path in texts if _UNITTEST.search(texts[path])]
    if by_pytest:
        yield _fact("tests:pytest", by_pytest[0], home)
    elif plain:
        yield _fact("tests:plain", plain[0], home)


def unittest_words(home: str, test: str, has_file: Collection[str]) -> tuple[str, ...]:
    """Write how the standard library finds the tests of a project, from one of their files."""
    inside = PurePosixPath(test).relative_to(home).parts
    pattern = () if inside[-1].startswith("test") else ("-p", "*_test*.py")
    if len(inside) == 1:
        return ("discover", *pattern) if pattern else ()
    is_package = str(PurePosixPath(home, inside[0], "__init__.py")) in has_file
    top = ("-t", ".") if is_package else ()
    return ("discover", "-s", inside[0], *top, *pattern)


def source_directories(facts: Facts) -> tuple[str, ...]:
    """Name where packages are imported from, in a directory's own facts: the top comes last."""
    found = (name for name in _SOURCES if facts.evidence([f"layout:{name}"]) is not None)
    return (*found, TOP)


def _fact(name: str, file: str, home: str) -> ProjectFact:
    return ProjectFact(name=name, evidence=ManifestEvidence(file=file), place=home)
