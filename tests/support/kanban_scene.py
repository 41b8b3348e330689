"""A kanban in memory: its definition, its files, and agents that act on them."""

import json
from collections.abc import Callable, Mapping
from typing import Final

from tests.support.kernel import CLI, GATE, Kernel

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.answers import AnswerWord
from supervisor_ai.domain.run.definition import (
    Definition,
    Gate,
    Limits,
    Role,
    Step,
    StepKind,
    StepWord,
    Workflow,
)
from supervisor_ai.domain.run.events import ApprovalRequested, RunFailed
from supervisor_ai.domain.run.inbox_commands import Approve, Command, Reject
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace, KanbanPolicy
from supervisor_ai.drivers.kanban.definition import KanbanDefinition
from supervisor_ai.drivers.kanban.driver import KanbanDriver
from supervisor_ai.drivers.kanban.kinds import OF_AGENT, OF_MANAGER, READ_FILES
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_sandbox import Script
from supervisor_ai.testing.fake_worker import FakeReply, answering
from supervisor_ai.testing.world import passes

FILE: Final = "tasks/0-kanban-demo.md"
FIRST: Final = "tasks/1-look.md"
SECOND: Final = "tasks/2-build.md"
PLACE: Final = KanbanPlace(file=FILE)

Act = Callable[["Scene", WorkerRequest, "Told"], FakeReply]
Told = Mapping[str, object]


def kanban_text(current: str | None, *tasks: str, phase: str = "execute", more: str = "") -> str:
    """Write a kanban file."""
    listed = "".join(f"  - {task}\n" for task in tasks)
    header = f"type: kanban\ntitle: Demo\ncreated: 2030-01-01T00:00:00+00:00\nphase: {phase}\n"
    header += f"current: {current or 'null'}\n{more}tasks:\n{listed}" if tasks else "tasks: []\n"
    return f"---\n{header}---\n\n## Request\n\nDo it.\n\n## Plan Adjustment Log\n"


def task_text(role: str | None = "Implementor", *, state: str = "todo", log: str = "") -> str:
    """Write a task file."""
    header = f"role: {role}\n" if role else ""
    body = "# Task: It\n\n## Description\n\nDo it.\n\n## Work Log\n"
    return f"---\n{header}type: implement\nstate: {state}\npriority: medium\n---\n\n{body}{log}"


def log_text(status: str = "ok") -> str:
    """Write an entry of a work log."""
    return (
        "\n### [2030-01-01T00:00:00+00:00] Done\n\n**Facts:** It was so.\n\n"
        f"**Analysis:** It had to be.\n\n**Conclusion:** {status}\n"
    )


FILES: Final = {
    FILE: kanban_text(FIRST, FIRST, SECOND),
    FIRST: task_text("Architect"),
    SECOND: task_text(),
}


def _role(name: str, kind: AnswerWord) -> Role:
    return Role(name=name, description="", answer=kind, writes=True, cli=CLI.name, template="")


def _step(name: str, kind: StepWord, following: str | None, **more: object) -> Step:
    after = StepName(following) if following else None
    return Step(name=StepName(name), kind=kind, next=after, **more)  # type: ignore[arg-type]


def kanban_definition(
    policy: KanbanPolicy | None = None, *, gate: Gate | None = None
) -> KanbanDefinition:
    """Make what a run on a kanban pins."""
    policy = policy or KanbanPolicy(place=PLACE)
    creates = bool(policy.instruction)
    behind = "check" if gate else "land-task"
    agent = {"kind": StepKind.ROLE, "retry_policy": "exact"}
    steps = [
        _step("kanban", READ_FILES, None),
        _step("architect", following="land-task", role="architect", **agent),  # type: ignore[arg-type]
        _step("implementor", following=behind, role="implementor", **agent),  # type: ignore[arg-type]
        _step("land-task", StepKind.COMMIT, "manager"),
        _step("manager", following="land-kanban", role="manager", **agent),  # type: ignore[arg-type]
        _step("land-kanban", StepKind.COMMIT, "kanban", terminal=creates),
    ]
    if gate:
        check = _step("check", StepKind.GATE, "land-task", gate=gate.name)
        steps.append(replace(check, on_fail=StepName("implementor")))
    workflow = Workflow(
        name="kanban",
        description="",
        initial_step=StepName("manager" if creates else "kanban"),
        steps={step.name: step for step in steps},
    )
    agents = [_role(name, OF_AGENT) for name in ("architect", "implementor")]
    return KanbanDefinition(
        workflow=workflow,
        roles={role.name: role for role in (*agents, _role("manager", OF_MANAGER))},
        clis={CLI.name: CLI},
        gates={GATE.name: GATE, **({gate.name: gate} if gate else {})},
        limits=Limits(workflow_max_steps=10_000),
        kanban=policy,
    )


def told(request: WorkerRequest) -> Told:
    """Read what an agent was told."""
    start = request.prompt.index("{")
    found: Told = json.JSONDecoder().raw_decode(request.prompt[start:])[0]
    return found


def says(status: str = "ok", **more: object) -> str:
    """Return the output of an agent with a valid answer."""
    return answering({"status": status, "message": "It is so.", **more})


def decides(next_task: str | None, *tasks: str) -> str:
    """Return the output of a Manager with a valid answer."""
    return says(next_task=next_task, tasks=list(tasks))


class Scene:
    """A kanban run in memory, with agents that do their work unless a test says otherwise."""

    def __init__(
        self,
        definition: Definition | None = None,
        *,
        files: Mapping[str, str] | None = None,
        gates: Script = passes,
        **acts: Act,
    ) -> None:
        usual = {"architect": Scene.work, "implementor": Scene.work, "manager": Scene.manage}
        self._acts: Mapping[str, Act] = {**usual, **acts}
        given = FILES if files is None else files
        self.kernel = Kernel(None, self._act, gates, files={"README": "Hello.", **given})
        self.run = self.kernel.submit(definition or kanban_definition(), driver=KanbanDriver.name)

    def _act(self, request: WorkerRequest) -> FakeReply:
        return self._acts[request.role](self, request, told(request))

    @property
    def branch(self) -> str:
        """Name the run's branch."""
        return f"ai/{self.run}"

    @property
    def tip(self) -> Mapping[str, str]:
        """Return the files of the run's branch."""
        workspaces = self.kernel.fakes.workspaces
        return workspaces.files(workspaces.branches[self.branch])

    def drive(self) -> RunStatus:
        """Drive the run as far as it goes now."""
        return self.kernel.drive(self.run).status

    def read(self, request: WorkerRequest, path: str) -> str:
        """Read a file as the agent sees it."""
        return self.kernel.fakes.workspaces.read(request.workspace, path) or ""

    def work(self, request: WorkerRequest, told: Told) -> FakeReply:
        """Do a task: extend its work log."""
        path = str(told["task_file"])
        return FakeReply(output=says(), files={path: self.read(request, path) + log_text()})

    def manage(self, request: WorkerRequest, told: Told) -> FakeReply:
        """Go through the tasks one after the other."""
        done, tasks = str(told["done_task"]), told["tasks"]
        assert isinstance(tasks, list)
        following = [*tasks, None][tasks.index(done) + 1]
        phase = "execute" if following else "complete"
        files = {
            FILE: kanban_text(following, *tasks, phase=phase),
            done: self.read(request, done).replace("state: todo", "state: done"),
        }
        return FakeReply(output=decides(following, *tasks), files=files)

    def edit(self, **changes: str) -> None:
        """Let a person commit to the run's branch."""
        self.commit({f"tasks/{name}.md": text for name, text in changes.items()})

    def commit(self, files: Mapping[str, str]) -> None:
        """Let a person commit files to the run's branch."""
        workspaces = self.kernel.fakes.workspaces
        tip = workspaces.branches[self.branch]
        made = workspaces.commit({**workspaces.files(tip), **files}, parent=tip)
        workspaces.branches[self.branch] = made

    def approve(self, note: str | None = None) -> RunStatus:
        """Say yes to the open question, and go on."""
        asked = self.asking
        words = self.kernel.world.artifacts.put(note) if note else None
        yes = Approve(step=asked.step, visit=asked.visit, tree=asked.tree, note=words)
        return self._answer(yes)

    def reject(self) -> RunStatus:
        """Say no to the open question, and go on."""
        asked = self.asking
        note = self.kernel.world.artifacts.put("No.")
        no = Reject(step=asked.step, visit=asked.visit, tree=asked.tree, note=note)
        return self._answer(no)

    def _answer(self, command: Command) -> RunStatus:
        self.kernel.send(self.run, f"letter {len(self.kernel.types(self.run))}", command)
        return self.drive()

    @property
    def asking(self) -> ApprovalRequested:
        """Return the open question."""
        question = self.kernel.play(self.run).run.approval
        assert question is not None
        return question

    def reason(self) -> str:
        """Say why the run failed."""
        (failed,) = self.kernel.events(self.run, RunFailed)
        return failed.outcome.reason
