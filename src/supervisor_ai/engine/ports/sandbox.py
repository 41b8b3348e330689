"""Where a command runs: a sandbox that it cannot leave."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct

from supervisor_ai.domain.run.definition import EXECUTOR_LIMITS, ResourceLimits
from supervisor_ai.domain.run.failures.diagnosis import Action
from supervisor_ai.domain.run.spending.prices import CostCap
from supervisor_ai.domain.run.values import NO_USAGE, EgressRefusal, Hardness, Usage

if TYPE_CHECKING:
    import asyncio


class Profile(StrEnum):
    """Whom the sandbox is for."""

    WORKER = "worker"
    EXECUTOR = "executor"


class Mount(Struct, frozen=True, kw_only=True):
    """A path of the host that the command may see, at a place of its own."""

    source: Path
    target: Path
    is_writable: bool = False
    give: Callable[[int, Callable[[Path], None]], None] | None = None
    """How all of it becomes a user's, where it takes more than to change the owner of each file.

    It is told the user, and how files are given to that user.
    """
    written: Path | None = None
    """Where all that is written into it lies, if apart from what it shows besides."""


MEMBERS: Final = "/mcp"
"""The path at which the gateway of a sandbox has the tools of a session."""
RefusalSink = Callable[[EgressRefusal], None]


class LiveHeaders(Protocol):
    """Headers that carry a login, which may have to be renewed while a command runs."""

    async def now(self) -> Mapping[str, str]:
        """Return what is valid now, by small names."""
        ...

    async def renew(self, refused: Mapping[str, str]) -> None:
        """Get others in place of those that the upstream refused, if that is possible."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerRoute:
    """Where requests of the command go, and what they are given on the way."""

    upstream: str
    paths: tuple[str, ...]
    header: str
    """The name of the header that carries the key."""
    secret: str = field(repr=False)
    """The value of that header; it never enters the sandbox."""
    is_local: bool = False
    """Whether the upstream may be on this machine or in a private network."""
    login: LiveHeaders | None = None
    """What requests are given instead of the secret, where it changes."""
    web_tools: tuple[str, ...] = ()
    """`web_search`, `web_fetch`: what the provider itself may do for the command."""


class Egress(Struct, frozen=True, kw_only=True):
    """The only ways out of a sandbox; every other attempt is refused and told."""

    on_refusal: RefusalSink
    allow: tuple[str, ...] = ()
    """Exact `host:port` pairs for the CONNECT proxy."""
    private: tuple[str, ...] = ()
    """Those of them that may be in a private network."""
    broker: BrokerRoute | None = None
    broker_variables: tuple[str, ...] = ()
    """The variables that tell the command the broker's address."""
    tokens: int | None = None
    """What the command may spend through the broker before it is cut off."""
    cost_cap: CostCap | None = None
    """What that may cost before it is cut off."""
    members: Path | None = None
    """The socket that serves the tools of its session to this command alone."""


class SandboxSpec(Struct, frozen=True, kw_only=True):
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
    environment: Mapping[str, str] = {}
    ro_paths: tuple[str, ...] = ()
    caches: tuple[str, ...] = ()
    stdin: bytes = b""
    not_installed: tuple[str, ...] = ()
    """Python distributions that are not to be imported as they are installed on the host."""
    fence: int = 0
    limits: ResourceLimits = EXECUTOR_LIMITS
    egress: Egress | None = None


class Channel(StrEnum):
    """Which stream a piece of output came from."""

    STDOUT = "stdout"
    STDERR = "stderr"


OutputSink = Callable[[Channel, bytes], "asyncio.Future[None] | None"]
"""Takes a piece of output; who is given a future passes nothing on before it is done."""


class SandboxEnd(StrEnum):
    """How the command's time in the sandbox ended."""

    EXITED = "exited"
    TIMED_OUT = "timed_out"
    IDLE = "idle"
    OUTPUT_CAPPED = "output_capped"
    LIMIT_EXCEEDED = "limit_exceeded"
    CUT_OFF = "cut_off"
    COMMAND_MISSING = "command_missing"
    SANDBOX_FAILED = "sandbox_failed"
    SETUP_FAILED = "setup_failed"
    """The command never began, because the workspace could not be set up for it."""


END_ACTIONS: Final[Mapping[SandboxEnd, Action]] = {
    SandboxEnd.TIMED_OUT: Action.RETRY_SAME,
    SandboxEnd.IDLE: Action.RETRY_SAME,
    SandboxEnd.SANDBOX_FAILED: Action.RETRY_SAME,
    SandboxEnd.OUTPUT_CAPPED: Action.FAIL_OVER,
    SandboxEnd.LIMIT_EXCEEDED: Action.ESCALATE,
    SandboxEnd.CUT_OFF: Action.ESCALATE,
    SandboxEnd.COMMAND_MISSING: Action.ESCALATE,
    SandboxEnd.SETUP_FAILED: Action.ESCALATE,
}
"""What an agent's end calls for. Time and machines get better by themselves; who is given the same
again writes as much again, needs as much memory again, and is not there again."""
BEYOND_LIMITS: Final = frozenset(
    {
        SandboxEnd.TIMED_OUT,
        SandboxEnd.IDLE,
        SandboxEnd.OUTPUT_CAPPED,
        SandboxEnd.LIMIT_EXCEEDED,
        SandboxEnd.CUT_OFF,
    }
)
"""The command was ended because it wanted more than it may have."""


class SandboxResult(Struct, frozen=True, kw_only=True):
    """What came of the command; a failing command is a result, not an exception."""

    end: SandboxEnd
    exit_code: int | None
    reason: str
    hidden: tuple[str, ...] = ()
    """What of the host was hidden from it that it might have imported, in words."""
    limits: Hardness = Hardness.NONE
    usage: Usage = NO_USAGE
    """What went through the broker."""
    reset_at: datetime | None = None
    """When the usage limit ends that the upstream spoke of last, as its headers say."""


class ProbeFinding(Struct, frozen=True, kw_only=True):
    """One thing that the self-test of a sandbox looked at."""

    name: str
    holds: bool
    detail: str


class LimitFinding(Struct, frozen=True, kw_only=True):
    """How a sandbox keeps a command within one limit on this machine."""

    name: str
    hardness: Hardness
    detail: str


class Probe(Struct, frozen=True, kw_only=True):
    """What a sandbox proved to enforce on this machine."""

    backend: str
    version: str
    findings: tuple[ProbeFinding, ...]
    limits: tuple[LimitFinding, ...] = ()
    remedy: str | None = None

    @property
    def is_usable(self) -> bool:
        """Tell whether everything that must hold does."""
        return bool(self.findings) and all(finding.holds for finding in self.findings)

    def soft_limits(self, *, kept_elsewhere: Collection[str] = ()) -> tuple[str, ...]:
        """Name the limits that the kernel does not keep, but for those that others see to."""
        return tuple(
            limit.name
            for limit in self.limits
            if limit.hardness is not Hardness.HARD and limit.name not in kept_elsewhere
        )


UNSANDBOXED: Final = "none"
"""The name of the backend that holds nobody."""


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

    async def cpu_time(self, label: str) -> timedelta | None:
        """Say what the live command of this label has used so far; None: nobody can tell."""
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
