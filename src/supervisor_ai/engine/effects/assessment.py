"""Performing an assessment: the facts of a change, and what the approval policy makes of them."""

from collections.abc import Iterator
from typing import Final

from supervisor_ai.domain.run.approvals.facts import TEST_COVERAGE, Fact
from supervisor_ai.domain.run.approvals.policy import assess
from supervisor_ai.domain.run.approvals.shown_change import (
    ShownChange,
    ShownEvidence,
    ShownGate,
    ShownReview,
)
from supervisor_ai.domain.run.effects import AssessChange, ContextItem
from supervisor_ai.domain.run.events import ChangeAssessed
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.ports.gates import ChangeFacts, FactsCase
from supervisor_ai.engine.world import Operation
from supervisor_ai.tools.json_value import parse_object

_SUMMARY: Final = 500
"""So many characters of a reviewer's summary are shown."""
_EVIDENCE: Final = 200


async def perform_assessment(effect: AssessChange, operation: Operation) -> ChangeAssessed:
    """Find out what is known about the change, and what it needs."""
    policy = effect.policy
    case = FactsCase(
        base=effect.since, head=effect.commit, own=policy.path_facts, declared=effect.declared
    )
    found = await operation.world.examiner.facts(case)
    facts = (*found.facts, *_measured(effect))
    assessment = assess(policy, facts)
    change = ShownChange(
        base=effect.since,
        commit=effect.commit,
        tree=effect.tree,
        assessment=assessment,
        facts=facts,
        evidence=tuple(_evidence(found)),
        breaks=tuple(f"{it.file}: {it.symbol}: {it.detail}" for it in found.breaks[:_EVIDENCE]),
        # By name: gates that run side by side end in any order.
        gates=tuple(
            ShownGate(gate=gate, verdict=it) for gate, it in sorted(effect.verdicts.items())
        ),
        reviews=tuple(_review(operation, item) for item in effect.reviews),
    )
    shown, _ = operation.keep(operation.world.documents.encode(change).decode())
    return ChangeAssessed(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        tree=effect.tree,
        commit=effect.commit,
        assessment=assessment,
        facts=facts,
        shown=shown,
        at=operation.world.clock.now(),
    )


def _measured(effect: AssessChange) -> Iterator[Fact]:
    """Add what gates have said; one that has not run says nothing."""
    yield Fact(name=TEST_COVERAGE, value=effect.coverage)
    for name, fact in effect.policy.facts.items():
        if fact.gate is not None:
            said = effect.verdicts.get(fact.gate)
            yield Fact(name=name, value=None if said is None else said.value in fact.verdicts)


def _evidence(found: ChangeFacts) -> Iterator[ShownEvidence]:
    for it in found.evidence[:_EVIDENCE]:
        yield ShownEvidence(fact=it.fact, file=plain(it.file), detail=plain(it.detail))


def _review(operation: Operation, item: ContextItem) -> ShownReview:
    """Show what was checked against its schema when it came."""
    said = parse_object(operation.text_of(item.artifact)) or {}
    return ShownReview(
        by=item.title,
        said=plain(str(said.get("status") or "")),
        summary=plain(str(said.get("summary") or ""))[:_SUMMARY],
    )
