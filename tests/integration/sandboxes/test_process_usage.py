"""Measuring a tree of real processes from outside."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from supervisor_ai.domain.run.definition import EXECUTOR_LIMITS, MIB
from supervisor_ai.domain.structs import replace
from supervisor_ai.sandboxes.resource_limits.process_usage import ProcessTree, ProcessUsage
from supervisor_ai.sandboxes.resource_limits.unlinked_files import nameless, nameless_memory

FAMILY = """
import subprocess, sys, threading
kept = b"x" * (32 << 20)
stop = threading.Event()
threading.Thread(target=stop.wait, daemon=True).start()
child = subprocess.Popen(["sh", "-c", "sleep 600 & exec sleep 600"])
print("ready", flush=True)
child.wait()
"""


HOLDERS = {
    "open": "",
    "in a thread with a table of its own": """
import threading, time
done = threading.Event()
def alone():
    libc.unshare(0x400)
    done.set()
    time.sleep(600)
threading.Thread(target=alone, daemon=True).start()
done.wait()
for fd in held: os.close(fd)
""",
    "behind a first thread that has ended": """
import threading, time
def late():
    while open(f"/proc/self/task/{os.getpid()}/stat").read().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.01)
    print("ready", flush=True)
    time.sleep(600)
threading.Thread(target=late).start()
libc.pthread_exit(None)
""",
}
HOLD = """
import ctypes, os
libc = ctypes.CDLL(None)
held = [os.memfd_create("held") for _ in range(4)]
for fd in held: os.write(fd, b"x" * (12 << 20))
"""


@contextmanager
def started(*argv: str) -> Iterator[int]:
    """Start a program that says when it is ready, and end it with all its children."""
    with subprocess.Popen(argv, stdout=subprocess.PIPE, start_new_session=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            yield process.pid
        finally:
            os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture
def family() -> Iterator[int]:
    with started(sys.executable, "-c", FAMILY) as pid:
        yield pid


def test_children_and_threads_are_counted(family: int) -> None:
    seen = ProcessTree(family).measure()
    assert seen.processes >= 3
    assert 32 * MIB < seen.memory < 200 * MIB


def test_a_limit_that_is_exceeded_is_named(family: int) -> None:
    tree = ProcessTree(family)
    assert tree.exceeded(EXECUTOR_LIMITS) is None
    assert tree.exceeded(replace(EXECUTOR_LIMITS, memory=16 * MIB)) == "memory"
    assert tree.exceeded(replace(EXECUTOR_LIMITS, processes=2)) == "processes"


@pytest.mark.parametrize("how", HOLDERS)
def test_files_that_have_no_name_are_memory_wherever_they_are_open(how: str) -> None:
    end = "print('ready', flush=True)\nimport time; time.sleep(600)\n"
    with started(sys.executable, "-c", f"{HOLD}{HOLDERS[how]}{end}") as pid:
        assert 48 * MIB <= nameless_memory([pid]) < 60 * MIB
        assert ProcessTree(pid).exceeded(replace(EXECUTOR_LIMITS, memory=44 * MIB)) == "memory"


def test_a_file_that_two_processes_have_open_counts_once() -> None:
    handle = os.memfd_create("shared")
    try:
        os.write(handle, b"x" * MIB)
        before = nameless_memory([os.getpid()])
        with subprocess.Popen(["sleep", "600"], pass_fds=[handle]) as process:
            both = nameless_memory([os.getpid(), process.pid])
            process.kill()
        assert (before >= MIB, both) == (True, before)
    finally:
        os.close(handle)


def test_a_look_at_descriptors_has_an_end() -> None:
    with ExitStack() as stack:
        for _ in range(20):
            stack.callback(os.close, os.memfd_create("one of many"))
        looks = [len(list(nameless([os.getpid()], most=most))) for most in (0, 15, 10_000)]
    assert looks[0] == 0
    assert looks[1] <= 15
    assert looks[2] >= 20


def test_empty_files_in_memory_take_memory(tmp_path: Path) -> None:
    fill = 'mount -t tmpfs tmpfs "$0"; cd "$0"; seq 9000 | xargs touch; echo ready; exec sleep 600'
    argv = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", fill, str(tmp_path)]
    with started(*argv) as pid:
        empty = ProcessTree(pid).measure().memory
        assert (
            9000 * 1024 <= ProcessTree(pid, (str(tmp_path),)).measure().memory - empty < 9000 * 2048
        )


def test_who_is_gone_has_no_footprint() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    gone = ProcessTree(process.pid, ("/tmp",))
    assert gone.measure() == ProcessUsage(memory=0, processes=0)
    assert gone.exceeded(EXECUTOR_LIMITS) is None
