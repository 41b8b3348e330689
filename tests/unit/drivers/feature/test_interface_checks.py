"""Who validates which kind of interface, and what the words of a tool mean."""

import pytest

from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.drivers.feature.interfaces.checks import (
    TOOLS,
    CheckScope,
    InterfaceCheck,
    failed_checks,
    idle_checks,
    on_files,
    on_project,
    own_programs,
    repeated,
    settings_files,
    told,
    verdict_of,
)
from supervisor_ai.drivers.feature.plan.model import InterfaceKind

K = InterfaceKind
TSC = ("tsc", "--noEmit", "--pretty", "false")


def check(
    verdict: Verdict = Verdict.PASSED,
    *,
    kind: InterfaceKind = K.TYPESCRIPT,
    by: str = "tsc",
    command: tuple[str, ...] = ("tsc",),
    scope: CheckScope = CheckScope.INTERFACES,
) -> InterfaceCheck:
    return InterfaceCheck(kind=kind, by=by, verdict=verdict, command=command, scope=scope)


@pytest.mark.parametrize(
    ("kind", "files", "command"),
    [
        (K.TYPESCRIPT, ["a.d.ts"], (*TSC, "--ignoreConfig", "a.d.ts")),
        (K.PYTHON, ["a.pyi", "b.pyi"], ("mypy", "--cache-dir=/dev/null", "a.pyi", "b.pyi")),
        (
            K.PROTOBUF,
            ["proto/a.proto"],
            ("protoc", "--proto_path=proto", "--descriptor_set_out=/dev/null", "proto/a.proto"),
        ),
        (K.JSON_SCHEMA, ["a"], ("check-jsonschema", "--check-metaschema", "a")),
        (K.OPENAPI, ["a"], ("openapi-spec-validator", "a")),
    ],
)
def test_each_tool_is_called_with_the_files_of_the_interfaces(
    kind: InterfaceKind, files: list[str], command: tuple[str, ...]
) -> None:
    first, *older = on_files(TOOLS[kind], TOOLS[kind].name, files)
    assert first == command
    assert older == ([(*TSC, *files)] if kind is K.TYPESCRIPT else [])


def test_a_project_is_looked_at_as_a_whole_only_where_it_has_settings_for_it() -> None:
    tsc = TOOLS[K.TYPESCRIPT]
    assert tsc.places == ("node_modules/.bin/tsc", "tsc")
    assert TOOLS[K.PROTOBUF].places == ("protoc",)
    assert on_project(tsc, "tsc", ["a.d.ts"]) == ()
    whole = on_project(tsc, "tsc", ["tsconfig.json"])
    assert whole == (*TSC, "--project", "tsconfig.json")
    assert settings_files() == ("tsconfig.json", "mypy.ini", ".mypy.ini")
    assert own_programs() == ("node_modules/.bin/tsc",)


@pytest.mark.parametrize(
    ("kind", "printed"),
    [
        (K.TYPESCRIPT, "a.ts(2,16): error TS2322: Type 'number' is not assignable."),
        (K.TYPESCRIPT, "a.ts(1,7): error TS6133: 'a' is declared but its value is never read."),
        (K.TYPESCRIPT, "error TS2318: Cannot find global type 'Array'."),
        (K.PYTHON, "a.py:1: error: Expected an expression  [syntax]"),
        (K.PYTHON, "src/a.py:1:5: error: Incompatible types  [assignment]"),
        (K.PROTOBUF, 'proto/a.proto:1:30: "Money" is not defined.'),
        (K.PROTOBUF, 'proto/a.proto: Import "b.proto" was not found or had errors.'),
        (K.JSON_SCHEMA, "Schema validation errors were encountered.\n  a.json::$.type: 'x' ..."),
        (K.OPENAPI, "api/a.yaml: Validation Error: 'version' is a required property"),
    ],
)
def test_what_a_tool_prints_about_files_is_found_whatever_its_exit_code(
    kind: InterfaceKind, printed: str
) -> None:
    for code in (0, 1, 2, None):
        found = verdict_of(TOOLS[kind], code, f"Looking.\n{printed}\n", has_worked=False)
        assert found is Verdict.FAILED


@pytest.mark.parametrize(
    ("kind", "code", "printed", "then"),
    [
        (K.TYPESCRIPT, 1, "error TS5023: Unknown compiler option '--x'.", Verdict.FAILED),
        (K.TYPESCRIPT, 1, "tsconfig.json(1,4): error TS5023: Unknown 'x'.", Verdict.FAILED),
        (K.TYPESCRIPT, 1, "error TS6053: File 'a.ts' not found.", Verdict.FAILED),
        (K.TYPESCRIPT, 2, "error TS18003: No inputs were found.", Verdict.FAILED),
        (K.TYPESCRIPT, 134, "FATAL ERROR: out of memory", Verdict.NOT_RUN),
        (K.PYTHON, 2, "mypy: error: unrecognized arguments: --x", Verdict.FAILED),
        (K.PYTHON, 2, "a.py:1: error: INTERNAL ERROR -- Please report", Verdict.FAILED),
        (K.PYTHON, 127, "", Verdict.NOT_RUN),
        (K.PYTHON, None, "", Verdict.NOT_RUN),
        (K.PROTOBUF, 1, "a.proto:2:1: warning: Import is unused.", Verdict.FAILED),
        (K.OPENAPI, 2, "api/a.yaml: Error: no such file", Verdict.FAILED),
    ],
)
def test_faults_of_a_tool_are_no_finding_and_only_a_change_is_blamed_for_them(
    kind: InterfaceKind, code: int | None, printed: str, then: Verdict
) -> None:
    assert verdict_of(TOOLS[kind], code, printed, has_worked=False) is Verdict.NOT_RUN
    assert verdict_of(TOOLS[kind], code, printed, has_worked=True) is then


def test_a_tool_that_finds_nothing_passes() -> None:
    printed = "proto/a.proto:2:1: warning: Import b.proto is unused."
    assert verdict_of(TOOLS[K.PROTOBUF], 0, printed, has_worked=False) is Verdict.PASSED


def test_only_tools_that_worked_when_the_interfaces_were_locked_are_asked_again() -> None:
    good, old = check(), check(Verdict.WARNED, scope=CheckScope.PROJECT)
    parsed = check(by="tree-sitter", command=())
    other = check(kind=K.PYTHON, by="mypy")
    assert list(repeated([good, old, parsed, other], K.TYPESCRIPT)) == [good]


def test_checks_are_told_apart_and_in_words() -> None:
    bad, idle = check(Verdict.FAILED), check(Verdict.NOT_RUN)
    nobody = check(Verdict.NOT_RUN, kind=K.SQL, by="", command=())
    whole = check(scope=CheckScope.PROJECT)
    assert failed_checks([check(), bad, idle]) == (bad,)
    assert idle_checks([check(), bad, idle, nobody]) == (idle,)
    assert told([check(), whole, nobody]) == (
        "typescript_interface passed by tsc, "
        "typescript_interface passed by tsc (whole project), sql not validated"
    )
