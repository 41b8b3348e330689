"""The only place where ports meet adapters; what an adapter imports is imported when it is used."""

import sys
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from supervisor_ai.control.settings import NO_SANDBOX, HostSettings
from supervisor_ai.domain.ids import CommitSha

if TYPE_CHECKING:
    from asyncio import Event

    from supervisor_ai.context.knowledge.library import KnowledgeLibrary
    from supervisor_ai.control.commands.trust import UserConsent
    from supervisor_ai.control.ledger_binding import LedgerBinding
    from supervisor_ai.control.ports.definitions import Catalog
    from supervisor_ai.control.ports.logins import Logins
    from supervisor_ai.control.preflight import Preflight
    from supervisor_ai.control.queries.notices import Channels
    from supervisor_ai.control.records import Records
    from supervisor_ai.control.sessions.desk import SessionDesk
    from supervisor_ai.control.slices import SliceProject
    from supervisor_ai.definitions.consent.trust_store import FileTrustStore
    from supervisor_ai.documents.knowledge.reader import KnowledgeReader
    from supervisor_ai.domain.redaction.redactor import RuleRedactor
    from supervisor_ai.domain.run.definition import SandboxPolicy
    from supervisor_ai.engine.ports.context import ContextPacker
    from supervisor_ai.engine.ports.identities import Identities
    from supervisor_ai.engine.ports.members import MemberDoors
    from supervisor_ai.engine.ports.monitor import Monitor
    from supervisor_ai.engine.ports.oversight import Oversight
    from supervisor_ai.engine.ports.sandbox import Sandbox
    from supervisor_ai.engine.ports.workers import Prompter, WorkerFactory
    from supervisor_ai.engine.world import Machine, Performers, World
    from supervisor_ai.gates.examiner import RepositoryExaminer
    from supervisor_ai.store.ledger import SqliteLedger
    from supervisor_ai.workers.logins.choice import AccessChoice
    from supervisor_ai.workspaces.repositories.repository import GitRepository

_LEDGER: Final = "state.db"
KNOWLEDGE: Final = "knowledge"
"""Where the user's own store is, below the user's directory."""


def settings_in_project(directory: Path, settings: HostSettings) -> HostSettings:
    """Name the project's own Python environment: commands of the project run in that one."""
    from supervisor_ai.sandboxes.toolchains.project_environment import with_project_environment
    from supervisor_ai.workspaces.repositories.git import is_tracked
    from supervisor_ai.workspaces.repositories.work_trees import work_trees

    found = with_project_environment(settings.environment, work_trees(directory), is_tracked)
    return replace(settings, environment=found)


class WorldParts(Struct, frozen=True, kw_only=True):
    """What the worlds of one project have in common."""

    settings: HostSettings
    repository: "GitRepository"
    ledger: "SqliteLedger"
    monitor: "Monitor"
    is_driven: bool = False
    """Whether a run begins at once: what it needs first is started beside the rest."""


def make_world(parts: WorldParts, sandbox_name: str) -> "World":
    """Give the engine everything outside it."""
    examiner = make_examiner(parts.repository, is_driven=parts.is_driven)
    from supervisor_ai.control.slices import openers
    from supervisor_ai.definitions.worker_answers.reader import StrictAnswerReader
    from supervisor_ai.engine.host import SystemClock, SystemIds, SystemProcesses
    from supervisor_ai.engine.remembered_redactor import RememberedRedactor
    from supervisor_ai.engine.world import World
    from supervisor_ai.workspaces.forges.user_forges import UserForges
    from supervisor_ai.workspaces.workspaces import GitWorkspaces

    repository, ledger, settings = parts.repository, parts.ledger, parts.settings
    records = make_records(repository, ledger)
    sandbox = make_sandbox(parts.settings, sandbox_name)
    channels = open_channels(settings)
    return World(
        log=ledger.events,
        leases=ledger.leases,
        inbox=ledger.inbox,
        wakes=ledger.wakes,
        cache=ledger.cache,
        artifacts=records.artifacts,
        documents=records.documents,
        anchor=ledger.anchor,
        clock=SystemClock(),
        ids=SystemIds(),
        processes=SystemProcesses(),
        drivers=openers(),
        sandbox=sandbox,
        workspaces=GitWorkspaces(repository, project_state(settings, repository)),
        workers=make_workers(sandbox, settings),
        prompter=make_prompter(settings),
        packer=make_packer(repository, parts.settings),
        knowledge=make_library(repository, parts.settings),
        quality=ledger.quality,
        answers=StrictAnswerReader(),
        examiner=examiner,
        evidence=examiner.evidence,
        verdicts=ledger.verdicts,
        forge=UserForges(repository, parts.settings.environment),
        redactor=RememberedRedactor(make_redactor(parts.settings)),
        performers=make_performers(repository, settings),
        notifier=channels.notifier,
        notices=channels.own.policy,
        consent=make_consent(repository, settings),
        identities=make_identities(repository, settings),
        monitor=parts.monitor,
        machine=reachable_machine(parts, sandbox_name),
        doors=make_doors(parts),
        oversight=make_oversight(parts),
    )


def make_desk(parts: WorldParts) -> "SessionDesk":
    """Open the sessions of a project."""
    from supervisor_ai.control.sessions.desk import SessionDesk
    from supervisor_ai.engine.host import SystemClock

    records = make_records(parts.repository, parts.ledger)
    return SessionDesk(
        log=records.log,
        artifacts=records.artifacts,
        documents=records.documents,
        redactor=make_redactor(parts.settings),
        queries=records.sessions,
        now=SystemClock().now,
        cache=parts.ledger.cache,
    )


def make_oversight(parts: WorldParts) -> "Oversight":
    """Let whoever is registered for it watch over workers."""
    from supervisor_ai.control.sessions.oversight import LateOversight

    repository, settings = parts.repository, parts.settings
    return LateOversight(make_desk(parts), partial(slice_project, repository, settings))


def make_doors(parts: WorldParts) -> "MemberDoors":
    """Let workers take part in sessions; whoever serves them is this program again."""
    from supervisor_ai.domain.envelope import Actor, ActorKind
    from supervisor_ai.workers.member_doors import ProcessDoors

    settings, root = parts.settings, parts.repository.root
    return ProcessDoors(
        make_desk(parts),
        Actor(kind=ActorKind.RUNTIME, id=settings.user, via="engine", verified=True),
        project=root,
        environment=settings.environment,
    )


def make_consent(repository: "GitRepository", settings: HostSettings) -> "UserConsent":
    """Say what the user has agreed to, for the engine."""
    from supervisor_ai.control.commands.trust import UserConsent

    return UserConsent(trust=trust_store(repository, settings), policy=settings.policy)


def make_workers(sandbox: "Sandbox", settings: HostSettings) -> "WorkerFactory":
    """Say which agents run, and how they get to their models."""
    from supervisor_ai.definitions.consent.own_agents import OwnAgents
    from supervisor_ai.workers.registry import worker_factory

    own_agents, login_of = OwnAgents(settings.user_directory), access_choice(settings).login_of
    return worker_factory(sandbox, settings.environment, own_agents.filled, login_of)


def make_identities(repository: "GitRepository", settings: HostSettings) -> "Identities":
    """Say who people are by the user's own config."""
    from supervisor_ai.definitions.identities.user_identities import UserIdentities
    from supervisor_ai.workspaces.repositories.git import user_path

    return UserIdentities(settings.user_directory, settings.user, repository, user_path)


def access_choice(settings: HostSettings) -> "AccessChoice":
    """Say how agents get to their models."""
    from supervisor_ai.workers.logins.choice import AccessChoice

    return AccessChoice(settings.environment, settings.user_directory, Path.home())


def make_performers(repository: "GitRepository", settings: HostSettings) -> "Performers":
    """Say who performs which effect."""
    from supervisor_ai.control.slices import slice_performers
    from supervisor_ai.engine.effects.performer import SHARED_PERFORMERS, LatePerformers

    project = partial(slice_project, repository, settings)
    return LatePerformers(SHARED_PERFORMERS, partial(slice_performers, project))


def slice_project(repository: "GitRepository", settings: HostSettings) -> "SliceProject":
    """Say where the adapters of drivers find the project."""
    from supervisor_ai.control.slices import SliceProject

    return SliceProject(repository=repository, state=project_state(settings, repository))


def make_examiner(repository: "GitRepository", *, is_driven: bool = False) -> "RepositoryExaminer":
    """Make what looks at changes; where a run begins at once, its reader begins to load."""
    from supervisor_ai.gates.examiner import RepositoryExaminer
    from supervisor_ai.workspaces.commits.commit_files import open_commit_files
    from supervisor_ai.workspaces.repositories.git_run_files import find_git_run_files

    commits = open_commit_files(repository.git)
    examiner = RepositoryExaminer(
        commits,
        lambda sha: repository.has_commit(CommitSha(sha)),
        run_files=partial(find_git_run_files, repository),
    )
    if is_driven:
        examiner.get_ready()
    return examiner


def reachable_machine(parts: WorldParts, sandbox_name: str) -> "Machine":
    """Name what verdicts depend on besides files: the tools, and how their outputs are read."""
    from supervisor_ai.sandboxes.toolchains.tool_stamps import ToolStamps

    shallow = parts.repository.mold.shallow
    besides = () if shallow is None else (shallow,)
    stamps = ToolStamps(parts.settings.environment, Path.home(), besides=besides)

    async def machine(policy: "SandboxPolicy", ended: "Event | None") -> str | None:
        from supervisor_ai.gates.runners.table import edition

        if sandbox_name == NO_SANDBOX:
            return None  # Such a command reaches every file, and the network.
        stamp = await stamps.now(policy.caches, ended)
        return stamp and f"{stamp} {edition()}"

    return machine


def make_sandbox(settings: HostSettings, name: str) -> "Sandbox":
    """Make the sandbox of this name."""
    from supervisor_ai.workspaces.state_place import open_state

    # One place for all projects: the users that root gives to sandboxes are the machine's.
    state = open_state(settings.state, "sandbox")
    if name == NO_SANDBOX:
        from supervisor_ai.sandboxes.unsandboxed import UnsandboxedSandbox

        return UnsandboxedSandbox(state=state, environment=settings.environment)
    from supervisor_ai.sandboxes.backends import make_sandbox

    return make_sandbox(name, state=state, environment=settings.environment)


def project_state(settings: HostSettings, repository: "GitRepository") -> Path:
    """Say where the state of workspaces is kept."""
    from supervisor_ai.workspaces.state_place import own_place

    return own_place(settings.state, repository.root, repository.mark())


def make_prompter(settings: HostSettings) -> "Prompter":
    """Make what writes prompts."""
    from supervisor_ai.context.prompts.kept_templates import KeptTemplates
    from supervisor_ai.context.prompts.prompter import JinjaPrompter
    from supervisor_ai.workspaces.state_place import open_state

    return JinjaPrompter(KeptTemplates(open_state(settings.state, "templates")))


def make_packer(repository: "GitRepository", settings: HostSettings) -> "ContextPacker":
    """Make what packs contexts."""
    from supervisor_ai.context.packer_choice import open_packer
    from supervisor_ai.workspaces.commits.commit_files import open_commit_files

    return open_packer(
        open_commit_files(repository.git),
        # Outside the repository: what a clone brings along is nobody's word on what may be shown.
        cache=project_state(settings, repository) / "context.db",
        vocabulary=settings.environment.get("SUPERVISOR_TOKENS"),
    )


def make_library(repository: "GitRepository", settings: HostSettings) -> "KnowledgeLibrary":
    """Make what chooses and finds documents of the knowledge stores."""
    from supervisor_ai.context.knowledge.library import open_library
    from supervisor_ai.workspaces.knowledge.commits import CommitKnowledge
    from supervisor_ai.workspaces.knowledge.folder import DirectoryKnowledge

    state = project_state(settings, repository)
    return open_library(
        commits=CommitKnowledge(repository.git),
        own=DirectoryKnowledge(settings.user_directory.resolve(), KNOWLEDGE),
        reading=make_knowledge_reader(),
        indexes=state / KNOWLEDGE,
        counts=state / "context.db",
    )


def make_knowledge_reader() -> "KnowledgeReader":
    """Make what reads documents of the knowledge stores."""
    from supervisor_ai.documents.knowledge.reader import KnowledgeReader
    from supervisor_ai.domain.redaction.redactor import RuleRedactor

    return KnowledgeReader(RuleRedactor())  # without a key: what is kept outlives it


def find_repository(directory: Path, settings: HostSettings) -> "GitRepository":
    """Find the repository that a directory is in."""
    from supervisor_ai.workspaces.repositories.repository import GitRepository

    distrust_surroundings(directory, settings)
    return GitRepository(directory)


def trust_store(repository: "GitRepository", settings: HostSettings) -> "FileTrustStore":
    """Open what the user has agreed to."""
    from supervisor_ai.definitions.consent.trust_store import FileTrustStore

    if not settings.policy.trusts_everything:
        repository.refuse_inside(settings.user_directory, settings.state)
    return FileTrustStore(settings.user_directory, repository)


def ledger_binding(repository: "GitRepository", settings: HostSettings) -> "LedgerBinding":
    """Say whose ledger it has to be."""
    from supervisor_ai.control.ledger_binding import LedgerBinding
    from supervisor_ai.store.ledger_file import StateFiles

    return LedgerBinding(
        ledger=StateFiles(repository.state_directory),
        home=repository,
        bindings=trust_store(repository, settings),
        policy=settings.policy,
    )


def open_bound_ledger(repository: "GitRepository", settings: HostSettings) -> "SqliteLedger":
    """Open the ledger, and with it the permission to use what lies beside it."""
    from supervisor_ai.engine.host import SystemClock, SystemProcesses
    from supervisor_ai.store.connection import Connection
    from supervisor_ai.store.ledger import open_ledger
    from supervisor_ai.workspaces.commits.ledger_anchor import GitAnchor

    ledger_binding(repository, settings).establish()
    clock, processes, anchor = SystemClock(), SystemProcesses(), GitAnchor(repository)
    place = repository.state_directory
    return open_ledger(
        place, clock=clock, processes=processes, anchor=anchor, connect=Connection.shared
    )


def make_records(repository: "GitRepository", ledger: "SqliteLedger") -> "Records":
    """Make what reads the ledger."""
    from supervisor_ai.control.records import Records
    from supervisor_ai.store.documents import ArtifactDocuments
    from supervisor_ai.store.files.artifacts import FileArtifacts
    from supervisor_ai.store.files.retry_logs import RetryLogFiles

    artifacts = FileArtifacts(repository.state_directory / "artifacts")
    return Records(
        ledger=repository.state_directory / _LEDGER,
        queries=ledger.queries,
        sessions=ledger.sessions,
        knowledge=ledger.knowledge,
        quality=ledger.quality,
        log=ledger.events,
        artifacts=artifacts,
        documents=ArtifactDocuments(artifacts),
        retry_logs=RetryLogFiles(repository.state_directory / "logs"),
    )


def make_catalog(repository: "GitRepository", settings: HostSettings) -> "Catalog":
    """Make what reads definitions."""
    from supervisor_ai.control.ports.definitions import Loaded
    from supervisor_ai.definitions.catalog.catalog import CatalogMemory, FileCatalog
    from supervisor_ai.definitions.sources.row_cache import KeptForm, open_row_cache
    from supervisor_ai.store.shapes import from_json, to_json
    from supervisor_ai.tools.programs import find_program
    from supervisor_ai.workers.registry import AGENTS, InstalledAdapters

    own, path = settings.user_directory, settings.environment.get("PATH")
    missing = tuple(name for name in AGENTS if find_program(name, path) is None)
    lists = open_row_cache(settings.state, repository.root, own)
    form = KeptForm(
        encode=to_json,
        decode=lambda written: from_json(written, Loaded),
        # The script of an agent may stand where nobody looks for changes.
        is_kept=lambda loaded: not any(cli.script for cli in loaded.definition.clis.values()),
    )
    memory = CatalogMemory(cache=lists, form=form, entries=repository.entries)
    return FileCatalog(repository, own, InstalledAdapters(), memory=memory, missing=missing)


def make_preflight(repository: "GitRepository", settings: HostSettings) -> "Preflight":
    """Make what is asked before a run."""
    from supervisor_ai.control.preflight import Preflight
    from supervisor_ai.engine.host import SystemIds
    from supervisor_ai.workspaces.forges.user_trackers import UserTrackers

    return Preflight(
        repository=repository,
        catalog=make_catalog(repository, settings),
        trust=trust_store(repository, settings),
        binding=ledger_binding(repository, settings),
        policy=settings.policy,
        make_logins=cache(partial(open_logins, settings)),
        make_redactor=cache(partial(make_redactor, settings)),
        ids=SystemIds(),
        checkout=repository.checkout,
        trackers=UserTrackers(repository.checkout, settings.environment),
    )


def make_redactor(settings: HostSettings) -> "RuleRedactor":
    """Make what takes secrets out of texts."""
    from supervisor_ai.domain.redaction.redactor import RuleRedactor

    return RuleRedactor(key=settings.redaction_key)


def distrust_surroundings(directory: Path, settings: HostSettings) -> None:
    """Start no program that a repository brings along, or that a worker may have written."""
    from supervisor_ai.tools.programs import distrust
    from supervisor_ai.workspaces.repositories.work_trees import work_trees

    distrust(*settings.known_state, *work_trees(directory))


def open_logins(settings: HostSettings) -> "Logins":
    """Open the user's keys and logins."""
    from supervisor_ai.workers.logins.user_logins import UserLogins

    return UserLogins(access_choice(settings))


def open_channels(settings: HostSettings) -> "Channels":
    """Open the ways to reach the user."""
    from supervisor_ai.control.queries.notices import Channels
    from supervisor_ai.definitions.consent.own_notifications import OwnNotifications
    from supervisor_ai.engine.host import SystemClock, SystemIds
    from supervisor_ai.notifications.channel import ChannelSurroundings
    from supervisor_ai.notifications.notifier import ChannelNotifier
    from supervisor_ai.workers.api.poster import HttpPoster

    own = OwnNotifications(settings.user_directory)
    means = ChannelSurroundings(
        environment=settings.environment, poster=HttpPoster(), terminal=sys.stderr
    )
    notifier = ChannelNotifier(own.channels, means, SystemClock())
    return Channels(own=own, notifier=notifier, ids=SystemIds())
