"""The owner's pen: stages facts, then commits them in one transaction."""

from collections.abc import Iterable
from datetime import datetime
from functools import reduce
from typing import Final, cast, get_args

from supervisor_ai.domain.envelope import Actor, ActorKind, Envelope, Event, NewEvent
from supervisor_ai.domain.errors import StaleVersion
from supervisor_ai.domain.ids import PROJECT_STREAM, RunId, run_stream
from supervisor_ai.domain.project import launches
from supervisor_ai.domain.project import project as project_machine
from supervisor_ai.domain.project.events import (
    AccountsClosed,
    BudgetSettled,
    PermitFreed,
    PermitTaken,
    ProjectEvent,
)
from supervisor_ai.domain.run import run as machine
from supervisor_ai.domain.run.effects import RunWorker
from supervisor_ai.domain.run.events import (
    AttemptEnd,
    LaunchRequested,
    PermitGranted,
    PermitReleased,
    RunSubmitted,
)
from supervisor_ai.domain.run.inbox_commands import InboxCommand
from supervisor_ai.domain.run.launches import Permission, Wait, may_launch
from supervisor_ai.domain.run.run import Run, attempt_of
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.playback import Playback
from supervisor_ai.engine.ports.ledger import (
    Batch,
    EventLog,
    Lease,
    StreamAppend,
    Wake,
)
from supervisor_ai.engine.ports.monitor import Monitor
from supervisor_ai.engine.streams.project_view import ProjectView

_RACES = 100
_ATTEMPT_ENDS: Final = frozenset(get_args(AttemptEnd))


class Journal:
    """One owner's writing in one run's stream."""

    def __init__(
        self,
        log: EventLog,
        lease: Lease,
        playback: Playback,
        version: int,
        monitor: Monitor,
        project: ProjectView | None = None,
    ) -> None:
        self.lease = lease
        self.playback = playback
        self.version = version
        self.project = project or ProjectView(log)
        self._log = log
        self._monitor = monitor
        self._actor = Actor(kind=ActorKind.RUNTIME, id=lease.owner, via="engine", verified=True)
        self._staged: list[NewEvent] = []
        self._shared: list[NewEvent] = []
        self._batch = Batch(lease=lease)

    @property
    def run(self) -> Run:
        """Return what is true of the run, staged facts included."""
        return self.playback.run

    def stage(self, *events: Event, letter: InboxCommand | None = None) -> None:
        """Fold facts and keep them for the next commit."""
        actor = letter.actor if letter else self._actor
        cause = f"letter:{letter.key}" if letter else None
        for event in events:
            if type(event) in _ATTEMPT_ENDS:
                self._give_back(cast("AttemptEnd", event))
            self.playback.apply(event)
            self._staged.append(NewEvent(event=event, actor=actor, cause=cause))
        if letter is not None:
            self._batch = replace(self._batch, taken=(*self._batch.taken, letter.key))

    def record(self, event: Event) -> None:
        """Fold a fact and write it at once."""
        self.stage(event)
        self.commit()

    def stage_project(self, event: ProjectEvent) -> None:
        """Keep a fact for the project's stream, for the same commit."""
        self._shared.append(self._new(event))

    def release(self, permit: str) -> None:
        """Give a permit back."""
        self.stage(PermitReleased(permit=permit))
        self.stage_project(PermitFreed(permit=permit, run=self.run.id))

    def submit(self, run: RunId, birth: RunSubmitted) -> None:
        """Begin another run in the same commit, and ask for it to be driven."""
        first = NewEvent(event=birth, actor=self._actor, cause=f"run:{self.run.id}")
        append = StreamAppend(stream=run_stream(run), expected=0, events=(first,))
        self._batch = replace(self._batch, appends=(*self._batch.appends, append))
        self.wake(Wake(run=run, number=1))

    def send(self, letter: InboxCommand) -> None:
        """Put a command into another run's inbox in the same commit."""
        self._batch = replace(self._batch, sent=(*self._batch.sent, letter))

    def wake(self, *wakes: Wake) -> None:
        """Ask for runs to be driven, in the same commit."""
        self._batch = replace(self._batch, wakes=(*self._batch.wakes, *wakes))

    def commit(self) -> tuple[Envelope, ...]:
        """Write everything that was staged, all of it or nothing."""
        if not (self._staged or self._shared or self._batch != Batch(lease=self.lease)):
            return ()
        envelopes = self._append()
        self.version += len(self._staged)
        self._clear()
        for envelope in envelopes:
            self._monitor.recorded(envelope)
        return envelopes

    def grant(self, permit: str, *, limit: int) -> bool:
        """Take a permit if there is room; whether there is may change until the commit."""
        for _ in range(_RACES):
            if not self.project.refresh().has_room(permit, limit=limit):
                return False
            try:
                taken = PermitTaken(permit=permit, run=self.run.id)
                self._write(PermitGranted(permit=permit), (taken,))
            except StaleVersion:
                continue
            return True
        return False

    def needs_leave(self, effect: RunWorker) -> bool:
        """Tell whether a worker has to ask the project before it starts."""
        return launches.needs_leave(self._project(), effect, self.run.id)

    def launch(self, asked: LaunchRequested, *, now: datetime) -> Wait | None:
        """Answer whether a worker may start, unless it has to wait for what others hold."""
        run, root = self.run.id, self.run.birth.root
        launch = launches.launch_of(asked, run=run, root=root, at=now)
        for _ in range(_RACES):
            project = self.project.refresh()
            found = may_launch(launch, project.breaker(launch.breaker), project.spending, at=now)
            if isinstance(found, Wait):
                return found
            shared: tuple[ProjectEvent, ...] = ()
            if isinstance(found, Permission):
                shared = tuple(launches.taken(launch, found, run=run, at=now))
            try:
                self._write(launches.answer(asked, found), shared)
            except StaleVersion:
                continue
            return None
        return Wait(reason="The project's stream grew faster than it could be written.")

    def abandon(self, run: RunId) -> None:
        """Give back what a run has set aside that nobody drives any more."""
        for fact in launches.abandoned(self.project.refresh(), run):
            self.stage_project(fact)
        self.commit()

    def set_free(self) -> None:
        """Give back what the run still has set aside, because it ends, and close its accounts."""
        given = {at.event.key for at in self._shared if isinstance(at.event, BudgetSettled)}
        project = self.project.refresh()
        for fact in launches.set_free(project, self.run.id):
            if fact.key not in given:
                self.stage_project(fact)
        if given or project.has_accounts(self.run.id):
            self.stage_project(AccountsClosed(run=self.run.id))

    def _write(self, own: Event, shared: tuple[ProjectEvent, ...]) -> None:
        """Write one fact of the run and what it takes of the project, as the project stands.

        A run that waits for nothing else any more goes on in the same commit: nobody would look
        after one that seems to wait and has got what it waited for.
        """
        facts = (own, *machine.settle(machine.evolve(self.run, own)))
        appends = [self._own(tuple(map(self._new, facts)))]
        if shared:
            events, version = tuple(map(self._new, shared)), self.project.version
            appends.append(StreamAppend(stream=PROJECT_STREAM, expected=version, events=events))
        for envelope in self._log.append(Batch(appends=tuple(appends), lease=self.lease)):
            self._monitor.recorded(envelope)
        self.version += len(facts)
        for fact in facts:
            self.playback.apply(fact)

    def _project(self) -> project_machine.Project:
        """Return what the runs of the project share, staged facts included."""
        staged = (at.event for at in self._shared)
        return reduce(project_machine.evolve, staged, self.project.refresh())

    def _give_back(self, event: AttemptEnd) -> None:
        """Give back what an attempt took, in the same commit as its end, whatever that is."""
        started = attempt_of(self.run, event)
        for fact in launches.given_back(self._project(), self.run.id, started, event):
            self.stage_project(fact)

    def _append(self) -> tuple[Envelope, ...]:
        """Append; other owners write the project's stream too, so a lost race is run again."""
        for _ in range(_RACES):
            try:
                return self._log.append(replace(self._batch, appends=tuple(self._appends())))
            except StaleVersion:
                if not self._shared:
                    raise
        raise StaleVersion("The project's stream grew faster than it could be written.")

    def _appends(self) -> Iterable[StreamAppend]:
        if self._staged:
            yield self._own(tuple(self._staged))
        if self._shared:
            self.project.refresh()
            shared, version = tuple(self._shared), self.project.version
            yield StreamAppend(stream=PROJECT_STREAM, expected=version, events=shared)
        yield from self._batch.appends

    def _own(self, events: tuple[NewEvent, ...]) -> StreamAppend:
        return StreamAppend(stream=run_stream(self.run.id), expected=self.version, events=events)

    def _new(self, event: Event) -> NewEvent:
        return NewEvent(event=event, actor=self._actor)

    def _clear(self) -> None:
        self._staged.clear()
        self._shared.clear()
        self._batch = Batch(lease=self.lease)
