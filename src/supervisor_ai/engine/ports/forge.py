"""Where pull requests live."""

from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.issues import IssueLink
from supervisor_ai.domain.run.definition import ForgeChoice


class PullRequest(Struct, frozen=True, kw_only=True):
    """A branch that others should look at."""

    branch: str
    commit: CommitSha
    target: str | None
    """The branch that it is meant for; None: the forge's default."""
    title: str
    body: str
    is_draft: bool = True
    issue: IssueLink | None = None
    """What it settles."""
    forge: ForgeChoice = ForgeChoice.AUTO


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


class PullRequestState(StrEnum):
    """Whether a pull request still waits for somebody."""

    OPEN = "open"
    MERGED = "merged"
    CLOSED = "closed"


class CheckState(StrEnum):
    """What a check says."""

    PENDING = "pending"
    PASSED = "passed"
    FAILED = "failed"


class CiCheck(Struct, frozen=True, kw_only=True):
    """Something that runs for a pull request."""

    name: str
    state: CheckState
    log: str = ""
    """The end of what it printed, where it failed and nothing else is under way."""


class Remark(Struct, frozen=True, kw_only=True):
    """What somebody said about a pull request, as a review or at a line."""

    key: str
    """The forge's name for it."""
    author: str
    text: str
    counts: bool
    """Whether its author has a say in the repository."""
    file: str | None = None
    line: int | None = None
    is_demand: bool = False
    """Whether it asks for changes before anything is merged."""


class PullRequestView(Struct, frozen=True, kw_only=True):
    """How a pull request stands."""

    state: PullRequestState
    head: CommitSha
    """The last commit of its branch."""
    checks: tuple[CiCheck, ...] = ()
    remarks: tuple[Remark, ...] = ()
    open_demands: int = 0
    """How many of those who count still ask for changes."""


class NotSeen(Struct, frozen=True, kw_only=True):
    """Nobody could tell how it stands."""

    reason: str
    """One sentence of our own."""
    detail: str = ""
    """What the forge's program printed."""
    is_passing: bool = False
    """Whether it may go away by itself."""


class Forge(Protocol):
    """Pushes branches and opens pull requests with the user's own means."""

    async def open(self, request: PullRequest) -> Opened | NotOpened:
        """Push the branch and open a pull request; one that is open for the branch is found."""
        ...

    async def look(
        self, url: str, *, ci: bool = True, reviews: bool = True
    ) -> PullRequestView | NotSeen:
        """See how a pull request stands, as far as somebody wants to know; nothing is changed.

        While a check is under way that is to be looked at, comments and logs may be left out.
        """
        ...
