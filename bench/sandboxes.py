"""How long a command waits for its sandbox, against bare bubblewrap and other sandboxes."""

import asyncio
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import timedelta
from functools import cache, partial
from pathlib import Path

from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.structs import replace
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
ROUNDS = 30
COMMAND = ("true",)

Start = Callable[[], Awaitable[None]]


def sandboxes() -> Iterator[str]:
    """Time `true` in every sandbox that works here, interleaved, in a loop that runs."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        ground = Path(directory)
        ground.chmod(0o755)
        (ground / "workspace").mkdir()
        yield from _table(asyncio.run(_measure(ground)))


def _table(times: dict[str, list[float]]) -> Iterator[str]:
    floor = statistics.median(times["bare bwrap with the same flags"])
    yield "| start of `true` in | median ms | p90 ms | ratio to bare bwrap |\n|---|---:|---:|---:|"
    for name, values in times.items():
        median, worst = statistics.median(values), statistics.quantiles(values, n=10)[-1]
        yield f"| {name} | {median * 1000:.1f} | {worst * 1000:.1f} | {median / floor:.2f} |"


async def _measure(ground: Path) -> dict[str, list[float]]:
    starts = {name: start async for name, start in _starts(ground)}
    times: dict[str, list[float]] = {name: [] for name in starts}
    for start in starts.values():
        await start()
    for _ in range(ROUNDS):
        for name, start in starts.items():
            begun = time.perf_counter()
            await start()
            times[name].append(time.perf_counter() - begun)
    return times


async def _starts(ground: Path) -> AsyncIterator[tuple[str, Start]]:
    spec = _spec(ground)
    yield "nothing at all", partial(_alone, partial(_call, list(COMMAND)))
    yield "bare bwrap with the same flags", partial(_alone, partial(_bare, spec))
    for name in ("bubblewrap", "podman", "docker"):
        sandbox = make_sandbox(name, state=ground / "state", environment=_environment(ground))
        if not await _works(sandbox):
            print(f"{name} does not work here and is left out", file=sys.stderr)
            continue
        yield f"supervisor, {name}, executor", partial(_ours, sandbox, spec)
        egress = Egress(on_refusal=print, allow=("example.com:443",))
        worker = replace(spec, profile=Profile.WORKER, egress=egress)
        yield f"supervisor, {name}, worker with a way out", partial(_ours, sandbox, worker)
    if srt := _sandbox_runtime():
        name = f"sandbox-runtime ({SRT_PACKAGE.rpartition('@')[2]})"
        yield name, partial(_alone, partial(_call, srt, ground))


async def _alone(start: Callable[[], None]) -> None:
    """Let nothing else go on meanwhile: nobody waits for these but us."""
    start()


async def _works(sandbox: Sandbox) -> bool:
    try:
        return (await sandbox.probe()).is_usable
    except SupervisorError:
        return False


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
        sys.exit(f"the sandbox did not run the command: {result}")


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
        subprocess.run(command, check=True, env={"PATH": "/usr/bin:/bin"}, pass_fds=files)
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


def _sandbox_runtime() -> list[str]:
    """Install the package beside the project's own files; nothing where there is no npm."""
    if shutil.which("npm") is None:
        print("npm is missing: sandbox-runtime is left out", file=sys.stderr)
        return []
    if not (SRT / "node_modules").exists():
        SRT.mkdir(parents=True, exist_ok=True)
        _call(["npm", "install", "--silent", "--no-audit", "--no-fund", SRT_PACKAGE], SRT)
    settings = SRT / "settings.json"
    settings.write_text(
        '{"network": {"allowedDomains": [], "deniedDomains": []},'
        ' "filesystem": {"denyRead": [], "allowWrite": ["."], "denyWrite": []}}'
    )
    return [str(SRT / "node_modules/.bin/srt"), "--settings", str(settings), *COMMAND]


def _call(command: list[str], directory: Path = ROOT) -> None:
    subprocess.run(command, check=True, cwd=directory, capture_output=True)
