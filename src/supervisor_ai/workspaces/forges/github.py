"""Pull requests on GitHub, pushed with the user's git and opened with the user's `gh`."""

import asyncio
import os
from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.forge import (
    NotOpened,
    NotSeen,
    Opened,
    PullRequest,
    PullRequestView,
)
from supervisor_ai.workspaces.forges.branch_pushes import BranchPushes
from supervisor_ai.workspaces.forges.gh_errors import GH, not_opened
from supervisor_ai.workspaces.forges.gh_output import (
    PULL_REQUEST_FIELDS,
    REPOSITORY_FIELDS,
    FoundPullRequest,
    first_open,
    fork_owner,
    home_of,
    last_url,
    repository_at,
)
from supervisor_ai.workspaces.forges.github_looks import GitHubLooks
from supervisor_ai.workspaces.forges.request_words import linked, title_of
from supervisor_ai.workspaces.forges.user_programs import PATIENCE, Ended, UserPrograms
from supervisor_ai.workspaces.repositories.repository import GitRepository

_LISTED: Final = 100
_EXISTS: Final = "already exists"
_NOT_SEEN_YET: Final = "Head sha can't be blank"
"""What GitHub says while it has not noticed yet what was just pushed."""
_TRIES: Final = 3
_PAUSE: Final = timedelta(seconds=2)
_TITLE_LENGTH: Final = 250
_BODY_LENGTH: Final = 60_000
"""GitHub takes 256 characters of a title and 65,536 of a body."""


class _Errand(Struct, frozen=True, kw_only=True):
    """A request, and the fork from which it comes if the remote is one."""

    request: PullRequest
    fork: str | None
    home: str | None = None
    """The address of the repository that it goes to, where that is known."""

    @property
    def branch(self) -> str:
        """Return the branch's name."""
        return self.request.branch

    @property
    def label(self) -> str:
        """Return what GitHub calls the branch."""
        return self.branch if self.fork is None else f"{self.fork}:{self.branch}"


class GitHubForge:
    """Pushes to one remote of the user's repository and opens pull requests there."""

    def __init__(
        self,
        repository: GitRepository,
        environment: Mapping[str, str] | None = None,
        *,
        remote: str = "origin",
        patience: timedelta = PATIENCE,
        pause: timedelta = _PAUSE,
    ) -> None:
        self._programs = UserPrograms(
            directory=repository.checkout,
            environment=os.environ if environment is None else environment,
            patience=patience,
        )
        self._remote = remote
        self._pushes = BranchPushes(programs=self._programs, remote=remote)
        self._pause = pause

    async def open(self, request: PullRequest) -> Opened | NotOpened:
        """Push the branch and open a pull request; one that is open for the branch is found."""
        errand = await self._prepare(request)
        if isinstance(errand, NotOpened):
            return errand
        found = await self._find(errand)
        if isinstance(found, NotOpened):
            return found
        if found is None or not await self._pushes.holds(found.head, request.commit):
            refusal = await self._pushes.push(request)
            if refusal is not None:
                return refusal
        return await self._create(errand) if found is None else _opened(found)

    async def look(
        self, url: str, *, ci: bool = True, reviews: bool = True
    ) -> PullRequestView | NotSeen:
        """See how a pull request stands; nothing is changed."""
        return await GitHubLooks(programs=self._programs).look(url, ci=ci, reviews=reviews)

    async def _prepare(self, request: PullRequest) -> _Errand | NotOpened:
        """Find out where the branch would be pushed, and whether that is a fork."""
        remote = await self._pushes.url()
        if isinstance(remote, NotOpened):
            return remote
        pushed = repository_at(remote)
        request = replace(request, target=await self._pushes.target(request.target))
        if pushed is None:
            return _Errand(request=request, fork=None)
        ended = await self._gh("repo", "view", "--json", REPOSITORY_FIELDS)
        if not ended.is_success:
            return self._failure(ended, request.branch)
        answer = ended.output
        return _Errand(request=request, fork=fork_owner(pushed, answer), home=home_of(answer))

    async def _find(self, errand: _Errand) -> FoundPullRequest | NotOpened | None:
        which = ("--head", errand.branch, "--state", "open")
        form = ("--json", PULL_REQUEST_FIELDS, "--limit", str(_LISTED))
        ended = await self._gh("pr", "list", *which, *form)
        if not ended.is_success:
            return self._failure(ended, errand.branch)
        return first_open(ended.output, errand.fork, errand.home)

    async def _create(self, errand: _Errand) -> Opened | NotOpened:
        ended = await self._ask_to_create(errand)
        if not ended.is_success and _EXISTS in ended.words:
            found = await self._find(errand)
            if isinstance(found, FoundPullRequest):
                return _opened(found)
        url = last_url(ended.output, errand.home)
        if ended.is_success and url is not None:
            return Opened(url=url)
        return self._failure(ended, errand.branch)

    async def _ask_to_create(self, errand: _Errand) -> Ended:
        what, body = _arguments(errand), linked(errand.request, "github")[:_BODY_LENGTH]
        for _ in range(_TRIES - 1):
            ended = await self._gh("pr", "create", *what, stdin=body)
            if ended.is_success or _NOT_SEEN_YET not in ended.words:
                return ended
            await asyncio.sleep(self._pause.total_seconds())
        return await self._gh("pr", "create", *what, stdin=body)

    async def _gh(self, *arguments: str, stdin: str = "") -> Ended:
        return await self._programs.run("gh", *arguments, stdin=stdin)

    def _failure(self, ended: Ended, branch: str) -> NotOpened:
        return not_opened("gh", ended, GH, branch=branch, remote=self._remote)


def _arguments(errand: _Errand) -> tuple[str, ...]:
    request = errand.request
    title = title_of(request, _TITLE_LENGTH)
    target = () if request.target is None else ("--base", request.target)
    draft = ("--draft",) if request.is_draft else ()
    return ("--head", errand.label, *target, "--title", title, "--body-file", "-", *draft)


def _opened(found: FoundPullRequest) -> Opened:
    return Opened(url=found.url, is_found=True)
