"""Merge requests on GitLab, pushed with the user's git and opened with the user's `glab`."""

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.forge import (
    NotOpened,
    NotSeen,
    Opened,
    PullRequest,
    PullRequestView,
)
from supervisor_ai.tools.json_value import Json, parse_object
from supervisor_ai.workspaces.forges.branch_pushes import BranchPushes, place_of
from supervisor_ai.workspaces.forges.gh_views import entries
from supervisor_ai.workspaces.forges.gitlab_looks import GitLabLooks
from supervisor_ai.workspaces.forges.glab_calls import GlabCalls
from supervisor_ai.workspaces.forges.look_errors import not_read, not_seen
from supervisor_ai.workspaces.forges.request_words import linked, title_of
from supervisor_ai.workspaces.forges.user_programs import Ended, UserPrograms

_TITLE_LENGTH: Final = 240
_BODY_LENGTH: Final = 100_000
_EXISTS: Final = "already exists"
_WHAT: Final = "the project"
_URL: Final = re.compile(r"https://[^\s\"'<>\\]{1,2000}")
_COMMIT: Final = re.compile(r"[0-9a-f]{40,64}")


class _Project(Struct, frozen=True, kw_only=True):
    """Where a branch is pushed, and where its merge request goes."""

    calls: GlabCalls
    source: int
    target: int
    default: str

    @property
    def requests(self) -> str:
        return f"projects/{self.target}/merge_requests"


class _Found(Struct, frozen=True, kw_only=True):
    """A merge request that is open for a branch."""

    url: str
    head: CommitSha


class GitLabForge:
    """Pushes to one remote of the user's repository and opens merge requests there."""

    def __init__(self, programs: UserPrograms, *, remote: str = "origin") -> None:
        self._programs = programs
        self._remote = remote
        self._pushes = BranchPushes(programs=programs, remote=remote)

    async def open(self, request: PullRequest) -> Opened | NotOpened:
        """Push the branch and open a merge request; one that is open for the branch is found."""
        project = await self._project()
        if isinstance(project, NotOpened):
            return project
        request = replace(request, target=await self._pushes.target(request.target))
        found = await self._find(project, request)
        if isinstance(found, NotOpened):
            return found
        if found is None or not await self._pushes.holds(found.head, request.commit):
            refusal = await self._pushes.push(request)
            if refusal is not None:
                return refusal
        return await self._create(project, request) if found is None else _opened(found)

    async def look(
        self, url: str, *, ci: bool = True, reviews: bool = True
    ) -> PullRequestView | NotSeen:
        """See how a merge request stands; nothing is changed."""
        return await GitLabLooks(programs=self._programs).look(url, ci=ci, reviews=reviews)

    async def _project(self) -> _Project | NotOpened:
        """Find out what project the remote is, and whether it is a fork of another."""
        url = await self._pushes.url()
        if isinstance(url, NotOpened):
            return url
        place = place_of(url)
        if place is None:
            return NotOpened(reason=f"The remote {self._remote!r} is no project on GitLab.")
        calls = GlabCalls(programs=self._programs, host=place.host)
        answer = await calls.get(f"projects/{quote(place.path, safe='')}", _WHAT)
        if isinstance(answer, NotSeen):
            return _refused(answer)
        return _read_project(calls, answer) or _refused(not_read("glab", _WHAT))

    async def _find(self, project: _Project, request: PullRequest) -> _Found | NotOpened | None:
        branch = quote(request.branch, safe="")
        which = f"state=opened&source_branch={branch}&per_page=100"
        answer = await project.calls.get(f"{project.requests}?{which}", "merge requests")
        if isinstance(answer, NotSeen):
            return _refused(answer)
        return next((it for entry in entries(answer) if (it := _ours(entry, project))), None)

    async def _create(self, project: _Project, request: PullRequest) -> Opened | NotOpened:
        ended = await project.calls.post(
            f"projects/{project.source}/merge_requests", _body(project, request)
        )
        if not ended.is_success and _EXISTS in ended.words:
            found = await self._find(project, request)
            if isinstance(found, _Found):
                return _opened(found)
        url = (parse_object(ended.output) or {}).get("web_url")
        if ended.is_success and isinstance(url, str) and _URL.fullmatch(url):
            return Opened(url=url)
        return _refused(_not_made(ended, request))


def _not_made(ended: Ended, request: PullRequest) -> NotSeen:
    if ended.is_success:
        return not_read("glab", f"the merge request for {request.branch!r}")
    what = f"the merge request for {request.branch!r}"
    found = not_seen("glab", ended, what, deed="open")
    if "HTTP 403" in ended.words or "403 Forbidden" in ended.words:
        return NotSeen(reason="You may not open merge requests there.", detail=found.detail)
    return found


def _refused(unseen: NotSeen) -> NotOpened:
    return NotOpened(reason=unseen.reason, detail=unseen.detail)


def _read_project(calls: GlabCalls, answer: Json) -> _Project | None:
    match answer:
        case {
            "id": int(source),
            "forked_from_project": {"id": int(target), "default_branch": str(default)},
        }:
            return _Project(calls=calls, source=source, target=target, default=default)
        case {"id": int(source), "default_branch": str(default)}:
            return _Project(calls=calls, source=source, target=source, default=default)
        case _:
            return None


def _ours(entry: Mapping[str, Json], project: _Project) -> _Found | None:
    match entry:
        case {"web_url": str(url), "sha": str(head), "source_project_id": int(source)}:
            is_whole = _URL.fullmatch(url) and _COMMIT.fullmatch(head)
            is_ours = is_whole and source == project.source
            return _Found(url=url, head=CommitSha(head)) if is_ours else None
        case _:
            return None


def _body(project: _Project, request: PullRequest) -> dict[str, Json]:
    title = title_of(request, _TITLE_LENGTH)
    return {
        "source_branch": request.branch,
        "target_branch": request.target or project.default,
        "target_project_id": project.target,
        "title": f"Draft: {title}" if request.is_draft else title,
        "description": linked(request, "gitlab")[:_BODY_LENGTH],
    }


def _opened(found: _Found) -> Opened:
    return Opened(url=found.url, is_found=True)
