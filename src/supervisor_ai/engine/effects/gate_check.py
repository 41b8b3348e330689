"""A gate on any two commits, outside of every run; nothing is recorded."""

from msgspec import Struct, field

from supervisor_ai.domain.ids import CommitSha, EffectKey, StepName, TreeSha
from supervisor_ai.domain.run.definition import Gate, SandboxPolicy, WorkspacePolicy
from supervisor_ai.domain.run.effects import RunBaseline, RunGate
from supervisor_ai.domain.run.events import RunEvent
from supervisor_ai.domain.run.gates import Authorship, Finding, HarnessRules
from supervisor_ai.domain.run.status import FailureCategory, Verdict
from supervisor_ai.engine.effects.gates.baseline import perform_baseline
from supervisor_ai.engine.effects.gates.gate import form_opinion
from supervisor_ai.engine.effects.gates.verdict_cache import followed
from supervisor_ai.engine.world import Operation, World

_NOWHERE = StepName("check")


class CheckRequest(Struct, frozen=True, kw_only=True):
    """A gate, and the commits that it is asked about."""

    gate: Gate
    base: CommitSha
    head: CommitSha
    tree: TreeSha
    output_bytes: int
    base_tree: TreeSha | None = None
    """The files of the base, where tests are to be compared with how they stood there."""
    harness: HarnessRules = HarnessRules()
    sandbox: SandboxPolicy = field(default_factory=SandboxPolicy)
    workspace: WorkspacePolicy = field(default_factory=WorkspacePolicy)
    mutants: int | None = None
    """How many faults the mutation check tries at most."""
    answer: str | None = None
    """What a worker reported about the change, for the gate that compares claims with git."""


class Checked(Struct, frozen=True, kw_only=True):
    """What the gate said."""

    verdict: Verdict
    reason: str
    findings: tuple[Finding, ...] = ()
    output: str = ""
    told: str = ""
    """The part of the output that tells what went wrong."""
    tests: int | None = None
    category: FailureCategory | None = None
    exit_code: int | None = None


async def check_gate(world: World, request: CheckRequest) -> Checked:
    """Find out what a gate says about the head."""
    operation = _operation(world)
    effect = await _with_baseline(_effect(world, request), request, operation)
    opinion = await form_opinion(effect, operation)
    return Checked(
        verdict=followed(effect, opinion.verdict),
        reason=opinion.reason,
        findings=opinion.findings,
        output=world.artifacts.get(opinion.output) if opinion.output else "",
        told=opinion.told,
        tests=opinion.tests,
        category=opinion.category,
        exit_code=opinion.exit_code,
    )


async def _with_baseline(effect: RunGate, request: CheckRequest, operation: Operation) -> RunGate:
    """Find out how the tests stood at the base, so that they can be compared."""
    if not request.gate.runs_tests or request.base_tree in {None, request.tree}:
        return effect
    before = RunBaseline(
        step=effect.step,
        visit=effect.visit,
        gate=effect.gate,
        snapshot=effect.origin,
        tree=request.base_tree or effect.tree,
        sandbox=effect.sandbox,
        workspace=effect.workspace,
        output_bytes=effect.output_bytes,
        origin=effect.origin,
        vouched=effect.vouched,
    )
    return effect.compared_with(await perform_baseline(before, operation))


def _effect(world: World, request: CheckRequest) -> RunGate:
    return RunGate(
        step=_NOWHERE,
        visit=1,
        gate=request.gate,
        snapshot=request.head,
        tree=request.tree,
        sandbox=request.sandbox,
        workspace=request.workspace,
        output_bytes=request.output_bytes,
        origin=request.base,
        vouched=request.base,
        mutants=request.mutants,
        harness=request.harness,
        author=_author(world, request) if request.answer is not None else None,
    )


def _author(world: World, request: CheckRequest) -> Authorship:
    answer = world.artifacts.put(world.redactor.redact(request.answer or "").text)
    return Authorship(role="", cli="", attempt=0, start=request.base, answer=answer)


def _operation(world: World) -> Operation:
    """Name what belongs to no run."""
    run = world.ids.run_id()
    return Operation(
        world=world,
        run=run,
        identity=None,
        key=EffectKey(f"{run}/{_NOWHERE}/1/1/gate"),
        epoch=1,
        intended_at=world.clock.now(),
        record=_forget,
    )


def _forget(event: RunEvent) -> None:
    """Record nothing: there is no run that it would be a fact of."""
    del event
