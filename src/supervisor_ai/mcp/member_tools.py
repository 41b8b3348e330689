"""The tools of a member: one for each call that is on the list of its role."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import msgspec
from msgspec import Struct

from supervisor_ai.control.sessions.calls import (
    Room,
    all_calls,
    attend,
    calls_for,
    make_call,
    require_patience,
)
from supervisor_ai.control.sessions.members import Members
from supervisor_ai.domain.errors import Denied, SupervisorError
from supervisor_ai.mcp.toolbox import Json, ToolCard

DECISIONS: Final = frozenset({"approve", "reject", "override", "trust", "cancel"})
"""What only people decide: on nobody's list, and no tool."""
LONGEST_WAIT: Final = 45
"""No client gives a tool less time to answer."""
_ANY: Final = {"description": "Any JSON"}


class MemberTools(Struct, frozen=True, kw_only=True):
    """The calls of one member of a session."""

    room: Room

    def cards(self) -> Sequence[ToolCard]:
        """Return what this member may call, and nothing else."""
        calls = calls_for(self.room.caller.member.role)
        return [
            ToolCard(name=call.name, description=call.help, schema=input_schema(call.form))
            for call in calls
        ]

    def patience(self, name: str, arguments: Json) -> float:
        """Say for how many seconds a call may wait until `is_ready`; most do not wait."""
        call, asked = all_calls().get(name), arguments.get("seconds", LONGEST_WAIT)
        is_patient = call is not None and call.is_ready is not None and isinstance(asked, int)
        return float(min(max(cast("int", asked), 0), LONGEST_WAIT)) if is_patient else 0.0

    def is_ready(self, name: str) -> bool:
        """Tell whether a call that waits has to wait no longer; the call says what went wrong."""
        ready = all_calls()[name].is_ready
        try:
            return ready is None or ready(self.room)
        except SupervisorError:
            return True

    def call(self, name: str, arguments: Json) -> Json:
        """Do what is asked; a refusal is recorded, and is a sign of life as any call is."""
        try:
            told = self._made(name, arguments)
        except SupervisorError:
            attend(self.room, is_told=False)
            raise
        unread = attend(self.room, is_told=True)
        return {**told, "unread": unread} if unread else told

    def _made(self, name: str, arguments: Json) -> Json:
        if name in DECISIONS and name not in all_calls():
            require_patience(self.room, name, arguments)
            raise self._refused(name)
        told = make_call(self.room, name, arguments)
        found: Json = msgspec.to_builtins(told) if not isinstance(told, Mapping) else told
        return found

    def _refused(self, name: str) -> Denied:
        room, words = self.room, f"To {name} is a person's decision, and no tool."
        Members(room.desk, room.session, room.caller.actor).refuse(room.caller, name, words)
        return Denied(words, hint="Ask the coordinator to ask a person.")


def input_schema(form: type[Struct]) -> Json:
    """Describe what a call takes in one piece, which is what clients can read."""
    (schema,), known = msgspec.json.schema_components([form], schema_hook=lambda _: _ANY)
    found: Json = _inlined(schema, known)
    return found


def _inlined(value: Any, known: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON Schema is any JSON
    """Put definitions where they are referred to, in the words that every client understands."""
    if isinstance(value, list):
        return [_inlined(it, known) for it in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        return _named(known[value["$ref"].rpartition("/")[2]], known)
    choices = [it for it in value.get("anyOf", ()) if it != {"type": "null"}]
    if len(choices) == 1:
        # Nothing is given by leaving it out.
        return _inlined(choices[0], known)
    return {
        key: _inlined(it, known)
        for key, it in value.items()
        if (key, it) != ("additionalProperties", _ANY)
    }


def _named(value: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what a definition is called, and say what a choice is made of."""
    kept = {key: it for key, it in value.items() if key not in ("title", "description")}
    found: dict[str, Any] = _inlined(kept, known)
    return {"type": "string", **found} if "enum" in found else found
