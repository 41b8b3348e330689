"""What the start of a sandbox takes, against bare bubblewrap and other sandboxes.

python -m bench.sandboxes USAGE    # as an ordinary user: print what was measured, as JSON
"""

import asyncio
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from dataclasses import replace as replaced
from datetime import timedelta
from functools import partial
from pathlib import Path

from bench.cpu_group import cpu_group, used
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.structs import replace
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.ports.sandbox import (
    Egress,
    Mount,
    Profile,
    Sandbox,
    SandboxSpec,
)
from supervisor_ai.sandboxes.backends import make_sandbox
from supervisor_ai.sandboxes.bwrap.arguments import View, arguments
from supervisor_ai.sandboxes.bwrap.seccomp import build_filter
from supervisor_ai.sandboxes.host_view.hidden_secrets import SecretCovers
from supervisor_ai.sandboxes.resource_limits.rlimits import SPACES
from supervisor_ai.sandboxes.standard_files import ENVIRONMENT
from supervisor_ai.sandboxes.toolchains.toolchain import find_toolchain
from supervisor_ai.sandboxes.visible_host import make_visible_host

ROOT = Path(__file__).parent.parent
SRT = ROOT / "build" / "sandbox-runtime"
SRT_PACKAGE = "@anthropic-ai/sandbox-runtime@0.0.78"
ROUNDS = 5 if "QUICK" in os.environ else 30
SLOW = 0.2
"""Seconds; who needs more at its first start takes part in few rounds."""
FEW = 4
COMMAND = ("true",)
BARE = "bare bwrap with the same flags"
LONGEST_REASON = 160

PATIENCE = 60
SETTLED = 0.005
"""Seconds in which what a start has left dies, before its use of the processors is read."""
NOBODY = ("--reuid", "61999", "--regid", "61999", "--clear-groups")

Start = Callable[[], Awaitable[None]]


@dataclass
class Contender:
    """One way to start a command: what each start took, or why there is none here."""

    name: str
    start: Start | None = None
    is_counted: bool = False
    """Whether all that works for it is in our group: a container is not."""
    times: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    reason: str = ""

    async def try_once(self, usage: Path | None) -> None:
        """Start it; whoever fails is told about and starts no more."""
        if self.start is None:
            return
        before, begun = used(usage), time.perf_counter()
        try:
            await self.start()
        except (SupervisorError, OSError, RuntimeError, subprocess.SubprocessError) as error:
            self.start, self.reason = None, _said(error)
        self.times.append(time.perf_counter() - begun)
        await asyncio.sleep(SETTLED)
        self.cpu.append(used(usage) - before)


def sandboxes() -> Iterator[str]:
    """Measure `true` in every sandbox that works here, interleaved, in a loop that runs."""
    load = os.getloadavg()[0]
    with cpu_group() as usage:
        yield from _table(_measured(("bubblewrap", "podman", "docker"), usage))
        if os.geteuid() == 0:
            yield "\nFor an ordinary user:\n"
            yield from _for_an_ordinary_user(usage)
    yield f"\nA load of {load:.1f} when it began and {os.getloadavg()[0]:.1f} when it ended."


def _measured(names: Sequence[str], usage: Path | None) -> list[Contender]:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        ground = Path(directory)
        ground.chmod(0o755)
        (ground / "workspace").mkdir()
        return asyncio.run(_measure(ground, names, usage))


def _table(contenders: Sequence[Contender]) -> Iterator[str]:
    floors = [it for it in contenders if it.name == BARE and not it.reason]
    clock = statistics.median(floors[0].times) if floors else math.nan
    cpu = statistics.median(floors[0].cpu) if floors else math.nan
    columns = ("start of `true` in", "median ms", "p90 ms", "ratio to bare bwrap")
    yield f"| {' | '.join((*columns, 'CPU ms', 'ratio of CPU'))} |\n|---|---:|---:|---:|---:|---:|"
    for it in contenders:
        if it.reason:
            yield f"| {it.name} | does not work here: {it.reason} | | | | |"
            continue
        median, worst = statistics.median(it.times), statistics.quantiles(it.times, n=10)[-1]
        own = statistics.median(it.cpu)
        counted = f"{own * 1000:.1f} | {own / cpu:.2f}" if own and it.is_counted else " | "
        clocked = f"{median * 1000:.1f} | {worst * 1000:.1f} | {median / clock:.2f}"
        yield f"| {it.name} | {clocked} | {counted} |"


async def _measure(ground: Path, names: Sequence[str], usage: Path | None) -> list[Contender]:
    contenders = [contender async for contender in _contenders(ground, names)]
    rounds: list[int] = []
    for contender in contenders:
        # The first start of all fills caches and does not count.
        await contender.try_once(usage)
        rounds.append(FEW if max(contender.times, default=0) > SLOW else ROUNDS)
        contender.times.clear()
        contender.cpu.clear()
    for number in range(ROUNDS):
        for contender, most in zip(contenders, rounds, strict=True):
            if number < most:
                await contender.try_once(usage)
    return contenders


def _for_an_ordinary_user(usage: Path | None) -> Iterator[str]:
    """Have somebody with few rights measure it, with an interpreter that the user can run."""
    paths = os.pathsep.join(filter(None, sys.path))
    nobody = ["setpriv", *NOBODY, "env", "-i", "PATH=/usr/bin:/bin", f"PYTHONPATH={paths}"]
    counted = [str(usage)] if usage else []
    reason = ""
    for python in (os.path.realpath(sys.executable), "/usr/bin/python3"):
        command = [*nobody, python, "-B", "-m", "bench.sandboxes", *counted]
        try:
            done = subprocess.run(
                command, cwd=ROOT, capture_output=True, check=True, timeout=PATIENCE
            )
        except (OSError, subprocess.SubprocessError) as error:
            reason = _said(error)
            continue
        yield from _table([Contender(**each) for each in json.loads(done.stdout)])
        return
    yield f"It could not be measured: {reason}"


def _report(usage: Path | None) -> str:
    contenders = [replaced(it, start=None) for it in _measured(("bubblewrap",), usage)]
    return json.dumps([asdict(it) for it in contenders if it.name != "nothing at all"])


async def _contenders(ground: Path, names: Sequence[str]) -> AsyncIterator[Contender]:
    spec = _spec(ground)
    nothing = partial(_alone, partial(_call, list(COMMAND)))
    yield Contender("nothing at all", nothing, is_counted=True)
    yield Contender(BARE, partial(_alone, partial(_bare, spec, _shown(ground))), is_counted=True)
    for name in names:
        sandbox = make_sandbox(name, state=ground / "state", environment=_environment(ground))
        if reason := await _fault_of(sandbox):
            yield Contender(f"supervisor, {name}", reason=reason)
            continue
        is_counted = name == "bubblewrap"
        yield Contender(
            f"supervisor, {name}, executor", partial(_ours, sandbox, spec), is_counted=is_counted
        )
        egress = Egress(on_refusal=print, allow=("example.com:443",))
        worker = replace(spec, profile=Profile.WORKER, egress=egress)
        way_out = f"supervisor, {name}, worker with a way out"
        yield Contender(way_out, partial(_ours, sandbox, worker), is_counted=is_counted)
    if len(names) > 1:
        yield _sandbox_runtime(f"sandbox-runtime ({SRT_PACKAGE.rpartition('@')[2]})", ground)


async def _alone(start: Callable[[], None]) -> None:
    """Let nothing else go on meanwhile: nobody waits for these but us."""
    start()


async def _fault_of(sandbox: Sandbox) -> str:
    """Say why a sandbox cannot be used here; nothing: it can."""
    try:
        probe = await asyncio.wait_for(sandbox.probe(), PATIENCE)
    except (SupervisorError, OSError, TimeoutError) as error:
        return _said(error)
    faults = [f"{it.name}: {it.detail}" for it in probe.findings if not it.holds]
    return "" if probe.is_usable else _one_line(faults[0] if faults else "it has no self-test")


def _said(error: Exception) -> str:
    """Return the last words of whoever failed, or else those of the failure."""
    output = getattr(error, "stderr", None) or getattr(error, "stdout", None) or b""
    lines = output.decode(errors="replace").strip().splitlines()
    return _one_line(lines[-1] if lines else str(error) or type(error).__name__)


def _one_line(words: str) -> str:
    return plain(words).replace("\n", " ").replace("|", "/")[:LONGEST_REASON]


def _spec(ground: Path) -> SandboxSpec:
    workspace = ground / "workspace"
    return SandboxSpec(
        label="bench",
        profile=Profile.EXECUTOR,
        argv=COMMAND,
        cwd=workspace,
        mounts=(Mount(source=workspace, target=workspace, is_writable=True),),
        timeout=timedelta(minutes=1),
        output_bytes=1 << 20,
    )


def _environment(ground: Path) -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "HOME": os.fspath(ground)}


async def _ours(sandbox: Sandbox, spec: SandboxSpec) -> None:
    result = await sandbox.run(spec, lambda *_: None)
    if result.exit_code != 0:
        raise RuntimeError(f"it ended with {result.exit_code}: {result}")


def _bare(spec: SandboxSpec, shown: Sequence[Mount]) -> None:
    """Start bubblewrap as its manual says, with our flags and our filter, and wait for its end."""
    view = View(
        spaces=SPACES[spec.profile],
        mounts=(*shown, *spec.mounts),
        environment={"PATH": "/usr/bin:/bin", **ENVIRONMENT},
        cwd=spec.cwd,
    )
    files: list[int] = []

    def word(argument: str | bytes) -> str:
        return argument if isinstance(argument, str) else str(file(argument))

    def file(content: bytes) -> int:
        files.append(os.memfd_create("bench"))
        os.write(files[-1], content)
        os.lseek(files[-1], 0, os.SEEK_SET)
        return files[-1]

    words = [*map(word, arguments(view)), "--seccomp", str(file(build_filter(os.uname().machine)))]
    hidden = file(b"".join(os.fsencode(each) + b"\0" for each in words))
    command = [*_unprivileged(), "bwrap", "--args", str(hidden), "--", *spec.argv]
    try:
        environment = {"PATH": "/usr/bin:/bin"}
        subprocess.run(command, check=True, env=environment, pass_fds=files, timeout=PATIENCE)
    finally:
        for each in files:
            os.close(each)


def _shown(ground: Path) -> tuple[Mount, ...]:
    """Show as much as the product does; something else, where its source is root's own."""
    environment = _environment(ground)
    world = make_visible_host(
        replace(_spec(ground), mounts=()),
        find_toolchain(environment, ground),
        SecretCovers(ground / "state" / "covers"),
        environment,
        ground,
    )
    return tuple(_reachable(number, mount) for number, mount in enumerate(world.mounts))


def _reachable(number: int, mount: Mount) -> Mount:
    private = Path("/root")
    if not (mount.source.is_relative_to(private) or mount.target.is_relative_to(private)):
        return mount
    source = Path("/usr" if mount.source.is_dir() else "/dev/null")
    return replace(mount, source=source, target=Path("/shown", str(number)))


def _unprivileged() -> list[str]:
    if os.geteuid() != 0:
        return []
    return ["setpriv", *NOBODY, "--bounding-set=-all", "--"]


def _sandbox_runtime(name: str, ground: Path) -> Contender:
    """Install the package beside the project's own files, where there is an npm."""
    if shutil.which("npm") is None:
        return Contender(name, reason="npm is missing")
    try:
        if not (SRT / "node_modules").exists():
            SRT.mkdir(parents=True, exist_ok=True)
            _call(["npm", "install", "--silent", "--no-audit", "--no-fund", SRT_PACKAGE], SRT)
    except (OSError, subprocess.SubprocessError) as error:
        return Contender(name, reason=_said(error))
    settings = SRT / "settings.json"
    settings.write_text(
        '{"network": {"allowedDomains": [], "deniedDomains": []},'
        ' "filesystem": {"denyRead": [], "allowWrite": ["."], "denyWrite": []}}'
    )
    command = [str(SRT / "node_modules/.bin/srt"), "--settings", str(settings), *COMMAND]
    return Contender(name, partial(_alone, partial(_call, command, ground)))


def _call(command: list[str], directory: Path = ROOT) -> None:
    subprocess.run(command, check=True, cwd=directory, capture_output=True, timeout=PATIENCE)


if __name__ == "__main__":
    print(_report(Path(sys.argv[1]) if sys.argv[1:] else None))
