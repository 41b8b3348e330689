from datetime import timedelta
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.engine.ports.sandbox import Mount, Profile, SandboxEnd, SandboxSpec
from supervisor_ai.sandboxes.outcome import check_words, command_missing, describe, ended


def spec(*argv: str, cwd: str = "/work", variable: str = "x", target: str = "/work") -> SandboxSpec:
    return SandboxSpec(
        label="run-1/test",
        profile=Profile.EXECUTOR,
        argv=argv,
        cwd=Path(cwd),
        mounts=(Mount(source=Path("/work"), target=Path(target)),),
        timeout=timedelta(seconds=1.5),
        output_bytes=7,
        environment={"VARIABLE": variable},
    )


@pytest.mark.parametrize(
    ("end", "code", "reason"),
    [
        (SandboxEnd.EXITED, 0, "The command ended with exit code 0."),
        (SandboxEnd.EXITED, 1, "The command ended with exit code 1."),
        (SandboxEnd.EXITED, 139, "The command ended with exit code 139 (SIGSEGV)."),
        (SandboxEnd.EXITED, 255, "The command ended with exit code 255."),
        (
            SandboxEnd.TIMED_OUT,
            None,
            "The command was killed after 1.5 s, all the time that it had.",
        ),
        (
            SandboxEnd.OUTPUT_CAPPED,
            None,
            "The command was killed when it had written more than 7 bytes.",
        ),
    ],
)
def test_every_end_has_its_sentence(end: SandboxEnd, code: int | None, reason: str) -> None:
    result = ended(end, spec("true"), code)
    assert (result.end, result.exit_code, result.reason) == (end, code, reason)


def test_a_killed_command_has_no_exit_code_even_if_one_was_reported() -> None:
    assert ended(SandboxEnd.TIMED_OUT, spec("true"), 137).exit_code is None


def test_a_missing_command_is_named() -> None:
    result = command_missing(spec("pytest", "-q"), "No such file or directory", " Do this.")
    assert result.reason == (
        "The command 'pytest' cannot be started: No such file or directory. Do this."
    )


def test_an_error_of_the_system_is_told_without_its_number() -> None:
    assert describe(FileNotFoundError(2, "No such file", "/x")) == "No such file: '/x'"
    assert describe(OSError(24, "Too many open files")) == "Too many open files"


@pytest.mark.parametrize(
    "bad",
    [
        spec(),
        spec("a\0b"),
        spec("\ud800"),
        spec("a", cwd="/a\0b"),
        spec("a", variable="x\0--bind"),
        spec("a", target="/a\0b"),
    ],
)
def test_words_that_are_no_c_strings_are_refused(bad: SandboxSpec) -> None:
    with pytest.raises(InvalidInput, match="'run-1/test'"):
        check_words(bad)


def test_odd_but_possible_words_pass() -> None:
    check_words(spec("-x", "", "\udcff", "ä\n"))
