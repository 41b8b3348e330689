"""The members of a session: who takes part, and what proves who speaks."""

import hmac
import secrets
from hashlib import sha256

from supervisor_ai.control.sessions.desk import Caller, SessionDesk
from supervisor_ai.domain.envelope import Actor, ActorKind
from supervisor_ai.domain.errors import Denied
from supervisor_ai.domain.ids import SessionId
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.decisions import add_member, deliver_token, remove_member
from supervisor_ai.domain.session.members import COORDINATOR, SUPERVISOR, Member, MemberRole

_BYTES = 32


class Members:
    """One session's members; only the user of this machine lets somebody in."""

    def __init__(self, desk: SessionDesk, session: SessionId, actor: Actor) -> None:
        self._view = desk.view(session)
        self._actor = actor

    def list(self) -> tuple[Member, ...]:
        """Return who takes part."""
        return tuple(self._view.refresh().members.values())

    def add(
        self, name: str, role: MemberRole, endpoint: str = "", *, awaits_delivery: bool = False
    ) -> str:
        """Let somebody take part; return the token, which is shown once and kept nowhere.

        It is good at one endpoint alone; without a name, at that of the whole session. One that
        awaits its delivery gives way to another until `deliver` says that it was shown.
        """
        token = secrets.token_hex(_BYTES)
        hashed = _hash(token, endpoint)
        self._view.add(
            lambda now: (add_member(now, name, role, hashed, awaits_delivery=awaits_delivery),),
            self._actor,
        )
        return token

    def deliver(self, name: str, token: str) -> None:
        """Remember that a token was shown; raises Conflict where it is void already."""
        self._view.add(lambda now: deliver_token(now, name, _hash(token, "")), self._actor)

    def remove(self, name: str) -> None:
        """Let somebody take part no longer."""
        self._view.add(lambda now: (remove_member(now, name),), self._actor)

    def find(self, token: str, *, via: str, endpoint: str = "") -> Caller:
        """Say who speaks at an endpoint; a token that is nobody's there is refused."""
        hashed = _hash(token, endpoint)
        found = [
            it
            for it in self._view.refresh().members.values()
            if hmac.compare_digest(it.token, hashed)
        ]
        if not found:
            raise Denied("The token is nobody's in this session.", hint="Ask for a new one.")
        if found[0].awaits_delivery:
            self.deliver(found[0].name, token)
        return caller_of(found[0], via=via, is_proven=True)

    def refuse(self, caller: Caller, call: str, reason: str) -> None:
        """Record that somebody asked for what it may not do."""
        refused = s.CallRefused(member=caller.member.name, call=call, reason=reason)
        self._view.add(lambda _: (refused,), caller.actor)


def caller_of(member: Member, *, via: str, is_proven: bool = False) -> Caller:
    """Make a member a caller through a door."""
    actor = Actor(kind=ActorKind.WORKER, id=member.name, via=via, verified=is_proven)
    return Caller(member=member, actor=actor)


def user_as_coordinator(actor: Actor) -> Caller:
    """Let the user of this machine speak for whoever coordinates."""
    return Caller(member=Member(name=COORDINATOR, role=MemberRole.COORDINATOR), actor=actor)


def resident(actor: Actor) -> Caller:
    """Let the run that listens speak as the supervisor."""
    return Caller(member=Member(name=SUPERVISOR, role=MemberRole.SUPERVISOR), actor=actor)


def _hash(token: str, endpoint: str) -> str:
    secret = token.encode(errors="surrogatepass")
    return (hmac.new(secret, endpoint.encode(), sha256) if endpoint else sha256(secret)).hexdigest()
