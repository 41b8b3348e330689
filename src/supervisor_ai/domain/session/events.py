"""The facts of a session's stream."""

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import ArtifactHash, RunId
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.domain.session.tasks import TaskStatus


class SessionOpened(Event, frozen=True, kw_only=True):
    """Members can begin to work together."""

    team: str
    pipeline: str
    requirement: ArtifactHash
    """What the session is for, in the words of whoever opened it."""
    supervision: bool = True
    """Whether checkpoints look at the work."""
    folder: str | None = None
    """Where its files are, if anywhere."""
    reaches_all: bool = False
    """Whether its supervisor speaks to every member, and not to the coordinator alone."""


class SessionClosed(Event, frozen=True, kw_only=True):
    """Nothing is added any more."""


class MemberAdded(Event, frozen=True, kw_only=True):
    """Somebody takes part."""

    member: str
    role: MemberRole
    token: str
    """The hash of what proves who speaks; nothing: nobody can."""
    awaits_delivery: bool = False
    """Whether the token may be lost on its way, until another fact says that it was not."""


class TokenDelivered(Event, frozen=True, kw_only=True):
    """A token was shown to the end, or used: it is not given out again."""

    member: str


class MemberRemoved(Event, frozen=True, kw_only=True):
    """Somebody takes part no longer, and the token proves nothing any more."""

    member: str


class MessageLogged(Event, frozen=True, kw_only=True):
    """Somebody said something."""

    number: int
    sender: str
    to: str
    kind: str
    body: ArtifactHash
    """The summary and the data, as JSON."""
    state: ArtifactHash | None = None
    """How the sender stands now, where the message says so."""
    key: str = ""
    """What makes logging it twice harmless; nothing: twice is two messages."""


class TaskAdded(Event, frozen=True, kw_only=True):
    """There is something to do."""

    task: str
    subject: ArtifactHash
    owner: str = ""
    """Who does it; nothing: nobody yet."""
    blocked_by: tuple[str, ...] = ()


class TaskMoved(Event, frozen=True, kw_only=True):
    """A task stands elsewhere, or is somebody else's."""

    task: str
    status: TaskStatus
    owner: str = ""
    by: str = ""
    """Who moved it."""


class FileImported(Event, frozen=True, kw_only=True):
    """A file of the session as it was when it was read."""

    path: str
    artifact: ArtifactHash


class FileSynced(Event, frozen=True, kw_only=True):
    """A file of a folder and the ledger knew the same of each other."""

    folder: str
    path: str
    content: str
    """The SHA-256 of its bytes."""
    size: int
    messages: int = 0
    """For the file of messages: up to which number they are in it."""


class CallRefused(Event, frozen=True, kw_only=True):
    """A member asked for what it may not do."""

    member: str
    call: str
    reason: str


class ResidentStarted(Event, frozen=True, kw_only=True):
    """A run listens to what is said to the supervisor."""

    run: RunId


class ResidentStopped(Event, frozen=True, kw_only=True):
    """The run listens no more."""

    run: RunId


SessionEvent = (
    SessionOpened
    | SessionClosed
    | MemberAdded
    | TokenDelivered
    | MemberRemoved
    | MessageLogged
    | TaskAdded
    | TaskMoved
    | FileImported
    | FileSynced
    | CallRefused
    | ResidentStarted
    | ResidentStopped
)
