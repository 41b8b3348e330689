"""Parses what `gh` says about a pull request: its checks, its reviews and its comments."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.engine.ports.forge import CheckState, CiCheck, PullRequestState, Remark
from supervisor_ai.tools.json_value import BadJson, Json, parse_json, parse_object, text

VIEW_FIELDS: Final = "state,headRefOid,statusCheckRollup,reviews,comments"
_COUNTED: Final = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
"""Whose word counts, by what GitHub says of an author's part in the repository."""
_STATES: Final = {
    "OPEN": PullRequestState.OPEN,
    "MERGED": PullRequestState.MERGED,
    "CLOSED": PullRequestState.CLOSED,
}
_OPINIONS: Final = frozenset({"APPROVED", "CHANGES_REQUESTED", "DISMISSED"})
_DEMAND: Final = "CHANGES_REQUESTED"
_GOOD: Final = frozenset({"SUCCESS", "NEUTRAL", "SKIPPED"})
_UNDER_WAY: Final = frozenset({"PENDING", "EXPECTED"})
_NEVER: Final = "0001-"
"""How `gh` writes a time that there is none of."""
_LATER: Final = "9999-"
_JOB: Final = re.compile(r"https://[^/\s]+/[^/\s]+/[^/\s]+/actions/runs/\d{1,20}/job/(\d{1,20})")
_COMMIT: Final = re.compile(r"[0-9a-f]{40,64}")
_KEY: Final = re.compile(r"[A-Za-z0-9_=-]{1,100}")

Entry = Mapping[str, Json]


class GhCheck(Struct, frozen=True, kw_only=True):
    """A check, and the job whose log tells why it failed, where GitHub itself ran it."""

    check: CiCheck
    job: str | None = None


class GhView(Struct, frozen=True, kw_only=True):
    """How a pull request stands, but for what is said at its lines."""

    state: PullRequestState
    head: CommitSha
    checks: tuple[GhCheck, ...]
    demands: tuple[Remark, ...]
    """Reviews that ask for changes, and whose authors have said nothing else since."""
    talk: tuple[Remark, ...]
    """What others say below it."""

    @property
    def is_pending(self) -> bool:
        """Tell whether a check is under way."""
        return any(it.check.state is CheckState.PENDING for it in self.checks)


def parse_view(answer: str) -> GhView | None:
    """Read the answer of `gh pr view`; None where it cannot be read."""
    found = parse_object(answer) or {}
    state, head = text(found.get("state")), text(found.get("headRefOid"))
    if state not in _STATES or not _COMMIT.fullmatch(head):
        return None
    return GhView(
        state=_STATES[state],
        head=CommitSha(head),
        checks=tuple(_checks(found.get("statusCheckRollup"))),
        demands=tuple(_demands(found.get("reviews"))),
        talk=tuple(_talk(found.get("comments"))),
    )


def parse_comments(answer: str) -> tuple[Remark, ...] | None:
    """Read the comments at lines, the oldest first; None where they cannot be read."""
    try:
        parsed = parse_json(answer)
    except BadJson:
        return None
    if not isinstance(parsed, list):
        return None
    return tuple(reversed([it for entry in entries(parsed) if (it := _comment(entry))]))


def entries(value: Json) -> Iterator[Entry]:
    """List the objects of a list, all of them: none can be hidden behind many others."""
    for entry in value if isinstance(value, list) else ():
        if isinstance(entry, Mapping):
            yield entry


def has_say(association: Json) -> bool:
    """Tell whether an author's part in the repository makes their word count."""
    return text(association) in _COUNTED


def _checks(rollup: Json) -> Iterator[GhCheck]:
    """List the checks; of one that ran several times, the newest."""
    newest: dict[str, tuple[str, GhCheck]] = {}
    for entry in entries(rollup):
        found = _check(entry)
        if found is not None:
            name, at = found.check.name, _start(entry, found.check)
            if name not in newest or newest[name][0] <= at:
                newest[name] = (at, found)
    yield from (found for _, found in newest.values())


def _start(entry: Entry, check: CiCheck) -> str:
    """Say when a check began, to be compared; one that is queued again has yet to."""
    at = text(entry.get("startedAt"))
    has_begun = bool(at) and not at.startswith(_NEVER)
    return at if has_begun or check.state is not CheckState.PENDING else _LATER


def _check(entry: Entry) -> GhCheck | None:
    match entry:
        case {"name": str(name), "status": str(status), **rest}:
            workflow, url = rest.get("workflowName"), rest.get("detailsUrl")
            job = _JOB.match(url) if isinstance(url, str) else None
            named = f"{workflow} / {name}" if isinstance(workflow, str) and workflow else name
            state = _state(str(rest.get("conclusion"))) if status == "COMPLETED" else None
            check = CiCheck(name=named, state=state or CheckState.PENDING)
            return GhCheck(check=check, job=job and job[1])
        case {"context": str(name), "state": str(state)}:
            pending = CheckState.PENDING if state in _UNDER_WAY else None
            return GhCheck(check=CiCheck(name=name, state=pending or _state(state)))
        case _:
            return None


def _state(conclusion: str) -> CheckState:
    return CheckState.PASSED if conclusion in _GOOD else CheckState.FAILED


def _demands(reviews: Json) -> Iterator[Remark]:
    last: dict[str, Entry] = {}
    for review in entries(reviews):
        if text(review.get("state")) in _OPINIONS:
            last[_login(review.get("author"))] = review
    for author, review in last.items():
        match review:
            case {"id": str(key), "state": str(state), "body": str(body)} if state == _DEMAND:
                if _KEY.fullmatch(key):
                    counts = has_say(review.get("authorAssociation"))
                    yield Remark(key=key, author=author, text=body, counts=counts, is_demand=True)


def _talk(comments: Json) -> Iterator[Remark]:
    """List what others say below a pull request, but for what was hidden there."""
    for comment in entries(comments):
        if comment.get("viewerDidAuthor") is True or comment.get("isMinimized") is True:
            continue
        match comment:
            case {"id": str(key), "body": str(body)} if _KEY.fullmatch(key):
                yield Remark(
                    key=key,
                    author=_login(comment.get("author")),
                    text=body,
                    counts=has_say(comment.get("authorAssociation")),
                )
            case _:
                continue


def _comment(entry: Entry) -> Remark | None:
    match entry:
        case {"id": int(key), "path": str(path), "body": str(body)}:
            line = entry.get("line") or entry.get("original_line")
            return Remark(
                key=f"c{key}",
                author=_login(entry.get("user")),
                text=body,
                counts=has_say(entry.get("author_association")),
                file=path,
                line=line if isinstance(line, int) else None,
            )
        case _:
            return None


def _login(author: Json) -> str:
    match author:
        case {"login": str(login)}:
            return login
        case _:
            return "somebody"
