"""Commands whose supervisor is frozen or dead are found and ended by whoever comes next."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.processes import PATIENCE

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox
from supervisor_ai.sandboxes.processes.live_process import Hold, find_marked, identify
from supervisor_ai.sandboxes.processes.register import ProcessRegister
from supervisor_ai.sandboxes.unsandboxed import UnsandboxedSandbox

BACKENDS = {"bubblewrap": BubblewrapSandbox, "none": UnsandboxedSandbox}
SUPERVISOR = """
import asyncio, os, sys
from datetime import timedelta
from pathlib import Path
from supervisor_ai.engine.ports.sandbox import Mount, Profile, SandboxSpec
from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox
from supervisor_ai.sandboxes.unsandboxed import UnsandboxedSandbox

backend, ground, token = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
factory = {"bubblewrap": BubblewrapSandbox, "none": UnsandboxedSandbox}[backend]
sandbox = factory(state=ground / "state", environment=os.environ)
work = ground / "work"
spec = SandboxSpec(
    label="run-1/step", profile=Profile.EXECUTOR, cwd=work, output_bytes=1 << 20,
    argv=("sh", "-c", f"setsid sleep {token} & echo started; sleep {token}"),
    mounts=(Mount(source=work, target=work, is_writable=True),), timeout=timedelta(seconds=600),
)
print("ready", flush=True)
asyncio.run(sandbox.run(spec, lambda _, piece: os.write(1, piece)))
"""


@contextmanager
def supervisor(backend: str, ground: Path, token: str) -> Iterator[subprocess.Popen[bytes]]:
    (ground / "work").mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-c", SUPERVISOR, backend, ground, token], stdout=subprocess.PIPE
    )
    with process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            yield process
        finally:
            process.kill()


def wait_for(process: subprocess.Popen[bytes], line: bytes) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == line


def sleepers(token: str) -> list[int]:
    """Find live processes that sleep for so long, but not those that merely say so."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0] == b"sleep" and token.encode() in words:
            found.append(int(path.parent.name))
    return found


def wait_for_sleepers(token: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while len(sleepers(token)) < 2:
        assert time.monotonic() < deadline


def wait_for_nobody(marks: list[str]) -> None:
    """Wait until nothing is left: what was forked but not yet on its way finds nobody and ends."""
    deadline = time.monotonic() + PATIENCE
    while any(find_marked(marks).values()):
        assert time.monotonic() < deadline


@pytest.fixture
def token() -> str:
    return f"600.{time.monotonic_ns()}"


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_command_of_a_frozen_supervisor_is_ended(
    backend: str, tmp_path: Path, token: str
) -> None:
    successor = BACKENDS[backend](state=tmp_path / "state", environment=os.environ)
    with supervisor(backend, tmp_path, token) as frozen:
        wait_for(frozen, b"started\n")
        wait_for_sleepers(token)
        frozen.send_signal(signal.SIGSTOP)
        assert asyncio.run(successor.reap("run-2/", before=1)) == 0
        assert len(sleepers(token)) == 2
        assert asyncio.run(successor.reap("run-1/", before=1)) == 1
        assert not sleepers(token)
        assert asyncio.run(successor.reap("run-1/", before=1)) == 0
        assert not list((tmp_path / "state/processes").iterdir())
        frozen.send_signal(signal.SIGCONT)
        assert frozen.wait(timeout=PATIENCE) == 0


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_command_of_a_dead_supervisor_is_gone_after_reaping(
    backend: str, tmp_path: Path, token: str
) -> None:
    successor = BACKENDS[backend](state=tmp_path / "state", environment=os.environ)
    with supervisor(backend, tmp_path, token) as doomed:
        wait_for(doomed, b"started\n")
        wait_for_sleepers(token)
        doomed.kill()
        doomed.wait()
    asyncio.run(successor.reap("", before=1))
    assert not sleepers(token)
    assert not list((tmp_path / "state/processes").iterdir())


def test_a_supervisor_may_die_at_any_moment_of_the_start(tmp_path: Path, token: str) -> None:
    successor = BubblewrapSandbox(state=tmp_path / "state", environment=os.environ)
    register = tmp_path / "state/processes"
    for step in range(10):
        with supervisor("bubblewrap", tmp_path, token) as doomed:
            with pytest.raises(subprocess.TimeoutExpired):
                doomed.wait(timeout=step * 0.006)
            doomed.kill()
            doomed.wait()
        marks = [path.stem for path in register.glob("*.json")]
        asyncio.run(successor.reap("", before=1))
        wait_for_nobody(marks)
        assert not sleepers(token)


def test_a_number_that_has_changed_hands_is_left_alone(tmp_path: Path) -> None:
    register = ProcessRegister(tmp_path)
    with subprocess.Popen(["sleep", "600"]) as innocent:
        process = identify(innocent.pid)
        assert process is not None
        former = type(process)(boot=process.boot, pid=process.pid, started=process.started - 1)
        other = type(process)(boot="another", pid=process.pid, started=process.started)
        with register.entry("run-1/step", fence=0) as entry:
            entry.write(former, other)
            assert asyncio.run(register.reap("run-1/", before=1)) == 0
        assert innocent.poll() is None
        innocent.kill()


def test_only_a_whole_word_is_a_mark(tmp_path: Path) -> None:
    register = ProcessRegister(tmp_path)
    with register.entry("run-1/step", fence=0) as entry:
        named = f"{tmp_path}/{entry.mark}.json"
        with subprocess.Popen(["tail", "-f", "/dev/null", named]) as reader:
            assert asyncio.run(register.reap("", before=1)) == 0
            assert reader.poll() is None
            reader.kill()


def test_half_a_line_is_thrown_away(tmp_path: Path) -> None:
    for number, text in enumerate(("", "{", "[]", '{"label": 1}', '{"label": "a"}')):
        (tmp_path / f"supervisor-{number}.json").write_text(text)
    assert asyncio.run(ProcessRegister(tmp_path).reap("", before=1)) == 0
    assert not list(tmp_path.iterdir())


def test_the_last_whole_line_of_a_file_counts(tmp_path: Path) -> None:
    register = ProcessRegister(tmp_path)
    with subprocess.Popen(["sleep", "600"]) as child:
        process = identify(child.pid)
        assert process is not None
        with register.entry("run-1/step", fence=0) as entry:
            entry.write(process)
            with (tmp_path / f"{entry.mark}.json").open("ab") as file:
                file.write(b'{"label": "run-1/st')
            assert asyncio.run(register.reap("run-1/", before=1)) == 1
        assert child.wait() == -signal.SIGKILL


def test_a_command_that_others_have_ended_before_it_began_does_not_begin(tmp_path: Path) -> None:
    register = ProcessRegister(tmp_path)
    with register.entry("run-1/step", fence=0) as entry:
        asyncio.run(register.reap("run-1/", before=1))
        with pytest.raises(Unavailable, match="somebody has ended the command"):
            entry.write()
    assert not list(tmp_path.iterdir())


def test_a_register_that_was_never_written_is_empty(tmp_path: Path) -> None:
    assert asyncio.run(ProcessRegister(tmp_path / "none").reap("", before=1)) == 0


def test_a_process_that_has_ended_cannot_be_held() -> None:
    with subprocess.Popen(["true"]) as child:
        process = identify(child.pid)
        assert process is not None
        child.wait()
        assert Hold.on(process) is None


def test_what_a_killed_supervisor_began_to_enter_is_removed_after_a_while(tmp_path: Path) -> None:
    old, new = tmp_path / "supervisor-1.json.draft", tmp_path / "supervisor-2.json.draft"
    for draft in (old, new):
        draft.touch()
    os.utime(old, (1, 1))
    asyncio.run(ProcessRegister(tmp_path).reap("run-1", before=2))
    assert [it.name for it in tmp_path.iterdir()] == [new.name]
