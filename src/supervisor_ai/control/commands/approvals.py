"""Approve or reject: a person's answer to a question of a run."""

from msgspec import Struct

from supervisor_ai.control.ports.queries import ApprovalRow, RunRow
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.domain.errors import Conflict, InvalidInput
from supervisor_ai.domain.ids import LetterKey, RunId
from supervisor_ai.domain.run.inbox_commands import Approve, InboxCommand, Reject
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.domain.run.values import ApprovalReason


class PersonsDecision(Struct, frozen=True, kw_only=True):
    """A yes or a no, bound to a tree if the person names one."""

    is_approval: bool
    words: str | None = None
    tree: str | None = None

    @property
    def verb(self) -> str:
        """Name what the person does."""
        return "approve" if self.is_approval else "reject"

    @property
    def participle(self) -> str:
        """Name what was done."""
        return "approved" if self.is_approval else "rejected"


def judge(
    project: OpenProject, name: str, judgement: PersonsDecision, *, dry_run: bool = False
) -> MutationView:
    """Answer the question that a run waits with; the run's owner takes the answer in."""
    if not judgement.is_approval and not (judgement.words or "").strip():
        raise InvalidInput("A rejection needs a reason.", hint='Say why: --reason "…"')
    row = project.records.find(name)
    asked = _pending(project, row)
    _require_tree(asked, judgement)
    _require_reason(asked, judgement)
    _refuse_contradiction(project, row.id, asked, judgement)
    if dry_run:
        detail = f"Would {judgement.verb} step {asked.step!r}, tree {asked.tree}."
        return MutationView(target=row.id, applied=False, dry_run=True, detail=detail)
    is_new = project.world.inbox.put(_letter(project, row.id, asked, judgement))
    already = "" if is_new else " already"
    detail = f"Step {asked.step!r} is {judgement.participle}{already}, tree {asked.tree}."
    return MutationView(target=row.id, applied=is_new, dry_run=False, detail=detail)


def _pending(project: OpenProject, row: RunRow) -> ApprovalRow:
    if row.status not in ENDED:
        for asked in project.records.queries.approvals(row.id):
            if asked.is_approved is None:
                return asked
    raise Conflict(
        f"Run {row.id!r} does not wait for an approval: it is {row.status.value}.",
        hint=f"See what it does: supervisor status {row.id}",
    )


def _require_tree(asked: ApprovalRow, judgement: PersonsDecision) -> None:
    if judgement.tree is not None and judgement.tree != asked.tree:
        raise Conflict(
            f"Step {asked.step!r} asks about tree {asked.tree!r}, not about {judgement.tree!r}.",
            hint="Look at the change again before you decide.",
        )


def _require_reason(asked: ApprovalRow, judgement: PersonsDecision) -> None:
    """Refuse to accept a finding without a word on why."""
    if asked.reason != ApprovalReason.FINDINGS or not judgement.is_approval:
        return
    if not (judgement.words or "").strip():
        raise InvalidInput(
            "A finding is accepted with a reason.", hint='Say why it is all right: --note "…"'
        )


def _refuse_contradiction(
    project: OpenProject, run: RunId, asked: ApprovalRow, judgement: PersonsDecision
) -> None:
    """Refuse a second thought: an answer that waits for the run's owner cannot be taken back."""
    opposite, said = (Reject, "rejected") if judgement.is_approval else (Approve, "approved")
    for letter in project.world.inbox.pending(run):
        command = letter.command
        if not isinstance(command, opposite):
            continue
        if (command.step, command.visit) == (asked.step, asked.visit):
            raise Conflict(f"Step {asked.step!r} was {said} by {letter.actor.id!r} before.")


def _letter(
    project: OpenProject, run: RunId, asked: ApprovalRow, judgement: PersonsDecision
) -> InboxCommand:
    return InboxCommand(
        key=_key(run, asked, judgement),
        run=run,
        command=_command(project, asked, judgement),
        actor=project.actor,
        sent_at=project.world.clock.now(),
    )


def _key(run: RunId, asked: ApprovalRow, judgement: PersonsDecision) -> LetterKey:
    """Name the answer to this question: a visit may ask twice about the same tree."""
    place = f"{asked.step}:{asked.visit}:{asked.tree}:{asked.asked_at.isoformat()}"
    return LetterKey(f"{judgement.verb}:{run}:{place}")


def _command(
    project: OpenProject, asked: ApprovalRow, judgement: PersonsDecision
) -> Approve | Reject:
    step, visit, tree = asked.step, asked.visit, asked.tree
    words = judgement.words or ""
    if not judgement.is_approval:
        return Reject(step=step, visit=visit, tree=tree, note=project.keep(words))
    note = project.keep(words) if words.strip() else None
    return Approve(step=step, visit=visit, tree=tree, note=note)
