"""The closed list of calls that members of a session can make, whatever the door.

A call takes and gives JSON. What is not on this list does not exist for a member; what is on it and
not on the list of the member's role is refused, and the refusal is recorded.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.sessions.bus import Bus
from supervisor_ai.control.sessions.desk import Caller, SessionDesk
from supervisor_ai.control.sessions.members import Members
from supervisor_ai.control.sessions.tasks import Tasks
from supervisor_ai.control.slice_names import import_value, registered_slices
from supervisor_ai.domain.errors import Busy, Denied, InvalidInput, NotFound
from supervisor_ai.domain.ids import SessionId
from supervisor_ai.domain.session.decisions import require
from supervisor_ai.domain.session.members import PERMISSIONS, MemberPermission, MemberRole
from supervisor_ai.domain.session.traffic import (
    MOST_BYTES,
    MOST_CALLS,
    UNBOUNDED,
    Traffic,
    admit,
)
from supervisor_ai.tools.text import nearest

_SHARED: Final = (
    "supervisor_ai.control.sessions.member_calls:CALLS",
    "supervisor_ai.control.sessions.run_calls:CALLS",
    "supervisor_ai.control.sessions.knowledge_calls:CALLS",
)


class Room(Struct, frozen=True, kw_only=True):
    """Where a call is made: a session of a project, by somebody."""

    project: OpenProject
    desk: SessionDesk
    session: SessionId
    caller: Caller

    @property
    def bus(self) -> Bus:
        """Return the messages, as the caller may use them."""
        return Bus(self.desk, self.session, self.caller)

    @property
    def tasks(self) -> Tasks:
        """Return the tasks, as the caller may use them."""
        return Tasks(self.desk, self.session, self.caller)


class Call(Struct, frozen=True, kw_only=True):
    """Something that a member can ask for."""

    name: str
    help: str
    permission: MemberPermission
    form: type[Struct]
    """What it takes."""
    act: Callable[[Room, Any], object]
    """What it does; what it returns is shown as JSON."""

    def is_for(self, role: MemberRole) -> bool:
        """Tell whether it is on the list of a role."""
        return self.permission in PERMISSIONS[role]


class CallTable(Struct, frozen=True, kw_only=True):
    """Calls that belong together."""

    calls: tuple[Call, ...]


def all_calls() -> Mapping[str, Call]:
    """Return every call by its name: those of all sessions, and those that slices add."""
    places = (*_SHARED, *(it.calls for it in registered_slices().values() if it.calls))
    tables = (import_value(place, CallTable, "table of calls") for place in places)
    return {call.name: call for table in tables for call in table.calls}


def calls_for(role: MemberRole) -> tuple[Call, ...]:
    """Return the calls that members of a role can make."""
    return tuple(call for call in all_calls().values() if call.is_for(role))


def make_call(room: Room, name: str, arguments: Mapping[str, object]) -> object:
    """Do what a member asks for, or refuse it; a refusal for want of a right is recorded."""
    call = _find(name)
    require_patience(room, name, arguments)
    try:
        require(room.caller.member, call.permission)
        return call.act(room, _parameters(call, arguments))
    except Denied as refused:
        members = Members(room.desk, room.session, room.caller.actor)
        members.refuse(room.caller, name, refused.message)
        raise


def require_patience(room: Room, name: str, arguments: Mapping[str, object]) -> None:
    """Refuse a member that asks too much; that it does is recorded once, and not each time."""
    member = room.caller.member
    if member.role in UNBOUNDED:
        return
    place = (room.session, member.name)
    size = len(json.dumps(arguments, default=str))
    known = room.desk.traffic.get(place, Traffic())
    found = admit(known, size, now=room.desk.now())
    room.desk.traffic[place] = found.traffic
    if found.wait is None:
        return
    seconds = max(1, round(found.wait.total_seconds()))
    reason = f"{member.name!r} asks for more than {MOST_CALLS} calls or {MOST_BYTES} bytes a minute"
    if found.is_first:
        Members(room.desk, room.session, room.caller.actor).refuse(room.caller, name, reason)
    raise Busy(f"{reason}.", hint=f"Wait {seconds} s, and say more in fewer messages.")


def _find(name: str) -> Call:
    known = all_calls()
    if name in known:
        return known[name]
    near = nearest(name, known)
    raise NotFound(
        f"There is no call {name[:80]!r}.", hint=f"Did you mean {near!r}?" if near else None
    )


def _parameters(call: Call, arguments: Mapping[str, object]) -> Struct:
    try:
        return msgspec.convert(dict(arguments), call.form)
    except msgspec.ValidationError as error:
        names = ", ".join(it.encode_name for it in msgspec.structs.fields(call.form))
        raise InvalidInput(
            f"The call {call.name!r} cannot be made: {error}.", hint=f"It takes: {names}."
        ) from error
