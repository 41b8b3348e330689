"""Whose word a document is: the base's and a look's count, and nobody else's."""

from supervisor_ai.domain.knowledge.provenance import standing

RULE = "docs/knowledge/conventions/rule.md"
NEW = "docs/knowledge/lessons/new.md"
ASKED = "docs/knowledge/directives/asked.md"


def test_what_a_look_writes_counts_on_top_of_the_base() -> None:
    looks = [({RULE: "1"}, {RULE: "2", NEW: "a"}), ({RULE: "2", NEW: "a"}, {RULE: "2", NEW: "b"})]
    assert standing({RULE: "1"}, looks) == {RULE: "2", NEW: "b"}


def test_a_look_does_not_vouch_for_what_somebody_else_has_left() -> None:
    before = {RULE: "deprecated by a worker", NEW: "a worker's"}
    after = {RULE: "deprecated by a worker, and more", NEW: "a worker's"}
    assert standing({RULE: "1"}, [(before, after)]) == {RULE: "1"}
    assert standing({}, [(before, {**before, NEW: "a worker's, and more"})]) == {}


def test_what_is_removed_or_renamed_stays_as_people_wrote_it() -> None:
    assert standing({RULE: "1"}, [({NEW: "1"}, {NEW: "1"}), ({RULE: "1"}, {})]) == {RULE: "1"}


def test_no_look_writes_what_people_ask_for() -> None:
    assert standing({ASKED: "1"}, [({ASKED: "1"}, {ASKED: "2"})]) == {ASKED: "1"}
    assert standing({}, [({}, {ASKED: "2", "directives/asked.md": "2"})]) == {}
