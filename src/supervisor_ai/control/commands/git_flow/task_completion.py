"""Complete a task: what would land is shown, then a person lets it land and come to its target."""

from datetime import timedelta
from typing import Final

from msgspec import Struct

from supervisor_ai.control.commands.decisions.approvals import PersonsDecision, judge
from supervisor_ai.control.commands.git_flow.merge_clearance import clear_merge
from supervisor_ai.control.commands.git_flow.pinned_policy import coming_definition
from supervisor_ai.control.commands.git_flow.run_merge import MergeRequest, has_work, plan_merge
from supervisor_ai.control.ports.queries import ApprovalRow, RunRow
from supervisor_ai.control.ports.user_merges import UserMerges
from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.errors import Conflict, SupervisorError
from supervisor_ai.domain.git_flow.policy import AS_USUAL, GitPolicy, MergeStrategy
from supervisor_ai.domain.ids import CommitSha, RunId, TreeSha
from supervisor_ai.domain.run.approvals.policy import ApprovalPolicy
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.run.effects import CommitStyle, Integrate
from supervisor_ai.domain.run.events import ApprovalGiven
from supervisor_ai.domain.run.status import ENDED, RunStatus
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.commit_text import describe_commit
from supervisor_ai.engine.effects.pull_request import target_branch

_PATIENCE: Final = timedelta(seconds=60)
_LOOK: Final = 0.1


class CompletionRequest(Struct, frozen=True, kw_only=True):
    """Where the work of a task is to come to."""

    into: str | None = None
    """A branch; None: the one that the task started from."""
    strategy: MergeStrategy | None = None
    merges: bool = True
    """Whether the work comes to a branch of the user's at all."""


class CompletionPlan(Struct, frozen=True, kw_only=True):
    """What completing a task would do; nothing is done yet."""

    row: RunRow
    subject: str
    files: tuple[str, ...]
    policy: GitPolicy
    tree: TreeSha | None
    """What the person says yes to; None: it was committed before."""
    target: str | None
    merge: MergeRequest | None
    """What is merged once it has landed; None: nothing."""
    approvals: ApprovalPolicy | None = None
    """What the merge needs where its target has moved on."""
    is_answered: bool = False
    """Whether a person has said so before, and it has not landed yet."""
    obstacle: SupervisorError | None = None
    """Why the target would stay where it is."""
    opens_request: bool = False
    """Whether the run itself asks for a pull request."""


def merge_target(merges: UserMerges, row: RunRow, into: str | None = None) -> str | None:
    """Name the branch that a task's work comes to; None where it began on no branch."""
    if into is not None or row.base is None:
        return into
    named = target_branch(row.base.ref)
    return named if named is not None and merges.tip(named) is not None else None


def is_merged(merges: UserMerges, row: RunRow) -> bool:
    """Tell whether the target has everything of a completed task; no target lacks nothing."""
    target = merge_target(merges, row)
    tip = None if target is None else merges.tip(target)
    if tip is None or row.commit is None or not merges.exists(row.commit):
        return True
    return has_work(merges, row, tip, row.commit)


async def plan_completion(
    project: OpenProject, merges: UserMerges, row: RunRow, request: CompletionRequest
) -> CompletionPlan:
    """Find out what would land, and whether its target can take it."""
    pinned = coming_definition(project, row.id)
    policy = AS_USUAL if pinned is None else pinned.git
    steps = () if pinned is None else pinned.workflow.steps.values()
    opens_request = any(step.kind == StepKind.PULL_REQUEST for step in steps)
    asked, commit = _ready(project, row)
    merge = _merge_request(merges, row, request, is_wanted=request.merges and not opens_request)
    plan = CompletionPlan(
        row=row,
        subject=await _subject(project, merges, row, asked),
        files=await _files(project, row, commit),
        policy=policy,
        tree=None if asked is None else asked.tree,
        is_answered=asked is not None and asked.is_approved is True,
        target=merge_target(merges, row, request.into),
        merge=merge,
        approvals=None if pinned is None else pinned.approvals,
        opens_request=opens_request,
    )
    return await _tried(project, merges, plan, commit)


def _ready(project: OpenProject, row: RunRow) -> tuple[ApprovalRow | None, CommitSha | None]:
    """Return the question that a yes answers and the work, or the commit that was made of it."""
    if row.status is RunStatus.COMPLETED:
        return None, row.commit
    if row.status in ENDED:
        raise Conflict(
            f"Run {row.id!r} cannot be completed: it is {row.status.value}.",
            hint=f"Get its work back: supervisor workspace list --run {row.id}, then supervisor"
            " workspace restore REF",
        )
    questions = project.records.queries.approvals(row.id)
    pending = [it for it in questions if it.is_approved is None]
    asked = next((it for it in reversed(questions) if it.reason == ApprovalReason.COMPLETION), None)
    # Where nothing is asked any more, whoever was to land it died or was interrupted.
    if asked is not None and (asked in pending or (asked.is_approved and not pending)):
        return asked, asked.commit
    if pending:
        raise Conflict(
            f"Run {row.id!r} cannot be completed: step {pending[0].step!r} asks something first.",
            hint=f"See what it asks: supervisor status {row.id}",
        )
    raise Conflict(
        f"Run {row.id!r} cannot be completed yet: it is {row.status.value}.",
        hint=f"See how far it is: supervisor status {row.id}; go on: supervisor resume {row.id}",
    )


def _merge_request(
    merges: UserMerges, row: RunRow, request: CompletionRequest, *, is_wanted: bool
) -> MergeRequest | None:
    target = merge_target(merges, row, request.into)
    if target is None or not is_wanted:
        return None
    return MergeRequest(run=row.id, into=target, strategy=request.strategy)


async def _subject(
    project: OpenProject, merges: UserMerges, row: RunRow, asked: ApprovalRow | None
) -> str:
    """Write the subject that the commit will have, or has."""
    if asked is None or row.base is None:
        return "" if row.commit is None else merges.subject(row.commit)
    style, world = _style(project, row.id), project.world
    message = await describe_commit(
        world.artifacts, world.workspaces, row.task, style, (row.base.sha, asked.commit)
    )
    return message.partition("\n")[0]


def _style(project: OpenProject, run: RunId) -> CommitStyle:
    """Ask the run's driver what a yes would lead to."""
    playback, _ = project.player.play(run)
    question = playback.run.approval
    if question is not None:
        step, visit, slot = question.place
        said = ApprovalGiven(step=step, visit=visit, slot=slot, tree=question.tree, note=None)
        playback.apply(said)
    landings = (it for it in playback.decide().effects if isinstance(it, Integrate))
    return next((it.style for it in landings), CommitStyle(is_conventional=True))


async def _files(project: OpenProject, row: RunRow, commit: CommitSha | None) -> tuple[str, ...]:
    if row.base is None or commit is None:
        return ()
    return await project.world.workspaces.changed_paths(row.base.sha, commit)


async def _tried(
    project: OpenProject, merges: UserMerges, plan: CompletionPlan, commit: CommitSha | None
) -> CompletionPlan:
    """Try the merge where nobody sees it, so that a person knows before the work lands."""
    if plan.merge is None:
        return plan
    try:
        merge = plan_merge(merges, plan.row, commit, plan.merge, plan.policy)
        if plan.approvals is not None:
            await clear_merge(project, merges, plan.row, merge, plan.approvals)
    except SupervisorError as error:
        return replace(plan, obstacle=error)
    return plan


def complete(project: OpenProject, plan: CompletionPlan) -> None:
    """Say that the task is complete; whoever drives the run lets it land."""
    if plan.tree is not None and not plan.is_answered:
        said = PersonsDecision(is_approval=True, tree=plan.tree, completes=True)
        judge(project, plan.row.id, said)


async def wait_for_owner(project: OpenProject, run: RunId) -> None:
    """Wait a while for another process to take the answer in and to land the work."""
    clock = project.world.clock
    deadline = clock.boottime() + _PATIENCE.total_seconds()
    while clock.boottime() < deadline and not _is_settled(project, run):
        await clock.sleep(_LOOK)


def _is_settled(project: OpenProject, run: RunId) -> bool:
    row = project.records.queries.run(run)
    if row is None or row.status in ENDED:
        return True
    has_letter = bool(project.world.inbox.pending(run))
    return row.status is RunStatus.WAITING and not has_letter
