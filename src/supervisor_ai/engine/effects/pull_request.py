"""Performing a pull request: the branch is pushed and shown to others, exactly once."""

import re
from typing import Final

from supervisor_ai.domain.run.effects import OpenPullRequest
from supervisor_ai.domain.run.events import PullRequestOpened, PullRequestRefused
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.effects.commit_text import describe_commit
from supervisor_ai.engine.ports.forge import Opened, PullRequest
from supervisor_ai.engine.world import Operation

_NO_BRANCH: Final = re.compile(r"HEAD|[0-9a-f]{7,64}|refs/(?!heads/).*")


async def perform_pull_request(
    effect: OpenPullRequest, operation: Operation
) -> PullRequestOpened | PullRequestRefused:
    """Open a pull request for the branch, or find the one that is there."""
    world = operation.world
    change = (effect.base or effect.commit, effect.commit)
    message = await describe_commit(
        world.artifacts, world.workspaces, effect.task, effect.style, change
    )
    subject, _, rest = message.partition("\n\n")
    request = PullRequest(
        branch=effect.branch,
        commit=effect.commit,
        target=target_branch(effect.target),
        title=subject,
        body=f"{rest or subject}\n\nSupervisor-Run: {operation.run}\n",
        issue=effect.issue,
        forge=effect.forge,
    )
    result = await world.forge.open(request)
    if isinstance(result, Opened):
        return PullRequestOpened(
            step=effect.step, visit=effect.visit, url=result.url, is_found=result.is_found
        )
    detail, _ = operation.keep(plain(f"{result.reason}\n{result.detail}".strip()))
    return PullRequestRefused(
        step=effect.step, visit=effect.visit, reason=result.reason, detail=detail
    )


def target_branch(ref: str) -> str | None:
    """Name the branch that a run started from, if it was one."""
    return None if _NO_BRANCH.fullmatch(ref) else ref.removeprefix("refs/heads/")
