"""Attempts on other processes, and attempts to stay behind."""

import asyncio
import fcntl
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Final

from tests.attacks.attempt import (
    Attempt,
    Heard,
    Inside,
    Outcome,
    claimed,
    describe,
    run,
    spec_for,
    stolen,
)
from tests.attacks.filter_rules import CONSOLE, TERMINAL
from tests.attacks.guards import (
    WHOLE,
    Guards,
    Slip,
    careless,
    option,
    options,
    relaxed,
    rule,
    sandbox,
    slip,
)
from tests.attacks.outer import HOST_NAME
from tests.attacks.scene import Scene

from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import SandboxEnd

_PIDS: Final = option("--unshare-pid", ("--unshare-pid",))
_DAEMON: Final = """
import fcntl
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        lock = os.open('daemon', os.O_RDWR | os.O_CREAT, 0o666)
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.write(writing, b'x')
        for fd in (0, 1, 2, reading, writing): os.close(fd)
        time.sleep(20)
    os._exit(0)
os.read(reading, 1)
print('ready', flush=True)
"""


def _kills_bystander(scene: Scene, guards: Guards) -> Outcome:
    bystander = scene.bystander()
    heard = run(scene, guards, spec_for(scene, "os.kill(int(S['pid']), signal.SIGKILL)"))
    patience = 0.5 if guards == WHOLE else 10
    died = _wait(lambda: not _is_alive(bystander.pid), patience)
    return Outcome(succeeded=died, detail=describe(heard))


def _is_alive(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    return state not in {"Z", "X"}


def _sees_bystander(scene: Scene, heard: Heard) -> bool:
    return f"seen {scene.facts['pid']}".encode() in heard.output


def _daemon_lives(scene: Scene) -> bool:
    with (scene.workspace / "daemon").open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _daemon_stayed(scene: Scene, _: Heard) -> bool:
    return _daemon_lives(scene)


def _outlives_supervisor(scene: Scene, guards: Guards) -> Outcome:
    """Let a process of its own be the supervisor, and kill it in the middle of an attempt."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        spec = spec_for(scene, f"{_DAEMON}\ntime.sleep(20)")
        try:
            asyncio.run(sandbox(guards, scene).run(spec, lambda *_: None))
        finally:
            os._exit(1)
    daemon = scene.workspace / "daemon"
    _wait(lambda: daemon.exists() and _daemon_lives(scene))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    gone = _wait(lambda: not _daemon_lives(scene), patience=15 if guards == WHOLE else 2)
    return Outcome(succeeded=not gone, detail="the daemon is gone" if gone else "it lives on")


def _wait(holds: Callable[[], bool], patience: float = 15) -> bool:
    deadline = time.monotonic() + patience
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


_INJECT: Final = """
libc.ioctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_char_p]
fd = os.open('/dev/tty', os.O_RDWR)
for letter in b'echo INJECTED\\n':
    if libc.ioctl(fd, 0x5412, bytes([letter])) != 0: raise OSError(ctypes.get_errno(), 'TIOCSTI')
"""


def _injects(scene: Scene, guards: Guards) -> Outcome:
    slave = scene.terminal()
    heard = run(scene, guards, spec_for(scene, _INJECT))
    ready, _, _ = select.select([slave], [], [], 0)
    found = os.read(slave, 100) if ready else b""
    return Outcome(succeeded=b"INJECTED" in found, detail=f"{found!r} {describe(heard)}")


def _no_injection() -> str:
    setting = Path("/proc/sys/dev/tty/legacy_tiocsti")
    if setting.exists() and setting.read_text(encoding="ascii").strip() == "0":
        return "the kernel refuses TIOCSTI to everybody (dev.tty.legacy_tiocsti is 0)"
    return ""


def _shared_memory(scene: Scene) -> None:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmat.restype = ctypes.c_void_p
    libc.shmdt.argtypes = [ctypes.c_void_p]
    key = int.from_bytes(os.urandom(3), "big") | 1
    number = libc.shmget(key, 4096, 0o1666)
    address = libc.shmat(number, None, 0)
    ctypes.memmove(address, scene.secret.encode(), len(scene.secret))
    libc.shmdt(address)
    scene.callback(libc.shmctl, number, 0, None)
    scene.facts["key"] = str(key)


def _never_returns(scene: Scene, guards: Guards) -> Outcome:
    """Compare our reader, which gives up in time, with one that waits before it reads."""
    program = "os.set_blocking(1, True)\nos.write(1, b'x' * (1 << 20))\ngot()"
    spec = replace(spec_for(scene, program), timeout=timedelta(seconds=5))
    if guards.is_careless:
        import subprocess

        command = [sys.executable, "-c", "import os; os.write(1, b'x' * (1 << 20))"]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as naive:
            try:
                naive.wait(2)
            except subprocess.TimeoutExpired:
                naive.kill()
                return Outcome(succeeded=True, detail="The naive reader waits for ever.")
        return Outcome(succeeded=False, detail="The naive reader came back.")
    heard = run(scene, guards, replace(spec, output_bytes=2 << 20))
    is_stuck = heard.result.end is not SandboxEnd.EXITED
    return Outcome(succeeded=is_stuck, detail=heard.result.reason)


ATTEMPTS: Final = (
    Attempt(
        what="kills a process of the host",
        fact="6",
        layers=(_PIDS,),
        perform=_kills_bystander,
    ),
    Attempt(
        what="lists the processes of the host",
        fact="6",
        layers=(_PIDS,),
        perform=Inside(
            program="for name in os.listdir('/proc'): print('seen', name)",
            stage=lambda scene: scene.bystander(),
            evidence=_sees_bystander,
        ),
    ),
    Attempt(
        what="leaves a daemon behind that ignores signals",
        fact="40",
        layers=(_PIDS,),
        perform=Inside(program=_DAEMON, evidence=_daemon_stayed),
    ),
    Attempt(
        what="lives on when the supervisor is killed",
        fact="8, 40",
        layers=(option("--die-with-parent", ("--die-with-parent",)),),
        perform=_outlives_supervisor,
    ),
    Attempt(
        what="ignores every polite signal and goes on after its time",
        fact="41",
        layers=(
            relaxed(
                "wall clock and SIGKILL",
                "ten times the time",
                lambda spec: replace(spec, timeout=timedelta(seconds=15)),
            ),
        ),
        perform=Inside(
            program="""
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)
begin = time.monotonic()
while time.monotonic() < begin + PATIENCE: pass
got()
""",
            spec=lambda _, spec: replace(spec, timeout=timedelta(seconds=1.5)),
            ends_early=True,
        ),
    ),
    Attempt(
        what="fills the pipe so that its reader waits for ever",
        fact="39",
        layers=(careless("the reader never blocks", "a reader that waits for the end first"),),
        perform=_never_returns,
    ),
    Attempt(
        what="types a command into the supervisor's terminal (TIOCSTI)",
        fact="17",
        layers=(
            slip("no terminal is inherited", Slip.TERMINAL),
            option("--new-session", ("--new-session",)),
            rule(TERMINAL),
        ),
        perform=_injects,
        kernel_refuses=_no_injection,
    ),
    Attempt(
        what="pastes into the console (TIOCLINUX)",
        fact="17",
        layers=(rule(CONSOLE),),
        perform=Inside(
            program="""
libc.ioctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_char_p]
if libc.ioctl(1, 0x541C, b'\\3') == -1 and ctypes.get_errno() != errno.EPERM: got()
"""
        ),
    ),
    Attempt(
        what="reads shared memory of a process of the host",
        layers=(option("--unshare-ipc", ("--unshare-ipc",)),),
        perform=Inside(
            program="""
libc.shmat.restype = ctypes.c_void_p
number = libc.shmget(int(S['key']), 4096, 0o444)
if number < 0: raise OSError(ctypes.get_errno(), 'shmget')
print(ctypes.string_at(libc.shmat(number, None, 0o10000), 64))
""",
            stage=_shared_memory,
            evidence=stolen,
        ),
    ),
    Attempt(
        what="learns the name of the host",
        layers=(
            options(
                "--unshare-uts",
                (("--unshare-uts",), ()),
                (("--hostname", "sandbox"), ()),
            ),
        ),
        perform=Inside(
            program="print(os.uname().nodename)",
            evidence=lambda _, heard: HOST_NAME.encode() in heard.output,
        ),
    ),
    Attempt(
        what="reads the command line of the kernel",
        fact="44",
        layers=(option("/proc/cmdline is masked", ("--ro-bind", "/dev/null", "/proc/cmdline")),),
        perform=Inside(
            program="if open('/proc/cmdline').read(): got()",
            evidence=claimed,
        ),
    ),
    Attempt(
        what="lists the keys that the kernel keeps",
        fact="44",
        layers=(option("/proc/keys is masked", ("--ro-bind", "/dev/null", "/proc/keys")),),
        perform=Inside(
            program="""
# What masks it is a device, not a file of the kernel's.
if os.stat('/proc/keys').st_rdev == 0: open('/proc/keys').read(); got()
"""
        ),
    ),
)
