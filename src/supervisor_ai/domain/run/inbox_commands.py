"""What other processes may ask of a run: inbox commands."""

from datetime import datetime

from msgspec import Struct

from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.ids import ArtifactHash, LetterKey, RunId, StepName, TreeSha
from supervisor_ai.domain.run.status import Outcome, RunStatus


class Cancel(Struct, frozen=True, kw_only=True):
    """Stop the run."""

    reason: ArtifactHash | None = None


class Approve(Struct, frozen=True, kw_only=True):
    """Say yes to the tree that the step asks about."""

    step: StepName
    visit: int
    tree: TreeSha
    note: ArtifactHash | None = None


class Reject(Struct, frozen=True, kw_only=True):
    """Say no to the tree that the step asks about."""

    step: StepName
    visit: int
    tree: TreeSha
    note: ArtifactHash


class Migrate(Struct, frozen=True, kw_only=True):
    """Go on under another definition."""

    definition: ArtifactHash


class ReportChild(Struct, frozen=True, kw_only=True):
    """A child run tells its parent how it ended."""

    child: RunId
    status: RunStatus
    outcome: Outcome


Command = Cancel | Approve | Reject | Migrate | ReportChild


class InboxCommand(Struct, frozen=True, kw_only=True):
    """A command for a run's owner; the key makes sending it twice harmless."""

    key: LetterKey
    run: RunId
    command: Command
    actor: Actor
    sent_at: datetime
