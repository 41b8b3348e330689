"""Files that were made to hurt: each is answered, and soon."""

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.example_counts import examples
from tests.unit.documents.kanban_files import (
    FILE,
    TASK,
    encoded,
    kanban_and_task,
    kanban_text,
    read,
    read_task,
    wrong,
)

from supervisor_ai.documents.kanban_reader import MarkdownKanbanReader
from supervisor_ai.documents.kanban_writer import revise_kanban, revise_task
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.drivers.kanban.board.kanban import Kanban, Phase, PlanEntry, TaskFile

MIB = 1024 * 1024
BOUND = 20
"""Seconds of the processor, which do not depend on what else the machine does."""


def test_a_huge_file_is_refused() -> None:
    files = {**kanban_and_task(), TASK: b"x" * 10 * MIB}
    assert wrong(files) == [f"{TASK}: The file has {10 * MIB} bytes; expected at most {MIB}."]


def test_a_file_with_very_many_lines_is_refused() -> None:
    files = {**kanban_and_task(), TASK: b"x\n" * 50_000}
    assert wrong(files) == [f"{TASK}:20001: The file has 50000 lines; expected at most 20000."]


def test_laughing_anchors_are_refused() -> None:
    header = 'a: &a ["x", "x"]\nb: &b [*a, *a]\nc: [*b, *b]\n'
    assert wrong(kanban_and_task(header)) == [
        f"{TASK}:3: The key 'a' has an anchor; write the value out instead.",
        f"{TASK}:4: The key 'b' has an anchor; write the value out instead.",
        f"{TASK}:4: Entry 1 is an alias; write the value out instead.",
        f"{TASK}:4: Entry 2 is an alias; write the value out instead.",
        f"{TASK}:5: Entry 1 is an alias; write the value out instead.",
        f"{TASK}:5: Entry 2 is an alias; write the value out instead.",
    ]


@pytest.mark.parametrize("text", ["[" * 300_000, "{a: " * 200_000, "- " * 300_000])
def test_deep_nesting_is_refused(text: str) -> None:
    (mistake,) = wrong(kanban_and_task(f"a:\n  {text}\n"))
    assert mistake.startswith(f"{TASK}:4: ")
    body = f"<!-- start workitems -->\n{text}\n<!-- end workitems -->\n"
    (mistake,) = wrong(kanban_and_task(body=body))
    assert mistake == f"{TASK}:6: This is nested deeper than 20 levels."


def test_many_values_are_refused() -> None:
    assert wrong(kanban_and_task(f"skills: [{'a,' * 30_000}]\n")) == [
        f"{TASK}:3: This holds more than 20000 values."
    ]


@pytest.mark.parametrize(
    "piece",
    [
        "```x\n",
        "~~~\n```\n",
        "<!-- start workitems \n",
        "#",
        "# \n",
        "### [\n",
        "**Facts" + " " * 50,
        "- **",
        "- `\n",
        "[](",
        "> ",
        " ",
        "\t\n",
        "\r",
        "*_",
        "### [1] a\n**Facts:**\n",
        "- 2026-01-01 " + "-" * 20,
        "status: ",
        "<!-- end workitems -->\n",
        "a:",
    ],
)
def test_much_of_one_thing_is_read_in_time(piece: str) -> None:
    begun = process_time()
    count = min(MIB // 16 // len(piece.encode()), 5_000 // (piece.count("\n") or 1))
    sections = ("Files\n", "Work Items\n", "Work Log\n### [1] a\n")
    body = "".join(f"\n## {section}{piece * count}" for section in sections)
    assert read_task(body=body).title == "A"
    more = f"\n## Plan Adjustment Log\n{piece * count}"
    assert read(encoded({FILE: kanban_text(more=more)})).title
    assert process_time() - begun < BOUND


def test_fences_of_every_length_are_read_in_time() -> None:
    body = "\n".join("`" * length + "x" for length in range(1400, 3, -1))
    assert read_task(body=f"\n## Work Log\n{body}\n```\n### [1] a\n").log


def test_control_characters_in_a_body_are_kept() -> None:
    task = read_task(body="\n## Context\n\x1b[31mred\x00\n")
    assert task.context == "\x1b[31mred\x00"


def test_a_long_value_is_shown_in_short() -> None:
    (mistake,) = wrong(kanban_and_task(f"state: {'x' * 5000}\n"))
    assert len(mistake) < 250
    assert "…" in mistake


BITS = st.sampled_from(
    [
        "---\n",
        "phase: plan\n",
        "tasks: [1-a.md]\n",
        "- ",
        "## Work Log\n",
        "### [1] a\n",
        "\n",
        "[",
        "&",
    ]
)


@settings(max_examples=examples(80))
@given(st.lists(BITS | st.text(max_size=5), max_size=12).map("".join) | st.binary(max_size=60))
def test_whatever_a_file_holds_there_is_an_answer(content: str | bytes) -> None:
    raw = content if isinstance(content, bytes) else content.encode(errors="replace")
    for files in ({FILE: raw}, {**kanban_and_task(), TASK: raw}):
        found = MarkdownKanbanReader().read(FILE, files)
        assert isinstance(found, Kanban) or (found and all(str(mistake) for mistake in found))


@settings(max_examples=examples(80))
@given(st.lists(BITS | st.text(max_size=5), max_size=12).map("".join))
def test_whatever_is_revised_can_be_read_or_was_refused(text: str) -> None:
    kanban = Kanban(path=FILE, title="T", phase=Phase.COMPLETE)
    entry = PlanEntry(at="1", event="e", details="d")
    raw = f"---\n{text}".encode(errors="replace").decode()
    try:
        revised = revise_kanban(raw, kanban, [entry])
        revise_task(raw, TaskFile(path=TASK, title="A"))
    except InvalidInput:
        return
    found = MarkdownKanbanReader().read(FILE, {FILE: revised.encode()})
    if isinstance(found, Kanban):
        assert found.log[-1] == entry
