"""The page about the files of a team says what the code does."""

import re
from pathlib import Path
from typing import Final

from tests.unit.drivers.team.contract_table import contract_table
from tests.unit.drivers.team.folder.pages import PAGE

from supervisor_ai.drivers.team.folder.decisions_page import new_decisions
from supervisor_ai.drivers.team.folder.model import LOG_SHOWN
from supervisor_ai.drivers.team.folder.state_reader import read_state
from supervisor_ai.drivers.team.staffing.approvals import APPROVAL_MATRIX
from supervisor_ai.drivers.team.staffing.complexity import ComplexTrigger, MediumTrigger
from supervisor_ai.drivers.team.text.lines import NoEvent, read_line
from supervisor_ai.drivers.team.text.messages import DEFAULTS, PLACEHOLDERS

TEXT: Final = (Path(__file__).parents[4] / "docs/reference/team-files.md").read_text()


def test_the_state_file_that_is_shown_is_one() -> None:
    (example,) = re.findall(r"````markdown\n(.*?)````", TEXT, re.DOTALL)
    assert read_state(example.encode()) == PAGE
    assert f"newest {LOG_SHOWN} entries" in TEXT


def test_the_sections_of_decisions_are_named() -> None:
    headings = re.findall(r"^## .*$", new_decisions("t"), re.MULTILINE)
    assert [it for it in headings if f"`{it}`" in TEXT] == headings


def test_the_lines_that_are_shown_are_events() -> None:
    lines = TEXT.split("## Lines of members")[1].split("\n## ")[0]
    shown = re.findall(r"^\| `([^`]*task N[^`]*)` \|", lines, re.MULTILINE)
    assert len(shown) == 12
    assert [it for it in shown if isinstance(read_line(it), NoEvent)] == []


def test_the_messages_are_those_that_are_sent() -> None:
    for kind, text in DEFAULTS.items():
        assert f"| `{kind.value}` | {text} |" in TEXT
    assert [it for it in PLACEHOLDERS if f"`{{{it}}}`" not in TEXT] == []


def test_the_triggers_and_the_matrix_are_those_that_count() -> None:
    assert [it for it in (*MediumTrigger, *ComplexTrigger) if it.value not in TEXT] == []
    for tier, roles in APPROVAL_MATRIX.items():
        (row,) = re.findall(rf"^\| {re.escape(tier.value)} \|(.*)\|$", TEXT, re.MULTILINE)
        assert [it for it in roles if it.value not in row] == []


def test_the_contract_is_the_one_that_is_applied() -> None:
    assert contract_table() in TEXT
