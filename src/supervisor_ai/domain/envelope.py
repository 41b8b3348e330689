"""What the ledger keeps around every fact."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from supervisor_ai.domain.ids import StreamId


class Event(Struct, frozen=True, kw_only=True):
    """A fact that happened; subclasses carry facts and artifact hashes only."""


class ActorKind(StrEnum):
    """Who can make something happen."""

    USER = "user"
    WORKER = "worker"
    RUNTIME = "runtime"
    SERVICE = "service"


class Actor(Struct, frozen=True, kw_only=True):
    """Who made it happen, and through which door."""

    kind: ActorKind
    id: str
    via: str
    verified: bool = False


class NewEvent(Struct, frozen=True, kw_only=True):
    """A fact on its way into the ledger."""

    event: Event
    actor: Actor
    cause: str | None = None


class Envelope(Struct, frozen=True, kw_only=True):
    """A fact in the ledger."""

    seq: int
    stream: StreamId
    version: int
    event: Event
    recorded_at: datetime
    actor: Actor
    cause: str | None
    epoch: int
    hash: str

    @property
    def type(self) -> str:
        """Name the kind of fact, as the ledger's column does."""
        return type(self.event).__name__
