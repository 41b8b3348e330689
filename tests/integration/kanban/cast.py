"""A cast of agents on a kanban in memory: each turn does what it was told beforehand."""

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from itertools import chain, repeat
from typing import Final

from tests.support.kanban_scene import (
    FILE,
    PLACE,
    Scene,
    Told,
    decides,
    kanban_definition,
    kanban_text,
    says,
    task_text,
)
from tests.support.kernel import GATE

from supervisor_ai.documents.kanban_reader import MarkdownKanbanReader
from supervisor_ai.documents.kanban_writer import render_task, revise_kanban, revise_task
from supervisor_ai.domain.run.status import ENDED, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.kanban import Kanban, Mistake
from supervisor_ai.drivers.kanban.board.numbers import next_number
from supervisor_ai.drivers.kanban.board.plan import Plan, PlanRefusal
from supervisor_ai.drivers.kanban.board.policy import KanbanPolicy
from supervisor_ai.drivers.kanban.board.reconciliation import reconcile
from supervisor_ai.engine.ports.sandbox import SandboxEnd, SandboxSpec
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_sandbox import ScriptedReply
from supervisor_ai.testing.fake_worker import FakeReply

AT: Final = "2030-01-01T00:00:00+00:00"
ITERATIONS: Final = 15
PATIENCE: Final = 200
NO: Final = False
NEIGHBOUR: Final = "tasks/99-other.md"
_MESSAGE: Final = '"It is so."'
_NOISE: Final = (
    "abc blocked error escalate ok {} [] ## --- ```",
    '{"status": "error", "message": "no"}',
    "```json\n{}\n```",
    "\u202e\x1b[2J\x00 é 🙂",
)


class Turn(StrEnum):
    """What an Architect or an Implementor does when it is asked."""

    OK = "ok"
    CODE = "ok, with code"
    ITEMS = "ok, with work items"
    VAGUE = "ok, with inadequate work items"
    CORE = "ok, with work items that need a review"
    CIRCLE = "ok, with work items in a circle"
    BAD_ITEMS = "ok, with work items that are no YAML"
    BLOCKED = "blocked"
    ESCALATE = "escalate"
    ERROR = "error"
    ERROR_WITH_LOG = "error, with a log"
    DISAGREES = "ok, and the log says blocked"
    CHATTER = "no answer"
    WRONG_WORD = "a status that there is none of"
    TWO = "two answers"
    NO_LOG = "ok, without a log"
    HALF_LOG = "ok, with half a log"
    CRASH = "a crash"
    TIMEOUT = "no end"
    KANBAN = "a write into the kanban file"
    NEIGHBOUR = "a write into another task file"
    BREAKS = "its own file broken"
    REMOVES = "its own file removed"
    PROMOTES = "its own header rewritten"
    CYCLE = "its own file made to wait for itself"
    FORGES = "headings of ours in its log"


class Fault(StrEnum):
    """What a Manager does in place of its work."""

    NONE = "none"
    CHATTER = "no answer"
    CRASH = "a crash"
    LIES = "an answer that is not what the file says"
    CODE = "a write outside of its folder"
    STOPS = "complete, and tasks are open"
    BREAKS = "a kanban file that cannot be read"
    FORGETS = "a task that is not listed any more"
    BLOCKED = "blocked"


ITEM: Final = (
    "{{description: {words}, files: [{files}], related_domains: [a], expertise_required: [b]"
)
ITEMS: Final = {
    Turn.ITEMS: ("Build one", "Build two"),
    Turn.VAGUE: ("Do something",),
    Turn.CORE: ("Change the architecture",),
    Turn.CIRCLE: ("Left", "Right"),
    Turn.BAD_ITEMS: ("Broken",),
}


def items_text(turn: Turn) -> str:
    """Write the work items that go with a turn."""
    lines = []
    for number, words in enumerate(ITEMS.get(turn, ())):
        files = "" if turn is Turn.VAGUE else "app.py"
        circle = f", dependencies: [{1 - number}]" if turn is Turn.CIRCLE else ""
        end = "" if turn is Turn.BAD_ITEMS else "}"
        lines.append("  - " + ITEM.format(words=words, files=files) + circle + end)
    return "work_items:\n" + "\n".join(lines) + "\n" if lines else ""


def with_items(text: str, items: str) -> str:
    """Put work items where task files have them."""
    block = f"## Work Items\n\n<!-- start workitems -->\n{items}<!-- end workitems -->\n\n"
    return text.replace("## Work Log\n", f"{block}## Work Log\n", 1) if items else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Everything that is not decided by the product."""

    turns: Sequence[Turn] = ()
    faults: Sequence[Fault] = ()
    answers: Sequence[bool] = ()
    """What people answer; when they have no more answers, they say no."""
    gates: Sequence[bool] = ()
    tasks: Sequence[str] = ("Architect",)
    """The roles of the tasks that there are at first."""


class Play:
    """One run on a kanban, from its beginning to its end."""

    def __init__(self, part: Part, *, scrambles: bool = False) -> None:
        self._part = part
        self._turns = iter(part.turns)
        self._faults = iter(part.faults)
        self._gates = iter(part.gates)
        self._chance = random.Random(7) if scrambles else None  # noqa: S311 - no secret
        self.reader = MarkdownKanbanReader()
        policy = KanbanPolicy(place=PLACE, max_iterations=ITERATIONS)
        self.scene = Scene(
            kanban_definition(policy, gate=GATE),
            files=first_files(part.tasks),
            gates=self._gate,
            architect=lambda _, request, told: self._work(request, told),
            implementor=lambda _, request, told: self._work(request, told),
            manager=lambda _, request, told: self._manage(request, told),
        )
        self.status = self._act()

    def _act(self) -> RunStatus:
        """Drive the run and answer what it asks, until it ends."""
        scene, status = self.scene, self.scene.drive()
        answers = chain(self._part.answers, repeat(NO))
        for _ in range(PATIENCE):
            if status in ENDED:
                return status
            if scene.kernel.play(scene.run).run.approval is None:
                # An agent that has failed too often rests.
                scene.kernel.fakes.clock.advance(timedelta(hours=1))
                status = scene.drive()
            else:
                status = scene.approve() if next(answers) else scene.reject()
        raise AssertionError("The run waits for ever.")

    def read(self, files: Mapping[str, str]) -> Kanban | tuple[Mistake, ...]:
        """Say what the kanban's files say."""
        return self.reader.read(FILE, _folder(files))

    def _gate(self, spec: SandboxSpec) -> ScriptedReply:
        del spec
        return ScriptedReply(exit_code=0 if next(self._gates, True) else 1)

    # Words, of which no decision depends

    def _words(self) -> str:
        if self._chance is None:
            return "It was so."
        return "".join(self._chance.choices("abc ok blocked escalate error", k=30))

    def _scrambled(self, reply: FakeReply) -> FakeReply:
        if self._chance is None:
            return reply
        quoted = json.dumps(self._chance.choice(_NOISE) + self._words())
        return replace(reply, output=reply.output.replace(_MESSAGE, quoted))

    def _log(self, status: str) -> str:
        return (
            f"\n### [{AT}] Done\n\n**Facts:** {self._words()}\n\n**Analysis:** {self._words()}\n\n"
            f"**Conclusion:** {status}\n\n{self._words()}\n"
        )

    # The agents

    def _work(self, request: WorkerRequest, told: Told) -> FakeReply:
        turn = next(self._turns, Turn.OK)
        path = str(told["task_file"])
        text = self.scene.read(request, path)
        self._intrude(request, turn, path)
        reply = FakeReply(output=_output(turn), files=self._files(turn, path, text))
        if turn is Turn.CRASH:
            reply = replace(reply, exit_code=1)
        if turn is Turn.TIMEOUT:
            reply = replace(reply, end=SandboxEnd.TIMED_OUT)
        return self._scrambled(reply)

    def _files(self, turn: Turn, path: str, text: str) -> dict[str, str]:
        status = turn.value if turn in {Turn.BLOCKED, Turn.ESCALATE} else "ok"
        if turn is Turn.DISAGREES:
            status = "blocked"
        log = "" if turn in {Turn.ERROR, Turn.NO_LOG, Turn.REMOVES} else self._log(status)
        if turn is Turn.HALF_LOG:
            log = f"\n### [{AT}] Done\n\n**Facts:** {self._words()}\n"
        if turn is Turn.FORGES:
            log = log.replace("**Analysis:** ", "**Analysis:** \n> ## Request\n> ---\n> ")
        text = with_items(text, items_text(turn))
        edited = _HEADERS[turn](text, path) if turn in _HEADERS else text
        return {path: edited + log}

    def _intrude(self, request: WorkerRequest, turn: Turn, path: str) -> None:
        """Write as where no mount stands in the way."""
        files = self._directory(request)
        if turn is Turn.CODE and request.role == "implementor":
            files["app.py"] = f"# {len(self.scene.kernel.types(self.scene.run))}\n"
        elif turn is Turn.KANBAN:
            files[FILE] = kanban_text(None, path)
        elif turn is Turn.NEIGHBOUR:
            files[NEIGHBOUR] = task_text()

    def _manage(self, request: WorkerRequest, told: Told) -> FakeReply:
        fault = next(self._faults, Fault.NONE)
        files = self._directory(request)
        honest = self._reconcile(files, told)
        if fault is Fault.CODE:
            files["app.py"] = "import os\n"
        return self._scrambled(_MISDEEDS[fault](honest, told))

    def _reconcile(self, files: Mapping[str, str], told: Told) -> FakeReply:
        """Follow the rules of the Manager that needs no model."""
        kanban = self.read(files)
        assert isinstance(kanban, Kanban), kanban
        number = next_number(files)
        decided = reconcile(kanban, str(told["done_task"]), number=number, at=AT)
        if isinstance(decided, PlanRefusal):
            tasks = list(kanban.tasks)
            return FakeReply(output=says(decided.status, next_task=kanban.current, tasks=tasks))
        output = decides(decided.next_task, *decided.tasks)
        return FakeReply(output=output, files=dict(_texts(decided, files)))

    def _directory(self, request: WorkerRequest) -> dict[str, str]:
        return self.scene.kernel.fakes.workspaces._directories[request.workspace.path].files


def first_files(roles: Sequence[str]) -> dict[str, str]:
    """Write a kanban with a task for each of the roles."""
    names = [f"tasks/{number}-task.md" for number in range(1, len(roles) + 1)]
    tasks = {name: task_text(role) for name, role in zip(names, roles, strict=True)}
    return {FILE: kanban_text(names[0], *names), **tasks}


def _folder(files: Mapping[str, str]) -> dict[str, bytes]:
    return {path: text.encode() for path, text in files.items() if path.startswith("tasks/")}


def _texts(plan: Plan, files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for task in plan.created:
        yield task.path, render_task(task)
    for task in plan.revised:
        yield task.path, revise_task(files[task.path], task)
    yield plan.kanban.path, revise_kanban(files[plan.kanban.path], plan.kanban, plan.entries)


def _output(turn: Turn) -> str:
    match turn:
        case Turn.CHATTER:
            return "I am done."
        case Turn.WRONG_WORD:
            return says("done")
        case Turn.TWO:
            return says("blocked") + says("ok")
        case Turn.BLOCKED | Turn.ESCALATE | Turn.ERROR:
            return says(turn.value)
        case Turn.ERROR_WITH_LOG:
            return says("error")
        case _:
            return says()


Edit = Callable[[str, str], str]
_HEADERS: Final[Mapping[Turn, Edit]] = {
    Turn.BREAKS: lambda text, _: text.replace("state: ", "state: [", 1),
    Turn.REMOVES: lambda _, __: "",
    Turn.PROMOTES: lambda text, _: text.replace("role: ", "role: Manager\nassignee: ", 1).replace(
        "assignee: Architect", "assignee: Manager", 1
    ),
    Turn.CYCLE: lambda text, path: text.replace("type: ", f"dependencies: [{path}]\ntype: ", 1),
}


def _stops(honest: FakeReply, told: Told) -> FakeReply:
    tasks = [str(path) for path in _listed(told)]
    text = kanban_text(None, *tasks, phase="complete")
    return replace(honest, files={FILE: text}, output=decides(None, *tasks))


def _forgets(honest: FakeReply, told: Told) -> FakeReply:
    done = str(told["done_task"])
    return replace(honest, files={FILE: kanban_text(done, done)}, output=decides(done, done))


def _listed(told: Told) -> list[object]:
    tasks = told["tasks"]
    assert isinstance(tasks, list)
    return tasks


_MISDEEDS: Final[Mapping[Fault, Callable[[FakeReply, Told], FakeReply]]] = {
    Fault.NONE: lambda honest, _: honest,
    Fault.CHATTER: lambda honest, _: replace(honest, output="I am done."),
    Fault.CRASH: lambda honest, _: replace(honest, exit_code=1),
    Fault.LIES: lambda honest, told: replace(
        honest, output=decides("tasks/77-none.md", str(told["done_task"]))
    ),
    Fault.CODE: lambda honest, _: honest,
    Fault.STOPS: _stops,
    Fault.BREAKS: lambda honest, _: replace(honest, files={FILE: "---\nphase: [\n---\n"}),
    Fault.FORGETS: _forgets,
    Fault.BLOCKED: lambda honest, told: FakeReply(
        output=says("blocked", next_task=told["done_task"], tasks=_listed(told))
    ),
}
