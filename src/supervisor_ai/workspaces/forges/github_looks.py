"""Looks at pull requests on GitHub with the user's `gh`; nothing is changed there."""

from typing import Final

from msgspec import Struct

from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.forge import (
    CheckState,
    CiCheck,
    NotSeen,
    PullRequestState,
    PullRequestView,
    Remark,
)
from supervisor_ai.workspaces.forges.forge_urls import ForgeUrl, parse_forge_url
from supervisor_ai.workspaces.forges.gh_views import (
    VIEW_FIELDS,
    GhCheck,
    GhView,
    parse_comments,
    parse_view,
)
from supervisor_ai.workspaces.forges.look_errors import not_read, not_seen
from supervisor_ai.workspaces.forges.user_programs import UserPrograms

_LOGS: Final = 10
"""So many logs are read; what else failed is named."""
_LOG: Final = 20_000
_WHAT: Final = "the pull request"


class GitHubLooks(Struct, frozen=True, kw_only=True):
    """Asks `gh` how pull requests stand."""

    programs: UserPrograms

    async def look(self, url: str, *, ci: bool, reviews: bool) -> PullRequestView | NotSeen:
        """See how one stands; comments and logs are read once no check is under way."""
        place = parse_forge_url(url)
        if place is None or place.is_gitlab:
            return NotSeen(reason=f"{url!r} is no pull request on GitHub.")
        ended = await self.programs.run("gh", "pr", "view", url, "--json", VIEW_FIELDS)
        if not ended.is_success:
            return not_seen("gh", ended, _WHAT)
        view = parse_view(ended.output)
        if view is None:
            return not_read("gh", _WHAT)
        is_early = view.state is not PullRequestState.OPEN or (ci and view.is_pending)
        remarks = () if is_early or not reviews else await self._comments(place)
        if isinstance(remarks, NotSeen):
            return remarks
        found = tuple([await self._with_log(place, it) for it in _told(view, ci and not is_early)])
        return _view(view, found, remarks)

    async def _comments(self, place: ForgeUrl) -> tuple[Remark, ...] | NotSeen:
        newest = "per_page=100&sort=created&direction=desc"
        endpoint = f"repos/{place.path}/pulls/{place.number}/comments?{newest}"
        ended = await self.programs.run("gh", "api", "--hostname", place.host, endpoint)
        if not ended.is_success:
            return not_seen("gh", ended, _WHAT)
        found = parse_comments(ended.output)
        return not_read("gh", "the comments") if found is None else found

    async def _with_log(self, place: ForgeUrl, found: GhCheck) -> CiCheck:
        """Read the end of a log; without one, the name alone has to do."""
        if found.job is None:
            return found.check
        where = ("--repo", f"{place.host}/{place.path}")
        ended = await self.programs.run(
            "gh", "run", "view", "--job", found.job, "--log-failed", *where
        )
        log = ended.output if ended.is_success else f"(no log: {ended.words})"
        return replace(found.check, log=log[-_LOG:])


def _told(view: GhView, with_logs: bool) -> tuple[GhCheck, ...]:  # noqa: FBT001 - of one caller
    """Leave jobs where their logs are to be read."""
    failed = [it for it in view.checks if it.check.state is CheckState.FAILED and it.job]
    wanted = failed[:_LOGS] if with_logs else []
    return tuple(it if it in wanted else replace(it, job=None) for it in view.checks)


def _view(
    view: GhView, checks: tuple[CiCheck, ...], comments: tuple[Remark, ...]
) -> PullRequestView:
    return PullRequestView(
        state=view.state,
        head=view.head,
        checks=checks,
        remarks=(*view.demands, *comments, *view.talk),
        open_demands=sum(it.counts for it in view.demands),
    )
