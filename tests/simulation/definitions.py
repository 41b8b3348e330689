"""Random workflows: roles, gates, people and commits in any order, with ways back."""

from datetime import timedelta
from random import Random
from typing import Final

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import (
    Cli,
    Definition,
    Gate,
    Limits,
    Role,
    Step,
    StepKind,
    StepWord,
    Workflow,
)
from supervisor_ai.domain.run.failures.breaker import BreakerPolicy
from supervisor_ai.domain.run.gates import GateKind, GatePolicy
from supervisor_ai.domain.run.spending.budgets import Amount, Scope
from supervisor_ai.domain.structs import replace

CLI: Final = Cli(name="agent", adapter="simulated")
GATE: Final = Gate(name="test", command=("make", "test"), timeout=timedelta(minutes=1))
GATES: Final = {
    gate.name: gate
    for gate in (
        GATE,
        replace(GATE, name="lint", command=("make", "lint"), depends_on=(GATE.name,)),
        replace(GATE, name="warn", command=("make", "warn"), policy=GatePolicy.WARN),
        replace(GATE, name="look", command=(), kind=GateKind.TEST_INTEGRITY, policy=GatePolicy.ASK),
        replace(GATE, name="claims", command=(), kind=GateKind.CLAIMS),
    )
}
_TOGETHER: Final = (
    *((GATE.name,),) * 3,
    *((GATE.name, "lint"), ("claims", "look"), ("warn", GATE.name, "lint"), ("look",)),
)
WRITER: Final = "implementation"
_ANSWERS: Final = (AnswerKind.PLAN, AnswerKind.IMPLEMENTATION, AnswerKind.REVIEW)
ROLES: Final[dict[str, Role]] = {
    kind: Role(
        name=kind,
        description="",
        answer=kind,
        writes=kind == AnswerKind.IMPLEMENTATION,
        cli=CLI.name,
        template="",
    )
    for kind in _ANSWERS
}
PURSE: Final = 6
"""How many attempts all runs of a day may make together."""
_KINDS: Final = (
    *(StepKind.ROLE,) * 5,
    *(StepKind.GATE,) * 3,
    StepKind.HUMAN,
    StepKind.COMMIT,
    StepKind.PULL_REQUEST,
)


def random_definition(chance: Random) -> Definition:
    """Draw a workflow that begins with a worker and ends with a commit."""
    kinds = [StepKind.ROLE, *chance.choices(_KINDS, k=chance.randrange(1, 5)), StepKind.COMMIT]
    names = [StepName(f"s{place}") for place in range(len(kinds))]
    steps = {
        name: _step(chance, names, place, kind)
        for place, (name, kind) in enumerate(zip(names, kinds, strict=True))
    }
    workflow = Workflow(name="random", description="", initial_step=names[0], steps=steps)
    return Definition(
        workflow=workflow,
        roles=ROLES,
        clis={CLI.name: CLI},
        gates=GATES,
        limits=_limits(chance),
    )


def frugal(definition: Definition) -> Definition:
    """Let a run share a small budget with others, and rest soon where it fails."""
    return replace(
        definition,
        budgets={Scope.DAY: Amount(attempts=PURSE), Scope.STEP: Amount(attempts=3)},
        breaker=BreakerPolicy(failures=2, rest=timedelta(seconds=20)),
    )


def _step(chance: Random, names: list[StepName], place: int, kind: StepWord) -> Step:
    is_last = place == len(names) - 1
    role = chance.choice((WRITER, *ROLES))
    back = chance.choice(names[: place + 1])
    return Step(
        name=names[place],
        kind=kind,
        role=role if kind == StepKind.ROLE else None,
        gates=chance.choice(_TOGETHER) if kind == StepKind.GATE else (),
        next=None if is_last else names[place + 1],
        on_fail=back if kind == StepKind.GATE and chance.random() < 0.9 else None,
        on_reject=back if kind != StepKind.GATE and chance.random() < 0.9 else None,
        max_retries=chance.choice((None, None, 0, 1, 2)),
        asks_at_last=kind == StepKind.GATE and chance.random() < 0.3,
        terminal=is_last,
    )


def _limits(chance: Random) -> Limits:
    timeout = timedelta(seconds=chance.randrange(20, 200)) if chance.random() < 0.15 else None
    return Limits(
        step_max_retries=chance.randrange(4),
        workflow_max_steps=chance.randrange(4, 16),
        workflow_timeout=timeout,
    )
