"""Doing what belongs to the life between checkpoints: begin, wait, hear, err, end."""

from typing import assert_never

from supervisor_ai.control.sessions.folder.folder_desk import FROM_FILE
from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.members import SUPERVISOR
from supervisor_ai.domain.session.tasks import SessionTask, TaskStatus
from supervisor_ai.drivers.checkpoint import effects as d
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.drivers.checkpoint.performers.context import HeardMessage
from supervisor_ai.drivers.checkpoint.performers.door import SessionDoors
from supervisor_ai.drivers.checkpoint.performers.history import (
    heard_message,
    incoming,
    logged_messages,
    rebuilt,
    seen_to,
)
from supervisor_ai.drivers.checkpoint.protocol import replies
from supervisor_ai.drivers.checkpoint.protocol.requests import (
    CheckpointRequest,
    MessageProblems,
    ShutdownRequest,
    read_message,
)
from supervisor_ai.engine.world import Operation


async def read_session(
    effect: d.ReadSession, operation: Operation, doors: SessionDoors
) -> k.SessionRead | k.SessionUnreadable:
    """Become the session's supervisor, give back what was in progress, and remember reports."""
    door = doors.open(operation, effect.session)
    opened = door.state().opened
    if opened is None or door.state().is_closed:
        problem, _ = operation.keep(f"Session {effect.session!r} is not open.")
        return k.SessionUnreadable(
            step=effect.step, visit=effect.visit, slot=effect.slot, problem=problem
        )
    session = door.take()
    if session.resident != operation.run:
        door.add(s.ResidentStarted(run=operation.run))
    released = [it.task for it in session.tasks.values() if it.is_checkpoint and _is_begun(it)]
    for task in released:
        door.move(task, TaskStatus.PENDING)
    known, unreadable = rebuilt(door)
    cursor, version = seen_to(door)
    return k.SessionRead(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        accumulator=operation.world.documents.save(known),
        cursor=cursor,
        version=version,
        reports=len(known.entries),
        released=tuple(released),
        unreadable=unreadable,
    )


def _is_begun(task: SessionTask) -> bool:
    return task.status is TaskStatus.IN_PROGRESS


async def tell_ready(effect: d.TellReady, operation: Operation, doors: SessionDoors) -> k.ReadyTold:
    """Tell the coordinator that the supervisor waits, anew or again."""
    door = doors.open(operation, effect.session)
    words = replies.recovered(effect.reports) if effect.recovery else replies.ready(effect.session)
    return k.ReadyTold(
        step=effect.step, visit=effect.visit, slot=effect.slot, message=door.say(words)
    )


async def read_bus(
    effect: d.ReadBus, operation: Operation, doors: SessionDoors
) -> k.RequestTaken | k.ShutdownTaken | k.MessageRefused | k.NothingHeard:
    """Read the next message for the supervisor, strictly."""
    door = doors.open(operation, effect.session)
    version = effect.version
    for envelope, event in logged_messages(door, after=effect.version):
        version = envelope.version
        if event.to == SUPERVISOR and event.number > effect.cursor:
            heard = heard_message(door, envelope, event)
            meant = _proven(read_message(incoming(heard)), envelope)
            return _taken(effect, operation, version, heard, _defined(meant, effect.checkpoints))
    return k.NothingHeard(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        cursor=effect.cursor,
        version=version,
    )


Meant = CheckpointRequest | ShutdownRequest | MessageProblems


def _taken(
    effect: d.ReadBus, operation: Operation, version: int, heard: HeardMessage, meant: Meant
) -> k.RequestTaken | k.ShutdownTaken | k.MessageRefused:
    match meant:
        case CheckpointRequest(task=task, scope=scope, progress=progress):
            return k.RequestTaken(
                step=effect.step,
                visit=effect.visit,
                slot=effect.slot,
                message=heard.number,
                version=version,
                task=task,
                scope=scope,
                done=None if progress is None else progress.done,
                total=None if progress is None else progress.total,
            )
        case ShutdownRequest(request_id=request):
            return k.ShutdownTaken(
                step=effect.step,
                visit=effect.visit,
                slot=effect.slot,
                message=heard.number,
                version=version,
                request=request,
            )
        case MessageProblems(text=text):
            return k.MessageRefused(
                step=effect.step,
                visit=effect.visit,
                slot=effect.slot,
                message=heard.number,
                version=version,
                problem=operation.keep(text)[0],
            )
        case _:
            assert_never(meant)


def _proven(meant: Meant, envelope: Envelope) -> Meant:
    """Refuse an end that a file asks for, in whatever words: it proves nobody."""
    if not isinstance(meant, ShutdownRequest) or envelope.actor != FROM_FILE:
        return meant
    return MessageProblems(problems=("Asked for the end by a file; a file proves nobody.",))


def _defined(meant: Meant, checkpoints: tuple[str, ...]) -> Meant:
    """Refuse a checkpoint that nobody has defined."""
    if not isinstance(meant, CheckpointRequest) or meant.task in checkpoints:
        return meant
    asked = f"Asked for one of {', '.join(checkpoints)} as 'task_id'"
    return MessageProblems(problems=(f"{asked}; found {meant.task!r}.",))


async def tell_error(effect: d.TellError, operation: Operation, doors: SessionDoors) -> k.ErrorTold:
    """Tell the coordinator what could not be done; a claimed checkpoint is pending again."""
    door = doors.open(operation, effect.session)
    if effect.task is not None:
        door.move(effect.task, TaskStatus.PENDING)
    words = replies.error(operation.text_of(effect.problem), effect.number, effect.types)
    return k.ErrorTold(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        message=door.say(words, effect.request, is_one_of_many=True),
        number=effect.number,
        is_alert=effect.number >= replies.ALERT_FROM,
    )


async def postpone(
    effect: d.PostponeRequest, operation: Operation, doors: SessionDoors
) -> k.RequestPostponed:
    """Tell the coordinator that a checkpoint waits for a person's decision about another one."""
    door = doors.open(operation, effect.session)
    words = replies.postponed(effect.task, effect.blocked)
    return k.RequestPostponed(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        message=door.say(words, effect.request, is_one_of_many=True),
        task=effect.task,
    )


async def answer_shutdown(
    effect: d.AnswerShutdown, operation: Operation, doors: SessionDoors
) -> k.ShutdownAnswered:
    """Grant the wish to shut down, give back what blocks, and listen no more."""
    door = doors.open(operation, effect.session)
    if effect.task is not None:
        door.move(effect.task, TaskStatus.PENDING)
    message = door.say(replies.shutdown_response(effect.request), effect.message)
    if door.state().resident == operation.run:
        door.add(s.ResidentStopped(run=operation.run))
    return k.ShutdownAnswered(
        step=effect.step, visit=effect.visit, slot=effect.slot, message=message
    )
