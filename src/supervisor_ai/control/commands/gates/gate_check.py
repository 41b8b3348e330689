"""Gates: find one by its name, and run it on any two commits."""

import json
from collections.abc import Sequence
from typing import Final

from msgspec import Struct, field

from supervisor_ai.control.commands.gates.gate_sources import find_base, find_source, nothing_before
from supervisor_ai.control.commands.sandbox_choice import choose_sandbox
from supervisor_ai.control.commands.trust import require_trust
from supervisor_ai.control.ports.definitions import Catalog
from supervisor_ai.control.preflight import Preflight
from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.definition import Gate, Limits, SandboxPolicy, WorkspacePolicy
from supervisor_ai.domain.run.gates import Area, Finding, GateKind, GateWord, HarnessRules
from supervisor_ai.domain.run.status import WORST_FIRST, Verdict
from supervisor_ai.domain.run.values import Base
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.gate_check import Checked, CheckRequest, check_gate
from supervisor_ai.engine.world import World

REPLAY: Final = "replay"
"""No gate, but what is asked of every gate that runs tests."""


class CheckQuestion(Struct, frozen=True, kw_only=True):
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


class CheckView(Struct, frozen=True, kw_only=True):
    """What a gate says about a change."""

    gate: str
    kind: GateWord
    base: CommitSha
    head: CommitSha
    verdict: Verdict
    reason: str
    tests: int | None
    """How many tests ran, where a runner that is known said so."""
    findings: tuple[Finding, ...]
    exit_code: int | None
    output: str
    command: tuple[str, ...]
    """What was run; nothing for a gate that looks at the change itself."""
    note: str
    """Where the gate comes from, if that is not the base."""
    told: str
    """What went wrong, as a worker would be told: the failing part of the output."""


class _Change(Struct, frozen=True, kw_only=True):
    """The two commits, and what the project says about where commands run."""

    base: Base
    head: Base
    definition: CommitSha
    """The commit that says what the gate is made of."""
    note: str = ""
    """The same in words, where it is not the base."""
    is_first: bool = False
    """Whether there is no commit before the head."""
    sandbox: SandboxPolicy = field(default_factory=SandboxPolicy)
    workspace: WorkspacePolicy = field(default_factory=WorkspacePolicy)
    limits: Limits = field(default_factory=Limits)
    harness: HarnessRules = HarnessRules()


async def check(project: OpenProject, question: CheckQuestion) -> CheckView:
    """Run a gate on a change; what it is made of is read from the base, as for a run."""
    change = _change(project.preflight, question)
    if question.base is None:
        source = await find_source(project, question.gate, change.base, change.head)
        change = replace(change, definition=source.commit, note=source.note)
    gates = _gates(project.preflight, question, change)
    _require_change(gates, change)
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
    base = find_base(preflight.repository, question.base, head)
    if base is None:
        return _Change(base=head, head=head, definition=head.sha, is_first=True)
    return _Change(base=base, head=head, definition=base.sha)


def _require_change(gates: Sequence[Gate], change: _Change) -> None:
    """Refuse to compare the first commit of all with itself; a command needs no other one."""
    if change.is_first and any(gate.kind != GateKind.COMMAND for gate in gates):
        raise nothing_before(change.head)


def _gates(preflight: Preflight, question: CheckQuestion, change: _Change) -> tuple[Gate, ...]:
    names = [question.gate]
    if question.is_tdd:
        names.append(GateKind.RED_BEFORE_GREEN)
    return tuple(
        find_gate(
            preflight.catalog,
            name,
            base=replace(change.base, sha=change.definition),
            head=change.head,
        )
        for name in dict.fromkeys(names)
    )


def _trusted(preflight: Preflight, change: _Change) -> _Change:
    """Learn where commands run, if the user trusts what the project says about that."""
    loaded = preflight.catalog.load(change.definition, workflow=None, cli=None)
    require_trust(preflight, loaded.powers)
    definition = loaded.definition
    return replace(
        change,
        sandbox=definition.sandbox,
        workspace=definition.workspace,
        limits=definition.limits,
        harness=definition.harness,
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
        base_tree=change.base.tree,
        harness=change.harness,
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
        command=gate.command,
        note=change.note,
        output="\n".join(result.output for result in results if result.output),
        told="\n".join(result.told for result in results if result.told),
    )


_CLAIMS: Final = ("files_created", "files_modified", "tests_written")
"""The lists that every implementer's answer has."""


def find_gate(catalog: Catalog, name: str, *, base: Base, head: Base) -> Gate:
    """Return a gate as the base configures it, so that no change loosens its own gate."""
    try:
        return catalog.gate(base.sha, name)
    except (InvalidInput, NotFound) as error:
        if name == REPLAY:
            raise NotFound(
                f"No gate is called {name!r}: gates that run tests are replayed where they pass.",
                hint="`supervisor gate check replay --explain` shows what would be put back.",
            ) from error
        if _is_configured(catalog, base.sha, name) or not _is_in_head(catalog, head.sha, name):
            raise
        raise NotFound(
            f"The gate {name!r} is configured in {head.ref!r}, but not in the base {base.ref!r}.",
            hint="Definitions are read from the base; `--base HEAD` uses those of HEAD.",
        ) from error


def require_answer(gates: Sequence[Gate], answer: str | None) -> None:
    """Refuse to compare claims where there are none, and claims that nobody would compare."""
    compares = any(gate.kind == GateKind.CLAIMS for gate in gates)
    if compares and answer is None:
        raise InvalidInput(
            "The gate 'claims' compares what a worker reported with git, "
            "and there is no report to compare.",
            hint="Give it an implementer's answer, a file with JSON: --answer FILE",
        )
    if answer is not None and not compares:
        raise InvalidInput("Only the gate 'claims' compares an answer with git.")
    if answer is not None and not _has_claims(answer):
        raise InvalidInput(
            "The answer makes no claims: it is no JSON object with the lists "
            f"{', '.join(map(repr, _CLAIMS))}.",
            hint="`supervisor logs RUN --json` shows the answers of a run's workers.",
        )


def _is_configured(catalog: Catalog, commit: CommitSha, name: str) -> bool:
    return any(it.name == name and it.missing is None for it in catalog.gates(commit))


def _is_in_head(catalog: Catalog, commit: CommitSha, name: str) -> bool:
    """Tell whether the change brings the gate; what is wrong with the change is not asked."""
    try:
        return _is_configured(catalog, commit, name)
    except InvalidInput:
        return False


def _has_claims(answer: str) -> bool:
    try:
        found = json.loads(answer)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and all(isinstance(found.get(key), list) for key in _CLAIMS)
