"""How long a command waits for its sandbox, against bare bubblewrap and other sandboxes."""

import asyncio
import math
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache, partial
from pathlib import Path

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
from supervisor_ai.sandboxes.resource_limits.rlimits import SPACES
from supervisor_ai.sandboxes.standard_files import ENVIRONMENT
from supervisor_ai.sandboxes.toolchains.toolchain import find_toolchain

ROOT = Path(__file__).parent.parent
SRT = ROOT / "build" / "sandbox-runtime"
SRT_PACKAGE = "@anthropic-ai/sandbox-runtime@0.0.78"
ROUNDS = 5 if "QUICK" in os.environ else 30
COMMAND = ("true",)
BARE = "bare bwrap with the same flags"
LONGEST_REASON = 160

PATIENCE = 60

Start = Callable[[], Awaitable[None]]


@dataclass
class Contender:
    """One way to start a command: how long each start took, or why there is none here."""

    name: str
    start: Start | None = None
    times: list[float] = field(default_factory=list)
    reason: str = ""

    async def try_once(self) -> None:
        """Start it; whoever fails is told about and starts no more."""
        if self.start is None:
            return
        begun = time.perf_counter()
        try:
            await self.start()
        except (SupervisorError, OSError, RuntimeError, subprocess.SubprocessError) as error:
            self.start, self.reason = None, _said(error)
        self.times.append(time.perf_counter() - begun)


def sandboxes() -> Iterator[str]:
    """Time `true` in every sandbox that works here, interleaved, in a loop that runs."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        ground = Path(directory)
        ground.chmod(0o755)
        (ground / "workspace").mkdir()
        yield from _table(asyncio.run(_measure(ground)))


def _table(contenders: Sequence[Contender]) -> Iterator[str]:
    floors = [it.times for it in contenders if it.name == BARE and not it.reason]
    floor = statistics.median(floors[0]) if floors else math.nan
    yield "| start of `true` in | median ms | p90 ms | ratio to bare bwrap |\n|---|---:|---:|---:|"
    for it in contenders:
        if it.reason:
            yield f"| {it.name} | does not work here: {it.reason} | | |"
            continue
        median, worst = statistics.median(it.times), statistics.quantiles(it.times, n=10)[-1]
        yield f"| {it.name} | {median * 1000:.1f} | {worst * 1000:.1f} | {median / floor:.2f} |"


async def _measure(ground: Path) -> list[Contender]:
    contenders = [contender async for contender in _contenders(ground)]
    for contender in contenders:
        # The first start of all fills caches and does not count.
        await contender.try_once()
        contender.times.clear()
    for _ in range(ROUNDS):
        for contender in contenders:
            await contender.try_once()
    return contenders


async def _contenders(ground: Path) -> AsyncIterator[Contender]:
    spec = _spec(ground)
    yield Contender("nothing at all", partial(_alone, partial(_call, list(COMMAND))))
    yield Contender(BARE, partial(_alone, partial(_bare, spec)))
    for name in ("bubblewrap", "podman", "docker"):
        sandbox = make_sandbox(name, state=ground / "state", environment=_environment(ground))
        if reason := await _fault_of(sandbox):
            yield Contender(f"supervisor, {name}", reason=reason)
            continue
        yield Contender(f"supervisor, {name}, executor", partial(_ours, sandbox, spec))
        egress = Egress(on_refusal=print, allow=("example.com:443",))
        worker = replace(spec, profile=Profile.WORKER, egress=egress)
        way_out = f"supervisor, {name}, worker with a way out"
        yield Contender(way_out, partial(_ours, sandbox, worker))
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


def _bare(spec: SandboxSpec) -> None:
    """Start bubblewrap as its manual says, with our flags and our filter, and wait for its end."""
    view = View(
        spaces=SPACES[spec.profile],
        mounts=(*_tools(), *spec.mounts),
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


@cache
def _tools() -> tuple[Mount, ...]:
    """Show as many tool chains as the product does; another source, where root's are private."""
    roots = find_toolchain({"PATH": "/usr/bin:/bin"}, Path("/nonexistent")).roots
    private = Path("/root")
    return tuple(
        Mount(source=Path("/usr") if root.is_relative_to(private) else root, target=root)
        for root in roots
    )


def _unprivileged() -> list[str]:
    if os.geteuid() != 0:
        return []
    user = ("--reuid", "61999", "--regid", "61999", "--clear-groups")
    return ["setpriv", *user, "--bounding-set=-all", "--"]


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
