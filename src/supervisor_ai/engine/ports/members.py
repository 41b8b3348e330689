"""How a worker takes part in a session while it runs."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import RunId, SessionId
from supervisor_ai.engine.ports.workers import MemberDoor


class Newcomer(Struct, frozen=True, kw_only=True):
    """A worker that is to take part: in which session, and what its name is made of."""

    session: SessionId
    run: RunId
    role: str
    slot: int
    attempt: int


class MemberDoors(Protocol):
    """Lets workers take part in sessions."""

    def open(self, newcomer: Newcomer) -> AbstractAsyncContextManager[MemberDoor]:
        """Let a worker take part until the context is left; raises InvalidInput if it cannot."""
        ...

    def remove_left(self, run: RunId) -> None:
        """Remove what workers of a run left whose owner died: their membership and endpoints."""
        ...


class NoDoors:
    """A world without sessions."""

    def open(self, newcomer: Newcomer) -> AbstractAsyncContextManager[MemberDoor]:
        """Let nobody take part."""
        raise InvalidInput(f"Nobody can take part in session {newcomer.session!r} from here.")

    def remove_left(self, run: RunId) -> None:
        """Remove nothing: nobody took part."""
