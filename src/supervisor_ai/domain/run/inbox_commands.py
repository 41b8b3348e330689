"""What other processes may ask of a run: inbox commands."""

from datetime import datetime

from msgspec import Struct

from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.ids import ArtifactHash, LetterKey, RunId, StepName, TreeSha
from supervisor_ai.domain.run.line_places import LineSide
from supervisor_ai.domain.run.status import Outcome, RunStatus
from supervisor_ai.domain.run.values import Snapshot


class Cancel(Struct, frozen=True, kw_only=True):
    """Stop the run."""

    reason: ArtifactHash | None = None


class Approve(Struct, frozen=True, kw_only=True):
    """Say yes to the tree that the step asks about."""

    step: StepName
    visit: int
    tree: TreeSha
    note: ArtifactHash | None = None
    person: str = ""
    """Who is said to decide; without a proof, no more than the user of this machine."""
    proof: ArtifactHash | None = None
    """The signed decision: its document, then its signature."""
    shown: ArtifactHash | None = None
    """What the person was shown."""
    completes: bool = False
    """Whether the person means that the task is complete, and not only that it may go on."""


class Reject(Struct, frozen=True, kw_only=True):
    """Say no to the tree that the step asks about."""

    step: StepName
    visit: int
    tree: TreeSha
    note: ArtifactHash
    person: str = ""
    proof: ArtifactHash | None = None
    shown: ArtifactHash | None = None


class Comment(Struct, frozen=True, kw_only=True):
    """Say something about a line of the change that the step asks about."""

    step: StepName
    visit: int
    tree: TreeSha
    file: str
    line: int
    text: ArtifactHash
    side: LineSide = LineSide.NEW
    quote: ArtifactHash | None = None
    """What the line says."""


class EditChange(Struct, frozen=True, kw_only=True):
    """Put other files in the place of those that the step asks about."""

    step: StepName
    visit: int
    tree: TreeSha
    edited: Snapshot


class Migrate(Struct, frozen=True, kw_only=True):
    """Go on under another definition."""

    definition: ArtifactHash


class ReportChild(Struct, frozen=True, kw_only=True):
    """A child run tells its parent how it ended."""

    child: RunId
    status: RunStatus
    outcome: Outcome


class Signal(Struct, frozen=True, kw_only=True):
    """Something happened that the run may wait for."""

    signal: str


Command = Cancel | Approve | Reject | Comment | EditChange | Migrate | ReportChild | Signal


class InboxCommand(Struct, frozen=True, kw_only=True):
    """A command for a run's owner; the key makes sending it twice harmless."""

    key: LetterKey
    run: RunId
    command: Command
    actor: Actor
    sent_at: datetime
