"""Edit the change that a run asks about: a person's own commit in place of an answer."""

from collections.abc import Mapping, Sequence

from supervisor_ai.control.commands.decisions.open_questions import pending_question, send_letter
from supervisor_ai.control.ports.queries import ApprovalRow, RunRow
from supervisor_ai.control.ports.user_merges import UserMerges
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.domain.errors import Conflict, InvalidInput, NotFound
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.inbox_commands import EditChange
from supervisor_ai.domain.run.inbox_replies import EDITABLE
from supervisor_ai.domain.run.values import Snapshot


def editable_question(project: OpenProject, name: str) -> tuple[RunRow, ApprovalRow]:
    """Return a run and its question, if files can be changed instead of an answer."""
    row = project.records.find(name)
    asked = pending_question(project, row)
    if asked.reason not in EDITABLE:
        raise Conflict(
            f"Run {row.id!r} asks because of {asked.reason!r}, and no edit answers that.",
            hint=f"See what it asks: supervisor status {row.id}",
        )
    return row, asked


def texts_of(project: OpenProject, commit: CommitSha, files: Sequence[str]) -> Mapping[str, str]:
    """Return what stands in files of the change."""
    texts = {file: project.repository.read(commit, file) for file in files}
    missing = [file for file, text in texts.items() if text is None]
    if missing:
        raise NotFound(
            f"The change has no file {missing[0]!r}.",
            hint="List its files: supervisor diff RUN --name-only",
        )
    return {file: text or "" for file, text in texts.items()}


async def edit_files(
    project: OpenProject, row: RunRow, asked: ApprovalRow, contents: Mapping[str, bytes | None]
) -> MutationView:
    """Put other contents into files of the change; None: the file goes."""
    world = project.world
    edited = await world.workspaces.compose(asked.commit, contents, at=world.clock.now())
    return await _hand_over(project, row, asked, edited)


async def take_commit(
    project: OpenProject, row: RunRow, asked: ApprovalRow, rev: str, merges: UserMerges
) -> MutationView:
    """Take a commit that a person has made on top of the change."""
    found = project.repository.resolve(rev)
    if not merges.is_behind(asked.commit, found.sha):
        raise InvalidInput(
            f"{rev!r} is not made on top of what the run asks about, {asked.commit}.",
            hint=f"Begin there: supervisor workspace restore, or git switch -c mine {asked.commit}",
        )
    return await _hand_over(project, row, asked, Snapshot(commit=found.sha, tree=found.tree))


async def _hand_over(
    project: OpenProject, row: RunRow, asked: ApprovalRow, edited: Snapshot
) -> MutationView:
    if edited.tree == asked.tree:
        detail = "The files are as they were, so nothing was changed."
        return MutationView(target=row.id, applied=False, dry_run=False, detail=detail)
    # A ref keeps the commit before anybody can speak of it.
    ref = f"refs/supervisor/{row.id}/{asked.step}/{asked.visit}.edit-{edited.commit[:12]}"
    await project.world.workspaces.keep(edited.commit, ref=ref)
    command = EditChange(step=asked.step, visit=asked.visit, tree=asked.tree, edited=edited)
    key = f"edit:{row.id}:{asked.tree}:{asked.asked_at.isoformat()}:{edited.tree}"
    is_new = send_letter(project, row, key, command)
    detail = f"Tree {edited.tree} takes the place of {asked.tree}; the gates look at it again."
    return MutationView(target=row.id, applied=is_new, dry_run=False, detail=detail)
