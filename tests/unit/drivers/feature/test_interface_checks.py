"""Who validates which kind of interface, and what an exit code means."""

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
        (K.TYPESCRIPT, ["a.d.ts"], ("tsc", "--noEmit", "--ignoreConfig", "a.d.ts")),
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
    assert older == ([("tsc", "--noEmit", *files)] if kind is K.TYPESCRIPT else [])


def test_a_project_is_looked_at_as_a_whole_only_where_it_has_settings_for_it() -> None:
    tsc = TOOLS[K.TYPESCRIPT]
    assert tsc.places == ("node_modules/.bin/tsc", "tsc")
    assert TOOLS[K.PROTOBUF].places == ("protoc",)
    assert on_project(tsc, "tsc", ["a.d.ts"]) == ()
    whole = on_project(tsc, "tsc", ["tsconfig.json"])
    assert whole == ("tsc", "--noEmit", "--project", "tsconfig.json")
    assert settings_files() == ("tsconfig.json", "mypy.ini", ".mypy.ini")
    assert own_programs() == ("node_modules/.bin/tsc",)


@pytest.mark.parametrize(
    ("kind", "code", "verdict"),
    [
        (K.TYPESCRIPT, 0, Verdict.PASSED),
        (K.TYPESCRIPT, 2, Verdict.FAILED),
        (K.PYTHON, 1, Verdict.FAILED),
        (K.PYTHON, 2, Verdict.NOT_RUN),
        (K.PYTHON, 127, Verdict.NOT_RUN),
        (K.PYTHON, None, Verdict.NOT_RUN),
    ],
)
def test_a_tool_that_did_not_work_has_found_nothing(
    kind: InterfaceKind, code: int | None, verdict: Verdict
) -> None:
    assert verdict_of(TOOLS[kind], code) is verdict


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
