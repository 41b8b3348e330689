"""Where a command runs: a sandbox that it cannot leave."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Protocol


class Profile(StrEnum):
    """Whom the sandbox is for."""

    WORKER = "worker"
    EXECUTOR = "executor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """A path of the host that the command may see, at a place of its own."""

    source: Path
    target: Path
    is_writable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxSpec:
    """A command and everything that it may see; nothing else exists for it.

    The label names it, and the fence numbers its owner, for whoever has to end it later.
    """

    label: str
    profile: Profile
    argv: tuple[str, ...]
    cwd: Path
    mounts: tuple[Mount, ...]
    timeout: timedelta
    output_bytes: int
    environment: Mapping[str, str] = field(default_factory=dict)
    ro_paths: tuple[str, ...] = ()
    stdin: bytes = b""
    fence: int = 0


class Channel(StrEnum):
    """Which stream a piece of output came from."""

    STDOUT = "stdout"
    STDERR = "stderr"


OutputSink = Callable[[Channel, bytes], None]


class SandboxEnd(StrEnum):
    """How the command's time in the sandbox ended."""

    EXITED = "exited"
    TIMED_OUT = "timed_out"
    OUTPUT_CAPPED = "output_capped"
    COMMAND_MISSING = "command_missing"
    SANDBOX_FAILED = "sandbox_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxResult:
    """What came of the command; a failing command is a result, not an exception."""

    end: SandboxEnd
    exit_code: int | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that the self-test of a sandbox looked at."""

    name: str
    holds: bool
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What a sandbox proved to enforce on this machine."""

    backend: str
    version: str
    findings: tuple[Finding, ...]
    remedy: str | None = None

    @property
    def is_usable(self) -> bool:
        """Tell whether everything that must hold does."""
        return bool(self.findings) and all(finding.holds for finding in self.findings)


class Sandbox(Protocol):
    """A way to run commands where they can do no harm."""

    @property
    def name(self) -> str:
        """Name the backend, as the ledger records it."""
        ...

    async def run(self, spec: SandboxSpec, on_output: OutputSink) -> SandboxResult:
        """Run the command and pass its output on as it comes.

        When this returns, or is cancelled, no process of the command is left.
        """
        ...

    async def reap(self, prefix: str, *, before: int) -> int:
        """Kill what still lives of commands whose label begins so; return how many there were.

        Only commands of owners with a lower fence: an owner that comes too late, and does not know
        it yet, cannot kill its successor's.
        """
        ...

    async def probe(self) -> Probe:
        """Prove from inside what the sandbox enforces."""
        ...
