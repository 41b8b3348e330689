"""What `supervisor kanban` prints, and how it exits."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from inline_snapshot import snapshot
from tests.unit.control.kanban_office import (
    FILE,
    FILES,
    FIRST,
    ITEMS,
    MAIN,
    KanbanScene,
    kanban_text,
    task_text,
)

from supervisor_ai.cli.commands.kanban import kanban
from supervisor_ai.control.ports.queries import OwnerRow
from supervisor_ai.documents.kanban_reader import MarkdownKanbanReader
from supervisor_ai.domain.errors import Busy, InvalidInput, NotFound
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace

ESCAPE = "\x1b[31m"


class Call:
    """As much of an invocation as the verbs need."""

    command = "supervisor"
    git = "git"

    def __init__(self, scene: KanbanScene) -> None:
        self.scene = scene
        self.directory = scene.preflight.checkout
        self.has_ledger = True

    def preflight(self) -> object:
        return self.scene.preflight

    def records(self) -> object:
        return self.scene.records if self.has_ledger else None

    def port(self, driver: str, name: str) -> object:
        assert (driver, name) == ("kanban", "reader")
        return MarkdownKanbanReader()

    def project(self, monitor: object = None, *, is_driven: bool = False) -> KanbanScene:
        del monitor, is_driven
        return self.scene

    def __call__(self, *arguments: str) -> Result:
        result = CliRunner().invoke(kanban, arguments, obj=self, standalone_mode=False)
        if result.exception is not None:
            raise result.exception
        return result


@pytest.fixture
def call(tmp_path: Path) -> Call:
    return Call(KanbanScene(tmp_path))


def on_disk(call: Call, **changes: str) -> None:
    (call.directory / "tasks").mkdir()
    for path, text in {**FILES, **changes}.items():
        (call.directory / path).write_text(text)


def test_a_check_says_in_one_line_that_all_is_well(call: Call) -> None:
    on_disk(call)
    result = call("check", FILE)
    assert result.return_value == 0
    assert result.stdout == snapshot(
        "tasks/0-kanban-login.md: no mistakes; phase execute, 2 tasks (1 todo, 1 done).\n"
    )


def test_a_check_names_every_mistake_and_exits_with_two(call: Call) -> None:
    broken = kanban_text(phase=r'"\e[31modd"')
    on_disk(call, **{FILE: broken, FIRST: task_text("state: odd\n")})
    result = call("check", FILE)
    assert result.return_value == 2
    assert "\x1b" not in result.stdout
    assert [line.partition(" ")[0] for line in result.stdout.splitlines()] == [
        f"{FILE}:4:",
        f"{FIRST}:3:",
    ]
    told = json.loads(call("check", FILE, "--json").stdout)
    assert told["valid"] is False
    assert [(it["file"], it["line"]) for it in told["check"]["mistakes"]] == [(FILE, 4), (FIRST, 3)]


def test_a_check_names_inadequate_work_items(call: Call) -> None:
    on_disk(call, **{FIRST: task_text(more=ITEMS)})
    assert call("check", FILE).stdout.splitlines()[1:] == [
        f"note: {FIRST}: work item 2 is inadequate: it lacks a description and files and a related"
        " domain."
    ]


def test_the_status_of_a_kanban(call: Call) -> None:
    titled = task_text().replace("The form", f"The {ESCAPE}form")
    call.scene.repository.branch("ai/r1", {**FILES, FIRST: titled})
    call.scene.submit("r1", status=RunStatus.WAITING)
    row = call.scene.queries.rows[0]
    call.scene.queries.rows[0] = replace(row, waits_for="a person")
    call.scene.queries.driven[RunId("r1")] = OwnerRow(owner="bob", epoch=1, is_alive=True)
    assert call("status", FILE).stdout == snapshot("""\
execute  Login page
  kanban   tasks/0-kanban-login.md
  read     ai/r1 at 000000000000
  tasks    2 tasks (1 todo, 1 done); 1 open
  current  tasks/1-form.md (Implementer)
  run      r1, waiting
  branch   ai/r1
  waits    for a person
  owner    bob

  NO  STATE  ROLE         TYPE       PRIORITY  CONCLUSION  TASK
  1   todo   Implementer  implement  medium                → The form
  2   done   Implementer  implement  medium                The form
""")
    told = json.loads(call("status", FILE, "--json").stdout)["kanban"]
    assert told["source"]["branch"] == "ai/r1"


def test_the_status_of_a_complete_kanban_without_a_run(call: Call) -> None:
    complete = kanban_text(None, FIRST, phase="complete")
    call.scene.repository.commits[MAIN] = {FILE: complete, FIRST: task_text("state: done\n")}
    call.has_ledger = False
    assert "none: the kanban is complete" in call("status", FILE).stdout
    assert "none yet" in call("status", FILE).stdout


def test_a_log_is_markdown_or_json(call: Call) -> None:
    call.scene.submit("r1")
    assert call("log", FILE).stdout.startswith("## Supervisor Log\n\n### [")
    [entry] = json.loads(call("log", FILE, "--json").stdout)["log"]
    assert (entry["run"], entry["title"]) == ("r1", "Run Submitted")


def test_a_kanban_without_runs_has_no_log(call: Call) -> None:
    call.scene.submit("r1")
    with pytest.raises(NotFound, match="No run has worked on") as error:
        call("log", "tasks/9-kanban-x.md")
    assert error.value.hint == f"Runs worked on: {FILE}"
    call.has_ledger = False
    with pytest.raises(NotFound, match="No run has worked on"):
        call("log", FILE)


def test_what_a_run_would_do_is_shown_first(call: Call) -> None:
    result = call("run", FILE, "--dry-run", "--manager", "builtin")
    assert result.return_value == 0
    assert "task      Login page" in result.stdout
    assert "builtin (mechanical_manager) as manager" in result.stdout
    told = json.loads(call("new", "Add it", "--dry-run", "--json").stdout)
    assert told["target"].endswith("-add-it")


def test_a_broken_kanban_is_not_started(call: Call) -> None:
    call.scene.repository.commits[MAIN] = {FILE: "nothing"}
    with pytest.raises(InvalidInput, match="cannot be read"):
        call("run", FILE)


def test_a_complete_kanban_is_not_started(call: Call) -> None:
    complete = kanban_text(None, FIRST, phase="complete")
    call.scene.repository.commits[MAIN] = {FILE: complete, FIRST: task_text("state: done\n")}
    result = call("run", FILE)
    assert result.return_value == 0
    assert result.stdout == f"The kanban {FILE} is complete; nothing was started.\n"
    told = json.loads(call("run", FILE, "--json").stdout)
    assert told["run"] is None
    assert told["kanban"]["is_complete"] is True


def test_a_run_that_somebody_drives_is_left_alone(call: Call) -> None:
    call.scene.submit("r1", status=RunStatus.RUNNING)
    call.scene.queries.driven[RunId("r1")] = OwnerRow(owner="bob", epoch=1, is_alive=True)
    with pytest.raises(Busy, match="Run 'r1' works on it already, driven by bob"):
        call("run", FILE)


def test_a_run_that_nobody_drives_can_be_left_to_a_server(call: Call) -> None:
    call.scene.submit("r1", status=RunStatus.WAITING)
    result = call("run", FILE, "--queue", "--json")
    assert result.return_value == 0
    assert "Run r1 works on this kanban; it waits for whoever serves" in result.stderr
    told = json.loads(result.stdout)
    assert told["run"]["id"] == "r1"
    assert told["kanban"] == {
        "file": FILE,
        "directory": None,
        "next": "supervisor resume r1",
    }
