"""Everything outside the engine, as ports, in one place, and what is under way in it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Final, Protocol

from msgspec import Struct, field

from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import ArtifactHash, EffectKey, RunId, StepName, StreamId
from supervisor_ai.domain.live_output import LiveOutput
from supervisor_ai.domain.notices import NO_NOTICES, NoticePolicy
from supervisor_ai.domain.run.definition import SandboxPolicy, WorkspacePolicy
from supervisor_ai.domain.run.effects import OperationEffect
from supervisor_ai.domain.run.events import RunEvent
from supervisor_ai.domain.run.values import Identity
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.playback import Opener
from supervisor_ai.engine.ports.artifacts import Artifacts, Documents
from supervisor_ai.engine.ports.clock import Clock, Ids, Processes
from supervisor_ai.engine.ports.consent import Consent
from supervisor_ai.engine.ports.context import ContextPacker
from supervisor_ai.engine.ports.evidence import Evidence
from supervisor_ai.engine.ports.forge import Forge
from supervisor_ai.engine.ports.gates import Examiner, Verdicts
from supervisor_ai.engine.ports.identities import Identities
from supervisor_ai.engine.ports.knowledge import (
    KnowledgeShelf,
    NoKnowledge,
    NoQualityRecords,
    QualityRecords,
)
from supervisor_ai.engine.ports.ledger import EventLog, Inbox, Lease, Leases, StateCache, WakeQueue
from supervisor_ai.engine.ports.members import MemberDoors, NoDoors
from supervisor_ai.engine.ports.monitor import Monitor, SilentMonitor
from supervisor_ai.engine.ports.notifications import Notifier, SilentNotifier
from supervisor_ai.engine.ports.oversight import NoOversight, Oversight
from supervisor_ai.engine.ports.redaction import Redactor
from supervisor_ai.engine.ports.sandbox import Sandbox
from supervisor_ai.engine.ports.workers import AnswerReader, Prompter, WorkerFactory
from supervisor_ai.engine.ports.workspaces import Anchor, Workspaces
from supervisor_ai.engine.transcript import Transcript

_PARTS: Final = 3
"""A lease is renewed when one of so many parts of it is over."""


class Timing(Struct, frozen=True, kw_only=True):
    """How often the engine looks up, and how long it may be out of touch."""

    lease: timedelta = timedelta(seconds=15)
    poll: timedelta = timedelta(seconds=0.5)
    cache_every: int = 1000
    ask_again: timedelta = timedelta(seconds=20)
    """How long a run that waits for others' budgets sleeps before it asks again."""
    watch: timedelta = timedelta(seconds=20)
    """How often a worker is looked at that somebody watches over."""


Machine = Callable[[SandboxPolicy, asyncio.Event | None], Awaitable[str | None]]
"""Names all that a command can reach besides its files, at the moment of the call.

None where that cannot be named, and where the command ended too early to be worth a look: the
event tells that it ended. Without one, the name is wanted before the command begins."""


async def _nothing_special(policy: SandboxPolicy, ended: asyncio.Event | None) -> str | None:
    """Say that commands reach nothing but their files, as in a world of fakes."""
    del policy, ended
    return ""


class World(Struct, frozen=True, kw_only=True):
    """The ports that the engine acts through."""

    log: EventLog
    leases: Leases
    inbox: Inbox
    wakes: WakeQueue
    cache: StateCache
    artifacts: Artifacts
    documents: Documents
    anchor: Anchor
    clock: Clock
    ids: Ids
    processes: Processes
    drivers: Mapping[str, Opener]
    performers: "Mapping[type[OperationEffect], Performer]"
    """Who does which kind of effect: of those that any driver may ask for, and of its own."""
    sandbox: Sandbox
    workspaces: Workspaces
    workers: WorkerFactory
    prompter: Prompter
    packer: ContextPacker
    answers: AnswerReader
    examiner: Examiner
    evidence: Evidence
    verdicts: Verdicts
    forge: Forge
    redactor: Redactor
    consent: Consent
    identities: Identities
    notifier: Notifier = field(default_factory=SilentNotifier)
    doors: MemberDoors = field(default_factory=NoDoors)
    """How workers take part in sessions."""
    oversight: Oversight = field(default_factory=NoOversight)
    """Who watches over workers of runs that say so."""
    knowledge: KnowledgeShelf = field(default_factory=NoKnowledge)
    quality: QualityRecords = field(default_factory=NoQualityRecords)
    notices: Callable[[], NoticePolicy] = lambda: NO_NOTICES
    """Says which states of runs people hear of, and when nobody is disturbed."""
    monitor: Monitor = field(default_factory=SilentMonitor)
    tell: Callable[[str], None] = lambda words: None
    """Says to whoever started the drive what went wrong beside it, and what to do."""
    timing: Timing = field(default_factory=Timing)
    machine: Machine = _nothing_special
    is_fresh: bool = False
    """Whether this drive uses no verdict and no set-up that is known from before."""

    def set_up_policy(self, policy: WorkspacePolicy) -> WorkspacePolicy:
        """Return how workspaces are set up in this drive."""
        return replace(policy, cache_paths=()) if self.is_fresh else policy


class Ownership:
    """Stays the owner of a run while something takes its time."""

    def __init__(self, world: World, lease: Lease) -> None:
        self._world = world
        self._lease = lease
        self._renewed = world.clock.boottime()

    def keep(self) -> None:
        """Renew the lease if it is time; raises LeaseLost when somebody else has the run."""
        ttl, now = self._world.timing.lease, self._world.clock.boottime()
        if now - self._renewed >= ttl.total_seconds() / _PARTS:
            self._world.leases.renew(self._lease, ttl=ttl)
            self._renewed = now


class Operation(Struct, frozen=True, kw_only=True):
    """A deed under way: its name, its owner's epoch, and the time of its intent."""

    world: World
    run: RunId
    identity: Identity | None
    """In whose name it commits; None: it belongs to no repository."""
    key: EffectKey
    epoch: int
    intended_at: datetime
    record: Callable[[RunEvent], None]
    overseer: StreamId | None = None
    """Who watches over the run's workers; None: nobody does."""

    def keep(self, text: str) -> tuple[ArtifactHash, int]:
        """Keep a text without its secrets; return its name and how many there were."""
        redacted = self.world.redactor.redact(text)
        return self.world.artifacts.put(redacted.text), redacted.count

    def text_of(self, kept: ArtifactHash) -> str:
        """Return what was kept; what was erased once says nothing any more."""
        try:
            return self.world.artifacts.get(kept)
        except NotFound:
            return ""

    def show(self, step: StepName, attempt: int | None, text: str) -> None:
        """Let whoever watches see a text."""
        output = LiveOutput(run=self.run, step=step, attempt=attempt, text=text)
        self.world.monitor.output(output)

    def transcript(self, step: StepName, attempt: int | None) -> Transcript:
        """Begin to keep and show what a command prints."""
        show = partial(self.show, step, attempt)
        return Transcript(self.world.artifacts, self.world.redactor, show)


class Performer(Protocol):
    """Does a deed and says what came of it."""

    async def __call__(self, effect: OperationEffect, operation: Operation, /) -> RunEvent:
        """Perform the effect; the outcome is the caller's to record."""
        ...


Performers = Mapping[type[OperationEffect], Performer]
"""Who does what, by the exact kind of effect."""
