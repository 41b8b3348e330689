"""Facts of a change between any two commits, as an approval policy would see them."""

from msgspec import Struct

from supervisor_ai.control.commands.gates.gate_check import CheckQuestion
from supervisor_ai.control.commands.gates.gate_sources import find_base, nothing_before
from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.approvals.facts import Fact
from supervisor_ai.engine.ports.gates import ApiBreak, FactEvidence, FactsCase


class FactsView(Struct, frozen=True, kw_only=True):
    """What is known of a change, and why."""

    base: CommitSha
    head: CommitSha
    facts: tuple[Fact, ...]
    evidence: tuple[FactEvidence, ...]
    breaks: tuple[ApiBreak, ...]


async def show_facts(project: OpenProject, question: CheckQuestion) -> FactsView:
    """Find out what is known of a change; nothing of the project is run."""
    repository = project.preflight.repository
    head = repository.resolve(question.head)
    base = find_base(repository, question.base, head)
    if base is None:
        raise nothing_before(head)
    found = await project.world.examiner.facts(FactsCase(base=base.sha, head=head.sha))
    return FactsView(
        base=base.sha,
        head=head.sha,
        facts=found.facts,
        evidence=found.evidence,
        breaks=found.breaks,
    )
