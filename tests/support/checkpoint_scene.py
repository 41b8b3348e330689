"""A session with a resident supervisor in a world of fakes, and who speaks in it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.support.kernel import CLI, Kernel

from supervisor_ai.control.sessions.bus import Bus, Message, Post
from supervisor_ai.control.sessions.desk import (
    Caller,
    NewSession,
    SessionDesk,
    desk_of,
    open_session,
)
from supervisor_ai.control.sessions.members import caller_of, user_as_coordinator
from supervisor_ai.control.sessions.tasks import NewTask, Tasks
from supervisor_ai.definitions.checkpoint.role_specs import builtin_role_spec
from supervisor_ai.domain.envelope import Actor, ActorKind
from supervisor_ai.domain.ids import RunId, SessionId, StepName
from supervisor_ai.domain.run.definition import Definition, Limits, Role, Step, Workflow
from supervisor_ai.domain.session.events import FileImported
from supervisor_ai.domain.session.members import Member, MemberRole
from supervisor_ai.domain.session.tasks import TaskStatus
from supervisor_ai.drivers.checkpoint.checks.model import CheckGroup, CheckSpec
from supervisor_ai.drivers.checkpoint.commands.requests import CheckpointWish, request_checkpoint
from supervisor_ai.drivers.checkpoint.decisions.definition import Residence, ResidentDefinition
from supervisor_ai.drivers.checkpoint.driver import CheckpointDriver
from supervisor_ai.drivers.checkpoint.kinds import (
    CHECKPOINT,
    JUDGE,
    OF_JUDGE,
    RESIDENCE,
    SESSION,
)
from supervisor_ai.drivers.checkpoint.spec import CheckpointSpec, RoleSpec
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply, FakeScript, answering

FIXTURES: Final = Path(__file__).parents[1] / "fixtures/checkpoint/session"
ADA: Final = Actor(kind=ActorKind.USER, id="ada", via="cli", verified=True)
BOSS: Final = user_as_coordinator(ADA)
WRITER: Final = caller_of(Member(name="writer", role=MemberRole.WORKER), via="test")
SCOPES: Final = {
    "CHECKPOINT-001": ("DRAFT-001", "DRAFT-002"),
    "CHECKPOINT-002": ("DRAFT-003", "DRAFT-004"),
    "CHECKPOINT-003": ("PLAN-001",),
}
ARTIFACTS: Final = {
    "DRAFT-001": "product-brief.md",
    "DRAFT-002": "requirements.md",
    "DRAFT-003": "architecture.md",
    "DRAFT-004": "stories.md",
    "PLAN-001": "plan.md",
}
FOLDER: Final = ".supervisor/sessions/S1"


def resident(
    spec: RoleSpec | None = None, *, has_judge: bool = False, recovery: bool = False
) -> ResidentDefinition:
    """Make what a supervisor pins."""
    spec = spec or builtin_role_spec()
    judge = JUDGE if has_judge else None
    steps = (
        Step(name=SESSION, kind=RESIDENCE, next=SESSION),
        *(
            Step(name=StepName(task), kind=CHECKPOINT, role=judge, next=SESSION, max_retries=0)
            for task in spec.checkpoints
        ),
    )
    workflow = Workflow(
        name="checkpoint",
        description="",
        initial_step=SESSION,
        steps={step.name: step for step in steps},
    )
    role = Role(
        name=JUDGE,
        description="",
        answer=OF_JUDGE,
        writes=False,
        cli=CLI.name,
        template="",
        is_optional=True,
    )
    return ResidentDefinition(
        workflow=workflow,
        roles={JUDGE: role} if has_judge else {},
        clis={CLI.name: CLI} if has_judge else {},
        gates={},
        limits=Limits(workflow_max_steps=10**9),
        residence=Residence(session=SessionId("S1"), spec=spec, recovery=recovery),
    )


def strict_spec() -> RoleSpec:
    """Make a spec whose first checkpoint blocks unless the brief has its headings."""
    spec = builtin_role_spec()
    wanted = ("Vision", "Scope", "Out of scope", "Risks", "Glossary")
    checks = tuple(
        CheckSpec(
            id=f"has_{place}",
            rule="contains_heading",
            title=f"The brief has {heading!r}",
            group=CheckGroup.PROCESS,
            params={"path": "spec/product-brief.md", "heading": heading},
        )
        for place, heading in enumerate(wanted)
    )
    first = CheckpointSpec(task="CHECKPOINT-001", title="The brief", checks=checks)
    return RoleSpec(checkpoints={**spec.checkpoints, first.task: first})


GOOD: Final = "# Vision\n# Scope\n# Out of scope\n# Risks\n# Glossary\n"
BAD: Final = "# Something else\n"


def judges(verdicts: Mapping[str, str] | None = None) -> FakeScript:
    """Answer every check that is asked with `pass`, or as the test says, citing the first line."""
    given = verdicts or {}

    def answer(request: WorkerRequest) -> FakeReply:
        lines = request.prompt.split("\n")
        asked = [it[2:].partition(":")[0] for it in lines if it.startswith("- ")]
        shown = [it.split(":", 2) for it in lines if it.count(":") > 1 and it[0] not in "-#"]
        evidence = [
            {"file": file, "line": int(line), "quote": quote.strip()}
            for file, line, quote in shown[:1]
        ]
        checks = [
            {"check": it, "verdict": given.get(it, "pass"), "evidence": evidence, "note": "so"}
            for it in asked
        ]
        return FakeReply(output=answering({"status": "JUDGED", "checks": checks}))

    return answer


class CheckpointScene:
    """A kernel, a session in it, and its supervisor."""

    def __init__(
        self, kernel: Kernel, *, folder: str | None = None, supervision: bool = True
    ) -> None:
        self.kernel = kernel
        self.session = SessionId("S1")
        wanted = NewSession(
            name="S1",
            team="blue",
            pipeline="full-lifecycle",
            requirement="A small shop.",
            folder=folder,
            supervision=supervision,
        )
        open_session(self.desk, wanted, ADA)
        self.tasks.add(
            *(NewTask(task=task, subject=task, owner="writer") for task in ARTIFACTS),
            *(NewTask(task=task, subject=task, owner="supervisor") for task in SCOPES),
        )

    @property
    def desk(self) -> SessionDesk:
        return desk_of(self.kernel.world)

    @property
    def tasks(self) -> Tasks:
        return Tasks(self.desk, self.session, BOSS)

    def bus(self, caller: Caller = BOSS) -> Bus:
        return Bus(self.desk, self.session, caller)

    def write(self, task: str, text: str | None = None) -> None:
        """Let the writer do a task: an artifact, the state, the task completed."""
        name = ARTIFACTS[task]
        content = (FIXTURES / name).read_text(encoding="utf-8") if text is None else text
        folder = self.kernel.session_files.files.setdefault(FOLDER, {})
        folder[f"spec/{name}"] = content.encode()
        own = Tasks(self.desk, self.session, WRITER)
        own.update(task, status=TaskStatus.IN_PROGRESS)
        data = {"task_id": task, "status": "task_complete", "ref": f"spec/{name}"}
        self.bus(WRITER).log(Post(kind="state_update", summary=f"{task} done", data=data))
        own.update(task, status=TaskStatus.COMPLETED)

    def keep(self, path: str, text: str) -> None:
        """Let the ledger have a file of the session, which lies in no folder."""
        imported = FileImported(path=path, artifact=self.desk.keep(text))
        self.desk.view(self.session).add(lambda _: (imported,), ADA)

    def start(self, definition: ResidentDefinition | Definition | None = None) -> RunId:
        """Submit a supervisor and let it become ready."""
        run = self.kernel.submit(definition or resident(), driver=CheckpointDriver.name)
        self.kernel.drive(run)
        return run

    def ask(self, task: str = "CHECKPOINT-001", *scope: str) -> str:
        """Ask for a checkpoint."""
        wish = CheckpointWish(task=task, scope=scope or SCOPES[task], progress="2/10")
        return request_checkpoint(self.desk, self.session, BOSS, wish)

    def said(self) -> list[Message]:
        """Return what the supervisor has said."""
        return list(self.bus().list(last=100, sender="supervisor"))

    def contents(self) -> list[str]:
        """Return the words of what the supervisor has said to people."""
        data = (it.data or {} for it in self.said())
        return [str(it["content"]) for it in data if "content" in it]

    def status(self, task: str) -> TaskStatus:
        """Tell where a task stands."""
        return self.desk.view(self.session).refresh().tasks[task].status

    def wisdom(self, name: str) -> str:
        """Return a file of wisdom."""
        kept = self.desk.view(self.session).refresh().files.get(f"wisdom/{name}")
        return "" if kept is None else self.desk.text(kept)


def as_json(message: Message) -> str:
    """Return a message as one line."""
    return json.dumps(message.record())
