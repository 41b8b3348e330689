"""Which of a project's gates work here: each is tried in the sandbox on the untouched HEAD."""

import shlex
from collections.abc import Callable
from datetime import timedelta
from typing import Final

from msgspec import Struct

from supervisor_ai.control.commands.gates.likely_causes import LikelyCause, likely_cause
from supervisor_ai.control.commands.sandbox_choice import choose_sandbox
from supervisor_ai.control.commands.trust import require_trust
from supervisor_ai.control.ports.project_survey import (
    DetectedGate,
    GateSuggestion,
    ProjectSurvey,
    WorkspaceWay,
    all_of,
)
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.settings import AUTO
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.definition import Gate, Limits, SandboxPolicy, WorkspacePolicy
from supervisor_ai.domain.run.status import FailureCategory, Verdict
from supervisor_ai.domain.run.values import Base
from supervisor_ai.domain.structs import replace
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.effects.gate_check import Checked, CheckRequest, check_gate
from supervisor_ai.engine.effects.gates.judgement import HIDDEN_COPIES
from supervisor_ai.engine.world import World
from supervisor_ai.tools.text import counted

_TEST: Final = "test"
_LINES: Final = 12
_PATIENCE: Final = timedelta(minutes=15)


class GateTrial(Struct, frozen=True, kw_only=True):
    """What came of one command."""

    gate: str
    command: tuple[str, ...]
    environment: dict[str, str]
    setup: tuple[str, ...]
    works: bool
    """Whether it passed and, where it is one of tests, ran at least one."""
    verdict: Verdict
    reason: str
    tests: int | None
    seconds: float
    lines: tuple[str, ...] = ()
    """The lines of its output that tell most about a failure."""
    likely: LikelyCause | None = None
    is_set_up: bool = True
    """Whether the command itself began; False where the set-up before it failed."""


class GateTrials(Struct, frozen=True, kw_only=True):
    """What was tried on a commit, and what of it works."""

    commit: CommitSha
    sandbox: str
    """The one in which they were tried, which is the one that a run would choose."""
    way: WorkspaceWay
    """How the workspaces are made in which they work; its gates are those that do."""
    trials: tuple[GateTrial, ...]

    def passed(self, gate: str) -> GateTrial | None:
        """Return the trial in which a gate worked."""
        return next((it for it in self.trials if it.gate == gate and it.works), None)

    @property
    def failed(self) -> tuple[GateTrial, ...]:
        """Return the most telling trial of each gate that does not work."""
        best: dict[str, GateTrial] = {}
        for trial in self.trials:
            known = best.get(trial.gate)
            if known is None or _weight(trial) > _weight(known):
                best[trial.gate] = trial
        return tuple(trial for trial in best.values() if not trial.works)


class Bench(Struct, frozen=True, kw_only=True):
    """Where gates are tried, and who hears of it."""

    world: World
    head: Base
    policy: SandboxPolicy
    has_program: Callable[[str], object]
    tell: Callable[[str], None]


async def try_gates(
    project: OpenProject,
    survey: ProjectSurvey,
    *,
    has_program: Callable[[str], object],
    tell: Callable[[str], None],
) -> GateTrials:
    """Find the first way in which the tests work, and then what else works there."""
    head = project.repository.resolve(None)
    policy = _policy(project, head)
    hard = policy.require_hard_limits
    sandbox = await choose_sandbox(project, policy.backend, needs_hard_limits=hard)
    tell(f"sandbox: {sandbox}{_chosen(policy)}")
    bench = Bench(
        world=project.runtimes(sandbox).world,
        head=head,
        policy=policy,
        has_program=has_program,
        tell=tell,
    )
    way, trials = await _way_for_tests(bench, survey)
    for gate in way.gates:
        if not _is_test(gate.name):
            trials += await _try_all(bench, way, gate)
    working = tuple(_working(gate, trials) for gate in way.gates if not gate.parts)
    good = tuple(gate for gate in working if gate is not None)
    whole = [_whole(gate, good) for gate in way.gates if gate.parts]
    gates = (*(gate for gate in whole if gate is not None), *good)
    return GateTrials(
        commit=head.sha, sandbox=sandbox, way=replace(way, gates=gates), trials=tuple(trials)
    )


def _policy(project: OpenProject, head: Base) -> SandboxPolicy:
    """Read what a run would be told about its sandbox, if the user trusts what HEAD may say."""
    loaded = project.preflight.catalog.load(head.sha, workflow=None, cli=None)
    require_trust(project.preflight, loaded.powers)
    return loaded.definition.sandbox


def _chosen(policy: SandboxPolicy) -> str:
    if policy.backend == AUTO:
        return ", the first that works here, as a run would choose it"
    return ", as your settings say"


async def _way_for_tests(
    bench: Bench, survey: ProjectSurvey
) -> tuple[WorkspaceWay, list[GateTrial]]:
    """Try the ways in their order; where the tests work in none, the most promising one counts."""
    tried: list[tuple[WorkspaceWay, list[GateTrial]]] = []
    for way in survey.ways:
        tests = [gate for gate in way.gates if _is_test(gate.name) and not gate.parts]
        missing = [name for name in way.needs if not bench.has_program(name)]
        if missing and tried:
            bench.tell(f"not tried: {_setup_words(way)}, because {missing[0]!r} is not there")
            continue
        trials = [trial for gate in tests for trial in await _try_all(bench, way, gate)]
        tried.append((way, trials))
        if all(any(it.works and it.gate == gate.name for it in trials) for gate in tests):
            break
    best = max(tried, key=lambda it: sum(map(_weight, _best_of_each(it[1]))))
    others = [trial for way, trials in tried if way is not best[0] for trial in trials]
    return best[0], [*best[1], *(it for it in others if not it.works)]


def _best_of_each(trials: list[GateTrial]) -> list[GateTrial]:
    names = dict.fromkeys(trial.gate for trial in trials)
    return [max((it for it in trials if it.gate == name), key=_weight) for name in names]


def _weight(trial: GateTrial) -> int:
    """Say how much a trial tells: one that works most, one that never began least."""
    ran = 1 if trial.tests is None else 2 + bool(trial.tests)
    return 8 if trial.works else (ran if trial.is_set_up else 0)


async def _try_all(bench: Bench, way: WorkspaceWay, gate: DetectedGate) -> list[GateTrial]:
    """Try the commands of a gate until one works; none can without the set-up."""
    trials: list[GateTrial] = []
    first = GateSuggestion(
        command=gate.command,
        directory="",
        evidence=gate.evidence[0],
        environment=gate.environment,
    )
    for suggestion in (first, *gate.others):
        trials.append(await _try(bench, way, gate.name, suggestion))
        if trials[-1].works or not trials[-1].is_set_up:
            break
    return trials


async def _try(bench: Bench, way: WorkspaceWay, name: str, tried: GateSuggestion) -> GateTrial:
    with_setup = f"; {_setup_words(way)}" if _setup_words(way) else ""
    bench.tell(f"trying {name}: {shlex.join(tried.command)}{with_setup}")
    began = bench.world.clock.now()
    found = await _check(bench, _request(bench, way, name, tried))
    took = bench.world.clock.now() - began
    trial = _trial(way, name, tried, found, took)
    bench.tell(f"  {_outcome(trial)}")
    return trial


async def _check(bench: Bench, request: CheckRequest) -> Checked:
    """Let the gate speak; where no workspace can be made for it, another way may do better."""
    try:
        return await check_gate(bench.world, request)
    except SupervisorError as error:
        reason = f"{error.message} {error.hint or ''}".strip()
        return Checked(
            verdict=Verdict.NOT_RUN, reason=reason, category=FailureCategory.SETUP, told=reason
        )


def _setup_words(way: WorkspaceWay) -> str:
    shown = [f"after {shlex.join(way.setup)}"] if way.setup else []
    copied = [f"with a copy of {' and '.join(way.include)} of the checkout"] if way.include else []
    caches = [f"with the package cache of {' and '.join(way.caches)}"] if way.caches else []
    return " ".join((*shown, *copied, *caches))


def _outcome(trial: GateTrial) -> str:
    took = f" in {trial.seconds:.1f} s"
    if trial.works:
        tests = f", {counted(trial.tests, 'test')}" if trial.tests is not None else ""
        _, mark, copies = trial.reason.partition(HIDDEN_COPIES)
        return f"works{tests}{took}{f'. {mark}{copies}' if mark else ''}"
    return f"does not work{took}: {trial.reason}"


def _request(bench: Bench, way: WorkspaceWay, name: str, tried: GateSuggestion) -> CheckRequest:
    return CheckRequest(
        gate=Gate(
            name=name,
            command=tried.command,
            environment=tried.environment,
            timeout=_PATIENCE,
            counts_tests=_is_test(name),
        ),
        base=bench.head.sha,
        head=bench.head.sha,
        tree=bench.head.tree,
        output_bytes=Limits().output_bytes,
        sandbox=replace(bench.policy, caches=way.caches or bench.policy.caches),
        workspace=WorkspacePolicy(
            setup=way.setup,
            egress=way.egress,
            cache_key=way.cache_key,
            cache_paths=way.cache_paths,
            include=way.include,
        ),
    )


def _trial(
    way: WorkspaceWay, name: str, tried: GateSuggestion, found: Checked, took: timedelta
) -> GateTrial:
    works = found.verdict is Verdict.PASSED and (bool(found.tests) or not _is_test(name))
    lines = () if works else tuple(_telling(found))
    reason = found.reason
    if not works and found.verdict is Verdict.PASSED:
        reason = f"{reason} No test was seen, so nobody knows what it would notice."
    return GateTrial(
        gate=name,
        command=tried.command,
        environment=dict(tried.environment),
        setup=way.setup,
        works=works,
        verdict=found.verdict,
        reason=plain(reason),
        tests=found.tests,
        seconds=took.total_seconds(),
        lines=lines,
        likely=None if works else likely_cause(f"{found.told}\n{found.output}"),
        is_set_up=found.category is not FailureCategory.SETUP,
    )


def _telling(found: Checked) -> list[str]:
    text = plain(found.told.removeprefix(found.reason)).strip() or plain(found.output).strip()
    return [line for line in text.split("\n") if line.strip()][-_LINES:]


def _is_test(name: str) -> bool:
    return name == _TEST or name.startswith(f"{_TEST}_")


def _working(gate: DetectedGate, trials: list[GateTrial]) -> DetectedGate | None:
    """Return the gate with the command that worked."""
    worked = next((it for it in trials if it.gate == gate.name and it.works), None)
    if worked is None:
        return None
    ways = {gate.command: gate.evidence, **{it.command: (it.evidence,) for it in gate.others}}
    others = tuple(it for it in gate.others if it.command != worked.command)
    return replace(
        gate,
        command=worked.command,
        environment=worked.environment,
        evidence=ways.get(worked.command, gate.evidence),
        others=others,
    )


def _whole(gate: DetectedGate, good: tuple[DetectedGate, ...]) -> DetectedGate | None:
    parts = tuple(part for part in good if part.name in gate.parts)
    return all_of(gate.name, parts) if parts else None
