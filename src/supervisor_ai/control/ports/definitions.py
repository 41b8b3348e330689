"""Port of the catalog of definitions and of the store of the user's trust in them."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, Protocol

from msgspec import Struct

from supervisor_ai.control.ports.trackers import TrackerChoice
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.definition import Definition, Gate, Role, Workflow
from supervisor_ai.engine.ports.consent import Consent, PinnedPower


class Power(Struct, frozen=True, kw_only=True):
    """A setting of the project that widens what runs on the user's machine may do."""

    file: str
    line: int
    key: str
    value: str


class Loaded(Struct, frozen=True, kw_only=True):
    """A definition, ready to be pinned, and what the project asks the user to trust."""

    definition: Definition
    powers: tuple[Power, ...]
    notes: tuple[str, ...] = ()
    """What is no mistake, but good to know: what was left out, and why."""
    cautions: tuple[str, ...] = ()
    """Those of the notes that every run is told: files that nobody reads or applies."""


class WorkflowSummary(Struct, frozen=True, kw_only=True):
    """A workflow as lists show it."""

    name: str
    description: str
    origin: str
    missing: tuple[str, ...] = ()
    """What must be configured before it can be run: `gate ci`."""


class RoleSummary(Struct, frozen=True, kw_only=True):
    """A role as lists show it."""

    name: str
    description: str
    origin: str
    pack: str | None
    extends: str | None
    answer: str
    writes: bool
    cli: str
    version: str | None = None
    """That of its pack."""


class RoleValue(Struct, frozen=True, kw_only=True):
    """One value of a role, and the file and line that say so."""

    key: str
    value: str
    file: str
    line: int
    origin: str


class ConfigValue(Struct, frozen=True, kw_only=True):
    """One value of the effective configuration, and where it comes from."""

    key: str
    path: tuple[str | int, ...]
    """The keys of mappings and the numbers of lists that lead to it."""
    value: object
    origin: str
    """`built-in`, `user` or `project`."""
    file: str | None = None
    """None: no file says so; it is what holds then."""
    line: int | None = None


class RoleDetail(Struct, frozen=True, kw_only=True):
    """A role with everything that was said about it."""

    summary: RoleSummary
    values: tuple[RoleValue, ...]
    """What the role's files say; the config files' words are in `role` alone."""
    role: Role
    """As a run would pin it."""


class RoleDraft(Struct, frozen=True, kw_only=True):
    """A role file made of an agent that another program defines; nothing is written yet."""

    name: str
    text: str
    notes: tuple[str, ...] = ()
    """What could not be taken over."""


class AgentSummary(Struct, frozen=True, kw_only=True):
    """An agent as lists show it."""

    name: str


class GateSummary(Struct, frozen=True, kw_only=True):
    """A gate as lists show it: one that is configured, or one that everybody knows by its name."""

    name: str
    description: str
    kind: str
    command: tuple[str, ...] = ()
    """What is run; nothing for a gate that looks at the change itself."""
    policy: str | None = None
    """What follows from a failure; None: as the step that runs it says."""
    is_enabled: bool = True
    file: str | None = None
    line: int | None = None
    origin: str | None = None
    """Where the last word on it stands; None where nobody has configured it."""
    missing: str | None = None
    """What to write before it can be run."""


NO_ROLES: Final[Mapping[str, str]] = MappingProxyType({})


class Catalog(Protocol):
    """Definitions of the package, the user and the project at one commit."""

    def load(
        self,
        commit: CommitSha,
        *,
        workflow: str | None,
        cli: str | None,
        roles: Mapping[str, str] = NO_ROLES,
    ) -> Loaded:
        """Resolve a workflow (None: the configured one) and everything it names.

        `roles` gives steps other roles than the workflow does; `*` means every step whose role
        answers in the same way. Raises InvalidInput with every mistake at once, each with file,
        line and key, and NotFound with the nearest name for an unknown workflow, role or CLI.
        """
        ...

    def resolve_for(self, driver: str, commit: CommitSha, wanted: object) -> Loaded:
        """Resolve what a run of a driver with steps of its own pins; raises as `load` does."""
        ...

    def roles(self, commit: CommitSha) -> Sequence[RoleSummary]:
        """List the roles that steps can name."""
        ...

    def role(self, commit: CommitSha, name: str) -> RoleDetail:
        """Show one role; raises NotFound with the nearest name."""
        ...

    def draft_role(self, text: str, *, name: str) -> RoleDraft:
        """Make a role file of an agent in markdown; `name` counts where the text names none."""
        ...

    def agent_text(self, commit: CommitSha, name: str) -> RoleDraft:
        """Write a role as an agent in markdown."""
        ...

    def agents(self, commit: CommitSha) -> Sequence[AgentSummary]:
        """List the agents that a run can be given."""
        ...

    def gates(self, commit: CommitSha) -> Sequence[GateSummary]:
        """List the gates that steps can name, and those that could be configured."""
        ...

    def gate(self, commit: CommitSha, name: str) -> Gate:
        """Return a gate by itself, as no workflow changes it.

        Raises NotFound with the nearest name, and InvalidInput where it cannot be run as it is.
        """
        ...

    def outline(self, commit: CommitSha, *, workflow: str | None) -> Workflow:
        """Return a workflow as written, also where something is missing to run it."""
        ...

    def workflows(self, commit: CommitSha) -> Sequence[WorkflowSummary]:
        """List the workflows that can be run."""
        ...

    def config(self, commit: CommitSha) -> Sequence[ConfigValue]:
        """List the values of the effective configuration with where each comes from."""
        ...

    def section(self, commit: CommitSha, key: str) -> object:
        """Return what holds in a slice's section of the config."""
        ...

    def trackers(self, commit: CommitSha) -> TrackerChoice:
        """Return where issues can be read."""
        ...

    def cautions(self, commit: CommitSha) -> tuple[str, ...]:
        """Name the definition files that nobody reads, and what is read and not applied yet."""
        ...

    def powers(self, commit: CommitSha) -> tuple[Power, ...]:
        """List what the project asks the user to trust, whatever the workflow."""
        ...


class TrustCheck(Struct, frozen=True, kw_only=True):
    """What the user trusted before, against what the project asks now."""

    is_trusted: bool
    added: tuple[Power, ...]
    removed: tuple[Power, ...]


class TrustStore(Consent, Protocol):
    """The user's word on one repository, kept in the user's directory and void on change."""

    def check(self, powers: tuple[Power, ...]) -> TrustCheck:
        """Compare what the project asks with what the user agreed to."""
        ...

    def grant(self, powers: tuple[Power, ...]) -> None:
        """Keep the user's agreement to exactly these."""
        ...

    def agree(self, powers: tuple[PinnedPower, ...]) -> None:
        """Keep the user's agreement to what a run is started with."""
        ...
