"""A no-op run on the real engine: real ledger, real leases, the real workflow driver."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from supervisor_ai.context.prompts.prompter import JinjaPrompter
from supervisor_ai.definitions.worker_answers.reader import StrictAnswerReader
from supervisor_ai.domain.envelope import Actor, ActorKind, NewEvent
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, StepName, TreeSha, run_stream
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.run.definition import (
    Definition,
    Gate,
    Limits,
    Step,
    StepKind,
    Workflow,
)
from supervisor_ai.domain.run.effects import OperationEffect, RunGate
from supervisor_ai.domain.run.events import GateEnded, RunEvent, RunSubmitted
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.run.values import Base
from supervisor_ai.drivers.workflow.driver import WorkflowDriver
from supervisor_ai.engine.effects.performer import SHARED_PERFORMERS
from supervisor_ai.engine.host import SystemClock, SystemIds, SystemProcesses
from supervisor_ai.engine.playback import opener
from supervisor_ai.engine.ports.ledger import Batch, StreamAppend
from supervisor_ai.engine.ports.workers import Worker
from supervisor_ai.engine.runtime import Runtime
from supervisor_ai.engine.world import Operation, World
from supervisor_ai.store.documents import ArtifactDocuments
from supervisor_ai.store.files.artifacts import FileArtifacts
from supervisor_ai.store.ledger import open_ledger
from supervisor_ai.testing.fake_consent import FakeConsent
from supervisor_ai.testing.fake_evidence import FakeEvidence
from supervisor_ai.testing.fake_examiner import FakeExaminer
from supervisor_ai.testing.fake_forge import FakeForge
from supervisor_ai.testing.fake_identities import FakeIdentities
from supervisor_ai.testing.fake_sandbox import ScriptedSandbox
from supervisor_ai.testing.fake_workspaces import MemoryAnchor, MemoryWorkspaces
from supervisor_ai.testing.world import PlainPacker

RUN = RunId("bench")
NOOP = StepName("noop")
OWNER = Actor(kind=ActorKind.SERVICE, id="bench", via="bench")


async def drive_noop_run(directory: Path, steps: int, tick: Callable[[], None]) -> None:
    """Drive a run of so many no-op gates; go on where an earlier process left it."""

    async def perform(effect: OperationEffect, _operation: Operation) -> RunEvent:
        tick()
        return _passed(effect)

    world = _world(directory)
    if not list(world.log.read(run_stream(RUN), upto=1)):
        _submit(world, steps)
    await Runtime(world=world, owner="bench", perform=perform).drive(RUN)


def _passed(effect: OperationEffect) -> GateEnded:
    if not isinstance(effect, RunGate):
        raise InternalError("The benchmark has gates only.")
    return GateEnded(
        step=effect.step,
        visit=effect.visit,
        gate=effect.gate.name,
        verdict=Verdict.PASSED,
        reason="",
        output=None,
    )


def _submit(world: World, steps: int) -> None:
    base = Base(ref="main", sha=CommitSha("0" * 40), tree=TreeSha("0" * 40))
    birth = RunSubmitted(
        task=ArtifactHash("0" * 64),
        driver=WorkflowDriver.name,
        workflow="bench",
        definition=world.documents.save(_definition(steps)),
        base=base,
        branch=None,
        identity=None,
        parent=None,
        root=RUN,
    )
    first = NewEvent(event=birth, actor=OWNER)
    world.log.append(
        Batch(appends=(StreamAppend(stream=run_stream(RUN), expected=0, events=(first,)),))
    )


def _definition(steps: int) -> Definition:
    """Make one gate that leads to itself, for a number of visits."""
    step = Step(name=NOOP, kind=StepKind.GATE, gate="noop", next=NOOP)
    return Definition(
        workflow=Workflow(name="bench", description="", initial_step=NOOP, steps={NOOP: step}),
        roles={},
        clis={},
        gates={"noop": Gate(name="noop", command=("true",), timeout=timedelta(seconds=1))},
        limits=Limits(workflow_max_steps=steps + 1),
    )


def _world(directory: Path) -> World:
    clock, processes, anchor = SystemClock(), SystemProcesses(), MemoryAnchor()
    ledger = open_ledger(directory, clock=clock, processes=processes, anchor=anchor)
    artifacts = FileArtifacts(directory / "artifacts")
    return World(
        log=ledger.events,
        leases=ledger.leases,
        inbox=ledger.inbox,
        wakes=ledger.wakes,
        cache=ledger.cache,
        artifacts=artifacts,
        documents=ArtifactDocuments(artifacts),
        anchor=anchor,
        clock=clock,
        ids=SystemIds(),
        processes=processes,
        drivers={WorkflowDriver.name: opener(WorkflowDriver())},
        performers=SHARED_PERFORMERS,
        sandbox=ScriptedSandbox(lambda _spec: None),
        workspaces=MemoryWorkspaces(),
        workers=_no_worker,
        prompter=JinjaPrompter(),
        packer=PlainPacker(),
        answers=StrictAnswerReader(),
        evidence=FakeEvidence(),
        examiner=FakeExaminer(),
        verdicts=ledger.verdicts,
        forge=FakeForge(),
        redactor=RuleRedactor(),
        consent=FakeConsent(),
        identities=FakeIdentities(),
    )


def _no_worker(adapter: str) -> Worker:
    raise InternalError(f"The benchmark starts no worker, but {adapter!r} was asked for.")
