"""Everything outside the engine, as ports, in one place."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from supervisor_ai.domain.run.definition import SandboxPolicy
from supervisor_ai.engine.playback import Opener
from supervisor_ai.engine.ports.artifacts import Artifacts, Documents
from supervisor_ai.engine.ports.clock import Clock, Ids, Processes
from supervisor_ai.engine.ports.consent import Consent
from supervisor_ai.engine.ports.context import ContextPacker
from supervisor_ai.engine.ports.forge import Forge
from supervisor_ai.engine.ports.gates import Examiner, Verdicts
from supervisor_ai.engine.ports.kanban import KanbanFiles, KanbanReader
from supervisor_ai.engine.ports.ledger import EventLog, Inbox, Leases, StateCache, WakeQueue
from supervisor_ai.engine.ports.monitor import Monitor, SilentMonitor
from supervisor_ai.engine.ports.redaction import Redactor
from supervisor_ai.engine.ports.sandbox import Sandbox
from supervisor_ai.engine.ports.workers import AnswerReader, Prompter, WorkerFactory
from supervisor_ai.engine.ports.workspaces import Anchor, Workspaces


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """How often the engine looks up, and how long it may be out of touch."""

    lease: timedelta = timedelta(seconds=15)
    poll: timedelta = timedelta(seconds=0.5)
    cache_every: int = 1000
    ask_again: timedelta = timedelta(seconds=20)
    """How long a run that waits for others' budgets sleeps before it asks again."""


async def _nothing_special(policy: SandboxPolicy) -> str | None:
    """Say that commands reach nothing but their files, as in a world of fakes."""
    del policy
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
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
    sandbox: Sandbox
    workspaces: Workspaces
    workers: WorkerFactory
    prompter: Prompter
    packer: ContextPacker
    answers: AnswerReader
    examiner: Examiner
    verdicts: Verdicts
    forge: Forge
    redactor: Redactor
    kanban_files: KanbanFiles
    kanban_reader: KanbanReader
    consent: Consent
    monitor: Monitor = field(default_factory=SilentMonitor)
    timing: Timing = field(default_factory=Timing)
    machine: Callable[[SandboxPolicy], Awaitable[str | None]] = _nothing_special
    """Names all that a command can reach besides its files; None where that cannot be named."""
