"""An open project: the repository, the ledger and the engine that commands act through."""

from collections.abc import Callable

from msgspec import Struct

from supervisor_ai.control.ports.queries import LedgerMaintenance
from supervisor_ai.control.ports.session_files import SessionFolders
from supervisor_ai.control.ports.workspace_inventory import Inventory
from supervisor_ai.control.preflight import Preflight
from supervisor_ai.control.queries.retry_log import RetryLogKeeper
from supervisor_ai.control.records import Records, unknown_run
from supervisor_ai.control.settings import SANDBOX
from supervisor_ai.domain.envelope import Actor, ActorKind
from supervisor_ai.domain.ids import ArtifactHash, RunId, run_stream
from supervisor_ai.domain.run.events import RunSubmitted
from supervisor_ai.engine.dispatch import Dispatcher
from supervisor_ai.engine.effects.notice_desk import NoticeDesk
from supervisor_ai.engine.playback import Player
from supervisor_ai.engine.ports.workspaces import Repository
from supervisor_ai.engine.runtime import Runtime
from supervisor_ai.engine.world import World


class OpenProject(Struct, frozen=True, kw_only=True):
    """A user's repository with its ledger, and the means to drive runs in it.

    `runtimes` finds the runtime for a sandbox by the name that runs record.
    """

    preflight: Preflight
    records: Records
    care: LedgerMaintenance
    dispatcher: Dispatcher
    runtimes: Callable[[str], Runtime]
    desk: NoticeDesk
    retry_logs: RetryLogKeeper
    user: str
    via: str
    folders: "Callable[[], SessionFolders] | None" = None
    """Opens the folders of sessions; None: nobody looks at them."""
    inventory: "Callable[[], Inventory] | None" = None
    """Opens what workspaces left; None: no snapshot expires."""
    tell: Callable[[str], None] = lambda words: None
    """Says something to whoever stands before the process."""

    @property
    def repository(self) -> Repository:
        """Return the user's repository."""
        return self.preflight.repository

    @property
    def world(self) -> World:
        """Return the ports, with the sandbox that runs have unless they say otherwise."""
        return self.runtimes(SANDBOX).world

    @property
    def player(self) -> Player:
        """Return what plays runs back."""
        world = self.world
        return Player(log=world.log, documents=world.documents, drivers=world.drivers)

    @property
    def actor(self) -> Actor:
        """Return who acts; the operating system vouches for the name."""
        return Actor(kind=ActorKind.USER, id=self.user, via=self.via, verified=True)

    def keep(self, text: str) -> ArtifactHash:
        """Keep a person's words without the secrets in them."""
        return self.world.artifacts.put(self.redacted(text))

    def redacted(self, text: str) -> str:
        """Take the secrets out of a text."""
        return self.preflight.redactor.redact(text).text

    def birth(self, run: RunId) -> RunSubmitted:
        """Return a run's first fact."""
        for envelope in self.records.log.read(run_stream(run), upto=1):
            if isinstance(envelope.event, RunSubmitted):
                return envelope.event
        raise unknown_run(run)
