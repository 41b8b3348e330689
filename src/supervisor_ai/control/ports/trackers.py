"""Port of the trackers that issues are read from."""

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.issues import TrackedIssue
from supervisor_ai.domain.run.definition import ForgeChoice


class TrackerCommand(Struct, frozen=True, kw_only=True):
    """A tracker of the user's: a program that prints an issue as JSON."""

    command: tuple[str, ...]
    url: str | None = None
    """How the addresses of its issues begin."""
    is_of_project: bool = False
    """Whether the project says so, which needs the user's trust."""


class TrackerChoice(Struct, frozen=True, kw_only=True):
    """Where issues can be: on a forge, and wherever the config says."""

    forge: ForgeChoice = ForgeChoice.AUTO
    commands: Mapping[str, TrackerCommand] = {}

    def meant(self, reference: str) -> tuple[str, str] | None:
        """Find which of the named trackers a reference means, and what it is called there."""
        name, colon, key = reference.partition(":")
        if colon and name in self.commands:
            return name, key
        for known, tracker in self.commands.items():
            if tracker.url and reference.startswith(tracker.url):
                return known, reference
        return None


class Trackers(Protocol):
    """Reads issues with the user's own means."""

    async def read(self, reference: str, choice: TrackerChoice) -> TrackedIssue:
        """Read an issue by its number, its address or `TRACKER:ID`.

        Raises InvalidInput where it is none of these, NotFound where there is no such issue and
        Unavailable where the tracker's program cannot tell.
        """
        ...
