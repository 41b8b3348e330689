"""What the approval policy says to a merge that makes other files than people have agreed to.

A run that has ended records nothing more, so that the rule by which such a merge passed stands
where it lasts: as a trailer of the commit that the branch takes.
"""

from typing import Final

from supervisor_ai.control.commands.git_flow.run_merge import MergePlan
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.ports.queries import RunRow
from supervisor_ai.control.ports.user_merges import UserMerges
from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.errors import Denied
from supervisor_ai.domain.ids import RunId, TreeSha, run_stream
from supervisor_ai.domain.run.approvals.policy import (
    ApprovalAction,
    ApprovalPolicy,
    Assessment,
    assess,
)
from supervisor_ai.domain.run.events import ChangeAssessed, IntegrationStarted
from supervisor_ai.engine.ports.gates import FactsCase

_TRAILER: Final = "Supervisor-Approval"
_DRAFT: Final = "What a merge would make, to be looked at\n"
_LONGEST: Final = 200


async def clear_merge(
    project: OpenProject, merges: UserMerges, row: RunRow, plan: MergePlan, policy: ApprovalPolicy
) -> str:
    """Assess what a branch would take; return the trailer that says why it may, or nothing.

    Nothing is to be said where the files are those that were agreed to. Gates have not seen any
    others, so that nobody knows what they would say of them.
    """
    if plan.tree is None or plan.tree == _agreed(project, row):
        return ""
    draft = merges.commit(plan.tree, (plan.old,), _DRAFT, is_signed=False)
    case = FactsCase(base=plan.old, head=draft, own=policy.path_facts)
    found = assess(policy, (await project.world.examiner.facts(case)).facts)
    if found.action is not ApprovalAction.AUTO_APPROVE:
        raise _denied(row.id, plan, found)
    return f"{_TRAILER}: {_words(found)}"


def _agreed(project: OpenProject, row: RunRow) -> TreeSha | None:
    """Find the files that the run was allowed to land; None: it was not asked about any.

    Where what landed last needed nobody, as the files of a kanban do, it is all that it landed.
    """
    assessed: ChangeAssessed | None = None
    landing: IntegrationStarted | None = None
    for envelope in project.records.log.read(run_stream(row.id)):
        if isinstance(envelope.event, ChangeAssessed):
            assessed = envelope.event
        elif isinstance(envelope.event, IntegrationStarted):
            landing = envelope.event
    if assessed is None:
        return None
    if row.commit is None or landing is None or landing.snapshot == assessed.commit:
        return assessed.tree
    return project.repository.resolve(row.commit).tree


def _denied(run: RunId, plan: MergePlan, found: Assessment) -> Denied:
    return Denied(
        f"Branch {plan.branch!r} would take other files than those of run {run!r} that were agreed"
        f" to, and the approval policy wants people for that: {_words(found)}."
        " Nothing was touched.",
        hint="Let it be done and approved again from where the branch stands: supervisor run …"
        f" --base {plan.branch}",
    )


def _words(found: Assessment) -> str:
    because = one_line("; ".join(found.because))[:_LONGEST]
    return f"{found.level.value} {found.action.value} ({because})"
