"""What a worker reports about its work, taken from its answer without believing it."""

import re
from typing import Final

from msgspec import Struct

from supervisor_ai.gates.change.planned_tasks import json_object

_ENTRIES: Final = 500
_LENGTH: Final = 1000
_SUMMARY: Final = 20_000
_NUMBER: Final = 16
"""How many digits a number may have; more are a name."""
_NOTHING: Final = frozenset({"", "-", "none", "n/a", "na", "nil", "null"})
_REQUIRED: Final = ("files_created", "files_modified", "tests_written")
_COMMIT: Final = re.compile(
    r"\b(?:commit(?:s|ted)?|sha|revision)\b[^\n]{0,40}?\b(?P<sha>[0-9a-f]{7,40})\b", re.IGNORECASE
)


class ReportedClaims(Struct, frozen=True, kw_only=True):
    """The claims of an answer."""

    created: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()


def reported(answer: str | None) -> ReportedClaims | None:
    """Return the claims of an implementer's answer; other answers make none."""
    document = json_object(answer)
    if document is None or not all(isinstance(document.get(key), list) for key in _REQUIRED):
        return None
    return ReportedClaims(
        created=_texts(document.get("files_created")),
        modified=_texts(document.get("files_modified")),
        deleted=_texts(document.get("files_deleted")),
        tests=_texts(document.get("tests_written")),
        commits=_commits(document.get("summary")),
    )


def _texts(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else []
    texts = (item.strip()[:_LENGTH] for item in items[:_ENTRIES] if isinstance(item, str))
    return tuple(dict.fromkeys(text for text in texts if text.lower() not in _NOTHING))


def _commits(summary: object) -> tuple[str, ...]:
    text = summary[:_SUMMARY] if isinstance(summary, str) else ""
    found = (match["sha"].lower() for match in _COMMIT.finditer(text))
    # A word of digits alone is a number: "committed 1234567 rows".
    return tuple(dict.fromkeys(sha for sha in found if not sha.isdigit() or len(sha) > _NUMBER))
