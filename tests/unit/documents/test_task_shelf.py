"""A task file that has not changed is read once; counted, not timed."""

import asyncio
import json
from collections import Counter
from datetime import timedelta
from pathlib import Path

from tests.unit.documents.kanban_files import (
    ENTRY,
    FILE,
    encoded,
    kanban_text,
    task_text,
)

from supervisor_ai.documents.kanban_reader import MarkdownKanbanReader
from supervisor_ai.documents.mechanical_manager import MechanicalManager
from supervisor_ai.documents.task_parser import ReadTask, read_task
from supervisor_ai.documents.task_shelf import TaskShelf
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, StepName
from supervisor_ai.domain.run.definition import Cli, SandboxPolicy
from supervisor_ai.drivers.kanban.board.kanban import Agent, Kanban
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace, Obligation
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.engine.ports.workspaces import Workspace

NAMES = [f"tasks/{number}-t.md" for number in range(1, 9)]
LOG = "\n## Work Log\n"


class Counting:
    """Reads task files and counts how often."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def __call__(self, path: str, content: bytes) -> ReadTask:
        self.counts[path] += 1
        return read_task(path, content)


def files(done: int = 0) -> dict[str, bytes]:
    texts = {
        name: task_text("state: done\n" if number < done else "", LOG)
        for number, name in enumerate(NAMES)
    }
    return encoded({FILE: kanban_text(*NAMES, current=NAMES[done]), **texts})


def test_an_unchanged_file_is_read_once_in_all_iterations() -> None:
    counting = Counting()
    reader = MarkdownKanbanReader(TaskShelf(counting))
    place = KanbanPlace(file=FILE)
    work = Obligation(agent=Agent.IMPLEMENTOR, place=place, since="0" * 40, task=NAMES[0])
    plan = Obligation(agent=Agent.MANAGER, place=place, since="0" * 40)
    before = files()
    assert isinstance(reader.read(FILE, before), Kanban)
    assert counting.counts == dict.fromkeys(NAMES, 1)
    after = {**before, NAMES[0]: before[NAMES[0]] + ENTRY.format(1).encode()}
    assert reader.judge(work, before, after, '{"status": "ok"}') == ()
    managed = files(done=1)
    managed[NAMES[0]] += ENTRY.format(1).encode()
    answer = json.dumps({"status": "ok", "next_task": NAMES[1], "tasks": NAMES})
    assert reader.judge(plan, after, managed, answer) == ()
    assert isinstance(reader.read(FILE, managed), Kanban)
    # As it was, with its log, and done.
    assert counting.counts == {**dict.fromkeys(NAMES, 1), NAMES[0]: 3}


def test_the_same_text_under_another_name_is_another_file() -> None:
    counting = Counting()
    shelf = TaskShelf(counting)
    content = task_text("dependencies: [2-b.md]\n").encode()
    assert [shelf.read(path, content) for path in ("a/1.md", "b/1.md", "a/1.md")] == [
        read_task(path, content) for path in ("a/1.md", "b/1.md", "a/1.md")
    ]
    assert counting.counts == {"a/1.md": 1, "b/1.md": 1}


def test_what_is_not_there_is_found_however_often_a_file_was_read() -> None:
    reader = MarkdownKanbanReader()
    whole = files()
    whole[NAMES[0]] = task_text("dependencies: [2-t.md]\n").encode()
    whole[FILE] = kanban_text(NAMES[0], current=NAMES[0]).encode()
    assert isinstance(reader.read(FILE, whole), Kanban)
    del whole[NAMES[1]]
    found = reader.read(FILE, whole)
    assert not isinstance(found, Kanban)
    assert [str(mistake) for mistake in found] == [
        f"{NAMES[0]}:3: The dependency '2-t.md' is not there; expected the file '{NAMES[1]}'."
    ]


def test_mistakes_are_told_every_time() -> None:
    reader = MarkdownKanbanReader()
    wrong = {**files(), NAMES[0]: b"nothing"}
    assert reader.read(FILE, wrong) == reader.read(FILE, wrong) != ()


def test_only_so_many_files_are_kept_and_those_in_use_longest() -> None:
    counting = Counting()
    shelf = TaskShelf(counting, max_files=2)
    for path in ("a/1.md", "a/2.md", "a/1.md", "a/3.md", "a/1.md", "a/2.md"):
        shelf.read(path, b"---\n---\n")
    assert counting.counts == {"a/1.md": 1, "a/2.md": 2, "a/3.md": 1}


def test_only_so_many_bytes_are_kept() -> None:
    counting = Counting()
    shelf = TaskShelf(counting, max_bytes=20)
    for path, size in (("a/1.md", 8), ("a/2.md", 8), ("a/1.md", 8), ("a/3.md", 30), ("a/1.md", 8)):
        shelf.read(path, b"x" * size)
    assert counting.counts == {"a/1.md": 2, "a/2.md": 1, "a/3.md": 1}


def test_a_file_that_two_read_at_once_is_kept_once() -> None:
    counting = Counting()

    def reading(path: str, content: bytes) -> ReadTask:
        if not counting.counts:
            counting(path, content)
            shelf.read(path, content)  # as another thread does meanwhile
        return counting(path, content)

    shelf = TaskShelf(reading, max_bytes=12)
    for _ in range(3):
        shelf.read("a/1.md", b"x" * 8)
    # Its bytes counted twice, it would have been thrown out, and read again every time.
    assert counting.counts == {"a/1.md": 3}


def test_the_manager_reads_a_file_once_too(tmp_path: Path) -> None:
    counting = Counting()
    rules = MechanicalManager(shelf=TaskShelf(counting))
    (tmp_path / "tasks").mkdir()
    for path, content in files().items():
        (tmp_path / path).write_bytes(content)
    for done in NAMES[:3]:
        with (tmp_path / done).open("a") as file:
            file.write(ENTRY.format(1))
        prompt = json.dumps({"kanban_file": FILE, "done_task": done})
        report = asyncio.run(rules.run(_request(tmp_path, prompt), lambda *_piece: None))
        assert '"status": "ok"' in report.output
    # Before the work of the first three nobody read them; they were done in a second reading.
    expected = {NAMES[0]: 2, NAMES[1]: 3, NAMES[2]: 3}
    assert counting.counts == {**dict.fromkeys(NAMES, 1), **expected}


def _request(root: Path, prompt: str) -> WorkerRequest:
    run = RunId("r1")
    return WorkerRequest(
        run=run,
        step=StepName("manager"),
        visit=1,
        slot=1,
        attempt=1,
        role="manager",
        cli=Cli(name="manager", adapter="mechanical_manager"),
        prompt=prompt,
        workspace=Workspace(
            run=run, key=EffectKey("k"), path=root, start=CommitSha("c"), mounts=()
        ),
        program=root,
        label="l",
        fence=0,
        timeout=timedelta(minutes=1),
        output_bytes=10**6,
        sandbox=SandboxPolicy(),
        egress=(),
        on_refusal=lambda _refusal: None,
        on_observation=lambda _observation: None,
    )
