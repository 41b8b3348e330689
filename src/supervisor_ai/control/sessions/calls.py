"""The closed list of calls that members of a session can make, whatever the door.

A call takes and gives JSON. What is not on this list does not exist for a member; what is on it and
not on the list of the member's role is refused, and the refusal is recorded.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, Final, TypeVar, get_args

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

_NO_CHOICE: Final = re.compile(r"Invalid enum value (.*) - at `\$\.(\w+)`", re.DOTALL)
_SHARED: Final = (
    "supervisor_ai.control.sessions.member_calls:CALLS",
    "supervisor_ai.control.sessions.run_calls:CALLS",
    "supervisor_ai.control.sessions.knowledge_calls:CALLS",
)

F = TypeVar("F", bound=Struct)
Json = Mapping[str, object]


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
    is_ready: Callable[[Room], bool] | None = None
    """Whether it has to wait no longer, where its form says for how many `seconds` it may."""

    def is_for(self, role: MemberRole) -> bool:
        """Tell whether it is on the list of a role."""
        return self.permission in PERMISSIONS[role]


class CallTable(Struct, frozen=True, kw_only=True):
    """Calls that belong together."""

    calls: tuple[Call, ...]
    attend: Callable[[Room, bool], Sequence[Json]] | None = None
    """Takes note of whoever makes any call; returns what it is told besides, if it is told."""


def _tables() -> tuple[CallTable, ...]:
    places = (*_SHARED, *(it.calls for it in registered_slices().values() if it.calls))
    return tuple(import_value(place, CallTable, "table of calls") for place in places)


def all_calls() -> Mapping[str, Call]:
    """Return every call by its name: those of all sessions, and those that slices add or extend."""
    return {call.name: call for table in _tables() for call in table.calls}


def attend(room: Room, *, is_told: bool) -> list[Json]:
    """Let it be known that a member was heard of; return what it has not read yet."""
    hooks = (it.attend for it in _tables() if it.attend is not None)
    return [it for hook in hooks for it in hook(room, is_told)]


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
    return read_form(arguments, call.form, f"The call {call.name!r} cannot be made")


def read_form(arguments: Mapping[str, object], form: type[F], what: str) -> F:
    """Read what a call takes; a word that is none of those allowed is told with all of them."""
    try:
        return msgspec.convert(dict(arguments), form)
    except msgspec.ValidationError as error:
        fields = {it.encode_name: it.type for it in msgspec.structs.fields(form)}
        found, names = _NO_CHOICE.fullmatch(str(error)), ", ".join(fields)
        if found is None:
            raise InvalidInput(f"{what}: {error}.", hint=f"It takes: {names}.") from error
        kinds = (fields[found[2]], *get_args(fields[found[2]]))
        words = [
            it.value for kind in kinds if isinstance(kind, type(Enum)) for it in list[Enum](kind)
        ]
        raise InvalidInput(
            f"{what}: {found[2]} is {found[1]}.", hint=f"Expected one of: {', '.join(words)}."
        ) from error
