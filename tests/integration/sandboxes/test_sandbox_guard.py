"""Who keeps a command within its limits, and what ended it in the end."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.run.definition import EXECUTOR_LIMITS, MIB
from supervisor_ai.domain.run.values import Hardness
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import SandboxEnd
from supervisor_ai.sandboxes.resource_limits.cgroups import Group
from supervisor_ai.sandboxes.resource_limits.disk_usage import FREE_SPACE, Disk
from supervisor_ai.sandboxes.resource_limits.guard import Guard

NO_FILES = Disk([], EXECUTOR_LIMITS)
TOO_LARGE = 128 + signal.SIGXFSZ


class BrokenDisk(Disk):
    """Files that cannot be counted."""

    def exceeded(  # type: ignore[explicit-override] # typing.override comes with 3.12
        self, is_stopped: Callable[[], bool] = lambda: False, pids: Iterable[int] = ()
    ) -> str | None:
        raise LookupError(is_stopped(), pids)


class FullDisk(Disk):
    """A disk on which there is no room left for anybody."""

    def exceeded(  # type: ignore[explicit-override] # typing.override comes with 3.12
        self, is_stopped: Callable[[], bool] = lambda: False, pids: Iterable[int] = ()
    ) -> str | None:
        return self.overrun(is_stopped, pids) or FREE_SPACE


def guard(place: Path, *, oom: int = 0, refused: int = 0) -> Guard:
    (place / "memory.events").write_text(f"oom_kill {oom}\n")
    (place / "pids.events").write_text(f"max {refused}\n")
    return Guard(EXECUTOR_LIMITS, group=Group((place,)), files=NO_FILES)


def judge(guard: Guard, code: int | None, end: SandboxEnd = SandboxEnd.EXITED) -> str | None:
    return asyncio.run(guard.judge(end, code))


@pytest.mark.parametrize("code", [1, 137, None])
def test_who_fails_after_the_kernel_killed_or_refused_has_reached_a_limit(
    tmp_path: Path, code: int | None
) -> None:
    assert judge(guard(tmp_path, oom=1), code) == "memory"
    assert judge(guard(tmp_path, refused=1), code) == "processes"
    assert judge(guard(tmp_path, oom=1, refused=1), code) == "memory"
    assert judge(guard(tmp_path), code) is None


def test_who_succeeds_or_ends_otherwise_is_not_judged(tmp_path: Path) -> None:
    strained = guard(tmp_path, oom=1, refused=1)
    assert judge(strained, 0) is None
    for end in (SandboxEnd.TIMED_OUT, SandboxEnd.IDLE, SandboxEnd.OUTPUT_CAPPED):
        assert judge(strained, 1, end) is None


def test_a_file_that_is_too_large_is_told_by_the_signal(tmp_path: Path) -> None:
    assert judge(guard(tmp_path), TOO_LARGE) == "file_size"


def test_files_are_counted_whatever_the_command_says(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * 2 * MIB)
    limits = replace(EXECUTOR_LIMITS, disk=MIB)
    watched = Guard(limits, group=None, files=Disk([tmp_path], limits))
    assert [judge(watched, code) for code in (0, 1, None)] == ["disk", "disk", None]


def test_who_succeeds_on_a_disk_that_others_have_filled_has_succeeded(tmp_path: Path) -> None:
    watched = Guard(EXECUTOR_LIMITS, group=None, files=FullDisk([tmp_path], EXECUTOR_LIMITS))
    assert [judge(watched, code) for code in (0, 1)] == [None, FREE_SPACE]


def test_without_a_group_limits_are_soft(tmp_path: Path) -> None:
    assert guard(tmp_path).hardness is Hardness.HARD
    assert Guard(EXECUTOR_LIMITS, group=None, files=NO_FILES).hardness is Hardness.SOFT


def test_a_command_that_cannot_be_bounded_is_not_admitted(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="control group"):
        guard(tmp_path).admit(os.getpid())


def test_a_watch_that_fails_does_not_go_unnoticed(tmp_path: Path) -> None:
    async def scenario() -> SandboxEnd | Exception:
        heard: asyncio.Future[SandboxEnd | Exception] = asyncio.Future()
        files = BrokenDisk([tmp_path], replace(EXECUTOR_LIMITS, disk=1))
        async with Guard(EXECUTOR_LIMITS, group=None, files=files).on_duty(heard.set_result):
            return await heard

    assert isinstance(asyncio.run(scenario()), LookupError)
