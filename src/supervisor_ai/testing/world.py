"""A ready-made world in memory: drive runs of your plug-in without git, sandbox or disk."""

from collections.abc import Mapping

from supervisor_ai.control.slice_names import register
from supervisor_ai.control.slices import openers
from supervisor_ai.definitions.worker_answers.reader import StrictAnswerReader
from supervisor_ai.domain.envelope import Actor, ActorKind, NewEvent
from supervisor_ai.domain.ids import RunId, StreamId, run_stream
from supervisor_ai.domain.redaction.redacted import Redacted
from supervisor_ai.domain.run.answers import AnswerKind, AnswerWord
from supervisor_ai.domain.run.context_plan import PackedContext, PackedItem
from supervisor_ai.domain.run.events import RunSubmitted
from supervisor_ai.domain.run.values import Base, Identity
from supervisor_ai.drivers.registry import SLICES
from supervisor_ai.drivers.workflow.driver import WorkflowDriver
from supervisor_ai.engine.effects.performer import SHARED_PERFORMERS
from supervisor_ai.engine.ports.context import PackRequest
from supervisor_ai.engine.ports.ledger import Batch, StreamAppend, Wake
from supervisor_ai.engine.ports.sandbox import SandboxSpec
from supervisor_ai.engine.ports.workers import PromptRequest, Told, WorkerRequest
from supervisor_ai.engine.world import World
from supervisor_ai.store.documents import ArtifactDocuments
from supervisor_ai.testing.clock import FakeClock
from supervisor_ai.testing.fake_consent import FakeConsent
from supervisor_ai.testing.fake_evidence import FakeEvidence
from supervisor_ai.testing.fake_examiner import FakeExaminer
from supervisor_ai.testing.fake_forge import FakeForge
from supervisor_ai.testing.fake_identities import FakeIdentities
from supervisor_ai.testing.fake_notifier import MemoryNotifier
from supervisor_ai.testing.fake_sandbox import Script, ScriptedReply, ScriptedSandbox
from supervisor_ai.testing.fake_worker import FakeReply, FakeScript, FakeWorker, answering
from supervisor_ai.testing.fake_workspaces import MemoryAnchor, MemoryWorkspaces
from supervisor_ai.testing.ids import FakeIds, FakeProcesses
from supervisor_ai.testing.memory_ledger import MemoryArtifacts, MemoryLedger

register(SLICES)
_SOMEBODY = Actor(kind=ActorKind.USER, id="somebody", via="test")
_IDENTITY = Identity(name="Ada", email="ada@example.org")
_ANSWERS: Mapping[AnswerWord, Mapping[str, object]] = {
    AnswerKind.PLAN: {"status": "COMPLETE"},
    AnswerKind.IMPLEMENTATION: {
        "status": "SUCCESS",
        "files_created": [],
        "files_modified": [],
        "tests_written": [],
    },
    AnswerKind.REVIEW: {"status": "APPROVED", "issues": []},
}


class PlainPrompter:
    """Writes prompts that hold everything a worker is told, one line each."""

    def write(self, request: PromptRequest) -> str:
        """Return what the worker is told."""
        told = (*request.feedback, *request.context, *request.directives)
        lines = [request.role.name, request.task, *map(_line, told)]
        lines += [f"turn: {turn}" for turn in request.turns]
        rest = (
            *(request.instructions, request.instruction),
            *(request.knowledge, request.material, request.diff),
        )
        return "\n".join((*lines, *(text for text in rest if text)))


def _line(told: Told) -> str:
    quoted = f" ({told.side} line: {told.quote})" if told.quote else ""
    return f"{told.source}: {told.text}{quoted}"


class PlainPacker:
    """Shows what was asked for instead of any files; remembers in `learnt` what it was told."""

    def __init__(self) -> None:
        self.learnt: list[tuple[str, str, int]] = []

    def learn(self, model: str, prompt: str, tokens: int) -> None:
        """Remember it."""
        self.learnt.append((model, prompt, tokens))

    async def pack(self, request: PackRequest) -> PackedContext:
        """Return a context that names its parts."""
        items = tuple(
            PackedItem(source=source.kind, name=source.kind.value, detail=source.detail, tokens=1)
            for source in request.plan.sources
        )
        text = "\n".join((*(item.name for item in items), request.plan_text))
        budget = request.plan.token_budget
        return PackedContext(
            text=text, tokens=len(items), budget=budget, items=items, counter="one each"
        )


class NoSecrets:
    """A redactor for worlds without secrets: it passes everything on."""

    count = 0

    def redact(self, text: str) -> Redacted:
        """Return the text as it is."""
        return Redacted(text=text, count=0)

    def stream(self) -> "NoSecrets":
        """Begin with a text that comes in pieces."""
        return self

    def feed(self, text: str) -> str:
        """Pass a piece on."""
        return text

    def close(self) -> str:
        """Return the rest: nothing is ever held back."""
        return ""


def passes(spec: SandboxSpec) -> ScriptedReply:
    """Let every gate pass."""
    del spec
    return ScriptedReply()


def says(kind: AnswerWord, status: str | None = None, **rest: object) -> str:
    """Return the output of a worker with a valid answer; without a status, the one that passes."""
    answer = {**_ANSWERS[kind], **rest}
    return answering(answer if status is None else {**answer, "status": status})


def agrees(request: WorkerRequest) -> FakeReply:
    """Answer for every role that is called like its kind of answer that all is well."""
    return FakeReply(output=says(AnswerWord(request.role)))


class Fakes:
    """What a world in memory is made of, each by its own type, for tests that look inside."""

    def __init__(self, agent: FakeScript = agrees, gates: Script = passes) -> None:
        self.clock = FakeClock()
        self.ids = FakeIds()
        self.dead: set[int] = set()
        self.processes = FakeProcesses(dead=self.dead)
        self.ledger = MemoryLedger(self.clock, is_alive=self.processes.is_alive)
        self.artifacts = MemoryArtifacts()
        self.anchor = MemoryAnchor()
        self.workspaces = MemoryWorkspaces()
        self.worker = FakeWorker(agent, write=self._write)
        self.sandbox = ScriptedSandbox(gates)
        self.examiner = FakeExaminer()
        self.evidence = FakeEvidence()
        self.forge = FakeForge()
        self.notifier = MemoryNotifier(self.clock)
        self.consent = FakeConsent()
        self.identities = FakeIdentities()

    def _write(self, request: WorkerRequest, name: str, text: str) -> None:
        self.workspaces.write(request.workspace, name, text)


def fake_world(fakes: Fakes | None = None) -> World:
    """Put a world together that knows our drivers; `dataclasses.replace` changes it.

    It performs what all drivers share: for effects of a slice's own, add its performers.
    """
    parts = fakes or Fakes()
    ledger = parts.ledger
    return World(
        log=ledger,
        leases=ledger,
        inbox=ledger,
        wakes=ledger,
        cache=ledger,
        artifacts=parts.artifacts,
        documents=ArtifactDocuments(parts.artifacts),
        anchor=parts.anchor,
        clock=parts.clock,
        ids=parts.ids,
        processes=parts.processes,
        drivers=openers(),
        sandbox=parts.sandbox,
        workspaces=parts.workspaces,
        workers=lambda _adapter: parts.worker,
        prompter=PlainPrompter(),
        packer=PlainPacker(),
        answers=StrictAnswerReader(),
        examiner=parts.examiner,
        evidence=parts.evidence,
        verdicts=ledger,
        forge=parts.forge,
        redactor=NoSecrets(),
        performers=SHARED_PERFORMERS,
        consent=parts.consent,
        notifier=parts.notifier,
        identities=parts.identities,
    )


def submit(
    world: World,
    definition: object,
    *,
    base: Base,
    driver: str = WorkflowDriver.name,
    task: str = "Do it.",
    overseer: StreamId | None = None,
) -> RunId:
    """Submit a run, as `supervisor run` does."""
    run = world.ids.run_id()
    birth = RunSubmitted(
        task=world.artifacts.put(task),
        driver=driver,
        workflow="test",
        definition=world.documents.save(definition),
        base=base,
        branch=f"ai/{run}",
        identity=_IDENTITY,
        parent=None,
        root=run,
        overseer=overseer,
    )
    new = NewEvent(event=birth, actor=_SOMEBODY)
    append = StreamAppend(stream=run_stream(run), expected=0, events=(new,))
    world.log.append(Batch(appends=(append,), wakes=(Wake(run=run, number=1),)))
    return run


def make_base(workspaces: MemoryWorkspaces, files: Mapping[str, str] | None = None) -> Base:
    """Make a commit that runs can start from."""
    commit = workspaces.commit({"README": "Hello."} if files is None else files)
    return Base(ref="main", sha=commit, tree=workspaces.tree(commit))
