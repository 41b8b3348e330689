"""What an agent owes a kanban besides its answer."""

import json

import pytest
from tests.unit.documents.kanban_files import (
    ENTRY,
    FILE,
    TASK,
    encoded,
    kanban_and_task,
    kanban_text,
    task_text,
)

from supervisor_ai.documents.kanban_reader import MarkdownKanbanReader
from supervisor_ai.drivers.kanban.board.kanban import Agent
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace, Obligation
from supervisor_ai.drivers.kanban.ports import Files, KanbanReader

READER: KanbanReader = MarkdownKanbanReader()
OTHER = "tasks/2-b.md"
LOG = "\n## Work Log\n"


def judge(agent: Agent, before: Files, after: Files, **answer: object) -> tuple[str, ...]:
    task = None if agent is Agent.MANAGER else TASK
    obligation = Obligation(agent=agent, place=KanbanPlace(file=FILE), since="0" * 40, task=task)
    return READER.judge(
        obligation, before, after, json.dumps({"status": "ok", "message": "m", **answer})
    )


AGENTS = (Agent.ARCHITECT, Agent.IMPLEMENTOR)
WORKERS = pytest.mark.parametrize("agent", AGENTS)


@WORKERS
@pytest.mark.parametrize("status", ["ok", "blocked", "escalate"])
def test_a_whole_new_entry_is_enough(agent: Agent, status: str) -> None:
    before = kanban_and_task(body=LOG + ENTRY.format(1))
    new = ENTRY.format(2).replace("** ok", f"** {status}")
    after = kanban_and_task(body=LOG + ENTRY.format(1) + new)
    assert judge(agent, before, after, status=status) == ()


@WORKERS
def test_a_first_entry_may_come_with_its_section(agent: Agent) -> None:
    assert judge(agent, kanban_and_task(), kanban_and_task(body=LOG + ENTRY.format(1))) == ()


@WORKERS
@pytest.mark.parametrize("status", ["ok", "blocked", "escalate"])
def test_no_new_entry_is_a_problem_unless_the_agent_says_error(agent: Agent, status: str) -> None:
    files = kanban_and_task(body=LOG + ENTRY.format(1))
    assert judge(agent, files, files, status=status) == (
        f"{TASK}: The work log has 1 entries and had 1 before; "
        "expected a new one at the end of its section '## Work Log': '### [timestamp] Title'.",
    )
    assert judge(agent, files, files, status="error") == ()


@pytest.mark.parametrize(
    ("entry", "lacking"),
    [
        ("**Analysis:** b\n**Conclusion:** ok", "facts"),
        ("**Facts:** a\n**Conclusion:** ok", "an analysis"),
        ("**Facts:** a\n**Analysis:** b", "a conclusion, the word of its conclusion"),
        ("**Facts:** a\n**Analysis:** b\n**Conclusion:** fine", "the word of its conclusion"),
        ("Done.", "facts, an analysis, a conclusion, the word of its conclusion"),
    ],
)
def test_an_entry_that_is_not_whole(entry: str, lacking: str) -> None:
    after = kanban_and_task(body=f"{LOG}### [t] x\n{entry}\n")
    assert judge(Agent.ARCHITECT, kanban_and_task(), after) == (
        f"{TASK}: The last entry of the work log lacks {lacking}; expected "
        "**Facts**, **Analysis** and **Conclusion** with ok, blocked or escalate.",
    )


def test_the_newest_entry_may_come_first() -> None:
    before = kanban_and_task(body=LOG + ENTRY.format(1))
    for new, count in ((ENTRY.format(2), 0), ("\n### [t2] poor\n", 1), (ENTRY.format(1), 0)):
        after = kanban_and_task(body=LOG + new + ENTRY.format(1))
        assert len(judge(Agent.ARCHITECT, before, after)) == count


@pytest.mark.parametrize("status", ["blocked", "error", "escalate"])
def test_a_manager_that_cannot_go_on_owes_nothing(status: str) -> None:
    after = {**kanban_and_task(), TASK: b"gone"}
    assert judge(Agent.MANAGER, kanban_and_task(), after, status=status) == ()


@pytest.mark.parametrize(
    ("agent", "status"),
    [
        (Agent.MANAGER, "ok"),
        *((agent, status) for agent in AGENTS for status in ("ok", "error")),
    ],
)
def test_files_that_cannot_be_read_are_a_problem(agent: Agent, status: str) -> None:
    after = {**kanban_and_task(), TASK: b"gone"}
    (problem,) = judge(agent, kanban_and_task(), after, status=status)
    assert problem.startswith(f"{TASK}:1: There is no front matter;")


@pytest.mark.parametrize("answer", ["", "[]", "null", "[" * 100_000, '"x"'])
def test_an_answer_that_is_no_object(answer: str) -> None:
    obligation = Obligation(agent=Agent.MANAGER, place=KanbanPlace(file=FILE), since="0" * 40)
    files = kanban_and_task()
    assert READER.judge(obligation, files, files, answer) == ("The answer is no JSON object.",)


def plan(*tasks: str, current: str | None, phase: str = "execute") -> dict[str, bytes]:
    files = {task: task_text() for task in tasks}
    return encoded({FILE: kanban_text(*tasks, current=current, phase=phase), **files})


@pytest.mark.parametrize("named", [TASK, "1-a.md", "./tasks/1-a.md"])
def test_a_manager_that_says_what_its_file_says(named: str) -> None:
    after = plan(TASK, OTHER, current=TASK)
    found = judge(Agent.MANAGER, {}, after, next_task=named, tasks=[named, OTHER])
    assert found == ()


@pytest.mark.parametrize("next_task", [OTHER, None, "../x", 1, ["a"], "tasks/9.md"])
def test_a_manager_that_names_another_task_than_its_file(next_task: object) -> None:
    after = plan(TASK, OTHER, current=TASK)
    (problem,) = judge(Agent.MANAGER, {}, after, next_task=next_task, tasks=[TASK, OTHER])
    assert problem.startswith(f"{FILE}: The answer's next_task is ")
    assert problem.endswith(f" and the file's current is '{TASK}'; expected the same.")


def test_a_manager_need_not_list_the_tasks_of_its_file() -> None:
    after = plan(TASK, OTHER, current=TASK)
    assert judge(Agent.MANAGER, {}, after, next_task=TASK) == ()


def test_a_manager_that_names_no_next_task_says_that_all_is_done() -> None:
    open_file = plan(TASK, current=TASK)
    assert judge(Agent.MANAGER, {}, open_file, tasks=[TASK]) == (
        f"{FILE}: The answer has no next_task, which means that the workflow is complete, and the "
        f"file's current is {TASK!r}; expected the same.",
    )
    whole = plan(TASK, current=None, phase="complete")
    whole[TASK] = task_text("state: done\n").encode()
    assert judge(Agent.MANAGER, whole, whole) == ()


@pytest.mark.parametrize(
    ("tasks", "problem"),
    [
        ([OTHER, TASK], f"Task 1 is '{OTHER}' in the answer and '{TASK}' in the file"),
        ([], f"Task 1 is missing in the answer and '{TASK}' in the file"),
        ([TASK], f"Task 2 is missing in the answer and '{OTHER}' in the file"),
        ([TASK, None], f"Task 2 is null in the answer and '{OTHER}' in the file"),
        ([TASK, OTHER, 1], "Task 3 is 1 in the answer and missing in the file"),
        ([TASK, OTHER, None], "Task 3 is null in the answer and missing in the file"),
        ([TASK, "../2-b.md"], f"Task 2 is '../2-b.md' in the answer and '{OTHER}' in the file"),
    ],
)
def test_a_manager_that_lists_other_tasks_than_its_file(tasks: object, problem: str) -> None:
    after = plan(TASK, OTHER, current=TASK)
    assert judge(Agent.MANAGER, {}, after, next_task=TASK, tasks=tasks) == (
        f"{FILE}: {problem}; expected the same tasks in the same order.",
    )


@pytest.mark.parametrize("tasks", [None, "x", {}])
def test_a_manager_that_lists_nothing(tasks: object) -> None:
    after = plan(TASK, current=TASK)
    (problem,) = judge(Agent.MANAGER, {}, after, next_task=TASK, tasks=tasks)
    assert problem.endswith("; expected a list of paths.")


def test_an_entry_that_is_nothing_is_no_end_of_the_list() -> None:
    after = plan(TASK, current=TASK)
    assert judge(Agent.MANAGER, {}, after, next_task=TASK, tasks=[TASK, None])


def test_a_path_outside_is_equal_to_nothing() -> None:
    after = plan(current=None, phase="complete")
    (problem,) = judge(Agent.MANAGER, {}, after, next_task="../x", tasks=[])
    assert "'../x'" in problem


@pytest.mark.parametrize("nothing", [None, "null", ""])
def test_a_manager_that_has_finished(nothing: object) -> None:
    after = plan(TASK, current=None, phase="complete")
    after[TASK] = task_text("state: done\n").encode()
    assert judge(Agent.MANAGER, after, after, next_task=nothing, tasks=[TASK]) == ()


@pytest.mark.parametrize("current", [None, TASK])
def test_a_kanban_with_open_tasks_is_not_complete(current: str | None) -> None:
    after = plan(TASK, OTHER, current=current, phase="complete")
    after[TASK] = task_text("state: done\n").encode()
    assert judge(Agent.MANAGER, after, after, next_task=current, tasks=[TASK, OTHER]) == (
        f"{FILE}: The kanban is complete, but tasks are open: '{OTHER}'.",
    )


def test_a_manager_that_drops_tasks() -> None:
    before, after = plan(TASK, OTHER, current=TASK), plan(TASK, current=TASK)
    after[OTHER] = before[OTHER]
    assert judge(Agent.MANAGER, before, after, next_task=TASK, tasks=[TASK]) == (
        f"{FILE}: Tasks were dropped from the list: '{OTHER}'; expected all to stay.",
    )


def test_a_manager_that_stops_although_a_task_is_open() -> None:
    after = plan(TASK, current=None)
    assert judge(Agent.MANAGER, {}, after, next_task=None, tasks=[TASK]) == (
        f"{FILE}:3: There is no current task, but tasks are open: {TASK}.",
    )


def test_a_manager_that_removes_a_task_file() -> None:
    before, after = plan(TASK, OTHER, current=TASK), plan(TASK, current=TASK)
    before[FILE] = after[FILE]
    assert judge(Agent.MANAGER, before, after, next_task=TASK, tasks=[TASK]) == (
        f"{OTHER}: The file was removed; expected every task file to stay.",
    )


@pytest.mark.parametrize("left", [LOG + ENTRY.format(1), "", None])
def test_a_manager_that_shortens_a_work_log(left: str | None) -> None:
    before = kanban_and_task(body=LOG + ENTRY.format(1) + ENTRY.format(2))
    before[OTHER] = before[TASK]
    after = dict(before)
    # A file that no kanban lists any more need not be readable, but it keeps its log.
    after[OTHER] = b"\xff" if left is None else task_text(body=left).encode()
    count, first = (1, 2) if left else (2, 1)
    assert judge(Agent.MANAGER, before, after, next_task=TASK, tasks=[TASK]) == (
        f"{OTHER}: The work log has lost or changed {count} of its 2 entries, "
        f"first '[t{first}] Entry'; expected all of them as they were.",
    )


def test_a_manager_that_rewrites_an_entry() -> None:
    before = kanban_and_task(body=LOG + ENTRY.format(1))
    after = kanban_and_task(body=LOG + ENTRY.format(1).replace("it", "them") + ENTRY.format(2))
    (problem,) = judge(Agent.MANAGER, before, after, next_task=TASK, tasks=[TASK])
    assert problem.startswith(f"{TASK}: The work log has lost or changed 1 of its 1 entries")


def test_a_manager_that_says_no_list_is_told_so() -> None:
    after = plan(TASK, current=TASK)
    assert judge(Agent.MANAGER, {}, after, next_task=TASK, tasks=None) == (
        f"{FILE}: The answer's tasks are null; expected a list of paths.",
    )


def test_a_manager_may_add_tasks_and_entries() -> None:
    before = plan(TASK, current=TASK)
    after = plan(TASK, OTHER, current=OTHER)
    after[TASK] = task_text("state: done\n", LOG + ENTRY.format(1)).encode()
    assert judge(Agent.MANAGER, before, after, next_task=OTHER, tasks=[TASK, OTHER]) == ()
