"""Looks at merge requests on GitLab with the user's `glab`; nothing is changed there."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
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
from supervisor_ai.tools.json_value import Json, inner, text
from supervisor_ai.workspaces.forges.forge_urls import ForgeUrl, parse_forge_url
from supervisor_ai.workspaces.forges.gh_views import entries
from supervisor_ai.workspaces.forges.glab_calls import GlabCalls
from supervisor_ai.workspaces.forges.look_errors import not_read
from supervisor_ai.workspaces.forges.user_programs import UserPrograms

_WHAT: Final = "the merge request"
_DEVELOPER: Final = 30
"""The least level of access of those whose word counts, in GitLab's numbers."""
_AT_ONCE: Final = 100
"""So many authors are asked about with one call."""
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
_UNDER_WAY: Final = frozenset(
    {"created", "waiting_for_resource", "preparing", "pending", "running", "canceling"}
)
_PIPELINE: Final = "pipeline"


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
    author: Json
    """Who opened it: the user whose `glab` this is."""

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
        state, head = text(told.get("state")), text(told.get("sha"))
        if state not in _STATES or not _COMMIT.fullmatch(head):
            return not_read("glab", _WHAT)
        return _Request(
            calls=calls,
            path=path,
            state=_STATES[state],
            head=CommitSha(head),
            pipeline=told.get("head_pipeline"),
            author=inner(told.get("author"), "id"),
        )


async def _checks(request: _Request) -> tuple[CiCheck, ...] | NotSeen:
    match request.pipeline:
        case {"id": int(pipeline), "sha": str(head), "project_id": int(project)}:
            if head != request.head:
                return (CiCheck(name=_PIPELINE, state=CheckState.PENDING),)
        case _:
            return ()
    jobs = f"projects/{project}/pipelines/{pipeline}/jobs?per_page=100"
    answer = await request.calls.get(jobs, "the pipeline")
    if isinstance(answer, NotSeen):
        return answer
    found = [(entry, it) for entry in entries(answer) if (it := _check(entry))]
    rest = tuple(_unlisted(request.pipeline, {it.state for _, it in found}))
    if any(it.state is CheckState.PENDING for it in (*rest, *(it for _, it in found))):
        return (*(it for _, it in found), *rest)
    failed = [entry for entry, it in found if it.state is CheckState.FAILED][:_LOGS]
    told = [
        await _with_log(request.calls, project, entry, it) if entry in failed else it
        for entry, it in found
    ]
    return (*told, *rest)


def _unlisted(pipeline: Json, states: Collection[CheckState]) -> Iterator[CiCheck]:
    """Let a pipeline speak for jobs that are not listed: of others that it starts, or too many."""
    status = text(inner(pipeline, "status"))
    if status in _UNDER_WAY and CheckState.PENDING not in states:
        yield CiCheck(name=_PIPELINE, state=CheckState.PENDING)
    if status in _FAILED and CheckState.FAILED not in states:
        yield CiCheck(name=_PIPELINE, state=CheckState.FAILED)


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
    """Read who asks for changes, and what others say that is not resolved."""
    reviewers = await request.calls.get(f"{request.path}/reviewers", _WHAT)
    if isinstance(reviewers, NotSeen):
        return reviewers
    newest = "sort=desc&order_by=created_at&per_page=100"
    notes = await request.calls.get(f"{request.path}/notes?{newest}", "the comments")
    if isinstance(notes, NotSeen):
        return notes
    said = [*_demands(reviewers), *_notes(notes, request)]
    counting = await _counting(request, tuple(dict.fromkeys(it.author for it in said)))
    if isinstance(counting, NotSeen):
        return counting
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


async def _counting(request: _Request, authors: Sequence[int]) -> frozenset[int] | NotSeen:
    """Find those who may change the project; one of whom nothing is known may not."""
    project, found = request.path.partition("/merge_requests/")[0], set[int]()
    for first in range(0, len(authors), _AT_ONCE):
        asked = "&".join(f"user_ids%5B%5D={it}" for it in authors[first : first + _AT_ONCE])
        answer = await request.calls.get(
            f"{project}/members/all?per_page={_AT_ONCE}&{asked}", "the members"
        )
        if isinstance(answer, NotSeen):
            return answer
        found |= {it for entry in entries(answer) if (it := _developer(entry)) is not None}
    return frozenset(found)


def _developer(member: Mapping[str, Json]) -> int | None:
    match member:
        case {"id": int(who), "access_level": int(level)} if level >= _DEVELOPER:
            return who
        case _:
            return None


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


def _notes(notes: Json, request: _Request) -> Iterator[_Said]:
    """List what was said, the oldest first; of its own author, what is said at lines alone."""
    for note in reversed(list(entries(notes))):
        found = None if note.get("resolved") is True else _note(note)
        is_talk = found is not None and found.remark.file is None
        if found is not None and not (is_talk and found.author == request.author):
            yield found


def _note(note: Mapping[str, Json]) -> _Said | None:
    match note:
        case {
            "id": int(key),
            "system": False,
            "body": str(body),
            "author": {"id": int(author), "username": str(name)},
        }:
            file = inner(note.get("position"), "new_path")
            remark = Remark(
                key=f"n{key}",
                author=name,
                text=body,
                counts=False,
                file=file if isinstance(file, str) else None,
                line=_line(note.get("position")),
            )
            return _Said(author=author, remark=remark)
        case _:
            return None


def _line(position: Json) -> int | None:
    line = inner(position, "new_line") or inner(position, "old_line")
    return line if isinstance(line, int) else None
