"""Reads issues with the user's `gh` or `glab`, or with a program that the user has named."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import quote

from supervisor_ai.control.ports.trackers import TrackerChoice, TrackerCommand
from supervisor_ai.domain.errors import InvalidInput, NotFound, Unavailable
from supervisor_ai.domain.issues import TrackedIssue
from supervisor_ai.domain.run.definition import ForgeChoice
from supervisor_ai.engine.ports.forge import NotSeen
from supervisor_ai.tools.json_value import BadJson, Json, parse_json
from supervisor_ai.workspaces.forges.branch_pushes import BranchPushes, RemotePlace, place_of
from supervisor_ai.workspaces.forges.forge_urls import ForgeUrl, parse_forge_url
from supervisor_ai.workspaces.forges.glab_calls import GlabCalls
from supervisor_ai.workspaces.forges.issue_answers import (
    GH_FIELDS,
    of_command,
    of_github,
    of_gitlab,
)
from supervisor_ai.workspaces.forges.look_errors import not_read, not_seen
from supervisor_ai.workspaces.forges.user_programs import Ended, ProgramEnding, UserPrograms

_NUMBER: Final = re.compile(r"#?([1-9]\d{0,9})")
_KEY: Final = re.compile(r"[^\s\x00-\x1f-][^\x00-\x1f]{0,499}")
_REMOTE: Final = "origin"
_WHAT: Final = "the issue"
_HINT: Final = "Give its number, its address, or TRACKER:ID for a tracker of your config."


class UserTrackers:
    """Finds out which tracker an issue is in, and asks that one."""

    def __init__(self, checkout: Path, environment: Mapping[str, str]) -> None:
        self._programs = UserPrograms(directory=checkout, environment=environment)
        self._pushes = BranchPushes(programs=self._programs, remote=_REMOTE)

    async def read(self, reference: str, choice: TrackerChoice) -> TrackedIssue:
        """Read an issue by its number, its address or `TRACKER:ID`."""
        reference = reference.strip()
        meant = choice.meant(reference)
        if meant is not None:
            return await self._ask_command(meant[0], meant[1], choice.commands[meant[0]])
        url = parse_forge_url(reference)
        if url is not None and url.is_issue:
            name = f"{url.path}#{url.number}"
            return await (
                self._gitlab(url, name) if url.is_gitlab else self._github(reference, name)
            )
        number = _NUMBER.fullmatch(reference)
        if number is None:
            raise InvalidInput(f"{reference!r} names no issue.", hint=_HINT)
        return await self._numbered(number[1], choice.forge)

    async def _numbered(self, number: str, forge: ForgeChoice) -> TrackedIssue:
        remote = await self._pushes.url()
        place = place_of(remote) if isinstance(remote, str) else None
        is_gitlab = forge is ForgeChoice.GITLAB or (
            forge is ForgeChoice.AUTO and place is not None and "gitlab" in place.host
        )
        if forge is ForgeChoice.NONE or (is_gitlab and place is None):
            raise InvalidInput(f"Nobody knows where issue {number} is.", hint=_HINT)
        if place is not None and is_gitlab:
            return await self._gitlab(_issue_at(place, number), f"#{number}")
        return await self._github(number, f"#{number}")

    async def _github(self, which: str, name: str) -> TrackedIssue:
        ended = await self._programs.run("gh", "issue", "view", which, "--json", GH_FIELDS)
        if not ended.is_success:
            raise _missing(not_seen("gh", ended, _WHAT))
        return _whole("gh", of_github(_parsed(ended), name))

    async def _gitlab(self, url: ForgeUrl, name: str) -> TrackedIssue:
        calls = GlabCalls(programs=self._programs, host=url.host)
        path = f"projects/{quote(url.path, safe='')}/issues/{url.number}"
        answer = await calls.get(path, _WHAT)
        if isinstance(answer, NotSeen):
            raise _missing(answer)
        notes = await calls.get(f"{path}/notes?per_page=100&sort=asc&order_by=created_at", _WHAT)
        if isinstance(notes, NotSeen):
            raise _missing(notes)
        return _whole("glab", of_gitlab(answer, notes, name))

    async def _ask_command(self, name: str, key: str, tracker: TrackerCommand) -> TrackedIssue:
        """Give the program the issue's name as its last argument, never as an option."""
        if not _KEY.fullmatch(key):
            raise InvalidInput(f"{key!r} names no issue of {name!r}.", hint=_HINT)
        ended = await self._programs.run(*tracker.command, key)
        if ended.ending is ProgramEnding.MISSING:
            raise Unavailable(
                f"The program {tracker.command[0]!r} of tracker {name!r} was not found.",
                hint="Name a program of your PATH, or its whole path.",
            )
        if not ended.is_success:
            said = ended.words[-500:] or "nothing"
            raise Unavailable(f"Tracker {name!r} could not read {key!r}; its program said: {said}")
        return _whole(tracker.command[0], of_command(_parsed(ended), name, key))


def _issue_at(place: RemotePlace, number: str) -> ForgeUrl:
    return ForgeUrl(host=place.host, path=place.path, number=number, is_gitlab=True, is_issue=True)


def _parsed(ended: Ended) -> Json | Mapping[str, Json]:
    try:
        return parse_json(ended.output)
    except BadJson:
        return None


def _whole(program: str, found: TrackedIssue | None) -> TrackedIssue:
    if found is None:
        raise Unavailable(
            not_read(program, _WHAT).reason,
            hint='It has to print JSON: {"title": "…", "text": "…"}.',
        )
    return found


def _missing(unseen: NotSeen) -> NotFound | Unavailable:
    """Say that there is no such issue, or that nobody can tell."""
    if "does not find" in unseen.reason:
        return NotFound(unseen.reason)
    return Unavailable(unseen.reason, hint=unseen.detail[-300:] or None)
