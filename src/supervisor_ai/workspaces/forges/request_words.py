"""What a pull request is called, and how it names the issue that it settles."""

from typing import Final

from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.ports.forge import PullRequest

_TRAILER: Final = "\n\nSupervisor-Run:"


def title_of(request: PullRequest, most: int) -> str:
    """Make one short line of the title; without any, the branch has to do."""
    return " ".join(plain(request.title).split())[:most] or request.branch


def linked(request: PullRequest, forge: str) -> str:
    """Return the body with the issue in it: where the forge has it, the merge closes it."""
    issue = request.issue
    if issue is None:
        return request.body
    words = f"Closes {issue.reference}" if issue.tracker == forge else f"Issue: {issue.reference}"
    if issue.tracker != forge and issue.url:
        words = f"Issue: {issue.reference} {issue.url}"
    head, trailer, rest = request.body.rpartition(_TRAILER)
    return f"{head}\n\n{words}{trailer}{rest}" if trailer else f"{request.body}\n\n{words}\n"
