"""Looks at merge requests on GitLab with the user's `glab`; nothing is changed there."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.engine.ports.forge import (
    CheckState,
    CiCheck,
    NotSeen,
    PullRequestState,
    PullRequestView,
    Remark,
)
from supervisor_ai.tools.json_value import Json
from supervisor_ai.workspaces.forges.forge_urls import ForgeUrl, parse_forge_url
from supervisor_ai.workspaces.forges.gh_views import entries
from supervisor_ai.workspaces.forges.glab_calls import GlabCalls
from supervisor_ai.workspaces.forges.look_errors import not_read
from supervisor_ai.workspaces.forges.user_programs import UserPrograms

_WHAT: Final = "the merge request"
_DEVELOPER: Final = 30
"""The least level of access of those whose word counts, in GitLab's numbers."""
_AUTHORS: Final = 20
_LOGS: Final = 10
_LOG: Final = 20_000
_COMMIT: Final = re.compile(r"[0-9a-f]{40,64}")
_STATES: Final = {
    "opened": PullRequestState.OPEN,
    "locked": PullRequestState.OPEN,
    "merged": PullRequestState.MERGED,
    "closed": PullRequestState.CLOSED,
}
_FAILED: Final = frozenset({"failed", "canceled"})
_PASSED: Final = frozenset({"success", "skipped", "manual"})


class _Said(Struct, frozen=True, kw_only=True):
    """What somebody said, before it is known whether that counts."""

    author: int
    remark: Remark


class _Request(Struct, frozen=True, kw_only=True):
    """A merge request as GitLab tells it."""

    calls: GlabCalls
    path: str
    state: PullRequestState
    head: CommitSha
    pipeline: Json

    @property
    def is_open(self) -> bool:
        return self.state is PullRequestState.OPEN


class GitLabLooks(Struct, frozen=True, kw_only=True):
    """Asks `glab` how merge requests stand."""

    programs: UserPrograms

    async def look(self, url: str, *, ci: bool, reviews: bool) -> PullRequestView | NotSeen:
        """See how one stands; comments and logs are read once no job is under way."""
        place = parse_forge_url(url)
        if place is None or not place.is_gitlab:
            return NotSeen(reason=f"{url!r} is no merge request on GitLab.")
        request = await self._request(place)
        if isinstance(request, NotSeen):
            return request
        checks = await _checks(request) if ci and request.is_open else ()
        if isinstance(checks, NotSeen):
            return checks
        is_early = any(it.state is CheckState.PENDING for it in checks) or not request.is_open
        remarks = () if is_early or not reviews else await _remarks(request)
        if isinstance(remarks, NotSeen):
            return remarks
        return PullRequestView(
            state=request.state,
            head=request.head,
            checks=checks,
            remarks=remarks,
            open_demands=sum(it.counts and it.is_demand for it in remarks),
        )

    async def _request(self, place: ForgeUrl) -> _Request | NotSeen:
        calls = GlabCalls(programs=self.programs, host=place.host)
        path = f"projects/{place.project}/merge_requests/{place.number}"
        answer = await calls.get(path, _WHAT)
        if isinstance(answer, NotSeen):
            return answer
        told = answer if isinstance(answer, Mapping) else {}
        state, head = told.get("state"), told.get("sha")
        if state not in _STATES or not isinstance(head, str) or not _COMMIT.fullmatch(head):
            return not_read("glab", _WHAT)
        return _Request(
            calls=calls,
            path=path,
            state=_STATES[str(state)],
            head=CommitSha(head),
            pipeline=told.get("head_pipeline"),
        )


async def _checks(request: _Request) -> tuple[CiCheck, ...] | NotSeen:
    match request.pipeline:
        case {"id": int(pipeline), "sha": str(head), "project_id": int(project)}:
            if head != request.head:
                return (CiCheck(name="pipeline", state=CheckState.PENDING),)
        case _:
            return ()
    jobs = f"projects/{project}/pipelines/{pipeline}/jobs?per_page=100"
    answer = await request.calls.get(jobs, "the pipeline")
    if isinstance(answer, NotSeen):
        return answer
    found = [(entry, it) for entry in entries(answer) if (it := _check(entry))]
    if any(it.state is CheckState.PENDING for _, it in found):
        return tuple(it for _, it in found)
    failed = [entry for entry, it in found if it.state is CheckState.FAILED][:_LOGS]
    return tuple(
        [
            await _with_log(request.calls, project, entry, it) if entry in failed else it
            for entry, it in found
        ]
    )


async def _with_log(
    calls: GlabCalls, project: int, entry: Mapping[str, Json], check: CiCheck
) -> CiCheck:
    """Read the end of a job's log; without one, the name alone has to do."""
    ended = await calls.ask(f"projects/{project}/jobs/{entry['id']}/trace")
    log = ended.output if ended.is_success else f"(no log: {ended.words})"
    return CiCheck(name=check.name, state=check.state, log=log[-_LOG:])


def _check(entry: Mapping[str, Json]) -> CiCheck | None:
    match entry:
        case {"id": int(), "name": str(name), "status": str(status)}:
            may_fail = entry.get("allow_failure") is True
            if status in _PASSED or (status in _FAILED and may_fail):
                return CiCheck(name=name, state=CheckState.PASSED)
            state = CheckState.FAILED if status in _FAILED else CheckState.PENDING
            return CiCheck(name=name, state=state)
        case _:
            return None


async def _remarks(request: _Request) -> tuple[Remark, ...] | NotSeen:
    """Read who asks for changes, and what is said at lines and not resolved."""
    reviewers = await request.calls.get(f"{request.path}/reviewers", _WHAT)
    if isinstance(reviewers, NotSeen):
        return reviewers
    talks = await request.calls.get(f"{request.path}/discussions?per_page=100", "the comments")
    if isinstance(talks, NotSeen):
        return talks
    said = [*_demands(reviewers), *_comments(talks)]
    authors = tuple(dict.fromkeys(it.author for it in said))[:_AUTHORS]
    counting = {author for author in authors if await _counts(request, author)}
    return tuple(_judged(it, is_counted=it.author in counting) for it in said)


def _judged(said: _Said, *, is_counted: bool) -> Remark:
    it = said.remark
    return Remark(
        key=it.key,
        author=it.author,
        text=it.text,
        counts=is_counted,
        file=it.file,
        line=it.line,
        is_demand=it.is_demand,
    )


async def _counts(request: _Request, author: int) -> bool:
    """Tell whether somebody may change the project; one of whom nothing is known may not."""
    project = request.path.partition("/merge_requests/")[0]
    answer = await request.calls.get(f"{project}/members/all/{author}", "a member")
    match answer:
        case {"access_level": int(level)}:
            return level >= _DEVELOPER
        case _:
            return False


def _demands(reviewers: Json) -> Iterator[_Said]:
    for entry in entries(reviewers):
        match entry:
            case {
                "state": "requested_changes",
                "user": {"id": int(author), "username": str(name)},
            }:
                remark = Remark(
                    key=f"r{author}",
                    author=name,
                    text="",
                    counts=False,
                    is_demand=True,
                )
                yield _Said(author=author, remark=remark)
            case _:
                continue


def _comments(talks: Json) -> Iterator[_Said]:
    for talk in entries(talks):
        for note in entries(talk.get("notes")):
            found = _comment(note)
            if found is not None:
                yield found


def _comment(note: Mapping[str, Json]) -> _Said | None:
    match note:
        case {
            "id": int(key),
            "type": "DiffNote",
            "body": str(body),
            "author": {"id": int(author), "username": str(name)},
            "position": {"new_path": str(file), **place},
        } if note.get("resolved") is not True:
            line = place.get("new_line") or place.get("old_line")
            at = line if isinstance(line, int) else None
            remark = Remark(key=f"n{key}", author=name, text=body, counts=False, file=file, line=at)
            return _Said(author=author, remark=remark)
        case _:
            return None
