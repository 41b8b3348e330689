"""Port of the pack installer: packs of roles that can be found, installed, updated and removed."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from supervisor_ai.control.ports.definitions import Power


class PackOffer(Struct, frozen=True, kw_only=True):
    """A version of a pack that can be had."""

    name: str
    version: str
    description: str
    author: str
    source: str
    path: str
    commit: str | None = None
    digest: str | None = None


class PackChange(Struct, frozen=True, kw_only=True):
    """A pack that comes, goes or becomes another version."""

    name: str
    before: str | None
    after: str | None
    source: str
    commit: str | None = None
    digest: str | None = None
    is_dependency: bool = False


class PackPrompt(Struct, frozen=True, kw_only=True):
    """What a pack tells the agents of one role."""

    role: str
    extends: str | None
    text: str


class PackPlan(Struct, frozen=True, kw_only=True):
    """All changes together, what the packs may do then, and how it is done."""

    changes: tuple[PackChange, ...]
    powers: tuple[Power, ...]
    prompts: tuple[PackPrompt, ...]
    apply: Callable[[], None]


class PackInstaller(Protocol):
    """One place for packs, the project's or the user's; nothing changes before `apply`."""

    def installed(self) -> Mapping[str, str]:
        """Return the version of each pack that is installed in the place."""
        ...

    def search(self, text: str, source: str | None) -> tuple[PackOffer, ...]:
        """Find packs whose name, description or author has the text in it."""
        ...

    def plan_published(self, owner: str, name: str, versions: str) -> PackPlan:
        """Say what installing a pack of somebody's would change; others have what it needs."""
        ...

    def plan_install(self, name: str, versions: str, source: str | None) -> PackPlan:
        """Say what installing a pack would change."""
        ...

    def plan_update(self, names: Sequence[str]) -> PackPlan:
        """Say what the newest versions that suit would change; no names mean all packs."""
        ...

    def plan_remove(self, name: str) -> PackPlan:
        """Say what goes with a pack: what only it needed."""
        ...
