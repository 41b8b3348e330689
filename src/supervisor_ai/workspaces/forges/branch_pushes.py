"""Pushes the branch of a pull request with the user's git, never by force."""

import re
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.engine.ports.forge import NotOpened, PullRequest
from supervisor_ai.workspaces.forges.gh_errors import PUSH, not_opened
from supervisor_ai.workspaces.forges.user_programs import Ended, UserPrograms

_ON_A_HOST: Final = re.compile(
    r"(?:[a-z]+://(?:[^/@\s]+@)?(?P<host>[^/@:\s]+)(?::(?P<port>\d+))?/"
    r"|(?:[^/@:\s]+@)?(?P<at>[^/@:\s]+):)"
    r"(?P<path>[^/:\s]+(?:/[^/:\s]+?)+?)(?:\.git)?/?"
)


class RemotePlace(Struct, frozen=True, kw_only=True):
    """Where a remote is: its host, and the path of the repository there."""

    host: str
    path: str


def place_of(url: str) -> RemotePlace | None:
    """Take the URL of a remote apart; None where it is a directory."""
    found = _ON_A_HOST.fullmatch(url.strip())
    if found is None:
        return None
    return RemotePlace(host=(found["host"] or found["at"]).lower(), path=found["path"])


class BranchPushes(Struct, frozen=True, kw_only=True):
    """Knows one remote of the user's repository."""

    programs: UserPrograms
    remote: str

    async def url(self) -> str | NotOpened:
        """Return where the remote's branches are pushed."""
        ended = await self._git("remote", "get-url", "--push", self.remote)
        if ended.is_success:
            return ended.output
        return NotOpened(
            reason=f"This repository has no remote {self.remote!r}; "
            f"add it: `git remote add {self.remote} URL`."
        )

    async def holds(self, head: CommitSha, commit: CommitSha) -> bool:
        """Tell whether the pull request shows the commit already, also below later ones."""
        asked = ("merge-base", "--is-ancestor", commit, head)
        return head == commit or (await self._git(*asked)).is_success

    async def target(self, name: str | None) -> str | None:
        """Name the branch of the remote that a name stands for; None: it stands for none."""
        if name is None:
            return None
        ended = await self._git("rev-parse", "--verify", "--quiet", "--symbolic-full-name", name)
        full = ended.output.strip()
        if not ended.is_success:
            return name
        places = ("refs/heads/", f"refs/remotes/{self.remote}/")
        return next((full.removeprefix(it) for it in places if full.startswith(it)), None)

    async def push(self, request: PullRequest) -> NotOpened | None:
        """Push without force: what the branch holds already must be part of the commit."""
        refspec = f"{request.commit}:refs/heads/{request.branch}"
        how = ("--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no")
        ended = await self._git("push", *how, "--", self.remote, refspec)
        if ended.is_success:
            return None
        return not_opened("git", ended, PUSH, branch=request.branch, remote=self.remote)

    async def _git(self, *arguments: str) -> Ended:
        return await self.programs.run("git", *arguments)
