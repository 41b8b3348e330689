"""The catalogue of definitions: package, user, and project at one commit."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from supervisor_ai.control.ports.definitions import (
    NO_ROLES,
    AgentSummary,
    ConfigValue,
    GateSummary,
    Loaded,
    Power,
    RoleDetail,
    RoleDraft,
    RoleSummary,
    WorkflowSummary,
)
from supervisor_ai.control.ports.trackers import TrackerChoice
from supervisor_ai.control.slice_names import import_place, registered_slices
from supervisor_ai.definitions.sources.files import (
    PROJECT_DIRECTORY,
    CommitSource,
    DirectorySource,
    Origin,
    package_source,
)
from supervisor_ai.domain.errors import InternalError, InvalidInput
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.definition import Definition, Gate, Workflow
from supervisor_ai.engine.ports.workspaces import Repository

if TYPE_CHECKING:
    from supervisor_ai.definitions.catalog.library import Library
    from supervisor_ai.definitions.config.merged import Sections
    from supervisor_ai.definitions.roles.agents import Agents
    from supervisor_ai.definitions.sources.mistakes import Note
    from supervisor_ai.definitions.sources.row_cache import KeptForm, Row, RowCache

    SliceResolver = Callable[[Library, Agents, object], Definition]

WORKFLOW = "workflow"
_CONFIG = f"{PROJECT_DIRECTORY}/config.yaml"


_READ = (PROJECT_DIRECTORY, ".worktreeinclude")
"""What of a commit a definition is made of, unless an agent has a script."""


class CatalogMemory(Struct, frozen=True, kw_only=True):
    """Where lists are kept, and how a resolved definition is for the next run of its files."""

    cache: "RowCache"
    form: "KeptForm[Loaded]"
    entries: Callable[..., str]
    """Names what stands in places of a commit."""


class FileCatalog:
    """Reads definitions from files; what reads them is imported only when they are asked for."""

    def __init__(
        self,
        repository: Repository,
        user_directory: Path,
        adapters: Collection[str],
        sections: "Sections | None" = None,
        *,
        memory: "CatalogMemory | None" = None,
        missing: Collection[str] = (),
    ) -> None:
        self._repository = repository
        self._given = sections
        self._user_directory = user_directory
        self._adapters = adapters
        self._memory = memory
        self._missing = missing
        """Agents that are not installed on this machine."""

    def load(
        self,
        commit: CommitSha,
        *,
        workflow: str | None,
        cli: str | None,
        roles: Mapping[str, str] = NO_ROLES,
    ) -> Loaded:
        """Resolve a workflow (None: the configured default) and everything it names."""

        def read() -> Loaded:
            return self._load(commit, workflow=workflow, cli=cli, roles=roles)

        if self._memory is None:
            return read()
        asked = [workflow, cli, sorted(roles.items()), str(Path.home())]
        about = (json.dumps(asked), *self._about(self._memory.entries(commit, *_READ)))
        return self._memory.cache.kept("loaded", about, self._memory.form, read)

    def _load(
        self, commit: CommitSha, *, workflow: str | None, cli: str | None, roles: Mapping[str, str]
    ) -> Loaded:
        from supervisor_ai.definitions.catalog.resolution import HostDriver, find_workflow, resolve

        library = self._library(commit)
        default = library.settings.workflow
        name = workflow or (default.name if default else "")
        path = f"{PROJECT_DIRECTORY}/workflows/{name}.yaml"
        found = find_workflow(library, name, stale=self._stale(commit, path))
        agents = self._agents(library, commit)
        host = HostDriver(driver=WORKFLOW)
        definition = resolve(library, found, agents, cli=cli, wanted=roles, host=host)
        return _loaded(library, definition, agents, found.notes)

    def resolve_for(self, driver: str, commit: CommitSha, wanted: object) -> Loaded:
        """Resolve everything that a run of a driver with steps of its own pins."""
        library = self._library(commit)
        place = registered_slices()[driver].resolver
        if place is None:
            raise InternalError(f"The driver {driver!r} pins nothing but workflows.")
        resolve = cast("SliceResolver", import_place(place))
        agents = self._agents(library, commit)
        return _loaded(library, resolve(library, agents, wanted), agents, ())

    def outline(self, commit: CommitSha, *, workflow: str | None) -> Workflow:
        """Return a workflow as written, whether or not it could be run."""
        from supervisor_ai.definitions.catalog.resolution import named_workflow

        library = self._library(commit)
        default = library.settings.workflow
        name = workflow or (default.name if default else "")
        path = f"{PROJECT_DIRECTORY}/workflows/{name}.yaml"
        return named_workflow(library, name, stale=self._stale(commit, path)).workflow

    def workflows(self, commit: CommitSha) -> Sequence[WorkflowSummary]:
        """List the workflows that can be run."""
        return self._rows("workflows", commit, WorkflowSummary, self._workflows)

    def _workflows(self, commit: CommitSha) -> Sequence[WorkflowSummary]:
        found = self._library(commit).workflows
        return [
            WorkflowSummary(
                name=name,
                description=read.workflow.description,
                origin=read.origin.value,
                missing=read.needs,
            )
            for name, read in sorted(found.items())
        ]

    def config(self, commit: CommitSha) -> Sequence[ConfigValue]:
        """List the values of the effective configuration with where each comes from."""
        from supervisor_ai.definitions.config.effective import effective_values

        config = self._library(commit).settings.config
        return tuple(effective_values(config, self._sections))

    def section(self, commit: CommitSha, key: str) -> object:
        """Return what holds in a slice's section of the config."""
        return self._library(commit).settings.sections[key]

    def trackers(self, commit: CommitSha) -> TrackerChoice:
        """Return where issues can be read."""
        settings = self._library(commit).settings
        return TrackerChoice(forge=settings.forge, commands=settings.trackers)

    def cautions(self, commit: CommitSha) -> tuple[str, ...]:
        """Name the definition files that nobody reads, and what is read and not applied yet."""
        return tuple(note.line for note in self._library(commit).notes)

    def powers(self, commit: CommitSha) -> tuple[Power, ...]:
        """List what the project asks the user to trust, whatever the workflow."""
        return self._library(commit).powers

    def roles(self, commit: CommitSha) -> Sequence[RoleSummary]:
        """List the roles that steps can name."""
        return self._rows("roles", commit, RoleSummary, self._roles)

    def _roles(self, commit: CommitSha) -> Sequence[RoleSummary]:
        from supervisor_ai.definitions.roles.summaries import summaries

        library = self._library(commit)
        return summaries(library.book, library.settings, self._missing)

    def role(self, commit: CommitSha, name: str) -> RoleDetail:
        """Show one role."""
        from supervisor_ai.definitions.catalog.resolution import resolve_role
        from supervisor_ai.definitions.roles.assignment import find_role
        from supervisor_ai.definitions.roles.summaries import summary, values

        library = self._library(commit)
        find_role(library.roles, name, library.book.hint)
        merged = library.book.roles[name]
        return RoleDetail(
            summary=summary(merged, library.book, library.settings, self._missing),
            values=tuple(values(merged)),
            role=resolve_role(library, self._agents(library, commit), name),
        )

    def draft_role(self, text: str, *, name: str) -> RoleDraft:
        """Make a role file of an agent in markdown."""
        from supervisor_ai.definitions.roles.markdown_agents import read_agent

        return read_agent(text, name)

    def agent_text(self, commit: CommitSha, name: str) -> RoleDraft:
        """Write a role as an agent in markdown."""
        from supervisor_ai.definitions.roles.markdown_agents import write_agent

        return write_agent(self.role(commit, name).role)

    def agents(self, commit: CommitSha) -> Sequence[AgentSummary]:
        """List the agents that a run can be given."""
        return self._rows("agents", commit, AgentSummary, self._agent_rows)

    def _agent_rows(self, commit: CommitSha) -> Sequence[AgentSummary]:
        found = self._agents(self._library(commit), commit)
        return [AgentSummary(name=name) for name in found.names]

    def gates(self, commit: CommitSha) -> Sequence[GateSummary]:
        """List the gates that steps can name, and those that could be configured."""
        return self._rows("gates", commit, GateSummary, self._gates)

    def _gates(self, commit: CommitSha) -> Sequence[GateSummary]:
        from supervisor_ai.definitions.config.gate_summaries import gate_summaries

        return gate_summaries(self._library(commit).settings)

    def gate(self, commit: CommitSha, name: str) -> Gate:
        """Return a gate by itself, as no workflow changes it."""
        from supervisor_ai.definitions.config.gate_summaries import find_gate

        library = self._library(commit)
        return find_gate(name, library.settings, stale=self._stale(commit, _CONFIG))

    def _rows(
        self,
        name: str,
        commit: CommitSha,
        kind: type["Row"],
        read: Callable[[CommitSha], Sequence["Row"]],
    ) -> Sequence["Row"]:
        if self._memory is None:
            return read(commit)
        return self._memory.cache.rows(name, self._about(commit), kind, lambda: read(commit))

    def _about(self, content: str) -> tuple[str, ...]:
        """Say what definitions depend on besides files of the machine."""
        return (content, str(self._user_directory), *registered_slices(), *self._missing)

    def _agents(self, library: "Library", commit: CommitSha) -> "Agents":
        from supervisor_ai.definitions.roles.agents import Agents

        stale = self._stale(commit, _CONFIG)
        roles = library.book.roles
        return Agents(
            settings=library.settings,
            roles=roles,
            adapters=self._adapters,
            stale=stale,
            missing=self._missing,
        )

    @property
    def _sections(self) -> "Sections":
        from supervisor_ai.definitions.config.slice_sections import slice_sections

        return slice_sections() if self._given is None else self._given

    def _library(self, commit: CommitSha) -> "Library":
        from supervisor_ai.definitions.catalog.library import Shelves, read_library
        from supervisor_ai.definitions.sources.aliased_files import AliasedSource
        from supervisor_ai.definitions.sources.mistakes import FileMistakes

        shelves = Shelves(
            builtin=package_source(),
            user=AliasedSource(DirectorySource(Origin.USER, self._user_directory)),
            project=AliasedSource(CommitSource(self._repository, commit)),
            checkout=DirectorySource(Origin.PROJECT, self._repository.root / PROJECT_DIRECTORY),
        )
        mistakes = FileMistakes()
        library = read_library(shelves, self._adapters, mistakes, self._sections)
        if mistakes:
            stale = (self._stale(commit, file) for file in sorted(mistakes.files))
            raise mistakes.error(hint=next(filter(None, stale), None))
        return library

    def _stale(self, commit: CommitSha, path: str) -> str | None:
        """Say that a file of the checkout is not the one that counts."""
        file = self._repository.root / path
        if not path.startswith(PROJECT_DIRECTORY) or file.is_symlink() or not file.is_file():
            return None
        try:
            committed = self._repository.read(commit, path)
            if committed is not None and committed.encode() == file.read_bytes():
                return None
        except (InvalidInput, OSError):
            return None
        return f"Definitions are read from the commit {commit[:12]}: commit {path} first."


def _loaded(
    library: "Library", definition: Definition, agents: "Agents", notes: "Sequence[Note]"
) -> Loaded:
    from supervisor_ai.definitions.roles.cli_flags import flag_notes

    flags = flag_notes(definition, library.book.roles)
    cautions = (*library.notes, *agents.notes(definition), *flags)
    return Loaded(
        definition=definition,
        powers=library.powers,
        notes=tuple(note.line for note in (*notes, *cautions)),
        cautions=tuple(note.line for note in cautions),
    )
