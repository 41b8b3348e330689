"""One owner's time with one run: the only loop."""

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final, assert_never

from msgspec import Struct

from supervisor_ai.domain.errors import InternalError, SupervisorError
from supervisor_ai.domain.ids import EffectKey
from supervisor_ai.domain.people import NOBODY, Person, Unproven
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run import run as machine
from supervisor_ai.domain.run.effects import (
    AwaitSignal,
    CancelRun,
    CancelTimer,
    Effect,
    OperationEffect,
    ReleasePermit,
    RequestApproval,
    RunWorker,
    SetTimer,
    StartRun,
    TakePermit,
    approval_intent,
    launch_intent,
    signal_intent,
    timer_intent,
)
from supervisor_ai.domain.run.inbox_commands import Cancel, InboxCommand, Migrate
from supervisor_ai.domain.run.inbox_replies import answer
from supervisor_ai.domain.run.operations import operation_key
from supervisor_ai.domain.run.run import Decision
from supervisor_ai.domain.run.status import ENDED, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.child_runs import cancel_child, start_child
from supervisor_ai.engine.consent import hear, is_answer, unagreed
from supervisor_ai.engine.effects.owed_notices import owe_notice
from supervisor_ai.engine.journal import Journal
from supervisor_ai.engine.orphaned_reservations import free_the_dead
from supervisor_ai.engine.playback import Player
from supervisor_ai.engine.run_end import close_run
from supervisor_ai.engine.world import Operation, Ownership, Performer, World

_DECISIONS: Final = 10_000
_ANSWERS: Final = 200
"""So many answers of the project in a row lead nowhere; each of them is recorded."""
_SHARED: Final = (e.PermitRequested, e.LaunchRequested)
"""What a run asks of the project, and may have to wait for."""
_LOOK_AGAIN: Final = timedelta(minutes=10)
"""How long a run sleeps that only its children can wake."""


class DriveResult(Struct, frozen=True, kw_only=True):
    """Where a drive left the run, and when somebody should look again."""

    status: RunStatus
    due: datetime | None = None


def parked(run: machine.Run, *more: datetime) -> DriveResult:
    """Leave a run until the first of its timers, or of other times, is due."""
    dues = (*(timer.due for timer in run.timers.values()), *more)
    return DriveResult(status=run.status, due=min(dues, default=None))


class Drive:
    """Decides, records, performs, records again, until the run ends or can only wait."""

    def __init__(
        self, world: World, journal: Journal, player: Player, performer: Performer
    ) -> None:
        self._world = world
        self._journal = journal
        self._player = player
        self._cached = journal.version
        self._perform = performer
        self._tasks: dict[EffectKey, asyncio.Task[e.RunEvent]] = {}
        self._ownership = Ownership(world, journal.lease)
        self._waits_for: str | None = None
        self._told = 0
        """Up to which fact whoever watches over the run has heard of it."""

    async def go(self) -> DriveResult:
        """Drive the run as far as it goes now."""
        try:
            while True:
                await self._advance()
                self._keep_state()
                self._tell_overseer()
                if self._journal.run.is_ended:
                    return DriveResult(status=self._journal.run.status)
                if not self._tasks:
                    return self._park()
                await self._wait()
        finally:
            await self._abandon()

    async def _advance(self) -> None:
        """Go on until nothing follows from what is known now."""
        for _ in range(_ANSWERS):
            if not await self._take_step():
                return
        raise self._restless()

    async def _take_step(self) -> bool:
        """Take in what is new, decide until nothing follows, and record it all at once.

        Return whether the project gave an answer about which there is something to decide.
        """
        self._take_outcomes()
        if self._journal.run.timers:
            self._fire_timers()
        if self._take_letters():
            await self._end(machine.cancelled())
            return False
        self._settle()
        effects: list[OperationEffect] = []
        for _ in range(_DECISIONS):
            decision = self._journal.playback.decide()
            if decision.is_empty:
                return self._record_all(effects)
            effects.extend(self._follow(decision))
            if decision.ending is not None:
                await self._end(decision.ending)
                return False
        raise self._restless()

    def _record_all(self, effects: list[OperationEffect]) -> bool:
        """Record what was decided; a run that gets at once what it asked for does not wait."""
        if not any(isinstance(at, _SHARED) for at in self._journal.run.open.values()):
            self._settle()
            self._commit(effects)
            return False
        self._commit(effects)
        if self._grant():
            return True
        self._settle()
        self._journal.commit()
        return False

    def _restless(self) -> InternalError:
        return InternalError(f"The driver of run {self._journal.run.id!r} never comes to rest.")

    def _follow(self, decision: Decision) -> Iterator[OperationEffect]:
        if self._journal.run.status is RunStatus.WAITING:
            self._journal.stage(e.RunContinued())
        self._journal.stage(*decision.events)
        for effect in decision.effects:
            started = self._intend(self._with_nonce(effect))
            if started is not None:
                yield started

    def _with_nonce(self, effect: Effect) -> Effect:
        """Give a worker what its answer will repeat, unless that has to be the same again."""
        if not isinstance(effect, RunWorker) or effect.nonce:
            return effect
        return replace(effect, nonce=self._world.ids.nonce())

    def _intend(self, effect: Effect) -> OperationEffect | None:
        """Stage what is about to be done; return the effect if it takes time."""
        journal = self._journal
        match effect:
            case RunWorker() if journal.needs_leave(effect):
                journal.stage(launch_intent(effect))
            case OperationEffect():
                journal.stage(effect.intent())
                return effect
            case RequestApproval() | AwaitSignal() | SetTimer() | CancelTimer() | TakePermit():
                journal.stage(self._stated(effect))
            case ReleasePermit(permit=permit):
                journal.release(permit)
            case StartRun():
                start_child(journal, effect, child=self._world.ids.run_id())
            case CancelRun(child=child):
                cancel_child(journal, child, now=self._world.clock.now())
            case _:
                raise InternalError(f"The engine cannot do {type(effect).__name__}.")
        return None

    def _stated(
        self, effect: RequestApproval | AwaitSignal | SetTimer | CancelTimer | TakePermit
    ) -> e.RunEvent:
        """State what is done by stating it."""
        match effect:
            case RequestApproval():
                return approval_intent(effect)
            case AwaitSignal():
                return signal_intent(effect)
            case SetTimer():
                return timer_intent(effect, now=self._world.clock.now())
            case CancelTimer(timer=timer):
                return e.TimerCancelled(timer=timer)
            case TakePermit(permit=permit, limit=limit):
                return e.PermitRequested(permit=permit, limit=limit)
            case _:
                assert_never(effect)

    def _commit(self, effects: list[OperationEffect]) -> None:
        """Record the intents, then start the deeds."""
        envelopes = self._journal.commit()
        for effect in effects:
            key = operation_key(self._journal.run.id, effect.intent())
            operation = self._operation(key, envelopes[0].recorded_at)
            self._tasks[key] = asyncio.create_task(self._perform(effect, operation), name=key)

    def _operation(self, key: EffectKey, intended_at: datetime) -> Operation:
        return Operation(
            world=self._world,
            run=self._journal.run.id,
            identity=self._journal.run.birth.identity,
            key=key,
            epoch=self._journal.lease.epoch,
            intended_at=intended_at,
            record=self._journal.record,
            overseer=self._journal.run.birth.overseer,
        )

    def _take_outcomes(self) -> None:
        for key, task in tuple(self._tasks.items()):
            if task.done():
                del self._tasks[key]
                self._journal.stage(self._outcome(task))

    def _outcome(self, task: asyncio.Task[e.RunEvent]) -> e.RunEvent:
        """Return what came of a deed; one that failed because the run was taken over says so."""
        try:
            return task.result()
        except SupervisorError:
            self._world.leases.renew(self._journal.lease, ttl=self._world.timing.lease)
            raise

    def _fire_timers(self) -> None:
        now = self._world.clock.now()
        for timer in self._journal.run.timers.values():
            if timer.due <= now:
                self._journal.stage(e.TimerFired(timer=timer.timer))

    def _take_letters(self) -> bool:
        """Answer the commands in the inbox; tell whether one wants the run to stop."""
        for letter in self._world.inbox.pending(self._journal.run.id):
            heard, who = hear(self._world, self._journal.run, letter)
            fact = self._fact(heard, who)
            if isinstance(fact, e.DefinitionMigrated):
                self._journal.stage(*machine.withdraw(self._journal.run))
            self._journal.stage(fact, letter=heard)
            if isinstance(letter.command, Cancel):
                return True
        return False

    def _fact(self, letter: InboxCommand, who: Person | Unproven | None) -> e.RunEvent:
        if isinstance(who, Unproven):
            return e.CommandRefused(letter=letter.key, reason=who.reason)
        problems = self._migration_problems(letter)
        people = self._world.identities.people() if is_answer(letter) else NOBODY
        return answer(
            self._journal.run, letter, person=who, people=people, migration_problems=problems
        )

    def _migration_problems(self, letter: InboxCommand) -> tuple[str, ...]:
        if not isinstance(letter.command, Migrate):
            return ()
        definition = letter.command.definition
        if unagreed(self._world, self._journal.run, definition):
            return ("You have not agreed to what the other definition asks for.",)
        return self._journal.playback.migration_problems(definition)

    def _settle(self) -> None:
        if settled := machine.settle(self._journal.run, budget=self._waits_for):
            self._journal.stage(*settled)
            owe_notice(self._journal, self._world)

    def _grant(self) -> bool:
        """Take what the run asked for; tell whether there is something new to decide about."""
        asked = tuple(self._journal.run.open.values())
        granted = [
            self._journal.grant(intent.permit, limit=intent.limit)
            for intent in asked
            if isinstance(intent, e.PermitRequested)
        ]
        launched = [self._launch(at) for at in asked if isinstance(at, e.LaunchRequested)]
        return any((*granted, *launched))

    def _launch(self, asked: e.LaunchRequested) -> bool:
        """Ask for permission; what nobody can give back any more is no reason to wait."""
        now = self._world.clock.now()
        wait = self._journal.launch(asked, now=now)
        if wait is not None and free_the_dead(self._journal, self._world):
            wait = self._journal.launch(asked, now=now)
        self._waits_for = wait.reason if wait else None
        return wait is None

    def _keep_state(self) -> None:
        """Keep the folded state now and then, so that a long run resumes quickly."""
        if self._journal.version - self._cached >= self._world.timing.cache_every:
            self._player.save(self._journal.playback, self._journal.version)
            self._cached = self._journal.version

    def _tell_overseer(self) -> None:
        """Let whoever watches over the run read what is new in its stream."""
        overseer = self._journal.run.birth.overseer
        if overseer is not None and self._journal.version > self._told:
            self._told = self._journal.version
            self._world.oversight.follow(overseer, self._journal.run.id)

    def _park(self) -> DriveResult:
        """Leave a run that can only wait; say when to look again."""
        run = self._journal.run
        if not (run.open or run.timers or any(s not in ENDED for s in run.children.values())):
            raise InternalError(f"Run {run.id!r} has not ended, but its driver wants nothing.")
        timing = self._world.timing
        patience = {e.PermitRequested: timing.poll, e.LaunchRequested: timing.ask_again}
        asked = [patience[type(at)] for at in run.open.values() if isinstance(at, _SHARED)]
        dues = [self._world.clock.now() + after for after in asked]
        if run.status is RunStatus.RUNNING:
            dues.append(self._world.clock.now() + _LOOK_AGAIN)
        return parked(run, *dues)

    async def _wait(self) -> None:
        """Wait for an outcome, a timer or the next look into the inbox, and stay the owner."""
        await asyncio.sleep(0)  # What takes no time needs no waiting for.
        if not any(task.done() for task in self._tasks.values()):
            await self._sleep()
        self._ownership.keep()

    async def _sleep(self) -> None:
        now = self._world.clock.now()
        seconds = self._world.timing.poll.total_seconds()
        for timer in self._journal.run.timers.values():
            seconds = min(seconds, max(0.0, (timer.due - now).total_seconds()))
        await asyncio.wait(
            self._tasks.values(), timeout=seconds, return_when=asyncio.FIRST_COMPLETED
        )

    async def _end(self, ending: machine.Ending) -> None:
        """Stop what is under way, keep what it made, and record the end."""
        await self._stop_tasks()
        await close_run(self._journal, self._world, ending)

    async def _stop_tasks(self) -> None:
        """Stop what takes time; an integration is short and is let finish."""
        landing = {key: task for key, task in self._tasks.items() if key.endswith("/integrate")}
        for key, task in self._tasks.items():
            if key not in landing:
                task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        self._journal.stage(*(task.result() for task in landing.values()))
        self._tasks.clear()

    async def _abandon(self) -> None:
        """Leave no deed behind when the drive ends in any other way than by the run's end."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
