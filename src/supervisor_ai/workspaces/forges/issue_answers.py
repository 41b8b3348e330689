"""Parses what programs say about issues, without believing any of it."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from supervisor_ai.domain.issues import IssueComment, IssueLink, TrackedIssue
from supervisor_ai.tools.json_value import Json
from supervisor_ai.workspaces.forges.gh_views import entries, has_say

GH_FIELDS: Final = "number,title,body,comments,url"
_URL: Final = re.compile(r"https://[^\s\"'<>\\]{1,1000}")


def of_github(answer: Json, reference: str) -> TrackedIssue | None:
    """Read the answer of `gh issue view`."""
    match answer:
        case {"title": str(title), "body": str(text), "url": str(url), "comments": comments}:
            link = IssueLink(tracker="github", reference=reference, url=_address(url))
            told = tuple(_gh_comments(comments))
            return TrackedIssue(link=link, title=title, text=text, comments=told)
        case _:
            return None


def of_gitlab(answer: Json, notes: Json, reference: str) -> TrackedIssue | None:
    """Read an issue of GitLab's, and the notes about it."""
    match answer:
        case {"title": str(title), "web_url": str(url), "description": (str() | None) as text}:
            link = IssueLink(tracker="gitlab", reference=reference, url=_address(url))
            told = tuple(_gitlab_notes(notes))
            return TrackedIssue(link=link, title=title, text=text or "", comments=told)
        case _:
            return None


def of_command(answer: Json, tracker: str, reference: str) -> TrackedIssue | None:
    """Read what a tracker's program printed: `title`, `text`, and perhaps `comments` and `url`."""
    match answer:
        case {"title": str(title), "text": str(text)}:
            url = answer.get("url") if isinstance(answer, Mapping) else None
            comments = answer.get("comments") if isinstance(answer, Mapping) else None
            link = IssueLink(tracker=tracker, reference=reference, url=_address(url))
            told = tuple(_own_comments(comments))
            return TrackedIssue(link=link, title=title, text=text, comments=told)
        case _:
            return None


def _gh_comments(comments: Json) -> Iterator[IssueComment]:
    for entry in entries(comments):
        match entry:
            case {"author": {"login": str(author)}, "body": str(text)}:
                outsider = not has_say(entry.get("authorAssociation"))
                yield IssueComment(author=author, text=text, is_outsider=outsider)
            case _:
                continue


def _gitlab_notes(notes: Json) -> Iterator[IssueComment]:
    for entry in entries(notes):
        match entry:
            case {"author": {"username": str(author)}, "body": str(text), "system": False}:
                yield IssueComment(author=author, text=text)
            case _:
                continue


def _own_comments(comments: Json) -> Iterator[IssueComment]:
    """Accept plain texts, and texts with authors."""
    for entry in comments if isinstance(comments, list) else ():
        match entry:
            case str(text):
                yield IssueComment(author="somebody", text=text)
            case {"text": str(text)}:
                author = entry.get("author") if isinstance(entry, Mapping) else None
                name = author if isinstance(author, str) else "somebody"
                yield IssueComment(author=name, text=text)
            case _:
                continue


def _address(url: Json) -> str:
    return url if isinstance(url, str) and _URL.fullmatch(url) else ""
