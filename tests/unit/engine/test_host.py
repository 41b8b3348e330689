"""This machine: names that sort by time, and processes that cannot be mistaken."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

import pytest

from supervisor_ai.domain.run.values import Process
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.host import SystemClock, SystemIds, SystemProcesses
from supervisor_ai.engine.ports.clock import Clock, Ids, Processes

ME = SystemProcesses()


def test_the_clock_tells_aware_time_and_never_goes_back() -> None:
    clock: Clock = SystemClock()

    before = clock.boottime()
    asyncio.run(clock.sleep(0))

    assert clock.now().tzinfo is UTC
    assert clock.boottime() >= before > 0


def test_names_of_runs_are_short_safe_and_different() -> None:
    ids: Ids = SystemIds()

    names = {ids.run_id() for _ in range(50)}

    assert len(names) == 50
    assert all(re.fullmatch(r"[a-z][0-9a-hjkmnp-tv-z]{10,11}", name) for name in names)
    # Chance comes first, so that a few letters are enough to tell names of one moment apart.
    assert len({name[:5] for name in names}) >= 49
    assert len({name[5:] for name in names}) <= 2


def test_nonces_cannot_be_guessed() -> None:
    nonces = {SystemIds().nonce() for _ in range(50)}

    assert len(nonces) == 50
    assert all(
        re.fullmatch(r"[b-df-hjkmnp-tv-z]{4}(-[b-df-hjkmnp-tv-z]{4}){2}", it) for it in nonces
    )


def test_this_process_is_alive_and_its_namesakes_are_not() -> None:
    processes: Processes = ME
    current = processes.current()

    assert current.pid == os.getpid()
    assert processes.is_alive(current)
    assert not processes.is_alive(replace(current, started=current.started + 1))
    assert not processes.is_alive(replace(current, boot="another"))


@pytest.fixture
def ended_child() -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen([sys.executable, "-S", "-c", ""])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    yield child
    child.wait()


def test_a_zombie_is_not_alive(ended_child: subprocess.Popen[bytes]) -> None:
    stat = Path(f"/proc/{ended_child.pid}/stat").read_text()
    started = int(stat.rpartition(")")[2].split()[19])
    zombie = Process(boot=ME.boot(), pid=ended_child.pid, started=started)

    assert not ME.is_alive(zombie)
    ended_child.wait()
    assert not ME.is_alive(zombie)


@pytest.mark.parametrize("name", ["python3", "a b", "a) R 1 1 (b", ") Z 0 0"])
def test_the_name_of_a_process_cannot_confuse(name: str, tmp_path: Path) -> None:
    boot = tmp_path / "sys" / "kernel" / "random"
    boot.mkdir(parents=True)
    (boot / "boot_id").write_text("b-1\n")
    (tmp_path / "77").mkdir()
    numbers = " ".join(str(number) for number in range(4, 53))
    (tmp_path / "77" / "stat").write_text(f"77 ({name}) S {numbers}\n")
    processes = SystemProcesses(tmp_path)

    assert processes.is_alive(Process(boot="b-1", pid=77, started=22))
    assert not processes.is_alive(Process(boot="b-1", pid=77, started=21))
    assert not processes.is_alive(Process(boot="b-1", pid=78, started=22))


def test_without_proc_the_number_has_to_do(
    tmp_path: Path, ended_child: subprocess.Popen[bytes]
) -> None:
    processes = SystemProcesses(tmp_path)
    current = processes.current()
    ended_child.wait()

    assert current == Process(boot="unknown", pid=os.getpid(), started=0)
    assert processes.is_alive(current)
    assert processes.is_alive(replace(current, pid=1))
    assert not processes.is_alive(replace(current, pid=ended_child.pid))
