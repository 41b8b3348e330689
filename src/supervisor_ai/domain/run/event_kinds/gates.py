"""The facts of gates."""

from dataclasses import dataclass

from supervisor_ai.domain.ids import (
    ArtifactHash,
    CommitSha,
)
from supervisor_ai.domain.run.event_kinds.placed import PlacedEvent
from supervisor_ai.domain.run.facts import (
    Hardness,
)
from supervisor_ai.domain.run.gates import Complexity
from supervisor_ai.domain.run.status import (
    FailureCategory,
    Verdict,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateStarted(PlacedEvent):
    """A gate is about to run on a snapshot."""

    gate: str
    snapshot: CommitSha


@dataclass(frozen=True, slots=True, kw_only=True)
class GateEnded(PlacedEvent):
    """What the gate said."""

    gate: str
    verdict: Verdict
    reason: str
    output: ArtifactHash | None
    exit_code: int | None = None
    category: FailureCategory | None = None
    limits: Hardness = Hardness.NONE
    key: str | None = None
    """By which the verdict is found again for the same files; None: it counts this once."""
    is_reused: bool = False
    """Whether the verdict was known from before and nothing was run."""
    tests: int | None = None
    """How many tests ran, where a runner that is known said so."""
    findings: int = 0
    report: ArtifactHash | None = None
    """The findings, each with rule, file and line."""
    feedback: ArtifactHash | None = None
    """What a worker is told: the failing part of the output."""
    complexity: Complexity | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimsRefuted(PlacedEvent):
    """A worker reported what git does not bear out; the slot is the gate's."""

    attempt: int
    role: str
    cli: str
    files: int
    tests: int
    commits: int
    report: ArtifactHash


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLost(PlacedEvent):
    """Its owner died before the gate had an end."""

    gate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCancelled(PlacedEvent):
    """The gate was stopped because its run ends."""

    gate: str
