"""What each role may call, as its member sees it, and what comes back."""

from typing import Final

import msgspec
import pytest
from inline_snapshot import snapshot
from tests.unit.control.sessions.session_desk import BOSS, SessionScene, member

from supervisor_ai.control.sessions.bus import Post
from supervisor_ai.control.sessions.calls import all_calls
from supervisor_ai.control.slice_names import register
from supervisor_ai.domain.errors import Denied, SupervisorError
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.drivers.registry import SLICES
from supervisor_ai.mcp.member_tools import DECISIONS, MemberTools, input_schema
from supervisor_ai.mcp.server import answer
from supervisor_ai.mcp.toolbox import ToolCard

register(SLICES)

EVERYBODY: Final = frozenset(
    {
        *("task_list", "team_msg", "checkpoint_list", "checkpoint_show"),
        *("team_status", "team_report", "team_wait", "knowledge_search"),
    }
)
SENDERS: Final = frozenset({"team_send", "team_line", "team_ack", "task_update"})
RUNS: Final = frozenset({"run_events", "run_list", "run_status"})
LISTS: Final = {
    MemberRole.COORDINATOR: EVERYBODY
    | RUNS
    | SENDERS
    | {"task_create", "checkpoint_request", "team_handoff"}
    | {"team_create", "team_join", "team_reconcile", "team_teardown", "team_delete", "team_serve"},
    MemberRole.SUPERVISOR: EVERYBODY | RUNS | SENDERS,
    MemberRole.WORKER: EVERYBODY | SENDERS,
    MemberRole.OBSERVER: EVERYBODY | RUNS,
}
"""The closed list of every role, with what slices add."""
KNOWN: Final = sorted(frozenset().union(*LISTS.values()) & set(all_calls()))
OPERATIONS: Final = ("log", "read", "list", "status", "broadcast", "get_state", "delete", "clear")
DENIED: Final = {
    MemberRole.COORDINATOR: {"delete", "clear"},
    MemberRole.SUPERVISOR: {"broadcast", "delete", "clear"},
    MemberRole.WORKER: {"delete", "clear"},
    MemberRole.OBSERVER: {"log", "broadcast", "delete", "clear"},
}


def tools(scene: SessionScene, role: MemberRole) -> MemberTools:
    return MemberTools(room=scene.room(member(role.value, role)))


def told(error: pytest.ExceptionInfo[SupervisorError]) -> str:
    return error.value.kind.value


@pytest.mark.parametrize("role", MemberRole)
def test_a_member_is_shown_its_list_and_nothing_else(role: MemberRole) -> None:
    shown = {card.name for card in tools(SessionScene(), role).cards()}
    assert shown == LISTS[role] & set(all_calls())
    assert not shown & DECISIONS


def test_a_call_that_is_not_listed_here_does_not_exist() -> None:
    assert sorted(all_calls()) == KNOWN


@pytest.mark.parametrize("role", MemberRole)
@pytest.mark.parametrize("name", KNOWN)
def test_every_tool_is_refused_to_every_role_that_does_not_list_it(
    role: MemberRole, name: str
) -> None:
    scene = SessionScene()
    if name in LISTS[role]:
        return
    with pytest.raises(Denied):
        tools(scene, role).call(name, {})
    assert scene.types()[-1] == "CallRefused"


@pytest.mark.parametrize("role", MemberRole)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_of_the_bus_is_done_or_refused_as_the_list_says(
    role: MemberRole, operation: str
) -> None:
    scene = SessionScene()
    scene.bus().log(_greeting())
    asked = {"operation": operation, "summary": "x", "id": "MSG-001"}
    if operation in DENIED[role]:
        with pytest.raises(Denied):
            tools(scene, role).call("team_msg", asked)
        assert scene.types()[-1] == "CallRefused"
    else:
        assert "error" not in tools(scene, role).call("team_msg", asked)
        assert "CallRefused" not in scene.types()


def _greeting() -> Post:
    return Post(kind="note", summary="Hello.")


@pytest.mark.parametrize("role", MemberRole)
@pytest.mark.parametrize("name", sorted(DECISIONS))
def test_what_people_decide_is_no_tool_and_asking_for_it_is_recorded(
    role: MemberRole, name: str
) -> None:
    scene = SessionScene()
    with pytest.raises(Denied, match="a person's decision"):
        tools(scene, role).call(name, {"run": "r1"})
    assert scene.types()[-1] == "CallRefused"
    assert name not in all_calls()


def test_no_name_of_a_call_contains_what_people_decide() -> None:
    assert not [name for name in all_calls() for word in DECISIONS if word in name]


@pytest.mark.parametrize("name", KNOWN)
def test_a_schema_is_strict_and_in_one_piece(name: str) -> None:
    schema = input_schema(all_calls()[name].form)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    text = msgspec.json.encode(schema).decode()
    assert "$ref" not in text
    assert "anyOf" not in text


def test_the_schema_of_the_bus() -> None:
    assert input_schema(all_calls()["team_msg"].form)["properties"] == snapshot(
        {
            "operation": {
                "type": "string",
                "enum": [
                    "broadcast",
                    "clear",
                    "delete",
                    "get_state",
                    "list",
                    "log",
                    "read",
                    "status",
                ],
            },
            "session_id": {"type": "string"},
            "id": {"type": "string"},
            "from": {"type": "string"},
            "to": {"type": "string"},
            "type": {"type": "string"},
            "summary": {"type": "string", "default": ""},
            "data": {"type": "object"},
            "last": {"type": "integer", "default": 20},
            "role": {"type": "string"},
        }
    )


@pytest.mark.parametrize("name", KNOWN)
def test_unknown_keys_are_errors(name: str) -> None:
    told = answer(MemberTools(room=SessionScene().room(BOSS)), name, {"bad": 1}, str)
    assert told.is_error
    assert told.structured_content["error"]["kind"] == "invalid"


def test_an_answer_is_the_same_json_as_text_and_as_structure() -> None:
    box = MemberTools(room=SessionScene().room(BOSS))
    said = answer(box, "team_msg", {"operation": "log", "summary": "\x1b[31mÜ"}, str)
    assert not said.is_error
    (content,) = said.content
    assert content.type == "text"
    assert msgspec.json.decode(content.text) == said.structured_content
    assert "\x1b" not in content.text


def test_an_error_is_told_as_every_door_tells_it() -> None:
    box = MemberTools(room=SessionScene().room(BOSS))
    said = answer(box, "team_mgs", {}, str)
    assert said.is_error
    assert said.structured_content == {
        "error": {
            "kind": "not_found",
            "message": "There is no call 'team_mgs'.",
            "hint": "Did you mean 'team_msg'?",
        }
    }


def test_a_bug_is_told_without_its_words_and_kept() -> None:
    class Broken:
        def cards(self) -> list[ToolCard]:
            return []

        def patience(self, name: str, arguments: object) -> float:
            return 0.0

        def is_ready(self, name: str) -> bool:
            return True

        def call(self, name: str, arguments: object) -> dict[str, object]:
            raise ZeroDivisionError("a secret")

    kept: list[Exception] = []

    def report(error: Exception) -> str:
        kept.append(error)
        return "Report it."

    said = answer(Broken(), "x", {}, report)
    assert said.structured_content == {
        "error": {
            "kind": "internal",
            "message": "This is a bug in supervisor: ZeroDivisionError.",
            "hint": "Report it.",
        }
    }
    assert isinstance(kept[0], ZeroDivisionError)
