"""A loop in memory: its definition, and roles that act as a test says."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from tests.support.kernel import CLI, GATE, Kernel

from supervisor_ai.definitions.loop.settings import BUILTIN
from supervisor_ai.definitions.loop.steps import IMPLEMENTOR, ROLES, loop_workflow
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.answers import AnswerWord
from supervisor_ai.domain.run.definition import Gate, Limits, Role, Step, StepKind
from supervisor_ai.domain.run.events import ApprovalRequested, RunFailed, StepEntered
from supervisor_ai.domain.run.inbox_commands import Approve, Command, Reject, Signal
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop.definition import LoopDefinition
from supervisor_ai.drivers.loop.driver import LoopDriver
from supervisor_ai.drivers.loop.kinds import (
    OF_ASSESSOR,
    OF_PLANNER,
    OF_QA,
    OF_RESEARCH,
    OF_SCOPE,
    OF_SUMMARY,
    OF_WORK,
    RESEARCHER,
    SUMMARIZER,
    LoopNode,
)
from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.drivers.loop.state import LoopState
from supervisor_ai.drivers.quality.kinds import OF_DESIGN, OF_KNOWLEDGE, OF_STYLE
from supervisor_ai.drivers.quality.supervisors import SupervisorSpec
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_sandbox import Script
from supervisor_ai.testing.fake_worker import FakeReply, answering
from supervisor_ai.testing.world import passes

E = TypeVar("E", bound=Event)
Act = Callable[["Scene", WorkerRequest], FakeReply]
_ANSWERS: Final[Mapping[str, AnswerWord]] = {
    "scope_agent": OF_SCOPE,
    "task_planner": OF_PLANNER,
    "loop_implementor": OF_WORK,
    "loop_qa": OF_QA,
    "assessor": OF_ASSESSOR,
    "code_style_supervisor": OF_STYLE,
    "design_supervisor": OF_DESIGN,
    "internaliser": OF_KNOWLEDGE,
    RESEARCHER: OF_RESEARCH,
    SUMMARIZER: OF_SUMMARY,
}
_WRITERS: Final = {
    *("loop_implementor", "code_style_supervisor", "design_supervisor", "internaliser")
}


def _role(name: str, answer: AnswerWord) -> Role:
    return Role(
        name=name,
        description="",
        answer=answer,
        writes=name in _WRITERS,
        cli=CLI.name,
        template="",
    )


def loop_definition(
    rules: LoopRules | None = None,
    *,
    gate: Gate | None = None,
    supervisors: Sequence[SupervisorSpec] = BUILTIN,
    aides: Sequence[str] = (),
) -> LoopDefinition:
    """Make what a loop pins."""
    rules = replace(
        rules or LoopRules(),
        supervisors=tuple(supervisors),
        is_research_offered=RESEARCHER in aides,
    )
    check = Step(name=StepName("check"), kind=StepKind.GATE, gate=gate.name if gate else None)
    checks = [replace(check, on_fail=IMPLEMENTOR, max_retries=rules.max_attempts)] if gate else []
    return LoopDefinition(
        workflow=loop_workflow(checks, rules.supervisors, aides),
        roles={name: _role(name, answer) for name, answer in _ANSWERS.items()},
        clis={CLI.name: CLI},
        gates={GATE.name: GATE, **({gate.name: gate} if gate else {})},
        limits=Limits(workflow_max_steps=10_000),
        rules=rules,
    )


_TITLE: Final = re.compile(
    r"^(PROJECT CONTEXT|CURRENT MILESTONE|ACTIVE DIRECTIVES|COMPLETED WORK|SUPERVISOR RUN LOG|TASK|"
    r"CHANGE|RESEARCH|QUESTIONS|EARLIER WORK|DIRECTIVES OF PEOPLE|"
    r"FILES CHANGED SINCE YOU LOOKED LAST|CHANGED CODE|KNOWLEDGE STORE|MODE): ",
    re.MULTILINE,
)


def sections(request: WorkerRequest) -> dict[str, str]:
    """Return what a role is told, by title, in order."""
    _, *parts = _TITLE.split(request.prompt)
    return dict(zip(parts[::2], (it.rstrip("\n") for it in parts[1::2]), strict=True))


def section(request: WorkerRequest, title: str) -> str:
    """Return what a role is told under a title; nothing: it is not told of it."""
    return sections(request).get(title, "")


def scope(*outcomes: str) -> str:
    """Return the output of a scope agent."""
    milestones = [{"outcome": it, "areas": ["src"]} for it in outcomes]
    return answering({"remit": "Build it.", "milestones": milestones})


def plan(action: str = "implement", task: str = "Do a part", **more: object) -> str:
    """Return the output of a planner."""
    return answering({"status": action, "task": task, "plan": "Like so.", **more})


def work(status: str = "SUCCESS", created: Sequence[str] = (), **more: object) -> str:
    """Return the output of an implementor."""
    told = {"files_created": list(created), "files_modified": [], "tests_written": []}
    return answering({"status": status, "summary": "Did it.", **told, **more})


def judge(status: str = "pass", feedback: str = "It is so.") -> str:
    """Return the output of QA."""
    return answering({"status": status, "feedback": feedback})


def assess(status: str = "aligned", hint: str = "") -> str:
    """Return the output of an assessor."""
    return answering({"status": status, "hint": hint, "summary": "So it stands."})


def directive(
    description: str = "Tidy up", type_: str = "cleanup", priority: str = "low"
) -> dict[str, object]:
    """Make a directive as a supervisor writes it."""
    return {"type": type_, "description": description, "priority": priority}


def style(*directives: Mapping[str, object], updated: Sequence[str] = ()) -> str:
    """Return the output of the style supervisor."""
    return answering({"conventions_updated": list(updated), "directives": list(directives)})


def design(*directives: Mapping[str, object]) -> str:
    """Return the output of the design supervisor."""
    return answering({"design_updates": [], "directives": list(directives)})


def learnt(*contents: str) -> str:
    """Return the output of the internaliser."""
    items = [{"category": "lesson", "content": it} for it in contents]
    return answering({"knowledge_items": items})


def asks(*questions: str) -> str:
    """Return the output of a planner that wants to know something first."""
    return plan(task="Write other.py", questions=list(questions))


def wonders(*outcomes: str) -> str:
    """Return the output of a scope agent that wants to know something first."""
    return scope(*outcomes).replace('"remit"', '"questions": ["For whom?"], "remit"')


def researched(**answers: str) -> str:
    """Return the output of a researcher."""
    found = [{"question": name, "answer": it} for name, it in answers.items()]
    return answering({"answers": found})


def summed(summary: str) -> str:
    """Return the output of a summarizer."""
    return answering({"summary": summary})


def answers_all(request: WorkerRequest, response: str = "deferred") -> list[dict[str, object]]:
    """Answer every directive that the planner is shown: cleanup so, functional by explaining."""
    return list(_answers(section(request, "ACTIVE DIRECTIVES"), response))


def _answers(shown: str, response: str) -> Iterator[dict[str, object]]:
    for line in shown.splitlines():
        if line.startswith("["):
            number = int(line[1 : line.index("]")])
            said = response if "cleanup" in line.partition(":")[0] else "explained"
            yield {"directive": number, "response": said, "note": "So."}


def polishes(request: WorkerRequest) -> str:
    """Return the output of a planner that does one cleanup after the other."""
    if section(request, "TASK"):
        return plan(task="Tidy up", directives=answers_all(request))
    if not (shown := answers_all(request)):
        planned = re.findall(r"^- \[(\d+)\]", section(request, "CURRENT MILESTONE"), re.MULTILINE)
        return plan(task="Tidy up", does=[int(planned[0])])
    first, *others = shown
    replies = [{**first, "response": "addressed"}, *others]
    return plan(task="Tidy up", directives=replies, does=[first["directive"]])


class Scene:
    """A loop in memory, whose roles do their work unless a test says otherwise."""

    def __init__(
        self,
        definition: LoopDefinition | None = None,
        *,
        files: Mapping[str, str] | None = None,
        gates: Script = passes,
        tasks: int = 1,
        milestones: int = 1,
        **acts: Act,
    ) -> None:
        self.tasks, self.milestones = tasks, milestones
        self.planned, self.is_claimed = 0, False
        usual: dict[str, Act] = {
            "scope_agent": Scene.scopes,
            "task_planner": Scene.plans,
            "loop_implementor": Scene.works,
            "loop_qa": lambda scene, request: FakeReply(output=judge()),
            "assessor": Scene.assesses,
            "code_style_supervisor": lambda scene, request: FakeReply(output=style()),
            "design_supervisor": lambda scene, request: FakeReply(output=design()),
            "internaliser": lambda scene, request: FakeReply(output=learnt()),
            RESEARCHER: lambda scene, request: FakeReply(output=researched(it="So.")),
            SUMMARIZER: lambda scene, request: FakeReply(output=summed("Much was done.")),
        }
        self._acts = {**usual, **acts}
        self.kernel = Kernel(None, self._act, gates, files={"README": "Hello.", **(files or {})})
        self.run = self.kernel.submit(definition or loop_definition(), driver=LoopDriver.name)

    def _act(self, request: WorkerRequest) -> FakeReply:
        return self._acts[request.role](self, request)

    def scopes(self, request: WorkerRequest) -> FakeReply:
        """Scope as many milestones as the scene has."""
        del request
        names = [f"Milestone {number}" for number in range(1, self.milestones + 1)]
        return FakeReply(output=scope(*names))

    def plans(self, request: WorkerRequest) -> FakeReply:
        """Plan as many tasks for each milestone as the scene has, then say that it is done."""
        if "The remit is complete" in section(request, "CURRENT MILESTONE"):
            return FakeReply(output=polishes(request))
        replies = answers_all(request)
        self.is_claimed = False
        if section(request, "TASK"):
            return FakeReply(output=plan(task=f"Part {self.planned} again", directives=replies))
        if self.planned >= self.tasks:
            self.planned, self.is_claimed = 0, True
            return FakeReply(output=plan("milestone_done", "All is there", directives=replies))
        self.planned += 1
        return FakeReply(output=plan(task=f"Part {self.planned}", directives=replies))

    def works(self, request: WorkerRequest) -> FakeReply:
        """Write a file that nobody has written before."""
        number = len(self.kernel.fakes.worker.requests)
        name = f"part_{number}.py"
        return FakeReply(output=work(created=[name]), files={name: f"x = {number}\n"})

    def assesses(self, request: WorkerRequest) -> FakeReply:
        """Believe the planner where it says that the milestone is done."""
        del request
        return FakeReply(output=assess("milestone_complete" if self.is_claimed else "aligned"))

    @property
    def branch(self) -> str:
        """Name the run's branch."""
        return f"ai/{self.run}"

    @property
    def tip(self) -> Mapping[str, str]:
        """Return the files of the run's branch."""
        workspaces = self.kernel.fakes.workspaces
        return workspaces.files(workspaces.branches[self.branch])

    @property
    def asked(self) -> list[str]:
        """Name who was asked, in order."""
        return [request.role for request in self.kernel.fakes.worker.requests]

    @property
    def nodes(self) -> list[str]:
        """Name the nodes that the loop came to, in order."""
        entered = self.kernel.events(self.run, StepEntered)
        return [it.step for it in entered if str(it.step) in list(LoopNode)]

    @property
    def state(self) -> LoopState:
        """Return what the driver remembers."""
        _, _, state = self.kernel.play(self.run).encode().partition(b"\n")
        return self.kernel.world.documents.decode(state, LoopState)

    def drive(self) -> RunStatus:
        """Drive the run as far as it goes now."""
        return self.kernel.drive(self.run).status

    def text(self, artifact: str | None) -> str:
        """Read a kept text."""
        assert artifact is not None
        return self.kernel.world.artifacts.get(artifact)  # type: ignore[arg-type]

    def send(self, command: Command) -> None:
        """Put a letter into the run's inbox."""
        self.kernel.send(self.run, f"letter {len(self.kernel.types(self.run))}", command)

    def signal(self, word: str) -> None:
        """Tell the run something."""
        self.send(Signal(signal=word))

    def keep(self, text: str) -> str:
        """Keep a text."""
        return self.kernel.world.artifacts.put(text)

    @property
    def asking(self) -> ApprovalRequested:
        """Return the open question."""
        question = self.kernel.play(self.run).run.approval
        assert question is not None
        return question

    def approve(self, words: str = "") -> RunStatus:
        """Say yes to the open question, and go on."""
        asked, note = self.asking, self.kernel.world.artifacts.put(words) if words else None
        self.send(Approve(step=asked.step, visit=asked.visit, tree=asked.tree, note=note))
        return self.drive()

    def reject(self, words: str = "No.") -> RunStatus:
        """Say no to the open question, and go on."""
        asked, note = self.asking, self.kernel.world.artifacts.put(words)
        self.send(Reject(step=asked.step, visit=asked.visit, tree=asked.tree, note=note))
        return self.drive()

    def events(self, kind: type[E]) -> list[E]:
        """Return the run's events of a kind."""
        return list(self.kernel.events(self.run, kind))

    def requests(self, role: str) -> list[WorkerRequest]:
        """Return what a role was asked, in order."""
        return [it for it in self.kernel.fakes.worker.requests if it.role == role]

    def reason(self) -> str:
        """Say why the run failed."""
        (failed,) = self.kernel.events(self.run, RunFailed)
        return failed.outcome.reason


IMPLEMENTOR_ROLE: Final = ROLES[LoopNode.IMPLEMENTOR]
