"""Gates for faces: which there are, and what one says about any two commits."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from supervisor_ai.control.commands.gate_check import find_gate, require_answer
from supervisor_ai.control.asked_gates import find_gate, require_answer
from supervisor_ai.control.commands.sandbox_choice import choose_sandbox
from supervisor_ai.control.commands.trust import require_trust
from supervisor_ai.control.ports.definitions import GateSummary
from supervisor_ai.control.preflight import Preflight
from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.definition import Gate, Limits, SandboxPolicy, WorkspacePolicy
from supervisor_ai.domain.run.facts import Base
from supervisor_ai.domain.run.gates import Area, Finding, GateKind
from supervisor_ai.domain.run.status import WORST_FIRST, Verdict
from supervisor_ai.engine.effects.checking import Checked, CheckRequest, check_gate
from supervisor_ai.engine.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckQuestion:
    """Which gate somebody wants to hear, and about what change."""

    gate: str
    base: str | None = None
    """None: the commit before the head."""
    head: str | None = None
    """None: where the checkout stands."""
    is_tdd: bool = False
    """Whether the new tests have to fail on the old code, too."""
    may_change: tuple[Area, ...] = ()
    mutants: int | None = None
    """How many small faults the mutation gate puts into the change at most."""
    answer: str | None = None
    """What a worker reported about the change, for the gate that compares claims with git."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckView:
    """What a gate says about a change."""

    gate: str
    kind: GateKind
    base: CommitSha
    head: CommitSha
    verdict: Verdict
    reason: str
    tests: int | None
    """How many tests ran, where a runner that is known said so."""
    findings: tuple[Finding, ...]
    exit_code: int | None
    output: str
    told: str
    """What went wrong, as a worker would be told: the failing part of the output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """The two commits, and what the project says about where commands run."""

    base: Base
    head: Base
    sandbox: SandboxPolicy = field(default_factory=SandboxPolicy)
    workspace: WorkspacePolicy = field(default_factory=WorkspacePolicy)
    limits: Limits = field(default_factory=Limits)


def list_gates(preflight: Preflight, *, ref: str | None = None) -> Sequence[GateSummary]:
    """List the gates that steps can name, and those that could be configured."""
    return preflight.catalog.gates(preflight.repository.resolve(ref).sha)


async def check(project: OpenProject, question: CheckQuestion) -> CheckView:
    """Run a gate on a change; what it is made of is read from the base, as for a run."""
    change = _change(project.preflight, question)
    gates = _gates(project.preflight, question, change)
    require_answer(gates, question.answer)
    world = project.world
    if any(gate.command for gate in gates):
        change = _trusted(project.preflight, change)
        world = await _sandboxed(project, change.sandbox)
    requests = [_request(gate, question, change) for gate in gates]
    results = [await check_gate(world, request) for request in requests]
    return _view(gates[0], change, results)


def _change(preflight: Preflight, question: CheckQuestion) -> _Change:
    head = preflight.repository.resolve(question.head)
    if question.base is not None:
        return _Change(base=preflight.repository.resolve(question.base), head=head)
    try:
        return _Change(base=preflight.repository.resolve(f"{head.sha}~1"), head=head)
    except NotFound as error:
        raise InvalidInput(
            f"There is no commit before {head.ref!r} to compare it with.",
            hint="Name the other commit: --base REF",
        ) from error


def _gates(preflight: Preflight, question: CheckQuestion, change: _Change) -> tuple[Gate, ...]:
    names = [question.gate]
    if question.is_tdd:
        names.append(GateKind.RED_BEFORE_GREEN.value)
    return tuple(
        find_gate(preflight.catalog, name, base=change.base, head=change.head)
        for name in dict.fromkeys(names)
    )


def _trusted(preflight: Preflight, change: _Change) -> _Change:
    """Learn where commands run, if the user trusts what the project says about that."""
    loaded = preflight.catalog.load(change.base.sha, workflow=None, cli=None)
    require_trust(preflight, loaded.powers)
    definition = loaded.definition
    return replace(
        change,
        sandbox=definition.sandbox,
        workspace=definition.workspace,
        limits=definition.limits,
    )


async def _sandboxed(project: OpenProject, policy: SandboxPolicy) -> World:
    hard = policy.require_hard_limits
    sandbox = await choose_sandbox(project, policy.backend, needs_hard_limits=hard)
    return project.runtimes(sandbox).world


def _request(gate: Gate, question: CheckQuestion, change: _Change) -> CheckRequest:
    allowed = tuple(dict.fromkeys((*gate.may_change, *question.may_change)))
    return CheckRequest(
        gate=replace(gate, may_change=allowed),
        base=change.base.sha,
        head=change.head.sha,
        tree=change.head.tree,
        sandbox=change.sandbox,
        workspace=change.workspace,
        output_bytes=change.limits.output_bytes,
        mutants=question.mutants,
        answer=question.answer,
    )


def _view(gate: Gate, change: _Change, results: Sequence[Checked]) -> CheckView:
    worst = min(results, key=lambda result: WORST_FIRST.index(result.verdict))
    first = results[0]
    return CheckView(
        gate=gate.name,
        kind=gate.kind,
        base=change.base.sha,
        head=change.head.sha,
        verdict=worst.verdict,
        reason=" ".join(result.reason for result in results),
        tests=first.tests,
        findings=tuple(finding for result in results for finding in result.findings),
        exit_code=first.exit_code,
        output="\n".join(result.output for result in results if result.output),
        told="\n".join(result.told for result in results if result.told),
    )
