"""What gates and the approval policy say to a merge, before any branch moves.

A run that has ended records nothing more, so that the rule by which such a merge passed stands
where it lasts: as a trailer of the commit that the branch takes.
"""

from typing import Final

from supervisor_ai.control.commands.git_flow.run_merge import MergePlan
from supervisor_ai.control.commands.run_start import WORKFLOW
from supervisor_ai.control.commands.sandbox_choice import choose_sandbox
from supervisor_ai.control.commands.trust import require_trust
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.ports.queries import RunRow
from supervisor_ai.control.ports.user_merges import UserMerges
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.queries.first_failures import first_failure
from supervisor_ai.domain.errors import Conflict, Denied
from supervisor_ai.domain.ids import CommitSha, RunId, TreeSha, run_stream
from supervisor_ai.domain.run.approvals.policy import (
    ApprovalAction,
    ApprovalPolicy,
    Assessment,
    assess,
)
from supervisor_ai.domain.run.events import ChangeAssessed, IntegrationStarted
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.engine.effects.gate_check import CheckRequest, check_gate
from supervisor_ai.engine.ports.gates import FactsCase

_TRAILER: Final = "Supervisor-Approval"
_DRAFT: Final = "What a merge would make, to be looked at\n"
_LONGEST: Final = 200
_GOOD: Final = frozenset({Verdict.PASSED, Verdict.WARNED})


async def clear_merge(
    project: OpenProject,
    merges: UserMerges,
    row: RunRow,
    plan: MergePlan,
    policy: ApprovalPolicy | None,
    *,
    is_tested: bool = False,
) -> str:
    """Assess what a branch would take; return the trailer that says why it may, or nothing.

    Of files that were agreed to the policy says nothing. Facts of others that only gates know are
    unknown to it, also where the gates run on what the merge makes.
    """
    if plan.tree is None:
        return ""
    draft = merges.commit(plan.tree, (plan.old,), _DRAFT, is_signed=False)
    if is_tested:
        await _test(project, row, plan, plan.tree, draft)
    if policy is None or plan.tree == _agreed(project, row):
        return ""
    case = FactsCase(base=plan.old, head=draft, own=policy.path_facts)
    found = assess(policy, (await project.world.examiner.facts(case)).facts)
    if found.action is not ApprovalAction.AUTO_APPROVE:
        raise _denied(row.id, plan, found)
    return f"{_TRAILER}: {_words(found)}"


async def _test(
    project: OpenProject, row: RunRow, plan: MergePlan, tree: TreeSha, draft: CommitSha
) -> None:
    """Run the gates of the run's workflow, as the branch has them, on what the merge would make."""
    workflow = row.workflow if row.driver == WORKFLOW else None
    loaded = project.preflight.catalog.load(plan.old, workflow=workflow, cli=None)
    require_trust(project.preflight, loaded.powers)
    definition, limits = loaded.definition, loaded.definition.sandbox.require_hard_limits
    backend = definition.sandbox.backend
    sandbox = await choose_sandbox(project, backend, needs_hard_limits=limits)
    for gate in definition.command_gates:
        request = CheckRequest(
            gate=gate,
            base=plan.old,
            head=draft,
            tree=tree,
            harness=definition.harness,
            sandbox=definition.sandbox,
            workspace=definition.workspace,
            output_bytes=definition.limits.output_bytes,
        )
        said = await check_gate(project.runtimes(sandbox).world, request)
        if said.verdict not in _GOOD and not gate.only_warns:
            raise Conflict(
                f"Gate {gate.name!r} does not pass on what branch {plan.branch!r} would take from"
                f" run {row.id!r}: {said.reason} Nothing was touched.",
                hint=first_failure(said.output) or None,
            )


def _agreed(project: OpenProject, row: RunRow) -> TreeSha | None:
    """Find the files that the run was allowed to land; None: it was not asked about any.

    Where what landed last needed nobody, it is all that it landed.
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
