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


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLost(PlacedEvent):
    """Its owner died before the gate had an end."""

    gate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCancelled(PlacedEvent):
    """The gate was stopped because its run ends."""

    gate: str
