"""What roles publish and say on the bus, read as far as checks need it; all of it is hostile."""

import re
from datetime import UTC, datetime
from typing import Final

from supervisor_ai.drivers.checkpoint.checks.model import BusMessage, RoleState
from supervisor_ai.drivers.checkpoint.facts.remarks import score_in_thousandths
from supervisor_ai.drivers.checkpoint.protocol.words import is_word, plain
from supervisor_ai.tools.json_value import Json, mapping
from supervisor_ai.tools.json_value import text as as_text

_NUMBER: Final = re.compile(r"MSG-([0-9]{1,9})")
_SCORES: Final = ("self_score", "quality_score", "score")
_SCORE: Final = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,6})?")
_LONGEST: Final = 200


def role_state(state: Json) -> RoleState:
    """Read the state of a role as `get_state` has it; what has not the usual form is not there."""
    fields = mapping(state)
    return RoleState(
        task=_word(fields.get("task_id")),
        status=_word(fields.get("status")),
        ref=plain(as_text(fields.get("ref")), _LONGEST),
        score=next(
            (it for it in (_score(fields.get(key)) for key in _SCORES) if it is not None), None
        ),
    )


def _word(value: Json) -> str:
    word = as_text(value)
    return word if is_word(word) else ""


def _score(value: Json) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    text = str(value)
    return score_in_thousandths(text) if _SCORE.fullmatch(text) else None


def bus_message(record: Json) -> BusMessage | None:
    """Read a record of the bus; None where it is none."""
    fields = mapping(record)
    number = _NUMBER.fullmatch(as_text(fields.get("id")))
    at = _time(as_text(fields.get("ts")))
    sender, kind = _word(fields.get("from")), _word(fields.get("type"))
    if number is None or at is None or not sender or not kind:
        return None
    return BusMessage(
        number=int(number[1]),
        at=at,
        sender=sender,
        kind=kind,
        summary=plain(as_text(fields.get("summary")), _LONGEST),
        task=_word(mapping(fields.get("data")).get("task_id")),
    )


def _time(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
