"""The forges that the user can reach, each by its own program; a pull request goes to one."""

import os
from collections.abc import Mapping
from typing import Final

from supervisor_ai.domain.run.definition import ForgeChoice
from supervisor_ai.engine.ports.forge import (
    Forge,
    NotOpened,
    NotSeen,
    Opened,
    PullRequest,
    PullRequestView,
)
from supervisor_ai.workspaces.forges.branch_pushes import BranchPushes, place_of
from supervisor_ai.workspaces.forges.forge_urls import parse_forge_url
from supervisor_ai.workspaces.forges.github import GitHubForge
from supervisor_ai.workspaces.forges.gitlab import GitLabForge
from supervisor_ai.workspaces.forges.user_programs import UserPrograms
from supervisor_ai.workspaces.repositories.repository import GitRepository

_REMOTE: Final = "origin"
_NONE: Final = "The config says that this project has no forge: open the pull request by hand."


class UserForges:
    """Chooses GitHub or GitLab by the config, else by the address."""

    def __init__(
        self, repository: GitRepository, environment: Mapping[str, str] | None = None
    ) -> None:
        programs = UserPrograms(
            directory=repository.checkout,
            environment=os.environ if environment is None else environment,
        )
        self._pushes = BranchPushes(programs=programs, remote=_REMOTE)
        self._github: Forge = GitHubForge(repository, environment, remote=_REMOTE)
        self._gitlab: Forge = GitLabForge(programs, remote=_REMOTE)

    async def open(self, request: PullRequest) -> Opened | NotOpened:
        """Push the branch and open a pull request; one that is open for the branch is found."""
        choice = await self.choose(request.forge)
        if choice is ForgeChoice.NONE:
            return NotOpened(reason=_NONE)
        forge = self._gitlab if choice is ForgeChoice.GITLAB else self._github
        return await forge.open(request)

    async def look(
        self, url: str, *, ci: bool = True, reviews: bool = True
    ) -> PullRequestView | NotSeen:
        """See how a pull request stands; nothing is changed."""
        place = parse_forge_url(url)
        forge = self._gitlab if place is not None and place.is_gitlab else self._github
        return await forge.look(url, ci=ci, reviews=reviews)

    async def choose(self, wanted: ForgeChoice) -> ForgeChoice:
        """Say which forge it is: a host that calls itself GitLab is one."""
        if wanted is not ForgeChoice.AUTO:
            return wanted
        url = await self._pushes.url()
        place = place_of(url) if isinstance(url, str) else None
        is_gitlab = place is not None and "gitlab" in place.host
        return ForgeChoice.GITLAB if is_gitlab else ForgeChoice.GITHUB
