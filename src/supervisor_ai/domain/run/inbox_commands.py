"""What other processes may ask of a run: inbox commands."""

from dataclasses import dataclass
from datetime import datetime

from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.ids import ArtifactHash, LetterKey, RunId, StepName, TreeSha
from supervisor_ai.domain.run.status import Outcome, RunStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """Stop the run."""

    reason: ArtifactHash | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Approve:
    """Say yes to the tree that the step asks about."""

    step: StepName
    visit: int
    tree: TreeSha
    note: ArtifactHash | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reject:
    """Say no to the tree that the step asks about."""

    step: StepName
    visit: int
    tree: TreeSha
    note: ArtifactHash


@dataclass(frozen=True, slots=True, kw_only=True)
class Migrate:
    """Go on under another definition."""

    definition: ArtifactHash


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportChild:
    """A child run tells its parent how it ended."""

    child: RunId
    status: RunStatus
    outcome: Outcome


Command = Cancel | Approve | Reject | Migrate | ReportChild


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxCommand:
    """A command for a run's owner; the key makes sending it twice harmless."""

    key: LetterKey
    run: RunId
    command: Command
    actor: Actor
    sent_at: datetime
