"""Parses the JSON that `gh` prints, and the URLs of remotes, without believing any of it."""

import json
import re
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.workspaces.forges.forge_urls import parse_forge_url

PULL_REQUEST_FIELDS: Final = "number,url,headRefOid,headRepositoryOwner,isCrossRepository"
REPOSITORY_FIELDS: Final = "nameWithOwner,url"
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


def home_of(answer: str) -> str | None:
    """Return the address of the repository that pull requests go to."""
    match _parsed(answer):
        case {"url": str(url)} if _URL.fullmatch(url):
            return url
        case _:
            return None


def is_pull_request(url: str, home: str | None) -> bool:
    """Tell whether an address is one of a pull request, of the repository if that is known."""
    place = parse_forge_url(url)
    if place is None or place.is_gitlab or place.is_issue:
        return False
    found = f"https://{place.host}/{place.path}"
    return home is None or found.lower() == home.rstrip("/").lower()


def first_open(answer: str, fork: str | None, home: str | None = None) -> FoundPullRequest | None:
    """Find ours in a list; a stranger's branch of the same name in another fork is not."""
    entries = _parsed(answer)
    for entry in entries if isinstance(entries, list) else ():
        match entry:
            case {"url": str(url), "headRefOid": str(head)} if _is_ours(entry, fork):
                if is_pull_request(url, home) and _COMMIT.fullmatch(head):
                    return FoundPullRequest(url=url, head=CommitSha(head))
            case _:
                continue
    return None


def last_url(output: str, home: str | None = None) -> str | None:
    """Return the address of a pull request that was printed last."""
    urls = [word for word in output.split() if is_pull_request(word, home)]
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
