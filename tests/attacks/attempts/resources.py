"""Attempts to use up the machine, in a small way: the limits are as small as the bombs."""

import resource
from datetime import timedelta
from pathlib import Path
from typing import Final

from tests.attacks.attempt import Attempt, Heard, Inside
from tests.attacks.filter_rules import SEGMENTS
from tests.attacks.guards import Slip, option, relaxed, rule, slip
from tests.attacks.scene import Scene

from supervisor_ai.domain.run.definition import MIB, ResourceLimits
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import SandboxEnd

_AMPLE: Final = ResourceLimits(
    memory=512 * MIB,
    cpus=2,
    processes=400,
    file_size=64 * MIB,
    disk=1024 * MIB,
    disk_files=100_000,
)
_HOLD: Final = "time.sleep(PATIENCE / 2); got()"
_OPEN_FILES: Final = 4500


_PROCESSES: Final = "limits.processes", replace(_AMPLE, processes=24)
_MEMORY: Final = "limits.memory", replace(_AMPLE, memory=56 * MIB)
_FILE: Final = "limits.file_size", replace(_AMPLE, file_size=MIB)
_DISK: Final = "limits.disk", replace(_AMPLE, disk=4 * MIB)
_INODES: Final = "limits.disk_files", replace(_AMPLE, disk_files=200)
_IDLE: Final = "limits.idle_timeout", replace(_AMPLE, idle_timeout=timedelta(seconds=1))


def _bomb(what: str, fact: str, limit: tuple[str, ResourceLimits], program: str) -> Attempt:
    name, small = limit
    return Attempt(
        what=what,
        fact=fact,
        layers=(relaxed(name, "an ample limit", lambda spec: replace(spec, limits=_AMPLE)),),
        perform=Inside(
            program=program, spec=lambda _, spec: replace(spec, limits=small), ends_early=True
        ),
    )


def _space(what: str, place: str) -> Attempt:
    size = ("--size", str(64 * MIB))
    return Attempt(
        what=what,
        fact="34",
        layers=(option("--size", (*size, "--tmpfs", place), "--tmpfs", place),),
        perform=Inside(
            program=f"""
with open('{place}/full', 'wb') as file:
    for _ in range(65): file.write(bytes(1 << 20)); file.flush()
got()
"""
        ),
    )


def _flooded(_: Scene, heard: Heard) -> bool:
    return len(heard.output) >= 1 << 20


def _passes_as_harmless(_: Scene, heard: Heard) -> bool:
    return heard.result.end is SandboxEnd.EXITED


def _left_core(scene: Scene, _: Heard) -> bool:
    return any(path.name.startswith("core") for path in scene.workspace.iterdir())


def _no_core() -> str:
    pattern = Path("/proc/sys/kernel/core_pattern").read_text(encoding="utf-8")
    return "cores go elsewhere on this machine" if pattern[0] in "|/" else ""


def _few_files() -> str:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    return "nobody may open so many files here" if most <= _OPEN_FILES + 100 else ""


ATTEMPTS: Final = (
    _bomb(
        "makes more and more processes",
        "32",
        _PROCESSES,
        f"""
for _ in range(60):
    if os.fork() == 0: time.sleep(PATIENCE); os._exit(0)
{_HOLD}
""",
    ),
    _bomb(
        "makes more and more threads",
        "32",
        _PROCESSES,
        f"""
import threading
for _ in range(60): threading.Thread(target=time.sleep, args=(PATIENCE,), daemon=True).start()
{_HOLD}
""",
    ),
    _bomb(
        "takes more and more memory",
        "33",
        _MEMORY,
        f"taken = bytearray(b'x') * (100 << 20)\n{_HOLD}",
    ),
    _bomb(
        "takes memory that it shares with nobody's account",
        "33",
        _MEMORY,
        f"""
taken = mmap.mmap(-1, 100 << 20)
for at in range(0, len(taken), 4096): taken[at] = 1
{_HOLD}
""",
    ),
    _bomb(
        "takes memory in the form of temporary files",
        "33",
        _MEMORY,
        f"""
for name in ('full', 'more'): open(f'/tmp/{{name}}', 'wb').write(bytes(40 << 20))
{_HOLD}
""",
    ),
    _bomb(
        "takes memory in many small processes",
        "33",
        _MEMORY,
        """
reading, writing = os.pipe()
children = []
for _ in range(5):
    children.append(os.fork())
    if children[-1] == 0:
        taken = bytearray(b'x') * (24 << 20); os.write(writing, b'x'); time.sleep(PATIENCE)
        os._exit(0)
os.close(writing)
for _ in children: os.read(reading, 1)
time.sleep(PATIENCE / 2)
if all(os.waitpid(child, os.WNOHANG)[0] == 0 for child in children): got()
""",
    ),
    _bomb(
        "takes memory in files that have no name",
        "33",
        _MEMORY,
        f"""
held = [os.memfd_create('x') for _ in range(4)]
for fd in held: os.write(fd, bytes(25 << 20))
{_HOLD}
""",
    ),
    Attempt(
        what="takes memory in segments that it has detached",
        fact="33",
        layers=(rule(SEGMENTS),),
        perform=Inside(
            program=f"""
libc.shmat.restype, libc.shmdt.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
for _ in range(4):
    number = libc.shmget(0, 25 << 20, 0o1600)
    if number < 0: raise OSError(ctypes.get_errno(), 'shmget')
    place = libc.shmat(number, None, 0); ctypes.memset(place, 1, 25 << 20); libc.shmdt(place)
{_HOLD}
"""
        ),
    ),
    _bomb(
        "takes memory in the form of empty files",
        "36",
        _MEMORY,
        f"""
os.chdir('/tmp')
for number in range(60000): os.close(os.open(str(number), os.O_CREAT | os.O_WRONLY))
{_HOLD}
""",
    ),
    _bomb(
        "writes one large file",
        "37",
        _FILE,
        "open('large', 'wb').write(bytes(3 << 20)); got()",
    ),
    _bomb(
        "claims a huge file without writing it",
        "37",
        _FILE,
        "open('sparse', 'wb').truncate(48 << 20); got()",
    ),
    _bomb(
        "fills the disk with many files",
        "35",
        _DISK,
        """
for number in range(12): open(f'file{number}', 'wb').write(os.urandom(1 << 20))
time.sleep(PATIENCE); got()
""",
    ),
    _bomb(
        "fills the disk with files that it has deleted",
        "35",
        _DISK,
        """
held = []
for number in range(12):
    file = open(f'file{number}', 'wb'); os.unlink(f'file{number}')
    file.write(os.urandom(1 << 20)); file.flush(); held.append(file)
time.sleep(PATIENCE); got()
""",
    ),
    _bomb(
        "uses up the inodes of the disk",
        "36",
        _INODES,
        """
for number in range(600): open(f'file{number}', 'wb').close()
time.sleep(PATIENCE); got()
""",
    ),
    _bomb(
        "holds its place in silence",
        "39",
        _IDLE,
        "time.sleep(PATIENCE); got()",
    ),
    Attempt(
        what="fills the disk and is gone before anybody looks",
        fact="35",
        layers=(relaxed(_DISK[0], "an ample limit", lambda spec: replace(spec, limits=_AMPLE)),),
        perform=Inside(
            program="""
for number in range(12): open(f'file{number}', 'wb').write(os.urandom(1 << 20))
""",
            spec=lambda _, spec: replace(spec, limits=_DISK[1]),
            evidence=_passes_as_harmless,
        ),
    ),
    Attempt(
        what="floods the output",
        fact="38",
        layers=(
            relaxed(
                "output cap", "64 times as much", lambda spec: replace(spec, output_bytes=4 << 20)
            ),
        ),
        perform=Inside(
            program="sys.stdout.write('x' * (1 << 20))",
            evidence=_flooded,
            spec=lambda _, spec: replace(spec, output_bytes=1 << 16),
        ),
    ),
    _space("fills its home", "/home/agent"),
    _space("fills the shared memory", "/dev/shm"),
    Attempt(
        what="opens more and more files",
        fact="32",
        layers=(slip("RLIMIT_NOFILE", Slip.NO_LIMITS),),
        perform=Inside(
            program=f"""
import resource
_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
for _ in range({_OPEN_FILES}): os.open('/dev/null', os.O_RDONLY)
got()
"""
        ),
        kernel_refuses=_few_files,
    ),
    Attempt(
        what="leaves its memory in a core file",
        fact="42",
        layers=(slip("RLIMIT_CORE", Slip.NO_LIMITS),),
        perform=Inside(
            program="""
import resource
_, most = resource.getrlimit(resource.RLIMIT_CORE)
resource.setrlimit(resource.RLIMIT_CORE, (most, most))
subprocess.run(['sh', '-c', 'kill -SEGV $$'])
""",
            evidence=_left_core,
        ),
        kernel_refuses=_no_core,
    ),
)
