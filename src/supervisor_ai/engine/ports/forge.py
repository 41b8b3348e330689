"""Where pull requests live."""

from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha


class PullRequest(Struct, frozen=True, kw_only=True):
    """A branch that others should look at."""

    branch: str
    commit: CommitSha
    target: str | None
    """The branch that it is meant for; None: the forge's default."""
    title: str
    body: str
    is_draft: bool = True


class Opened(Struct, frozen=True, kw_only=True):
    """There is a pull request."""

    url: str
    is_found: bool = False


class NotOpened(Struct, frozen=True, kw_only=True):
    """There is none, and asking again at once would not help."""

    reason: str
    """One sentence of our own."""
    detail: str = ""
    """What the forge's program printed."""


class Forge(Protocol):
    """Pushes branches and opens pull requests with the user's own means."""

    async def open(self, request: PullRequest) -> Opened | NotOpened:
        """Push the branch and open a pull request; one that is open for the branch is found."""
        ...
