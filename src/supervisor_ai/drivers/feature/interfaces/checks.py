"""Who validates interfaces: the real tool where it is installed, else a parser, else nobody."""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.drivers.feature.plan.model import InterfaceKind

_USAGE: Final = 126
"""From here on an exit code tells of a shell that found no command, or of a signal."""


class CheckScope(StrEnum):
    """What a check looks at."""

    INTERFACES = "interfaces"
    """The files of the interfaces alone."""
    PROJECT = "project"
    """All files of the project, as its own settings say."""


class InterfaceCheck(Struct, frozen=True, kw_only=True):
    """What came of looking at the interfaces of one kind."""

    kind: InterfaceKind
    by: str
    """The tool or parser; nothing: they are not validated."""
    verdict: Verdict
    scope: CheckScope = CheckScope.INTERFACES
    command: tuple[str, ...] = ()
    """What was run, where a tool is installed."""
    reason: str = ""
    report: ArtifactHash | None = None
    """What it printed, or what a parser said."""


class Tool(NamedTuple):
    """A program that checks interfaces of one kind."""

    name: str
    words: tuple[str, ...]
    """What comes before the files."""
    finding: str
    """What it prints about files that do not hold; exit codes differ between its versions."""
    older: tuple[str, ...] = ()
    """The same, for versions that do not know one of the words."""
    programs: tuple[str, ...] = ()
    """Where it may be, in this order; nothing: it is called by its name."""
    settings: tuple[str, ...] = ()
    """The files of a project that has settings for it."""
    on_project: tuple[str, ...] = ()
    """What it is called with for a whole project."""

    @property
    def places(self) -> tuple[str, ...]:
        """Name the programs to be tried."""
        return self.programs or (self.name,)


TOOLS: Final[Mapping[InterfaceKind, Tool]] = {
    InterfaceKind.TYPESCRIPT: Tool(
        "tsc",
        # Newer ones refuse files beside the settings of a project, older ones know no such word.
        ("--noEmit", "--pretty", "false", "--ignoreConfig"),
        # TS5xxx, TS6xxx and TS18003 are about its words and settings, but for unused names.
        r"error TS(?![56]\d{3}\b|18003\b)\d+|[jt]sx?\([\d,]+\): error TS6\d{3}\b",
        older=("--noEmit", "--pretty", "false"),
        programs=("node_modules/.bin/tsc", "tsc"),
        settings=("tsconfig.json",),
        on_project=("--noEmit", "--pretty", "false", "--project", "tsconfig.json"),
    ),
    InterfaceKind.PYTHON: Tool(
        "mypy",
        ("--cache-dir=/dev/null",),
        r"^[^\n]+?:\d+(?::\d+)*: error: (?!INTERNAL ERROR)",
        settings=("mypy.ini", ".mypy.ini"),
        on_project=("--cache-dir=/dev/null", "."),
    ),
    InterfaceKind.PROTOBUF: Tool(
        "protoc",
        ("--proto_path=proto", "--descriptor_set_out=/dev/null"),
        r"^[^\n]+?\.proto:(?:\d+:\d+:)? (?!warning:)",
    ),
    InterfaceKind.JSON_SCHEMA: Tool(
        "check-jsonschema", ("--check-metaschema",), r"validation errors were|(?i:failed to parse)"
    ),
    InterfaceKind.OPENAPI: Tool("openapi-spec-validator", (), r"Validation ?Error"),
}
"""The tool of each kind that has one; a dialect of SQL belongs to a server, so SQL has none."""


def on_files(tool: Tool, program: str, files: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Make the commands that look at the files of interfaces; the first that works is taken."""
    yield (program, *tool.words, *files)
    if tool.older:
        yield (program, *tool.older, *files)


def on_project(tool: Tool, program: str, present: Sequence[str]) -> tuple[str, ...]:
    """Make the command that looks at a whole project; nothing where it has no settings for it."""
    has_settings = any(it in present for it in tool.settings)
    return (program, *tool.on_project) if has_settings else ()


def settings_files() -> tuple[str, ...]:
    """Name the files that say that a project is checked as a whole."""
    return tuple(dict.fromkeys(file for tool in TOOLS.values() for file in tool.settings))


def own_programs() -> tuple[str, ...]:
    """Name the tools that a project's own set-up may have put among its files."""
    return tuple(it for tool in TOOLS.values() for it in tool.programs if "/" in it)


def is_end(exit_code: int | None) -> bool:
    """Tell whether a tool came to an end of its own."""
    return exit_code is not None and exit_code < _USAGE


def verdict_of(tool: Tool, exit_code: int | None, printed: str, *, has_worked: bool) -> Verdict:
    """Judge a tool by what it printed; one that a change keeps from working speaks against it."""
    if re.search(tool.finding, printed, re.MULTILINE):
        return Verdict.FAILED
    if exit_code == 0:
        return Verdict.PASSED
    return Verdict.FAILED if has_worked and is_end(exit_code) else Verdict.NOT_RUN


def failed_checks(checks: Sequence[InterfaceCheck]) -> tuple[InterfaceCheck, ...]:
    """Return those that found something wrong."""
    return tuple(it for it in checks if it.verdict is Verdict.FAILED)


def idle_checks(checks: Sequence[InterfaceCheck]) -> tuple[InterfaceCheck, ...]:
    """Return those by tools that are installed and did not work this time."""
    return tuple(it for it in checks if it.command and it.verdict is Verdict.NOT_RUN)


def repeated(known: Sequence[InterfaceCheck], kind: InterfaceKind) -> Iterator[InterfaceCheck]:
    """Return the checks by tools that worked when the interfaces were locked."""
    for check in known:
        if check.kind is kind and check.command and check.verdict is Verdict.PASSED:
            yield check


def told(checks: Sequence[InterfaceCheck]) -> str:
    """Say in a line who validated what."""
    words = dict.fromkeys(f"{it.kind.value} {_by(it)}" for it in checks)
    return ", ".join(words)


def _by(check: InterfaceCheck) -> str:
    if not check.by:
        return "not validated"
    whole = " (whole project)" if check.scope is CheckScope.PROJECT else ""
    return f"{check.verdict.value} by {check.by}{whole}"
