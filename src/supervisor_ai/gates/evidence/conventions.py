"""Tells by its path which half a file belongs to; what stands in it is asked elsewhere."""

import sys
from collections.abc import Collection
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.domain.run.gates import Area, HarnessRules
from supervisor_ai.engine.ports.evidence import Half, HalfOf
from supervisor_ai.gates.change.auto_run import harness_entry
from supervisor_ai.gates.change.differences import is_test_path
from supervisor_ai.gates.change.path_patterns import fits
from supervisor_ai.gates.evidence.table import table
from supervisor_ai.gates.integrity.examine import known_languages
from supervisor_ai.gates.integrity.protected_files.tables import RULES, SCRIPTED, WHOLE

_BY_OWN_TABLE: Final = ".rs"
"""A name that merely has `test` in it, as `latest.rs` has, says nothing about a file of Rust."""
_OF_THE_PRODUCT: Final = frozenset({".py", ".go", ".rs", ".java"})
"""In these languages `spec` is a folder like any other."""
_ROOTS: Final = ("", "src/", "lib/", "python/")
"""Where Python looks for modules before it looks for those of its own, or of a runner."""
_TESTERS: Final = frozenset(
    {"pytest", "_pytest", "py", "pluggy", "iniconfig", "nose", "nose2", "tox", "nox", "mock"}
    | {"hypothesis", "coverage", "xdist", "testtools", "testify", "behave", "robot", "trial"}
    | {"pytest_asyncio", "pytest_cov", "pytest_mock", "pytest_timeout", "pytest_xdist", "ward"}
)
_PLAIN: Final = frozenset({"test", "tests", "site"})
"""Names of modules of Python that a project gives to folders of its own."""


class Conventions:
    """What a project and everybody else says about a path."""

    def __init__(self, rules: HarnessRules, base: Collection[str], head: Collection[str]) -> None:
        self._rules = rules
        self._base = base
        self._head = head
        languages = known_languages()
        self._languages = {suffix: each for each in languages for suffix in each.suffixes}

    def of(self, path: str) -> HalfOf:
        """Return the half of a path, and who says so."""
        half, why = self._configured(path) or self._shadowing(path) or self._usual(path)
        return HalfOf(path=path, half=half, why=why)

    def is_configured(self, path: str) -> bool:
        """Tell whether the project itself says to which half a path belongs."""
        return self._configured(path) is not None

    def _configured(self, path: str) -> tuple[Half, str] | None:
        for half, patterns in (
            (Half.PRODUCT, self._rules.product),
            (Half.HARNESS, self._rules.harness),
        ):
            found = next((each for each in patterns if fits(path, each)), None)
            if found is not None:
                return half, f"the project says so: {half.value} {found!r}"
        return None

    def _shadowing(self, path: str) -> tuple[Half, str] | None:
        """Find a new module that is taken for one of Python's own, or of a runner's."""
        root = next(each for each in reversed(_ROOTS) if path.startswith(each))
        name = path[len(root) :].partition("/")[0].removesuffix(".py")
        if name in _PLAIN or not (name in _TESTERS or name in sys.stdlib_module_names):
            return None
        module, package = f"{root}{name}.py", f"{root}{name}/__init__.py"
        is_there = path == module or package in self._head
        if not is_there or module in self._base or package in self._base:
            return None
        return Half.HARNESS, f"Python would take it for its own module {name!r}"

    def _usual(self, path: str) -> tuple[Half, str]:
        row = table().find(path)
        if row is not None:
            return row.half, row.why
        return (
            self._of_language(path)
            or _of_protected(path)
            or _of_auto_run(path)
            or (Half.PRODUCT, "no convention or rule calls it part of the harness")
        )

    def _of_language(self, path: str) -> tuple[Half, str] | None:
        suffix = PurePosixPath(path).suffix
        language = self._languages.get(suffix)
        if language is not None and suffix != _BY_OWN_TABLE and language.is_test(path, b""):
            return Half.HARNESS, "its language keeps tests in files of this name"
        if suffix not in _OF_THE_PRODUCT and is_test_path(path):
            return Half.HARNESS, "tests stand in files of this name"
        return None


def _of_protected(path: str) -> tuple[Half, str] | None:
    area = next((area for area, pattern in WHOLE if pattern.fullmatch(path)), None)
    if area is None and SCRIPTED.fullmatch(path):
        area = Area.COVERAGE
    return None if area is None else (Half.HARNESS, f"it decides {RULES[area][1]}")


def _of_auto_run(path: str) -> tuple[Half, str] | None:
    entry = harness_entry(path)
    return None if entry is None else (Half.HARNESS, entry.reason)
