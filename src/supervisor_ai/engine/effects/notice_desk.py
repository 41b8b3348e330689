"""The desk that delivers what people are owed: each notice once, by one process."""

import asyncio
from collections.abc import Iterator

from supervisor_ai.domain.envelope import Actor, ActorKind, NewEvent
from supervisor_ai.domain.errors import NotFound, StaleVersion, SupervisorError
from supervisor_ai.domain.ids import PROJECT_STREAM
from supervisor_ai.domain.notices import NoticeSeverity
from supervisor_ai.domain.project.events import (
    NoticeDelivered,
    NoticeDropped,
    NoticeFailed,
    NoticeTaken,
    ProjectEvent,
)
from supervisor_ai.domain.project.notices import OwedNotice, state_of
from supervisor_ai.domain.quiet_hours import NEVER_QUIET, is_quiet
from supervisor_ai.engine.effects.notification import (
    obstacles,
    try_to_deliver,
    why_nobody_was_told,
)
from supervisor_ai.engine.effects.owed_notices import policy_of
from supervisor_ai.engine.playback import Player
from supervisor_ai.engine.ports.ledger import Batch, StreamAppend
from supervisor_ai.engine.ports.notifications import Notice
from supervisor_ai.engine.streams.project_view import ProjectView
from supervisor_ai.engine.world import World

_RACES = 100


class NoticeDesk:
    """Delivers what is owed; whoever finds that its process died delivers it again."""

    def __init__(self, world: World, owner: str) -> None:
        self._world = world
        self._actor = Actor(kind=ActorKind.RUNTIME, id=owner, via="engine", verified=True)
        self._view = ProjectView(world.log, world.cache, world.documents)
        self._busy: set[str] = set()

    async def deliver_due(self) -> None:
        """Deliver what is owed and not held back now; a race with others is theirs to win."""
        due = tuple(self._due())
        self._busy.update(notice.key for notice in due)
        try:
            await asyncio.gather(*map(self._deliver, due))
        finally:
            self._busy.difference_update(notice.key for notice in due)

    def _due(self) -> Iterator[OwedNotice]:
        """Find what nobody else delivers; in quiet hours, only what is critical."""
        owed = self._view.refresh().notices.owed
        is_silent = bool(owed) and self._is_quiet()
        for notice in owed.values():
            is_held = is_silent and notice.severity is not NoticeSeverity.CRITICAL
            if not is_held and notice.key not in self._busy and not self._is_taken(notice):
                yield notice

    def _is_quiet(self) -> bool:
        quiet = policy_of(self._world).quiet_hours
        return quiet != NEVER_QUIET and is_quiet(self._world.clock.now(), quiet)

    def _is_taken(self, notice: OwedNotice) -> bool:
        processes, taker = self._world.processes, notice.taken_by
        return taker is not None and taker != processes.current() and processes.is_alive(taker)

    async def _deliver(self, owed: OwedNotice) -> None:
        if not self._claim(owed):
            return
        if not self._is_true(owed):
            self._record(NoticeDropped(key=owed.key, run=owed.run))
            return
        notice = self._notice(owed)
        deliveries = await try_to_deliver(self._world, notice)
        told = tuple(at.channel for at in deliveries if at.is_delivered)
        missed = tuple(name for name in owed.channels if name not in told)
        if told:
            reason = obstacles(self._world, notice, deliveries)
            done = NoticeDelivered(
                key=owed.key, run=owed.run, channels=told, failed=missed, reason=reason
            )
            self._record(done)
        else:
            reason = why_nobody_was_told(self._world, notice, deliveries)
            self._record(NoticeFailed(key=owed.key, run=owed.run, reason=reason))

    def _claim(self, owed: OwedNotice) -> bool:
        """Record the intent; whoever was faster has it."""
        process = self._world.processes.current()
        taken = NoticeTaken(key=owed.key, run=owed.run, process=process)
        for _ in range(_RACES):
            now = self._view.refresh().notices.owed.get(owed.key)
            if now is None or self._is_taken(now):
                return False
            try:
                self._append(taken)
            except StaleVersion:
                continue
            return True
        return False

    def _is_true(self, owed: OwedNotice) -> bool:
        """Tell whether the run is still in the state; one that cannot be read may be."""
        world = self._world
        player = Player(
            log=world.log, documents=world.documents, drivers=world.drivers, cache=world.cache
        )
        try:
            run = player.play(owed.run)[0].run
        except SupervisorError:
            return True
        state = state_of(run)
        return state is not None and state.key == owed.key

    def _notice(self, owed: OwedNotice) -> Notice:
        """Find the words; where they were erased, the run's name has to do."""
        try:
            title, _, body = self._world.artifacts.get(owed.words).partition("\n")
        except NotFound:
            title, body = f"Run {owed.run}: {owed.about.value}", ""
        return Notice(
            key=owed.key,
            run=owed.run,
            severity=owed.severity,
            title=title,
            body=body,
            channels=owed.channels,
        )

    def _record(self, event: ProjectEvent) -> None:
        for _ in range(_RACES):
            self._view.refresh()
            try:
                return self._append(event)
            except StaleVersion:
                continue
        raise StaleVersion("The project's stream grew faster than it could be written.")

    def _append(self, event: ProjectEvent) -> None:
        new = NewEvent(event=event, actor=self._actor)
        append = StreamAppend(stream=PROJECT_STREAM, expected=self._view.version, events=(new,))
        for envelope in self._world.log.append(Batch(appends=(append,))):
            self._world.monitor.recorded(envelope)
