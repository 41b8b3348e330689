"""What members send, and what comes of it."""

from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.staffing.complexity import TeamComplexity
from supervisor_ai.drivers.team.words import RefusalCode, SentWord, ToolDecision, WaitReason

NO_TEXT: Final = ArtifactHash("")
"""What stands for a text that the bridge has made sure of."""


class SentEvent(Struct, frozen=True, kw_only=True):
    """An event as a member sends it; its texts are kept already."""

    event: SentWord
    sender: str
    """Whose token it came with."""
    actor: str | None = None
    task_id: str | None = None
    rev: int | None = None
    epoch: int | None = None
    files: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    """The capabilities that a new task asks for."""
    complexity: TeamComplexity | None = None
    subject: ArtifactHash | None = None
    """What a task is, or what is asked for."""
    request: str = ""
    """What the supervisor is asked to do itself, in words."""
    issue: str = ""
    owner: str | None = None
    """Whom the Lead chooses."""
    tool: str | None = None
    decision: ToolDecision | None = None
    wait: WaitReason | None = None


class Ruling(Struct, frozen=True, kw_only=True):
    """What comes of an event: whether it is taken, in which words, and by which facts."""

    accepted: bool
    event: str
    """The word of what happened: what was sent, or what the supervisor emits instead."""
    reason: str = ""
    code: RefusalCode | None = None
    facts: tuple[TeamFact, ...] = ()


class TeamAnswer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is told to who sent something."""

    accepted: bool
    event: str
    reason: str
    edit: ArtifactHash | None = None
    """What somebody else wrote into state.md, as it is kept."""


def answer_of(ruling: Ruling) -> TeamAnswer:
    """Tell what came of a decision."""
    return TeamAnswer(accepted=ruling.accepted, event=ruling.event, reason=ruling.reason)
