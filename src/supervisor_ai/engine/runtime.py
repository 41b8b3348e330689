"""The runtime: owns a run, settles what was left open, drives it, gives it back."""

from msgspec import Struct, field

from supervisor_ai.domain.errors import LeaseLost, SupervisorError
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.events import RunOwned, RunStarted
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.engine.consent import is_cancelled, require_consent
from supervisor_ai.engine.drive import Drive, DriveResult, parked
from supervisor_ai.engine.effects.performer import perform
from supervisor_ai.engine.effects.quiet_look import look_quietly, recalling, wait_on
from supervisor_ai.engine.journal import Journal
from supervisor_ai.engine.playback import Player
from supervisor_ai.engine.ports.ledger import Lease, Wake
from supervisor_ai.engine.ports.workspaces import AnchorPoint
from supervisor_ai.engine.recovery import Recovery, recover
from supervisor_ai.engine.run_end import tidy
from supervisor_ai.engine.streams.project_view import ProjectView
from supervisor_ai.engine.world import Performer, World


class Runtime(Struct, frozen=True, kw_only=True):
    """Drives runs, one owner at a time."""

    world: World
    owner: str
    perform: Performer = field(default=perform)
    recover: Recovery = field(default=recover)

    async def drive(self, run: RunId) -> DriveResult:
        """Take the run and drive it until it ends or can only wait.

        Raises Busy while somebody else owns it, LeaseLost when somebody took it over, and Denied,
        before anything is written, where the user did not agree to what it pinned.
        """
        world = self.world
        ended = await self._ended(run)
        if ended is not None:
            return ended
        lease = world.leases.acquire(
            run, owner=self.owner, process=world.processes.current(), ttl=world.timing.lease
        )
        try:
            return await self._drive(lease)
        except LeaseLost:
            await self._ended(run)
            raise
        finally:
            world.leases.release(lease)

    async def _ended(self, run: RunId) -> DriveResult | None:
        """Leave an ended run alone, but for the files that a crash or a late owner left behind."""
        playback, _ = self._player.play(run)
        if not playback.run.is_ended:
            return None
        await tidy(self.world, run)
        return DriveResult(status=playback.run.status)

    async def _drive(self, lease: Lease) -> DriveResult:
        """Drive as the owner; only what is read after the lease was taken can be trusted."""
        world = self.world
        playback, version = self._player.play(lease.run)
        if playback.run.is_ended:
            return DriveResult(status=playback.run.status)
        if not is_cancelled(world, lease.run):
            require_consent(world, playback.run)
        project = ProjectView(world.log, world.cache, world.documents)
        journal = Journal(world.log, lease, playback, version, world.monitor, project)
        sight = await look_quietly(journal, world, self.perform)
        again = None if sight is None else sight.next_wait
        if again is not None:
            wait_on(journal, world, again)
            return self._leave(journal, parked(journal.run))
        await self._own(journal)
        perform = self.perform if sight is None else recalling(sight, self.perform)
        return self._leave(journal, await Drive(world, journal, self._player, perform).go())

    async def _own(self, journal: Journal) -> None:
        """Say who has the run, and settle what an earlier owner left open."""
        world, playback = self.world, journal.playback
        journal.stage(RunOwned(owner=self.owner, process=world.processes.current()))
        if playback.run.status is RunStatus.QUEUED:
            birth = playback.run.birth
            started = RunStarted(driver=birth.driver, parent=birth.parent, root=birth.root)
            journal.stage(started)
        # Recovery kills and removes: who was taken over before it began must not get that far.
        journal.commit()
        await self.recover(journal, world)
        journal.commit()

    def _leave(self, journal: Journal, result: DriveResult) -> DriveResult:
        """Ask for the next drive, and make the past hard to forge and quick to read."""
        world, run = self.world, journal.run
        if result.due is not None:
            world.wakes.submit(Wake(run=run.id, number=journal.version, not_before=result.due))
        journal.project.keep(every=world.timing.cache_every)
        head = world.log.head()
        try:
            world.anchor.write(AnchorPoint(seq=head.seq, hash=head.hash))
        except SupervisorError as error:
            # What was decided is recorded; the next process that writes makes up for the anchor.
            said = f"The newest events are not anchored in git yet: {error.message}"
            world.tell(f"{said} {error.hint or ''}".rstrip())
        return result

    @property
    def _player(self) -> Player:
        world = self.world
        return Player(
            log=world.log, documents=world.documents, drivers=world.drivers, cache=world.cache
        )
