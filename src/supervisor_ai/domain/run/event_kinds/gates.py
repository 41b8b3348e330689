"""The facts of gates."""

from typing import ClassVar

from supervisor_ai.domain.ids import (
    ArtifactHash,
    CommitSha,
    StepName,
)
from supervisor_ai.domain.run.event_kinds.placed import OperationEnded, OperationStarted, StepNote
from supervisor_ai.domain.run.gates import Complexity
from supervisor_ai.domain.run.status import (
    FailureCategory,
    Verdict,
)
from supervisor_ai.domain.run.values import (
    Hardness,
)


class GateStarted(OperationStarted, frozen=True, kw_only=True):
    """A gate is about to run on a snapshot."""

    operation: ClassVar = "gate"

    gate: str
    snapshot: CommitSha

    def lost(self) -> "GateLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return GateLost(step=self.step, visit=self.visit, slot=self.slot, gate=self.gate)


class GateEnded(OperationEnded, frozen=True, kw_only=True):
    """What the gate said."""

    ends: ClassVar = GateStarted

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
    coverage: float | None = None
    """How much of the code its tests reach, in percent, where a tool that is known said so."""
    mender: StepName | None = None
    """The step that can mend it, where that is another one than its step goes back to."""
    needs_person: bool = False
    """Whether no worker can mend it: a person is asked, whatever the gate's policy."""


class ClaimsRefuted(StepNote, frozen=True, kw_only=True):
    """A worker reported what git does not bear out; the slot is the gate's."""

    attempt: int
    role: str
    cli: str
    files: int
    tests: int
    commits: int
    report: ArtifactHash


class GateLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died before the gate had an end."""

    ends: ClassVar = GateStarted

    gate: str


class GateCancelled(OperationEnded, frozen=True, kw_only=True):
    """The gate was stopped because its run ends."""

    ends: ClassVar = GateStarted

    gate: str
