"""One rule for what was probably meant."""

from pathlib import Path

import pytest

import supervisor_ai
from supervisor_ai.cli.main import VERBS
from supervisor_ai.tools.nearest import nearest

SOURCES = Path(supervisor_ai.__path__[0])


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("stauts", "status"),
        ("stat", "status"),
        ("event", "events"),
        ("rn", "run"),
        ("gaet", "gate"),
        ("workflows", "workflow"),
        ("log", "logs"),
        ("lad", "lab"),
        ("projects", None),
        ("settings", None),
        ("diff", None),
        ("merge", None),
        ("", None),
    ],
)
def test_a_verb_is_suggested_only_where_it_is_close(word: str, meant: str | None) -> None:
    assert nearest(word, VERBS) == meant


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("wbe", ["web"], "web"),
        ("npn", ["npm"], "npm"),
        ("max_steps", ["workflow_max_steps"], "workflow_max_steps"),
        ("projects", ["roles"], None),
        ("gone", ["go"], None),
        ("abc", [], None),
    ],
)
def test_short_words_and_parts_count_where_they_are_sure(
    word: str, known: list[str], meant: str | None
) -> None:
    assert nearest(word, known) == meant


def test_nobody_has_a_rule_of_their_own() -> None:
    users = [path for path in SOURCES.rglob("*.py") if "get_close_matches" in path.read_text()]
    assert [path.name for path in users] == ["nearest.py"]
