"""Role states and messages are read as far as they have the usual form."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.drivers.checkpoint.checks.model import BusMessage, RoleState
from supervisor_ai.drivers.checkpoint.checks.records import bus_message, role_state
from supervisor_ai.tools.json_value import Json, JsonObject

RECORD: JsonObject = {
    "id": "MSG-012",
    "ts": "2030-01-01T12:00:00Z",
    "from": "writer",
    "to": "coordinator",
    "type": "state_update",
    "summary": "done\nwith it",
    "data": {"task_id": "DRAFT-001"},
}


def test_a_role_state_is_read() -> None:
    state: Json = {
        "status": "task_complete",
        "task_id": "DRAFT-001",
        "ref": "spec/brief.md",
        "quality_score": 85,
        "key_findings": ["x"],
    }
    assert role_state(state) == RoleState(
        task="DRAFT-001", status="task_complete", ref="spec/brief.md", score=85_000
    )


@pytest.mark.parametrize(
    ("score", "thousandths"),
    [
        (85, 85_000),
        (0.85, 85_000),
        ("8.5", 8_500),
        (True, None),
        ([], None),
        ("x", None),
        (-1, None),
    ],
)
def test_a_score_has_one_scale(score: Json, thousandths: int | None) -> None:
    assert role_state({"score": score}).score == thousandths


def test_what_has_not_the_usual_form_is_not_there() -> None:
    assert role_state(None) == role_state([1]) == RoleState()
    assert role_state({"task_id": "a b", "status": 7, "ref": "a\nb"}) == RoleState(ref="a b")


def test_a_record_is_read() -> None:
    assert bus_message(RECORD) == BusMessage(
        number=12,
        at=datetime(2030, 1, 1, 12, tzinfo=UTC),
        sender="writer",
        kind="state_update",
        summary="done with it",
        task="DRAFT-001",
    )
    local = bus_message({**RECORD, "ts": "2030-01-01T12:00:00", "data": None})
    assert local is not None
    assert (local.at.tzinfo, local.task) == (UTC, "")


@pytest.mark.parametrize(
    ("key", "value"),
    [("id", "12"), ("ts", "yesterday"), ("from", ""), ("type", "a b"), ("id", 12)],
)
def test_what_is_no_record_is_none(key: str, value: Json) -> None:
    assert bus_message({**RECORD, key: value}) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda it: st.lists(it, max_size=3) | st.dictionaries(st.sampled_from([*RECORD, "score"]), it),
    max_leaves=8,
)


@given(JSON)
def test_anything_is_read_or_left_alone(value: Json) -> None:
    assert isinstance(role_state(value), RoleState)
    assert bus_message(value) is None or isinstance(value, dict)
