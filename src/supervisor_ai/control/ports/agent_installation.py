"""Port of what an agent of the user's needs to know of us: files of its own, put in and taken out.

The agent is a program that the user runs, not a worker of ours.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.session.members import MemberRole


class InstallationScope(StrEnum):
    """For which of the user's work an agent is to know us."""

    PROJECT = "project"
    USER = "user"


class AgentWish(Struct, frozen=True, kw_only=True):
    """What an agent is to be to us."""

    agent: str
    scope: InstallationScope
    role: MemberRole
    session: str | None = None
    """None: the only session that is open when the agent begins."""
    member: str | None = None
    """What it is called in the session; None: as its role is."""
    team_role: str | None = None
    """What it is in the team of that name; None: the session is no team's."""
    git_directories: tuple[str, ...] = ()
    """Where git writes what is committed in its checkout, outside of it."""


class FileRewrite(Struct, frozen=True, kw_only=True):
    """A file before and after; None: it is not there."""

    path: str
    before: str | None
    after: str | None


class Offer(Struct, frozen=True, kw_only=True):
    """What a person may want to do besides; nobody does it for them."""

    why: str
    text: str


class InstallationPlan(Struct, frozen=True, kw_only=True):
    """All changes of files together, and how they are made."""

    agent: str
    scope: InstallationScope
    directory: str
    changes: tuple[FileRewrite, ...]
    offers: tuple[Offer, ...]
    apply: Callable[[], None]
    start: str = ""
    """The command line that starts a member of a team, which then works by itself."""


class FileStanding(StrEnum):
    """How a file of an installation is now."""

    AS_WRITTEN = "as written"
    CHANGED = "changed"
    GONE = "gone"


class InstalledFile(Struct, frozen=True, kw_only=True):
    """A file of an installation."""

    path: str
    standing: FileStanding


class Installation(Struct, frozen=True, kw_only=True):
    """What was put in for an agent."""

    agent: str
    scope: InstallationScope
    directory: str
    role: MemberRole
    session: str | None
    files: tuple[InstalledFile, ...]
    member: str | None = None


class AgentInstaller(Protocol):
    """The agents that can be told of us; nothing changes before `apply`."""

    def plan_install(self, wish: AgentWish) -> InstallationPlan:
        """Say which files would change; raises Conflict where the user has changed ours."""
        ...

    def plan_uninstall(self, agent: str, scope: InstallationScope) -> InstallationPlan:
        """Say how all would be as it was; raises NotFound, or Conflict as above."""
        ...

    def list(self) -> tuple[Installation, ...]:
        """Tell what was put in, wherever that is."""
        ...
