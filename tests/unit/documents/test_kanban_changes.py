"""What an agent may change in its task file: its work items and its work log, and nothing else."""

import json

import pytest
from tests.unit.documents.kanban_files import ENTRY, FILE, TASK, encoded, kanban_text

from supervisor_ai.documents.kanban_reader import MarkdownKanbanReader
from supervisor_ai.drivers.kanban.board.kanban import Agent
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace, Obligation

HEADER = "---\nrole: Implementor\nstate: todo\n---\n"
TEXT = f"{HEADER}# Task: A\n\n## Description\n\nSell shoes.\n"
LOG = "\n## Work Log\n"
MARKED = "<!-- start workitems -->\nwork_items: []\n<!-- end workitems -->\n"
NEW = ENTRY.format(1)
ALONE = "expected changes in its work items and its work log alone."


def judge(before: str, after: str, status: str = "ok") -> list[str]:
    obligation = Obligation(
        agent=Agent.IMPLEMENTOR, place=KanbanPlace(file=FILE), since="0" * 40, task=TASK
    )
    kanban = kanban_text(TASK, current=TASK)
    old, new = (encoded({FILE: kanban, TASK: text}) for text in (before, after))
    answer = json.dumps({"status": status, "message": "m"})
    return [*MarkdownKanbanReader().judge(obligation, old, new, answer)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (TEXT + LOG, TEXT + LOG + NEW),
        (TEXT, TEXT + LOG + NEW),
        (TEXT, TEXT.rstrip() + LOG + NEW),
        (TEXT, TEXT + "\n## Notes\n\nMine.\n" + LOG + NEW),
        (TEXT + LOG, TEXT + "\n## Work Items\n\n" + MARKED + LOG + NEW),
        (TEXT + LOG, TEXT + MARKED + LOG + NEW),
        (TEXT + MARKED + LOG, TEXT + "\n## Suggested Work Items (for Manager)\n" + LOG + NEW),
        (TEXT + LOG, (TEXT + LOG + NEW).replace("\n", "\r\n")),
        ((TEXT + LOG).replace("\n", "\r\n"), TEXT + LOG + NEW),
        (TEXT.replace("shoes.", "shoes.  ") + "\n\n" + LOG, TEXT + LOG + NEW),
        (TEXT + LOG, TEXT + LOG + NEW + "\n## Summary\n\nAll is well.\n"),
        (f"---\n---\n{LOG}", f"---\n---\n{LOG}{NEW}"),
    ],
)
def test_work_items_and_the_work_log_may_change(before: str, after: str) -> None:
    assert judge(before, after) == []


CHANGES = {
    "a state": (
        TEXT.replace("todo", "cancelled") + LOG,
        f"{TASK}:3: The front matter was changed, from 'state: todo' to 'state: cancelled'",
    ),
    "a role": (
        TEXT.replace("Implementor", "Manager") + LOG,
        f"{TASK}:2: The front matter was changed, from 'role: Implementor' to 'role: Manager'",
    ),
    "a new key": (
        TEXT.replace("\n---\n", "\npriority: critical\n---\n") + LOG,
        f"{TASK}:4: The front matter was changed, from '---' to 'priority: critical'",
    ),
    "the description": (
        TEXT.replace("Sell", "Give away") + LOG,
        f"{TASK}:9: The text of the task was changed, from 'Sell shoes.' to 'Give away shoes.'",
    ),
    "more of it": (
        TEXT + "And hats.\n" + LOG,
        f"{TASK}:10: The text of the task was changed: 'And hats.' is new",
    ),
    "less of it": (
        TEXT.replace("Sell shoes.\n", "") + LOG,
        f"{TASK}:8: The text of the task was changed: '' is gone",
    ),
    "a log before it": (
        f"{HEADER}# Task: A\n{LOG}\n## Description\n\nSell shoes.\n{LOG}",
        f"{TASK}:6: The text of the task was changed: '' is gone",
    ),
}


@pytest.mark.parametrize("status", ["ok", "error"])
@pytest.mark.parametrize(("after", "problem"), CHANGES.values(), ids=CHANGES)
def test_everything_else_stays(after: str, problem: str, status: str) -> None:
    assert judge(TEXT + LOG, after + NEW, status) == [f"{problem}; {ALONE}"]


@pytest.mark.parametrize("name", ["context", "files", "description"])
def test_a_second_section_is_no_way_around(name: str) -> None:
    added = f"\n## {name.title()}\n\n- `hats.py`\n"
    expected = [f"{TASK}: What the task says as its {name} was changed; {ALONE}"]
    assert judge(TEXT + LOG, TEXT + LOG + NEW + added) == expected
    assert judge(TEXT, TEXT + added + LOG + NEW) == expected


def test_a_file_without_sections_of_the_agent_stays_its_beginning() -> None:
    after = TEXT.replace("Sell", "Give away") + LOG + NEW
    assert judge(TEXT, after) == [
        f"{TASK}:9: The text of the task was changed, from 'Sell shoes.' to 'Give away shoes.'; "
        f"{ALONE}"
    ]
    (problem,) = judge(TEXT, HEADER + LOG + NEW)
    assert problem.startswith(f"{TASK}:5: The text of the task was changed: '# Task: A' is gone")


@pytest.mark.parametrize("word", ["ok", "blocked", "escalate"])
@pytest.mark.parametrize("status", ["ok", "blocked", "escalate", "error"])
def test_the_conclusion_and_the_answer_say_the_same_word(word: str, status: str) -> None:
    new = NEW.replace("** ok", f"** {word}")
    found = judge(TEXT + LOG, TEXT + LOG + new, status)
    if status in {word, "error"}:
        assert found == []
    else:
        assert found == [
            f"{TASK}: The last entry of the work log concludes with '{word}' and the answer's "
            f"status is '{status}'; expected the same word."
        ]


def test_the_word_of_an_entry_that_repeats_another_one_counts() -> None:
    blocked = ENTRY.format(2).replace("** ok", "** blocked")
    before = TEXT + LOG + NEW + blocked
    after = TEXT + LOG + NEW + NEW + blocked
    assert judge(before, after) == []
    assert len(judge(before, after, "blocked")) == 1


def test_a_task_file_that_was_not_there_has_nothing_to_keep() -> None:
    obligation = Obligation(
        agent=Agent.ARCHITECT, place=KanbanPlace(file=FILE), since="0" * 40, task=TASK
    )
    files = encoded({FILE: kanban_text(TASK, current=TASK), TASK: TEXT + LOG + NEW})
    assert MarkdownKanbanReader().judge(obligation, {}, files, '{"status": "ok"}') == ()


def test_a_broken_header_may_not_be_mended_by_its_agent() -> None:
    broken = TEXT.replace("todo", "doing") + LOG
    (problem,) = judge(broken, TEXT + LOG + NEW)
    assert problem.startswith(f"{TASK}:3: The front matter was changed")


def test_a_file_that_was_no_task_file_stays_its_beginning() -> None:
    assert judge("Sell shoes.\n", "Sell shoes.\n" + LOG + NEW)[0].startswith(f"{TASK}:1: There is")
