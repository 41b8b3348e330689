"""Asking for a checkpoint, as a coordinator does."""

from datetime import timedelta
from typing import Final

from msgspec import Struct

from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.sessions.bus import Bus, Post
from supervisor_ai.control.sessions.desk import Caller, SessionDesk, open_desk
from supervisor_ai.control.sessions.tasks import NewTask, Tasks
from supervisor_ai.domain.errors import Conflict, InvalidInput, Unavailable
from supervisor_ai.domain.ids import RunId, SessionId
from supervisor_ai.domain.run.events import ApprovalRequested
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.domain.session.decisions import require
from supervisor_ai.domain.session.members import SUPERVISOR, MemberPermission
from supervisor_ai.drivers.checkpoint.protocol.requests import (
    CheckpointRequest,
    MessageProblems,
    PipelineProgress,
    format_request,
    read_request,
)

KIND: Final = "checkpoint_request"
POLL: Final = timedelta(milliseconds=200)
PATIENCE: Final = timedelta(seconds=30)
"""How long a request lies unheard before nobody is believed to listen."""
_WORDS: Final = 2


class CheckpointWish(Struct, frozen=True, kw_only=True):
    """A checkpoint that somebody asks for."""

    task: str
    scope: tuple[str, ...]
    progress: str | None = None
    """`M/N`: how many of the pipeline's tasks are completed."""


def request_checkpoint(
    desk: SessionDesk, session: SessionId, caller: Caller, wish: CheckpointWish
) -> str:
    """Ask the supervisor for a checkpoint; return the name of the message."""
    require(caller.member, MemberPermission.REQUEST_CHECKPOINT)
    content = _content(wish)
    found = desk.view(session).refresh()
    if found.opened is not None and not found.opened.supervision:
        raise Conflict(
            f"Session {session!r} has no checkpoints: it was opened with `supervision: false`."
        )
    if wish.task not in found.tasks:
        subject = f"Checkpoint of {', '.join(wish.scope)}"
        Tasks(desk, session, caller).add(NewTask(task=wish.task, subject=subject[:2_000]))
    post = Post(
        kind=KIND,
        summary=f"Checkpoint request: {wish.task}",
        data={"content": content},
        to=SUPERVISOR,
    )
    return Bus(desk, session, caller).log(post).id


def _content(wish: CheckpointWish) -> str:
    """Write the request in its fixed form; refuse what the supervisor would refuse."""
    request = CheckpointRequest(task=wish.task, scope=wish.scope, progress=_progress(wish.progress))
    content = format_request(request)
    read = read_request(content)
    if isinstance(read, MessageProblems):
        raise InvalidInput(
            read.text, hint="Example: checkpoint request S1 CHECKPOINT-001 --scope A-1,B-2"
        )
    return content


def _progress(text: str | None) -> PipelineProgress | None:
    if text is None:
        return None
    parts = text.split("/")
    if len(parts) != _WORDS or not all(it.isascii() and it.isdigit() for it in parts):
        raise InvalidInput(f"{text[:80]!r} is no progress.", hint="Example: --progress 3/10")
    return PipelineProgress(done=int(parts[0][:7]), total=int(parts[1][:7]))


class Reply(Struct, frozen=True, kw_only=True):
    """What the supervisor answered."""

    summary: str
    content: str
    is_error: bool
    is_postponed: bool = False
    """Whether a person decides about another checkpoint first."""


def find_reply(desk: SessionDesk, session: SessionId, caller: Caller, message: str) -> Reply | None:
    """Return what the supervisor said about a message; None: nothing yet."""
    after = int(message.removeprefix("MSG-"))
    said = Bus(desk, session, caller).list(last=100, sender=SUPERVISOR, after=after)
    for it in said:
        data = it.data or {}
        if data.get("in_reply_to") == message:
            content = data.get("content")
            first = str(content).partition("\n")[0]
            return Reply(
                summary=it.summary,
                content=content if isinstance(content, str) else it.summary,
                is_error="complete." not in first,
                is_postponed=" postponed: " in first,
            )
    return None


async def await_reply(
    project: OpenProject, session: SessionId, caller: Caller, message: str
) -> Reply:
    """Wait until the supervisor has answered a message; raise where nobody would."""
    desk, clock = open_desk(project), project.world.clock
    begun = clock.boottime()
    while (reply := find_reply(desk, session, caller, message)) is None:
        waited = clock.boottime() - begun
        _require_listener(project, session, desk.view(session).refresh().resident, waited)
        await clock.sleep(POLL.total_seconds())
    if reply.is_postponed:
        raise Conflict(reply.content, hint="See what a person is asked: supervisor approvals")
    if reply.is_error:
        raise InvalidInput(reply.content)
    return reply


def _require_listener(
    project: OpenProject, session: SessionId, run: RunId | None, waited: float
) -> None:
    """Refuse to wait for whom nobody drives, or who waits for a person."""
    row = None if run is None else project.records.queries.run(run)
    is_gone = row is None or row.status in ENDED
    is_heard = run is not None and not project.world.inbox.pending(run)
    if is_gone or (not is_heard and waited > PATIENCE.total_seconds()):
        raise Unavailable(
            f"Nobody watches over session {session!r}; the request waits for whoever does.",
            hint=f"Start the supervisor: supervisor checkpoint serve {session}",
        )
    if row is not None and is_heard and row.waits_for == ApprovalRequested.waits_for:
        raise Conflict(
            "The supervisor waits for a person's decision about a block, and then goes on.",
            hint=f"See what it asks: supervisor status {row.id}",
        )
