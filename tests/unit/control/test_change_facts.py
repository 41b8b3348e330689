"""Facts of a change, asked for by hand."""

import asyncio
from typing import TYPE_CHECKING, cast

import pytest
from tests.unit.control.gate_place import Place

from supervisor_ai.cli.commands.definitions.change_facts import shown_facts
from supervisor_ai.control.commands.gates.change_facts import FactsView, show_facts
from supervisor_ai.control.commands.gates.gate_check import CheckQuestion
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.approvals.facts import Fact
from supervisor_ai.engine.ports.gates import ApiBreak, ApiChange, ChangeFacts, FactEvidence

if TYPE_CHECKING:
    from supervisor_ai.control.project import OpenProject

BREAK = ApiBreak(
    file="a.py", symbol="a.f", change=ApiChange.REMOVED, detail="it was a function\x1b[31m"
)
KNOWN = ChangeFacts(
    facts=(
        Fact(name="file_count", value=7),
        Fact(name="changes_auth_code", value=True),
        Fact(name="changes_ci", value=False),
        Fact(name="changes_encryption", value=None),
    ),
    evidence=tuple(
        FactEvidence(fact="changes_auth_code", file=f"f{number}.py", detail="its path")
        for number in range(7)
    ),
    breaks=(BREAK,),
)


def shown(place: Place, *, base: str | None = None, head: str | None = None) -> FactsView:
    asked = CheckQuestion(gate="facts", base=base, head=head)
    return asyncio.run(show_facts(cast("OpenProject", place), asked))


def test_facts_are_those_between_two_commits() -> None:
    place = Place()
    place.fakes.examiner.known = KNOWN
    found = shown(place)
    (asked,) = place.fakes.examiner.asked_facts
    assert (found.base, found.head) == (asked.base, asked.head) == (place.old, place.new)
    assert found.facts == KNOWN.facts
    assert (place.chosen, place.fakes.sandbox.specs) == ([], [])


def test_facts_are_shown_with_their_files_and_breaks() -> None:
    place = Place()
    place.fakes.examiner.known = KNOWN
    lines = list(shown_facts(shown(place)))
    text = "\n".join(lines)
    rows = {line.split()[0]: line.split()[1] for line in lines if line[:1].isalpha()}
    assert rows["file_count"] == "7"
    assert rows["changes_auth_code"] == "yes"
    assert rows["changes_ci"] == "no"
    assert rows["changes_encryption"] == "unknown"
    assert "and 2 more" in text
    assert "1 break of the public API:" in text
    assert "\x1b" not in text


def test_a_change_without_breaks_has_no_table_of_them() -> None:
    assert "public API" not in "\n".join(shown_facts(shown(Place())))


def test_the_first_commit_has_no_facts() -> None:
    with pytest.raises(InvalidInput, match="no commit before 'main~1'"):
        shown(Place(), head="old")
