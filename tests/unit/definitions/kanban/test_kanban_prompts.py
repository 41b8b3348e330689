"""What the roles of a kanban are told."""

import json
import re
from collections.abc import Mapping

import pytest
from tests.unit.definitions.kanban.board import PLACE, Board

from supervisor_ai.context.prompts.prompter import JinjaPrompter
from supervisor_ai.definitions.worker_answers.reader import schema_text
from supervisor_ai.documents.kanban_reader import MarkdownKanbanReader
from supervisor_ai.domain.ids import CommitSha, StepName
from supervisor_ai.domain.run.definition import Role
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.run.values import FeedbackKind
from supervisor_ai.drivers.kanban.board.kanban import (
    Agent,
    Conclusion,
    Kanban,
    Phase,
    PlanEvent,
    Priority,
    TaskKind,
    TaskState,
)
from supervisor_ai.drivers.kanban.board.policy import Obligation
from supervisor_ai.drivers.kanban.kinds import OF_AGENT, OF_MANAGER
from supervisor_ai.engine.ports.workers import PromptRequest, Told

Roles = Mapping[str, Role]
Files = Mapping[str, bytes]
ROLES = ("architect", "implementor", "manager")
TASK = "tasks/2-read-the-limits.md"
_EXAMPLE = re.compile(r"^````markdown\n(.*?)^````$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def roles(tmp_path_factory: pytest.TempPathFactory) -> Roles:
    return Board(tmp_path_factory.mktemp("user")).load().definition.roles


def prompt(roles: Roles, name: str, *, attempt: int = 1, feedback: tuple[Told, ...] = ()) -> str:
    role = roles[name]
    task = json.dumps({"task_file": TASK})
    return JinjaPrompter().write(
        PromptRequest(task=task, role=role, step=StepName(name), attempt=attempt, feedback=feedback)
    )


def examples(roles: Roles, name: str) -> list[str]:
    return _EXAMPLE.findall(prompt(roles, name))


def written(roles: Roles) -> dict[str, bytes]:
    """Return the files that the Manager's examples make up."""
    kanban, task = examples(roles, "manager")
    first = task.replace("[tasks/1-explore-limits.md]", "[]").replace("todo", "done")
    return {
        PLACE.file: kanban.encode(),
        TASK: task.encode(),
        "tasks/1-explore-limits.md": first.encode(),
    }


def read(files: Files) -> Kanban:
    found = MarkdownKanbanReader().read(PLACE.file, files)
    assert isinstance(found, Kanban), found
    return found


@pytest.mark.parametrize("name", ROLES)
def test_every_try_is_told_the_same(roles: Roles, name: str) -> None:
    first = prompt(roles, name)
    assert {first} == {prompt(roles, name, attempt=attempt) for attempt in (1, 2, 3, 4)}
    assert f'````material task\n{{"task_file": "{TASK}"}}\n````\n' in first
    kind = OF_MANAGER if name == "manager" else OF_AGENT
    assert json.dumps(json.loads(schema_text(kind))) in first
    assert "{%" not in first
    assert "{{" not in first


@pytest.mark.parametrize("name", ROLES)
def test_who_wants_it_is_told_what_was_wrong(roles: Roles, name: str) -> None:
    told = Told(
        kind=FeedbackKind.FORMAT,
        source=name,
        text="No block.",
        category=FailureCategory.PARSING,
    )
    assert "Could not extract structured output" in prompt(roles, name, feedback=(told,))
    logic = Told(kind=FeedbackKind.FORMAT, source=name, text="Odd.", category=FailureCategory.LOGIC)
    assert "BLOCKED" not in prompt(roles, name, feedback=(logic,))


def test_the_manager_without_a_model_is_told_the_document_alone(board: Board) -> None:
    role = board.load(manager="builtin").definition.roles["manager"]
    document = '{"kanban_file": "tasks/0-kanban-x.md", "instruction": "{{ 1 }} ```\\u00fc"}'
    request = PromptRequest(task=document, role=role, step=StepName("manager"), attempt=2)
    assert JinjaPrompter().write(request) == document


def test_the_manager_s_examples_are_files_of_a_kanban(roles: Roles) -> None:
    kanban = read(written(roles))
    assert (kanban.phase, kanban.current, kanban.open) == (Phase.EXECUTE, TASK, (TASK,))
    assert kanban.request == "Read the limits from the config."
    assert [entry.event for entry in kanban.log] == [
        PlanEvent.KANBAN_CREATED,
        PlanEvent.TASK_DONE,
        PlanEvent.TASKS_CREATED,
    ]
    task = kanban.files[TASK]
    assert (task.role, task.kind) == (Agent.IMPLEMENTOR, TaskKind.IMPLEMENT)
    assert (task.state, task.priority) == (TaskState.TODO, Priority.HIGH)
    assert task.title == "Read the limits from the config"
    assert task.files == ("src/limits.py", "tests/test_limits.py")
    assert task.dependencies == task.refers == ("tasks/1-explore-limits.md",)
    assert task.kanban == PLACE.file
    assert (task.work_items, task.log) == ((), ())


AGENTS = pytest.mark.parametrize("name", ["architect", "implementor"])
OK = '{"status": "ok", "message": "Done."}'


def worked(roles: Roles, name: str) -> bytes:
    """Return the task file with the examples of an agent in it."""
    items, entry = examples(roles, name)
    empty = "<!-- start workitems -->\n<!-- end workitems -->\n"
    text = f"{written(roles)[TASK].decode()}\n{entry}"
    assert empty in text
    return text.replace(empty, items).encode()


def judged(before: bytes, after: bytes, files: Files, *, agent: str, answer: str = OK) -> str:
    obligation = Obligation(
        agent=Agent(agent.title()), place=PLACE, since=CommitSha("c" * 40), task=TASK
    )
    old, new = {**files, TASK: before}, {**files, TASK: after}
    return " ".join(MarkdownKanbanReader().judge(obligation, old, new, answer))


@AGENTS
def test_the_agents_examples_fulfil_their_duty(roles: Roles, name: str) -> None:
    files = written(roles)
    text = worked(roles, name)
    task = read({**files, TASK: text}).files[TASK]
    assert [item.is_adequate for item in task.work_items] == [True, True]
    assert [item.dependencies for item in task.work_items] == [(), (0,)]
    [logged] = task.log
    assert (logged.is_whole, logged.status) == (True, Conclusion.OK)
    assert judged(files[TASK], text, files, agent=name) == ""
    again = text + b"\n" + examples(roles, name)[1].encode()
    assert judged(text, again, files, agent=name) == ""


@AGENTS
def test_what_agents_are_told_not_to_do_does_not_count(roles: Roles, name: str) -> None:
    files, text = written(roles), worked(roles, name)
    old = files[TASK]
    words = prompt(roles, name)

    assert "it must be the same as the\n  `status` of your answer" in words
    other = text.replace(b"**Conclusion:** ok", b"**Conclusion:** blocked")
    assert judged(old, other, files, agent=name)
    blocked = OK.replace("ok", "blocked")
    assert judged(old, other, files, agent=name, answer=blocked) == ""

    assert "Each time that you are asked, you write a new entry" in words
    assert judged(text, text, files, agent=name)

    assert "`state` too: the Manager alone sets it" in words
    assert "`## Work Items` and `## Work Log`" in words
    for was, becomes in (
        (b"state: todo", b"state: done"),
        (b"priority: high", b"priority: low"),
        (b"A test shows both.", b"No test is needed."),
        (b"- src/limits.py\n", b""),
        (b"# Task: Read", b"# Task: Write"),
    ):
        assert text.count(was) >= 1
        assert judged(old, text.replace(was, becomes, 1), files, agent=name), was

    assert "Nothing that you wrote is kept" in words
    assert judged(old, old, files, agent=name, answer=OK.replace("ok", "error")) == ""


@AGENTS
def test_what_an_item_needs_is_what_makes_it_adequate(roles: Roles, name: str) -> None:
    words = " ".join(prompt(roles, name).split())
    assert "Every item needs a `description`, `files` and `related_domains`" in words
    text = worked(roles, name).decode()

    def adequate(*keys: str) -> list[bool]:
        left = [line for line in text.splitlines() if not line.strip().startswith(keys)]
        read_again = read({**written(roles), TASK: "\n".join(left).encode()})
        return [item.is_adequate for item in read_again.files[TASK].work_items]

    spare = ("expertise_required:", "dependencies: [0", "priority: low", "estimated", "notes:")
    assert adequate(*spare) == [True, True]
    for needed in ("files: [", "related_domains:"):
        assert adequate(needed) == [False, False]


def planned(before: Files, after: Files) -> str:
    """Judge the files that a Manager left."""
    obligation = Obligation(agent=Agent.MANAGER, place=PLACE, since=CommitSha("c" * 40))
    answer = {
        "status": "ok",
        "message": "Done.",
        "next_task": TASK,
        "tasks": ["tasks/1-explore-limits.md", TASK],
    }
    found = MarkdownKanbanReader().judge(obligation, before, after, json.dumps(answer))
    return " ".join(found)


def test_what_the_manager_is_told_not_to_do_does_not_count(roles: Roles) -> None:
    files, words = written(roles), " ".join(prompt(roles, "manager").split())
    assert planned(files, files) == ""

    assert "never take one out of `tasks`" in words
    first = "tasks/1-explore-limits.md"
    kanban = files[PLACE.file].replace(f"  - {first}\n".encode(), b"")
    assert planned(files, {**files, PLACE.file: kanban})
    assert planned(files, {path: text for path, text in files.items() if path != first})

    assert "never change or remove one of its entries" in words
    logged = {**files, TASK: worked(roles, "implementor")}
    assert planned(logged, logged) == ""
    assert planned(logged, files)
    forged = logged[TASK].replace(b"What that means", b"What I think")
    assert forged != logged[TASK]
    assert planned(logged, {**logged, TASK: forged})

    assert "As long as a task is open" in words
    over = files[PLACE.file].replace(b"phase: execute", b"phase: complete")
    assert "open" in planned(files, {**files, PLACE.file: over})

    assert "`<number>-<words>.md`" in words


def test_the_manager_knows_every_word(roles: Roles) -> None:
    words = prompt(roles, "manager")
    for vocabulary in (Phase, TaskKind, TaskState, Priority, PlanEvent, Conclusion):
        for word in vocabulary:
            assert re.search(rf"\b{word}\b", words), word
    for key in ("instruction", "kanban_file", "done_task", "tasks", "next_task", "current"):
        assert f"`{key}`" in words


def test_only_the_manager_hears_of_lists_of_tasks(roles: Roles) -> None:
    for name in ("architect", "implementor"):
        words = prompt(roles, name)
        assert "next_task" not in words
        assert "done_task" not in words
        assert "read-only" in words
