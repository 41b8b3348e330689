"""Loading what is new in a session: messages since a version, artifacts by hash, new wisdom."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from supervisor_ai.domain.errors import ErrorKind, SupervisorError
from supervisor_ai.domain.ids import ArtifactHash, session_stream
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.session import SessionState
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint import effects as d
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.drivers.checkpoint.accumulator import Accumulator
from supervisor_ai.drivers.checkpoint.checks.model import (
    CheckedTask,
    CheckMaterial,
    LoadedArtifact,
)
from supervisor_ai.drivers.checkpoint.performers.context import (
    WISDOM,
    LoadedContext,
    SessionMemory,
    artifacts_of,
    count_tokens,
    hear,
)
from supervisor_ai.drivers.checkpoint.performers.door import SessionDoor, SessionDoors
from supervisor_ai.drivers.checkpoint.performers.history import heard_message
from supervisor_ai.drivers.checkpoint.report import ReadArtifact
from supervisor_ai.drivers.checkpoint.wisdom import new_entries
from supervisor_ai.engine.world import Operation


class Wisdom(NamedTuple):
    """What a session's members have learnt."""

    texts: dict[str, str]
    """All of it, by path."""
    new: int
    """What was added since the last wake, in tokens."""


async def load_context(
    effect: d.LoadContext, operation: Operation, doors: SessionDoors
) -> k.ContextLoaded | k.ContextUnreadable:
    """Read what is new since the last wake; what is older comes from what is remembered."""
    door = doors.open(operation, effect.session)
    try:
        session = door.take()
    except SupervisorError as error:
        return _unreadable(effect, operation, error)
    documents = operation.world.documents
    known = documents.load(effect.accumulator, Accumulator).before(effect.task)
    before = (
        SessionMemory()
        if effect.before is None
        else documents.load(effect.before, LoadedContext).memory
    )
    memory = _remembered(door, before)
    unasked = _unasked(session, effect)
    scope = (*effect.scope, *unasked)
    named = {it: artifacts_of(it, memory.refs.get(it, ()), session.files) for it in scope}
    read = _new_artifacts(door, session, named, known)
    wisdom = _wisdom(door, session, memory)
    memory = replace(
        memory,
        wisdom={path: len(text) for path, text in wisdom.texts.items()},
        sizes={**memory.sizes, **{path: count_tokens(it.text) for path, it in read.items()}},
    )
    context = LoadedContext(
        material=CheckMaterial(
            checkpoint=effect.task,
            scope=scope,
            unasked=unasked,
            diverted=tuple(_diverted(memory, named)),
            now=operation.intended_at,
            artifacts=read,
            older={path: it for path, it in known.facts.items() if path not in read},
            roles=memory.roles,
            messages=memory.messages,
            tasks=_tasks(door, session, memory.moved),
            wisdom=wisdom.texts,
            known_wisdom=before.wisdom,
        ),
        memory=memory,
        hashes={**known.hashes, **{path: session.files[path] for path in read}},
        read=tuple(
            ReadArtifact(path=path, hash=session.files[path], task=it.task)
            for path, it in read.items()
        ),
    )
    return _loaded(effect, operation, context, memory.tokens - before.tokens + wisdom.new)


def _unreadable(
    effect: d.LoadContext, operation: Operation, error: SupervisorError
) -> k.ContextUnreadable:
    """Say that the folder cannot be read now; the checkpoint can be asked for again."""
    if error.kind is ErrorKind.INTERNAL:
        raise error
    return k.ContextUnreadable(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        problem=operation.keep(error.message)[0],
    )


def _loaded(
    effect: d.LoadContext, operation: Operation, context: LoadedContext, besides: int
) -> k.ContextLoaded:
    memory = context.memory
    last = memory.messages[-1].number if memory.messages else effect.cursor
    texts = context.material.wisdom.values()
    return k.ContextLoaded(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        context=operation.world.documents.save(context),
        cursor=max(last, effect.cursor),
        files=tuple(
            k.LoadedFile(path=it.path, artifact=ArtifactHash(it.hash), task=it.task)
            for it in context.read
        ),
        wisdom=memory.wisdom,
        tokens=besides + sum(memory.sizes[it.path] for it in context.read),
        all_tokens=memory.tokens + sum(memory.sizes.values()) + sum(map(count_tokens, texts)),
    )


def _unasked(session: SessionState, effect: d.LoadContext) -> tuple[str, ...]:
    """Name the tasks that a checkpoint stands behind and a request leaves out."""
    checkpoint = session.tasks.get(effect.task)
    guarded = () if checkpoint is None else checkpoint.blocked_by
    return tuple(
        it for it in guarded if it not in effect.scope and not session.tasks[it].is_checkpoint
    )


def _diverted(memory: SessionMemory, named: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Say who has named what for a task, where that is not looked at."""
    owners = memory.owners or {}
    for task, paths in named.items():
        for by, told in memory.strange.get(task, {}).items():
            if strange := [path for path in told if path not in paths]:
                more = f" and {len(strange) - 1} more" if len(strange) > 1 else ""
                whose = owners.get(task) or "nobody"
                yield f"{by} named {strange[0]}{more} for {task}, whose owner is {whose}"


def _remembered(door: SessionDoor, memory: SessionMemory) -> SessionMemory:
    """Add what was said and moved since the stream was read last."""
    path = door.path
    if memory.owners is None:
        memory = SessionMemory(owners={}, wisdom=memory.wisdom, sizes=memory.sizes)
    for envelope in door.desk.log.read(session_stream(door.session), after=memory.version):
        event = envelope.event
        memory = replace(memory, version=envelope.version)
        if isinstance(event, s.TaskAdded | s.TaskMoved) and event.owner:
            memory = replace(memory, owners={**(memory.owners or {}), event.task: event.owner})
        if isinstance(event, s.TaskMoved):
            memory = replace(memory, moved={**memory.moved, event.task: envelope.recorded_at})
        elif isinstance(event, s.MessageLogged):
            memory = hear(memory, heard_message(door, envelope, event), path)
    return memory


def _new_artifacts(
    door: SessionDoor,
    session: SessionState,
    named: Mapping[str, tuple[str, ...]],
    known: Accumulator,
) -> dict[str, LoadedArtifact]:
    """Read the artifacts of the scope that were not read before, or have changed since."""
    found: dict[str, LoadedArtifact] = {}
    for task, paths in named.items():
        for path in paths:
            if path not in found and known.hashes.get(path) != session.files[path]:
                text = door.desk.text(session.files[path])
                found[path] = LoadedArtifact(text=text, task=task)
    return found


def _tasks(
    door: SessionDoor, session: SessionState, moved: Mapping[str, datetime]
) -> tuple[CheckedTask, ...]:
    return tuple(
        CheckedTask(
            id=it.task,
            status=it.status.value,
            owner=it.owner,
            subject=door.desk.text(it.subject),
            moved_at=moved.get(it.task),
        )
        for it in session.tasks.values()
    )


def _wisdom(door: SessionDoor, session: SessionState, memory: SessionMemory) -> Wisdom:
    paths = sorted(path for path in session.files if path.startswith(WISDOM))
    texts = {path: door.desk.text(session.files[path]) for path in paths}
    new = (
        count_tokens(new_entries(text, memory.wisdom.get(path, 0))) for path, text in texts.items()
    )
    return Wisdom(texts=texts, new=sum(new))
