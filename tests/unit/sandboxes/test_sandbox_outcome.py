import errno
import os
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import InvalidInput, Unavailable
from supervisor_ai.domain.run.definition import GIB, MIB, ResourceLimits
from supervisor_ai.domain.run.spending.prices import CostCap, Price
from supervisor_ai.domain.run.values import Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Egress, Mount, Profile, SandboxEnd, SandboxSpec
from supervisor_ai.sandboxes.outcome import (
    check_words,
    command_missing,
    describe,
    ended,
    limit_exceeded,
    sandbox_failed,
)

LIMITS = ResourceLimits(
    memory=3 * GIB // 2,
    cpus=1,
    processes=64,
    file_size=10 * MIB,
    disk=2 * GIB,
    disk_files=1000,
    idle_timeout=timedelta(seconds=90),
)


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
        limits=LIMITS,
        egress=Egress(on_refusal=print, tokens=500),
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
            SandboxEnd.IDLE,
            None,
            "The command was killed after 90 s without a word;"
            " `sandbox.limits.executor.idle_timeout` allows more.",
        ),
        (
            SandboxEnd.CUT_OFF,
            None,
            "The command was cut off when it had spent the 500 tokens that were reserved for it.",
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


def capped(limit: str) -> SandboxSpec:
    price = Price(
        input=Decimal(3), output=Decimal(15), cache_read=Decimal(0), cache_write=Decimal(0)
    )
    cap = CostCap(limit=Decimal(limit), price=price)
    return replace(spec("true"), egress=Egress(on_refusal=print, tokens=500, cost_cap=cap))


@pytest.mark.parametrize(
    ("limit", "tokens_out", "words"),
    [
        ("0.0150", 1001, "$0.015015 of the $0.015"),
        ("2", 200_000, "$3 of the $2"),
        ("0", 0, "$0 of the $0"),
        ("100", 200_000, "the 500 tokens"),
    ],
)
def test_who_was_cut_off_hears_what_ran_out(limit: str, tokens_out: int, words: str) -> None:
    result = ended(SandboxEnd.CUT_OFF, capped(limit), None, usage=Usage(tokens_out=tokens_out))
    assert result.reason == (
        f"The command was cut off when it had spent {words} that were reserved for it."
    )


def test_a_killed_command_has_no_exit_code_even_if_one_was_reported() -> None:
    assert ended(SandboxEnd.TIMED_OUT, spec("true"), 137).exit_code is None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("memory", "memory limit of 1.5 GiB; `sandbox.limits.executor.memory` raises it"),
        ("processes", "processes limit of 64 processes; `sandbox.limits.executor.processes`"),
        ("file_size", "file size limit of 10 MiB; `sandbox.limits.executor.file_size`"),
        ("disk", "disk limit of 2 GiB; `sandbox.limits.executor.disk`"),
        ("disk_files", "disk limit of 1000 files; `sandbox.limits.executor.disk_files`"),
        ("free space", "was killed when the disk of its workspace was nearly full"),
    ],
)
def test_a_limit_is_named_with_its_value_and_its_setting(name: str, said: str) -> None:
    result = limit_exceeded(spec("true"), name)
    assert (result.end, result.exit_code) == (SandboxEnd.LIMIT_EXCEEDED, None)
    assert said in result.reason


def test_a_small_limit_is_told_in_full() -> None:
    small = replace(spec("true"), limits=replace(LIMITS, memory=2048, disk=17))
    assert "limit of 2 KiB" in limit_exceeded(small, "memory").reason
    assert "limit of 17 bytes" in limit_exceeded(small, "disk").reason


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


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN])
def test_what_the_machine_lacks_says_nothing_about_the_sandbox(code: int) -> None:
    with pytest.raises(Unavailable, match="The machine lacks something") as error:
        sandbox_failed(describe(OSError(code, os.strerror(code), "/dev/null")))
    assert "go on with the run" in (error.value.hint or "")


def test_a_path_that_a_worker_named_like_a_lack_is_a_result() -> None:
    lack = os.strerror(errno.ENOSPC)
    for said in (
        f"bwrap: Can't mkdir /w/{lack}/x: Not a directory",
        describe(NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), f"/w/{lack}")),
    ):
        assert sandbox_failed(said).end is SandboxEnd.SANDBOX_FAILED


def test_a_sandbox_that_does_not_work_is_a_result() -> None:
    failed = sandbox_failed(describe(PermissionError(errno.EPERM, os.strerror(errno.EPERM))))
    assert failed.end is SandboxEnd.SANDBOX_FAILED
