"""Describing a commit: the words of its task, in the form that is wanted."""

from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.git_flow.commit_message import (
    commit_message,
    conventional_subject,
    wish_of,
)
from supervisor_ai.domain.ids import ArtifactHash, CommitSha
from supervisor_ai.domain.run.effects import CommitStyle
from supervisor_ai.engine.ports.artifacts import Artifacts
from supervisor_ai.engine.ports.workspaces import Workspaces


async def describe_commit(
    artifacts: Artifacts,
    workspaces: Workspaces,
    task: ArtifactHash,
    style: CommitStyle,
    change: tuple[CommitSha, CommitSha],
) -> str:
    """Write the message of a commit; the same change of the same task has always the same."""
    words = artifacts.get(task)
    wish = wish_of(_kept(artifacts, plan) for plan in style.plans)
    if wish.type is None and not style.is_conventional:
        return commit_message(words)
    paths = await workspaces.changed_paths(*change)
    return commit_message(words, conventional_subject(words, wish, paths))


def _kept(artifacts: Artifacts, plan: ArtifactHash) -> str:
    """Read a plan; one that was erased says nothing any more."""
    try:
        return artifacts.get(plan)
    except NotFound:
        return ""
