"""The Manager without a model: what he is told, what he writes, what he answers."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from supervisor_ai.documents.kanban_parser import read_kanban
from supervisor_ai.documents.mechanical_manager import MechanicalManager, mechanical_manager
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, StepName
from supervisor_ai.domain.run.definition import Cli, SandboxPolicy
from supervisor_ai.domain.run.values import EgressRefusal
from supervisor_ai.drivers.kanban.board.kanban import Kanban, Phase, TaskState
from supervisor_ai.engine.ports.sandbox import Channel, SandboxEnd
from supervisor_ai.engine.ports.workers import Observation, WorkerFinished, WorkerRequest
from supervisor_ai.engine.ports.workspaces import Workspace
from supervisor_ai.testing.fake_sandbox import ScriptedReply, ScriptedSandbox

FILE = "tasks/0-kanban-shoes.md"
FIRST = "tasks/1-explore-sell-shoes.md"
ENTRY = (
    "\n### [T0] Work\n\n**Facts:** f\n\n**Analysis:** a\n\n**Conclusion:** {status}\n\nSo it is.\n"
)
ITEMS = """\
<!-- start workitems -->
work_items:
  - description: Sell red shoes
    files: [shop.py]
    related_domains: [shop]
    expertise_required: [python]
  - description: Think about hats
<!-- end workitems -->
"""


def unexpected(refusal: EgressRefusal) -> None:
    raise AssertionError(refusal)


@dataclass
class Desk:
    """A workspace with a Manager in it."""

    root: Path
    seen: list[Observation]
    heard: list[tuple[Channel, bytes]]

    def ask(self, prompt: str | dict[str, object]) -> dict[str, object]:
        """Give the Manager a prompt and return the last fenced block of his output."""
        run = RunId("r1")
        text = prompt if isinstance(prompt, str) else json.dumps(prompt)
        request = WorkerRequest(
            run=run,
            step=StepName("manager"),
            visit=1,
            slot=1,
            attempt=1,
            role="manager",
            cli=Cli(name="manager", adapter="mechanical_manager"),
            prompt=text,
            nonce="n1",
            workspace=Workspace(
                run=run, key=EffectKey("k"), path=self.root, start=CommitSha("c"), mounts=()
            ),
            program=self.root,
            label="l",
            fence=0,
            timeout=timedelta(minutes=1),
            output_bytes=10**6,
            sandbox=SandboxPolicy(),
            egress=(),
            on_refusal=unexpected,
            on_observation=self.seen.append,
        )
        worker = MechanicalManager(now=lambda: datetime(2030, 1, 2, 3, 4, 5, 6, tzinfo=UTC))
        report = asyncio.run(worker.run(request, lambda *piece: self.heard.append(piece)))
        assert (report.result.end, report.result.exit_code) == (SandboxEnd.EXITED, 0)
        assert self.heard[-1] == (Channel.STDOUT, report.output.encode())
        _, block = report.output.removesuffix("\n```\n").split("```json\n")
        found: dict[str, object] = json.loads(block)
        assert list(found) == ["nonce", "status", "message", "next_task", "tasks"]
        assert found.pop("nonce") == "n1"
        return found

    def create(self) -> dict[str, object]:
        return self.ask({"instruction": "Sell shoes\n\nAnd  hats.", "kanban_file": FILE})

    def reconcile(self, done: object) -> dict[str, object]:
        return self.ask({"kanban_file": FILE, "done_task": done, "tasks": []})

    def log(self, path: object, status: str, items: str = "") -> None:
        """Work on a task as an agent does."""
        file = self.root / str(path)
        file.write_text(file.read_text() + items + ENTRY.format(status=status))

    def kanban(self) -> Kanban:
        files = {f"tasks/{f.name}": f.read_bytes() for f in (self.root / "tasks").iterdir()}
        found = read_kanban(FILE, files)
        assert isinstance(found, Kanban), found
        return found


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    root = tmp_path / "root"
    root.mkdir()
    return Desk(root, [], [])


def test_an_instruction_becomes_a_kanban_and_a_task(desk: Desk) -> None:
    answer = desk.create()
    assert answer == {
        "status": "ok",
        "message": f"The first task is {FIRST!r}.",
        "next_task": FIRST,
        "tasks": [FIRST],
    }
    kanban = desk.kanban()
    assert (kanban.title, kanban.request) == ("Sell shoes", "Sell shoes\n\nAnd  hats.")
    assert (kanban.phase, kanban.current) == (Phase.EXPLORATION, FIRST)
    assert kanban.created == kanban.log[0].at == "2030-01-02T03:04:05+00:00"
    assert desk.seen == [WorkerFinished(message=f"The first task is {FIRST!r}.")]


def test_numbers_go_on_from_what_is_in_the_folder(desk: Desk) -> None:
    (desk.root / "tasks").mkdir()
    (desk.root / "tasks" / "41-old.txt").touch()
    assert desk.create()["next_task"] == "tasks/42-explore-sell-shoes.md"


def test_a_kanban_that_is_there_is_not_made_again(desk: Desk) -> None:
    desk.create()
    before = (desk.root / FILE).read_text()
    answer = desk.create()
    assert answer["status"] == "error"
    assert FILE in str(answer["message"])
    assert (desk.root / FILE).read_text() == before


def test_a_whole_kanban_is_worked_off(desk: Desk) -> None:
    desk.create()
    desk.log(FIRST, "ok", ITEMS)
    answer = desk.reconcile(FIRST)
    assert answer["tasks"] == [
        FIRST,
        "tasks/2-sell-red-shoes.md",
        "tasks/3-clarify-think-about-hats.md",
    ]
    assert answer["next_task"] == "tasks/3-clarify-think-about-hats.md"
    done: list[object] = []
    while following := answer["next_task"]:
        done.append(following)
        desk.log(following, "escalate" if len(done) == 1 else "ok")
        answer = desk.reconcile(following)
        kanban = desk.kanban()
        assert (kanban.current, list(kanban.tasks)) == (answer["next_task"], answer["tasks"])
    assert done == [
        "tasks/3-clarify-think-about-hats.md",
        "tasks/4-redesign-clarify-think-about-hats.md",
        "tasks/2-sell-red-shoes.md",
    ]
    assert desk.kanban().phase is Phase.COMPLETE
    assert [entry.event for entry in desk.kanban().log] == [
        "kanban_created",
        "task_done",
        "tasks_created",
        "inadequate_information",
        "escalation_received",
        "task_done",
        "task_done",
        "workflow_complete",
    ]


def test_what_others_wrote_into_the_files_stays(desk: Desk) -> None:
    desk.create()
    for path in (FILE, FIRST):
        text = (desk.root / path).read_text()
        (desk.root / path).write_text(
            text.replace("\n---\n", "\nmine: 1 # note\n---\n<!-- hi -->\n", 1)
        )
    desk.log(FIRST, "blocked")
    answer = desk.reconcile(FIRST)
    assert answer["status"] == "ok"
    for path in (FILE, FIRST):
        text = (desk.root / path).read_text()
        assert "\nmine: 1 # note\n" in text
        assert "<!-- hi -->" in text
    assert desk.kanban().files[FIRST].dependencies == (answer["next_task"],)
    assert "So it is." in (desk.root / FIRST).read_text()


def test_a_refusal_changes_nothing_and_says_what_the_files_say(desk: Desk) -> None:
    desk.create()
    before = {path: path.read_bytes() for path in desk.root.rglob("*.md")}
    answer = desk.reconcile(FIRST)
    assert (answer["status"], answer["next_task"], answer["tasks"]) == ("error", FIRST, [FIRST])
    assert "no log, no completion" in str(answer["message"])
    assert {path: path.read_bytes() for path in desk.root.rglob("*.md")} == before


def test_a_task_that_a_person_opens_again_needs_a_new_entry(desk: Desk) -> None:
    desk.create()
    desk.log(FIRST, "blocked")
    desk.log(FIRST, "ok")
    assert desk.reconcile(FIRST)["next_task"] is None
    file, kanban = desk.root / FIRST, desk.root / FILE
    file.write_text(file.read_text().replace("state: done", "state: todo"))
    text = kanban.read_text().replace("phase: complete", "phase: exploration")
    kanban.write_text(text.replace("current: null", f"current: {FIRST}"))
    answer = desk.reconcile(FIRST)
    assert (answer["status"], answer["next_task"]) == ("error", FIRST)
    assert desk.kanban().files[FIRST].state is TaskState.TODO
    desk.log(FIRST, "ok")
    assert desk.reconcile(FIRST)["next_task"] is None
    assert desk.kanban().files[FIRST].state is TaskState.DONE


def test_a_mistake_is_named_with_file_and_line(desk: Desk) -> None:
    desk.create()
    file = desk.root / FIRST
    file.write_text(file.read_text().replace("state: todo", "state: perhaps"))
    answer = desk.reconcile(FIRST)
    assert (answer["status"], answer["next_task"], answer["tasks"]) == ("error", None, [])
    assert f"{FIRST}:4: " in str(answer["message"])
    assert "perhaps" in str(answer["message"])


def test_many_mistakes_are_counted(desk: Desk) -> None:
    desk.create()
    file = desk.root / FILE
    lines = "".join(f"  - tasks/{n}-gone.md\n" for n in range(10, 30))
    file.write_text(file.read_text().replace("tasks:\n", f"tasks:\n{lines}"))
    assert str(desk.reconcile(FIRST)["message"]).endswith(" … and 10 more.")


def _text_that_is_none(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b"\xff")


def _too_much(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b"x" * 2**20)


def _link(file: Path) -> None:
    outside = file.parents[2] / "outside.md"
    outside.write_bytes(file.read_bytes())
    file.unlink()
    file.symlink_to(outside)


def _linked_folder(file: Path) -> None:
    folder = file.parent
    folder.rename(folder.parent.parent / "outside")
    folder.symlink_to(folder.parent.parent / "outside")


def _nothing(file: Path) -> None:
    file.unlink()


HOSTILE = [_text_that_is_none, _too_much, _link, _linked_folder, _nothing]


@pytest.mark.parametrize("spoil", HOSTILE)
@pytest.mark.parametrize("path", [FILE, FIRST])
def test_files_that_cannot_be_used_are_an_error(
    desk: Desk, path: str, spoil: Callable[[Path], None]
) -> None:
    desk.create()
    desk.log(FIRST, "ok")
    spoil(desk.root / path)
    before = {path: path.read_bytes() for path in desk.root.parent.rglob("*.md") if path.is_file()}
    answer = desk.reconcile(FIRST)
    assert answer["status"] == "error"
    assert "tasks" in str(answer["message"])
    after = {path: path.read_bytes() for path in desk.root.parent.rglob("*.md") if path.is_file()}
    assert after == before


def test_other_files_in_the_folder_do_not_matter(desk: Desk) -> None:
    desk.create()
    (desk.root / "tasks" / "notes.md").write_bytes(b"\xff")
    desk.log(FIRST, "ok")
    assert desk.reconcile(FIRST)["status"] == "ok"


PROMPTS = {
    "no JSON": "Please make a plan.",
    "deep nesting": "[" * 100_000,
    "a list": "[]",
    "no file": '{"done_task": "tasks/1-x.md"}',
    "nothing done": f'{{"kanban_file": "{FILE}"}}',
    "nothing asked for": f'{{"kanban_file": "{FILE}", "instruction": " "}}',
    "no text": f'{{"kanban_file": "{FILE}", "instruction": 1}}',
    "a way out": '{"kanban_file": "../0-kanban-x.md", "instruction": "x"}',
    "half a character": '{"kanban_file": "tasks/\\ud800.md", "instruction": "x"}',
}


@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS)
def test_a_prompt_that_is_no_assignment_is_an_error(desk: Desk, prompt: str) -> None:
    answer = desk.ask(prompt)
    assert (answer["status"], answer["next_task"], answer["tasks"]) == ("error", None, [])
    assert list(desk.root.iterdir()) == []


def test_half_a_character_in_an_instruction_is_replaced(desk: Desk) -> None:
    prompt = f'{{"kanban_file": "{FILE}", "instruction": "Sell \\ud800 shoes"}}'
    assert desk.ask(prompt)["status"] == "ok"
    assert "\ufffd" in desk.kanban().request


@pytest.mark.parametrize("state", TaskState)
def test_every_state_can_be_written_by_an_agent(desk: Desk, state: TaskState) -> None:
    desk.create()
    file = desk.root / FIRST
    file.write_text(file.read_text().replace("state: todo", f"state: {state}"))
    desk.log(FIRST, "ok")
    assert desk.reconcile(FIRST)["status"] == "ok"
    assert desk.kanban().is_complete


def test_the_plug_in_needs_nothing() -> None:
    worker = mechanical_manager(ScriptedSandbox(lambda _spec: ScriptedReply()), {})
    assert isinstance(worker, MechanicalManager)
