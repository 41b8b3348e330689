"""The facts of a team's life, its roster, and what it refused."""

from datetime import timedelta
from enum import StrEnum
from typing import ClassVar

from msgspec import field

from supervisor_ai.domain.ids import ArtifactHash, RunId, SessionId
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.staffing.complexity import TeamComplexity
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.words import RefusalCode


class TeamCreated(TeamFact, frozen=True, kw_only=True):
    """There is a team; its members talk in a session."""

    word: ClassVar = "TEAM_CREATED"

    team: str
    session: SessionId
    complexity: TeamComplexity
    folder: str
    """Where state.md and DECISIONS.md are."""
    most_coders: int
    messages: ArtifactHash | None = None
    """Its own words for messages, as JSON; None: the usual ones."""
    sla: dict[str, tuple[timedelta, ...]] = field(default_factory=dict)
    """After how long a silence what is done, by who is silent: ping, escalation, replacement."""


class MemberJoined(TeamFact, frozen=True, kw_only=True):
    """Somebody takes part."""

    word: ClassVar = "MEMBER_JOINED"

    member: str
    role: TeamRole
    capabilities: tuple[str, ...] = ()
    run: RunId | None = None
    """The run whose worker it is; None: an agent from outside."""


class MemberLeft(TeamFact, frozen=True, kw_only=True):
    """Somebody takes part no longer."""

    word: ClassVar = "MEMBER_LEFT"

    member: str


class FollowStatus(StrEnum):
    """How far a run of our own is, as its team sees it."""

    WORKING = "working"
    COMPLETED = "completed"
    """It is over, and its task waits for those who have to agree."""
    LEFT = "left"


class RunFollowed(TeamFact, frozen=True, kw_only=True):
    """What the stream of a run says was taken up to a place."""

    word: ClassVar = "RUN_FOLLOWED"
    is_shown: ClassVar = False

    run: RunId
    upto: int
    """The place in the run's stream."""
    status: FollowStatus


class EventRefused(TeamFact, frozen=True, kw_only=True):
    """A member sent what is not taken; of a flood, only the beginning is recorded."""

    word: ClassVar = "EVENT_REFUSED"

    sent: str
    code: RefusalCode
    count: int
    """How many of this member were recorded in this window."""


class MessagesRead(TeamFact, frozen=True, kw_only=True):
    """Its actor was shown the messages of the session up to a number."""

    word: ClassVar = "MESSAGES_READ"
    is_shown: ClassVar = False

    upto: int


class MessagesDelivered(TeamFact, frozen=True, kw_only=True):
    """What the supervisor had to say up to a fact was said."""

    word: ClassVar = "MESSAGES_DELIVERED"
    is_shown: ClassVar = False

    upto: int
    """The place of the fact in the team's stream."""
