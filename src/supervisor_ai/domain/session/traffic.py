"""How much a member may ask for in a minute: one that runs in circles must not fill the ledger."""

from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.domain.structs import replace

MINUTE: Final = timedelta(minutes=1)
MOST_CALLS: Final = 120
"""How many calls a member may make in any minute."""
MOST_BYTES: Final = 1 << 20
"""How much they may carry together."""
UNBOUNDED: Final = frozenset({MemberRole.COORDINATOR, MemberRole.SUPERVISOR})
"""Who is never made to wait: what these two say to each other may be urgent."""


class Traffic(Struct, frozen=True, kw_only=True):
    """What a member has asked for in the last minute."""

    calls: tuple[tuple[datetime, int], ...] = ()
    """When, and how much each carried."""
    is_refused: bool = False
    """Whether the last one was refused."""


class Admission(Struct, frozen=True, kw_only=True):
    """Whether a call may be made now."""

    traffic: Traffic
    wait: timedelta | None = None
    """How long there is to wait; None: not at all."""
    is_first: bool = False
    """Whether it is the first refusal after a call that was made."""


def admit(known: Traffic, size: int, *, now: datetime) -> Admission:
    """Let a call be made, or say how long its member has to wait."""
    recent = tuple(it for it in known.calls if now - it[0] < MINUTE)
    carried = sum(size for _, size in recent)
    if len(recent) < MOST_CALLS and carried + size <= MOST_BYTES:
        return Admission(traffic=Traffic(calls=(*recent, (now, size))))
    oldest = recent[0][0] if recent else now
    return Admission(
        traffic=replace(known, calls=recent, is_refused=True),
        wait=oldest + MINUTE - now,
        is_first=not known.is_refused,
    )
