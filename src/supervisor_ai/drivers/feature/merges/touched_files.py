"""Which files components at work have changed by now: what they said, and what lies there."""

from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, run_stream
from supervisor_ai.domain.run.event_kinds.placed import PlacedEvent
from supervisor_ai.domain.run.events import AttemptStarted, AttemptSucceeded, RunSubmitted
from supervisor_ai.domain.run.operations import is_outcome, operation_key
from supervisor_ai.drivers.feature import events as f
from supervisor_ai.drivers.feature.effects import LookAtTouched
from supervisor_ai.engine.world import Operation, World

_PATHS: Final = 200


class _Work(Struct, frozen=True, kw_only=True):
    """How far the run of a component has come."""

    start: CommitSha | None
    head: CommitSha | None
    """What its last worker that gave an answer has left."""
    at_it: tuple[EffectKey, ...]
    """The attempts that are under way."""


async def look_at_touched(effect: LookAtTouched, operation: Operation) -> f.TouchedFilesSeen:
    """Look which files components at work have changed by now."""
    seen = [
        f.TouchedFiles(
            component=component, child=child, files=await _touched(operation.world, child)
        )
        for component, child in effect.children.items()
    ]
    return f.TouchedFilesSeen(
        step=effect.step, visit=effect.visit, slot=effect.slot, seen=tuple(seen)
    )


async def _touched(world: World, child: RunId) -> tuple[str, ...]:
    work = _work(world, child)
    paths = set[str]()
    if work.start is not None and work.head is not None:
        paths.update(await world.workspaces.changed_paths(work.start, work.head))
    for key in work.at_it:
        paths.update(await world.workspaces.touched_by(child, key))
    return tuple(_told(world, path) for path in sorted(paths)[:_PATHS])


def _told(world: World, path: str) -> str:
    """Write the name that a worker chose so that it can be kept."""
    text = path.encode(errors="surrogateescape").decode(errors="replace")
    return world.redactor.redact(text).text


def _work(world: World, child: RunId) -> _Work:
    start: CommitSha | None = None
    head: CommitSha | None = None
    opened: list[AttemptStarted] = []
    for envelope in world.log.read(run_stream(child)):
        event = envelope.event
        if isinstance(event, RunSubmitted) and event.base is not None:
            start = event.base.sha
        elif isinstance(event, AttemptStarted):
            opened.append(event)
        elif isinstance(event, PlacedEvent):
            opened = [it for it in opened if not is_outcome(event, it)]
        if isinstance(event, AttemptSucceeded):
            head = event.snapshot.commit
    keys = tuple(operation_key(child, it) for it in opened)
    return _Work(start=start, head=head, at_it=keys)
