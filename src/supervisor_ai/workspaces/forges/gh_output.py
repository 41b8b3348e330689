"""Parses the JSON that `gh` prints, and the URLs of remotes, without believing any of it."""

import json
import re
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha

PULL_REQUEST_FIELDS: Final = "number,url,headRefOid,headRepositoryOwner,isCrossRepository"
REPOSITORY_FIELDS: Final = "nameWithOwner"
_URL: Final = re.compile(r"https://[^\s\"'<>\\]{1,2000}")
_COMMIT: Final = re.compile(r"[0-9a-f]{40,64}")
_ON_A_HOST: Final = re.compile(
    r"(?:[a-z]+://(?:[^/@\s]+@)?[^/@\s]+/|(?:[^/@:\s]+@)?[^/@:\s]+:)"
    r"(?P<repository>[^/:\s]+/[^/\s]+?)(?:\.git)?/?"
)


class FoundPullRequest(Struct, frozen=True, kw_only=True):
    """A pull request that is open for a branch."""

    url: str
    head: CommitSha


def repository_at(url: str) -> str | None:
    """Return OWNER/NAME of a remote on some host; None where it is a directory."""
    matched = _ON_A_HOST.fullmatch(url.strip())
    return None if matched is None else matched["repository"]


def fork_owner(pushed: str, answer: str) -> str | None:
    """Return whose fork is pushed to; None where pull requests go to the same repository."""
    match _parsed(answer):
        case {"nameWithOwner": str(base)} if base.lower() != pushed.lower():
            return pushed.partition("/")[0]
        case _:
            return None


def first_open(answer: str, fork: str | None) -> FoundPullRequest | None:
    """Find ours in a list; a stranger's branch of the same name in another fork is not."""
    entries = _parsed(answer)
    for entry in entries if isinstance(entries, list) else ():
        match entry:
            case {"url": str(url), "headRefOid": str(head)} if _is_ours(entry, fork):
                if _URL.fullmatch(url) and _COMMIT.fullmatch(head):
                    return FoundPullRequest(url=url, head=CommitSha(head))
            case _:
                continue
    return None


def last_url(output: str) -> str | None:
    """Return the address that was printed last."""
    urls = [word for word in output.split() if _URL.fullmatch(word)]
    return urls[-1] if urls else None


def _is_ours(entry: object, fork: str | None) -> bool:
    match entry:
        case {"isCrossRepository": False}:
            return fork is None
        case {"headRepositoryOwner": {"login": str(login)}}:
            return fork is not None and login.lower() == fork.lower()
        case _:
            return False


def _parsed(answer: str) -> object:
    try:
        parsed: object = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    return parsed
