"""The only place where ports meet adapters; what an adapter imports is imported when it is used."""

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from supervisor_ai.control.policy import NO_SANDBOX, SANDBOX, Policy
from supervisor_ai.control.records import Records
from supervisor_ai.control.settings import HostSettings
from supervisor_ai.control.slice_names import register, registered_slices
from supervisor_ai.control.slices import LatePorts, SliceProject, openers, slice_performers
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.drivers.registry import SLICES

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from supervisor_ai.control.commands.doctor import HostMachine
    from supervisor_ai.control.commands.packs import PackPlace
    from supervisor_ai.control.commands.project_init import NewProject
    from supervisor_ai.control.ledger_binding import LedgerBinding
    from supervisor_ai.control.ports.classification import Classifier
    from supervisor_ai.control.ports.lab import Lab
    from supervisor_ai.control.ports.logins import Logins
    from supervisor_ai.control.ports.project_survey import ProjectSurvey
    from supervisor_ai.control.preflight import Preflight
    from supervisor_ai.control.project import OpenProject
    from supervisor_ai.control.queries.contexts import ContextPreview
    from supervisor_ai.control.queries.workspaces import WorkspaceRecords
    from supervisor_ai.definitions.consent.trust_store import FileTrustStore
    from supervisor_ai.domain.redaction.redactor import RuleRedactor
    from supervisor_ai.domain.run.answers import AnswerWord
    from supervisor_ai.domain.run.definition import SandboxPolicy
    from supervisor_ai.engine.ports.context import ContextPacker
    from supervisor_ai.engine.ports.monitor import Monitor
    from supervisor_ai.engine.ports.sandbox import Sandbox
    from supervisor_ai.engine.world import Performers, World
    from supervisor_ai.gates.examiner import RepositoryExaminer
    from supervisor_ai.store.ledger import SqliteLedger
    from supervisor_ai.workers.logins.choice import AccessChoice
    from supervisor_ai.workspaces.commits.merges import GitMerges
    from supervisor_ai.workspaces.repositories.repository import GitRepository

_LEDGER: Final = "state.db"
register(SLICES)


def read_settings(
    environment: Mapping[str, str] | None = None, *, trusts: bool = False
) -> HostSettings:
    """Read the environment; `trusts`: a person agrees to everything for this call."""
    import pwd

    read = dict(os.environ if environment is None else environment)
    try:
        user = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        user = str(os.getuid())
    policy = Policy(
        trusts_everything=trusts or read.get("SUPERVISOR_TRUST") == "1",
        allows_unsandboxed=read.get("SUPERVISOR_ALLOW_UNSANDBOXED") == "1",
    )
    return HostSettings(environment=read, policy=policy, user=user, redaction_key=os.urandom(32))


def distrust_surroundings(directory: Path, settings: HostSettings) -> None:
    """Start no program that a repository brings along, or that a worker may have written."""
    from supervisor_ai.tools.programs import distrust
    from supervisor_ai.workspaces.repositories.work_trees import work_trees

    distrust(*settings.known_state, *work_trees(directory))


def _in_project(directory: Path, settings: HostSettings) -> HostSettings:
    """Name the project's own Python environment: commands of the project run in that one."""
    from supervisor_ai.sandboxes.toolchains.project_environment import with_project_environment
    from supervisor_ai.workspaces.repositories.git import is_tracked
    from supervisor_ai.workspaces.repositories.work_trees import work_trees

    found = with_project_environment(settings.environment, work_trees(directory), is_tracked)
    return replace(settings, environment=found)


def open_records(directory: Path, settings: HostSettings) -> Records | None:
    """Open a project's ledger for readers, or return None where there is none yet."""
    repository = _repository(directory, settings)
    if not _binding(repository, settings).check():
        return None
    return _records(repository, _ledger(repository, settings))


def open_preflight(directory: Path, settings: HostSettings) -> "Preflight":
    """Open what can be asked before anything is written."""
    return _preflight(_repository(directory, settings), settings)


def open_port(driver: str, port: str, directory: Path, settings: HostSettings) -> object:
    """Open an adapter of a driver's own port."""

    def project() -> SliceProject:
        return _slice_project(_repository(directory, settings), settings)

    return LatePorts(registered_slices()[driver], project)[port]


def open_project(
    directory: Path,
    settings: HostSettings,
    *,
    monitor: "Monitor | None" = None,
    tell: "Callable[[str], None]" = lambda words: None,
    alter: "Callable[[World], World]" = lambda world: world,
) -> "OpenProject":
    """Open a project for commands; `alter` may change the engine's world."""
    from supervisor_ai.control.project import OpenProject
    from supervisor_ai.control.queries.retry_log import RetryLogKeeper
    from supervisor_ai.engine.dispatch import LocalDispatcher
    from supervisor_ai.engine.ports.monitor import SilentMonitor
    from supervisor_ai.engine.runtime import Runtime

    repository = _repository(directory, settings)
    ledger, settings = _ledger(repository, settings), _in_project(directory, settings)
    parts = _Parts(
        settings=settings, repository=repository, ledger=ledger, monitor=monitor or SilentMonitor()
    )
    owner = f"{settings.user}@{os.uname().nodename}, process {os.getpid()}"

    @cache
    def runtime(sandbox: str) -> Runtime:
        return Runtime(world=alter(_world(parts, sandbox)), owner=owner)

    world = runtime(SANDBOX).world
    return OpenProject(
        preflight=_preflight(repository, settings),
        records=_records(repository, ledger),
        care=ledger.care,
        dispatcher=LocalDispatcher(world.wakes, world.clock, poll=world.timing.poll),
        runtimes=runtime,
        retry_logs=RetryLogKeeper(schemas=answer_schema, tell=tell),
        user=settings.user,
        via="cli",
    )


def open_classifier() -> "Classifier":
    """Open what knows how agents' commands tell how they ended."""
    from supervisor_ai.workers.agents import DialectClassifier

    return DialectClassifier()


def open_context_preview(directory: Path, settings: HostSettings) -> "ContextPreview":
    """Open what packs what a worker would be shown."""
    from supervisor_ai.control.queries.contexts import ContextPreview

    repository = _repository(directory, settings)
    return ContextPreview(
        preflight=_preflight(repository, settings), packer=_packer(repository, settings)
    )


def open_workspaces(directory: Path, settings: HostSettings) -> "WorkspaceRecords":
    """Open what is left of workspaces."""
    from supervisor_ai.control.queries.workspaces import WorkspaceRecords
    from supervisor_ai.engine.host import SystemClock
    from supervisor_ai.workspaces.inventory import GitInventory
    from supervisor_ai.workspaces.workspaces import GitWorkspaces

    repository = _repository(directory, settings)
    state = _project_state(settings, repository)
    return WorkspaceRecords(
        inventory=GitInventory(repository, state),
        workspaces=GitWorkspaces(repository, state),
        records=open_records(directory, settings),
        clock=SystemClock(),
    )


def open_merges(directory: Path, settings: HostSettings) -> "AbstractContextManager[GitMerges]":
    """Open a place where merges can be tried."""
    from supervisor_ai.workspaces.commits.merges import try_merges

    repository = _repository(directory, settings)
    return try_merges(repository, _project_state(settings, repository))


def open_new_project(directory: Path, settings: HostSettings) -> "NewProject":
    """Open what a project's first definitions are made of."""
    from supervisor_ai.control.commands.project_init import NewProject
    from supervisor_ai.definitions.detection.config_text import drafts
    from supervisor_ai.definitions.detection.survey import survey_project
    from supervisor_ai.tools.programs import find_program

    repository = _repository(directory, settings)

    top, path = repository.checkout, settings.environment.get("PATH")
    has_program = partial(find_program, path=path)

    def survey() -> "ProjectSurvey":
        cautions, ignored = repository.head_cautions(), repository.ignored_files()
        return survey_project(top, repository.files(), has_program, cautions, ignored)

    return NewProject(top=top, survey=survey, drafts=drafts, has_program=has_program)


def open_pack_place(directory: Path, settings: HostSettings, *, is_user: bool) -> "PackPlace":
    """Open the user's or the project's place for packs; what a shop fetches goes when it closes."""
    from supervisor_ai.control.commands.packs import PackPlace
    from supervisor_ai.definitions.packs.preferences import open_shop
    from supervisor_ai.definitions.sources.files import PROJECT_DIRECTORY
    from supervisor_ai.workspaces.repositories.git import run_for_packs

    own = settings.user_directory
    place = own if is_user else _repository(directory, settings).checkout / PROJECT_DIRECTORY
    git = partial(run_for_packs, settings.environment)
    return PackPlace(directory=place, open=partial(open_shop, place, git, own=own))


def commit_demo(directory: Path) -> None:
    """Make a repository of the demo's files."""
    from supervisor_ai.workspaces.repositories.git import commit_new_repository

    commit_new_repository(
        directory, author="Supervisor demo", message="A small package of averages"
    )


def answer_schema(kind: "AnswerWord") -> str:
    """Write down the form that a kind of answer has to have."""
    from supervisor_ai.definitions.worker_answers.reader import schema_text

    return schema_text(kind)


def open_lab() -> "Lab":
    """Open what plays the part of a model."""
    from supervisor_ai.definitions.sources.lab_scripts import read_lab_script
    from supervisor_ai.lab.service import ScriptedLab

    return ScriptedLab(read=read_lab_script)


def open_logins(settings: HostSettings) -> "Logins":
    """Open the user's keys and logins."""
    from supervisor_ai.workers.logins.user_logins import UserLogins

    return UserLogins(_access(settings))


def open_machine(directory: Path, settings: HostSettings) -> "HostMachine":
    """Open what the machine has to offer."""
    from supervisor_ai.control.commands.doctor import HostMachine
    from supervisor_ai.control.policy import BACKENDS
    from supervisor_ai.sandboxes.toolchains.installed_copies import visible_copies
    from supervisor_ai.sandboxes.toolchains.toolchain import find_toolchain
    from supervisor_ai.workers.registry import locate_program
    from supervisor_ai.workspaces.repositories.git import ask_as_user

    settings = _in_project(directory, settings)
    records = partial(open_records, directory, settings)
    return HostMachine(
        git_version=lambda: ask_as_user(Path("/"), "--version").text,
        sandboxes=lambda name: _sandbox(settings, name),
        backends=BACKENDS,
        state=lambda: settings.state,
        tools=lambda: find_toolchain(settings.environment, Path.home()).roots,
        find_agent=lambda cli: locate_program(cli, settings.environment.get("PATH")),
        preflight=lambda: open_preflight(directory, settings),
        count_events=lambda: it.log.head().seq if (it := records()) else 0,
        logins=open_logins(settings),
        copies=partial(visible_copies, settings.environment),
    )


class _Parts(Struct, frozen=True, kw_only=True):
    """What the worlds of one project have in common."""

    settings: HostSettings
    repository: "GitRepository"
    ledger: "SqliteLedger"
    monitor: "Monitor"


def _world(parts: _Parts, sandbox_name: str) -> "World":
    from supervisor_ai.context.prompter import JinjaPrompter
    from supervisor_ai.control.commands.trust import UserConsent
    from supervisor_ai.definitions.consent.own_agents import OwnAgents
    from supervisor_ai.definitions.worker_answers.reader import StrictAnswerReader
    from supervisor_ai.engine.host import SystemClock, SystemIds, SystemProcesses
    from supervisor_ai.engine.remembered_redactor import RememberedRedactor
    from supervisor_ai.engine.world import World
    from supervisor_ai.store.documents import ArtifactDocuments
    from supervisor_ai.store.files.artifacts import FileArtifacts
    from supervisor_ai.workers.registry import worker_factory
    from supervisor_ai.workspaces.forges.github import GitHubForge
    from supervisor_ai.workspaces.workspaces import GitWorkspaces

    repository, ledger, settings = parts.repository, parts.ledger, parts.settings
    artifacts = FileArtifacts(repository.state_directory / "artifacts")
    sandbox = _sandbox(parts.settings, sandbox_name)
    own_agents, trust = OwnAgents(settings.user_directory), _trust(repository, settings)
    login_of, examiner = _access(settings).login_of, _examiner(repository)
    return World(
        log=ledger.events,
        leases=ledger.leases,
        inbox=ledger.inbox,
        wakes=ledger.wakes,
        cache=ledger.cache,
        artifacts=artifacts,
        documents=ArtifactDocuments(artifacts),
        anchor=ledger.anchor,
        clock=SystemClock(),
        ids=SystemIds(),
        processes=SystemProcesses(),
        drivers=openers(),
        sandbox=sandbox,
        workspaces=GitWorkspaces(repository, _project_state(settings, repository)),
        workers=worker_factory(sandbox, settings.environment, own_agents.filled, login_of),
        prompter=JinjaPrompter(),
        packer=_packer(repository, parts.settings),
        answers=StrictAnswerReader(),
        examiner=examiner,
        evidence=examiner.evidence,
        verdicts=ledger.verdicts,
        forge=GitHubForge(repository, parts.settings.environment),
        redactor=RememberedRedactor(_redactor(parts.settings)),
        performers=_performers(repository, settings),
        consent=UserConsent(trust=trust, policy=settings.policy),
        monitor=parts.monitor,
        machine=_machine(parts, sandbox_name),
    )


def _access(settings: HostSettings) -> "AccessChoice":
    from supervisor_ai.workers.logins.choice import AccessChoice

    return AccessChoice(settings.environment, settings.user_directory, Path.home())


def _performers(repository: "GitRepository", settings: HostSettings) -> "Performers":
    from supervisor_ai.engine.effects.performer import SHARED_PERFORMERS, LatePerformers

    project = partial(_slice_project, repository, settings)
    return LatePerformers(SHARED_PERFORMERS, partial(slice_performers, project))


def _slice_project(repository: "GitRepository", settings: HostSettings) -> SliceProject:
    return SliceProject(repository=repository, state=_project_state(settings, repository))


def _examiner(repository: "GitRepository") -> "RepositoryExaminer":
    from supervisor_ai.gates.examiner import RepositoryExaminer
    from supervisor_ai.workspaces.commits.commit_files import open_commit_files

    commits = open_commit_files(repository.git)
    return RepositoryExaminer(commits, lambda sha: repository.has_commit(CommitSha(sha)))


def _machine(
    parts: _Parts, sandbox_name: str
) -> "Callable[[SandboxPolicy], Awaitable[str | None]]":
    """Name what verdicts depend on besides files: the tools, and how their outputs are read."""
    from supervisor_ai.sandboxes.toolchains.tool_stamps import ToolStamps

    shallow = parts.repository.mold.shallow
    besides = () if shallow is None else (shallow,)
    stamps = ToolStamps(parts.settings.environment, Path.home(), besides=besides)

    async def machine(policy: "SandboxPolicy") -> str | None:
        from supervisor_ai.gates.runners.table import edition

        if sandbox_name == NO_SANDBOX:
            return None  # Such a command reaches every file, and the network.
        stamp = await stamps.now(policy.caches)
        return stamp and f"{stamp} {edition()}"

    return machine


def _sandbox(settings: HostSettings, name: str) -> "Sandbox":
    from supervisor_ai.workspaces.state_place import open_state

    # One place for all projects: the users that root gives to sandboxes are the machine's.
    state = open_state(settings.state, "sandbox")
    if name == NO_SANDBOX:
        from supervisor_ai.sandboxes.unsandboxed import UnsandboxedSandbox

        return UnsandboxedSandbox(state=state, environment=settings.environment)
    from supervisor_ai.sandboxes.backends import make_sandbox

    return make_sandbox(name, state=state, environment=settings.environment)


def _project_state(settings: HostSettings, repository: "GitRepository") -> Path:
    from supervisor_ai.workspaces.state_place import own_place

    return own_place(settings.state, repository.root, repository.mark())


def _packer(repository: "GitRepository", settings: HostSettings) -> "ContextPacker":
    from supervisor_ai.context.packer_choice import open_packer
    from supervisor_ai.workspaces.commits.commit_files import open_commit_files

    return open_packer(
        open_commit_files(repository.git),
        # Outside the repository: what a clone brings along is nobody's word on what may be shown.
        cache=_project_state(settings, repository) / "context.db",
        vocabulary=settings.environment.get("SUPERVISOR_TOKENS"),
    )


def _repository(directory: Path, settings: HostSettings) -> "GitRepository":
    from supervisor_ai.workspaces.repositories.repository import GitRepository

    distrust_surroundings(directory, settings)
    return GitRepository(directory)


def _trust(repository: "GitRepository", settings: HostSettings) -> "FileTrustStore":
    from supervisor_ai.definitions.consent.trust_store import FileTrustStore

    if not settings.policy.trusts_everything:
        repository.refuse_inside(settings.user_directory, settings.state)
    return FileTrustStore(settings.user_directory, repository)


def _binding(repository: "GitRepository", settings: HostSettings) -> "LedgerBinding":
    from supervisor_ai.control.ledger_binding import LedgerBinding
    from supervisor_ai.store.ledger_file import StateFiles

    return LedgerBinding(
        ledger=StateFiles(repository.state_directory),
        home=repository,
        bindings=_trust(repository, settings),
        policy=settings.policy,
    )


def _ledger(repository: "GitRepository", settings: HostSettings) -> "SqliteLedger":
    """Open the ledger, and with it the permission to use what lies beside it."""
    from supervisor_ai.engine.host import SystemClock, SystemProcesses
    from supervisor_ai.store.ledger import open_ledger
    from supervisor_ai.workspaces.commits.ledger_anchor import GitAnchor

    _binding(repository, settings).establish()
    return open_ledger(
        repository.state_directory,
        clock=SystemClock(),
        processes=SystemProcesses(),
        anchor=GitAnchor(repository),
    )


def _records(repository: "GitRepository", ledger: "SqliteLedger") -> Records:
    from supervisor_ai.store.documents import ArtifactDocuments
    from supervisor_ai.store.files.artifacts import FileArtifacts
    from supervisor_ai.store.files.retry_logs import RetryLogFiles

    artifacts = FileArtifacts(repository.state_directory / "artifacts")
    return Records(
        ledger=repository.state_directory / _LEDGER,
        queries=ledger.queries,
        log=ledger.events,
        artifacts=artifacts,
        documents=ArtifactDocuments(artifacts),
        retry_logs=RetryLogFiles(repository.state_directory / "logs"),
    )


def _preflight(repository: "GitRepository", settings: HostSettings) -> "Preflight":
    from supervisor_ai.control.preflight import Preflight
    from supervisor_ai.definitions.catalog import FileCatalog
    from supervisor_ai.definitions.sources.row_cache import open_row_cache
    from supervisor_ai.engine.host import SystemIds
    from supervisor_ai.workers.registry import InstalledAdapters

    own = settings.user_directory
    lists = open_row_cache(settings.state, repository.root, own)
    return Preflight(
        repository=repository,
        catalog=FileCatalog(repository, own, InstalledAdapters(), cache=lists),
        trust=_trust(repository, settings),
        binding=_binding(repository, settings),
        policy=settings.policy,
        logins=open_logins(settings),
        make_redactor=cache(partial(_redactor, settings)),
        ids=SystemIds(),
        checkout=repository.checkout,
    )


def _redactor(settings: HostSettings) -> "RuleRedactor":
    from supervisor_ai.domain.redaction.redactor import RuleRedactor

    return RuleRedactor(key=settings.redaction_key)
