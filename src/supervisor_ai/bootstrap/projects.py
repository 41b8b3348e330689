"""What faces open: projects, records, and whatever else they act through."""

import os
import sys
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from supervisor_ai.bootstrap.adapters import (
    KNOWLEDGE,
    WorldParts,
    find_repository,
    ledger_binding,
    make_catalog,
    make_knowledge_reader,
    make_library,
    make_packer,
    make_preflight,
    make_records,
    make_sandbox,
    make_world,
    open_bound_ledger,
    open_channels,
    open_logins,
    project_state,
    settings_in_project,
    slice_project,
)
from supervisor_ai.control.settings import SANDBOX, HostSettings, Policy
from supervisor_ai.control.slice_names import register, registered_slices
from supervisor_ai.domain.errors import Conflict
from supervisor_ai.drivers.registry import SLICES

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from supervisor_ai.control.commands.doctor import HostMachine
    from supervisor_ai.control.commands.packs import PackPlace
    from supervisor_ai.control.commands.project_init import NewProject
    from supervisor_ai.control.dashboard.knowledge import KnowledgeOffice
    from supervisor_ai.control.ports.agent_installation import AgentInstaller
    from supervisor_ai.control.ports.classification import Classifier
    from supervisor_ai.control.ports.definitions import Catalog
    from supervisor_ai.control.ports.lab import Lab
    from supervisor_ai.control.ports.pipelines import Pipelines
    from supervisor_ai.control.ports.project_survey import ProjectSurvey
    from supervisor_ai.control.ports.session_files import SessionFolders
    from supervisor_ai.control.ports.workspace_inventory import Inventory
    from supervisor_ai.control.preflight import Preflight
    from supervisor_ai.control.project import OpenProject
    from supervisor_ai.control.queries.contexts import ContextPreview
    from supervisor_ai.control.queries.workspaces import WorkspaceRecords
    from supervisor_ai.control.records import Records
    from supervisor_ai.control.slices import SliceProject
    from supervisor_ai.domain.run.answers import AnswerWord
    from supervisor_ai.engine.ports.monitor import Monitor
    from supervisor_ai.engine.ports.workspaces import Repository
    from supervisor_ai.engine.world import World
    from supervisor_ai.workspaces.commits.merges import GitMerges
    from supervisor_ai.workspaces.repositories.linked_checkouts import LinkedCheckouts
    from supervisor_ai.workspaces.repositories.repository import GitRepository

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


def open_records(directory: Path, settings: HostSettings) -> "Records | None":
    """Open a project's ledger for readers, or return None where there is none yet."""
    repository = find_repository(directory, settings)
    if not ledger_binding(repository, settings).check():
        return None
    return make_records(repository, open_bound_ledger(repository, settings))


def open_preflight(directory: Path, settings: HostSettings) -> "Preflight":
    """Open what can be asked before anything is written."""
    return make_preflight(find_repository(directory, settings), settings)


def open_catalog(directory: Path, settings: HostSettings) -> "tuple[Catalog, Repository]":
    """Open the definitions alone, with the repository that they are read from."""
    repository = find_repository(directory, settings)
    return make_catalog(repository, settings), repository


def open_port(driver: str, port: str, directory: Path, settings: HostSettings) -> object:
    """Open an adapter of a driver's own port."""
    from supervisor_ai.control.slices import LatePorts

    def project() -> "SliceProject":
        return slice_project(find_repository(directory, settings), settings)

    return LatePorts(registered_slices()[driver], project)[port]


def open_project(
    directory: Path,
    settings: HostSettings,
    *,
    monitor: "Monitor | None" = None,
    tell: "Callable[[str], None]" = lambda words: None,
    alter: "Callable[[World], World]" = lambda world: world,
    is_driven: bool = False,
) -> "OpenProject":
    """Open a project for commands; `alter` may change the engine's world.

    Where it is driven, a run begins at once.
    """
    from supervisor_ai.control.project import OpenProject
    from supervisor_ai.control.queries.retry_log import RetryLogKeeper
    from supervisor_ai.domain.structs import replace
    from supervisor_ai.engine.dispatch import LocalDispatcher
    from supervisor_ai.engine.effects.notice_desk import NoticeDesk
    from supervisor_ai.engine.ports.monitor import SilentMonitor
    from supervisor_ai.engine.runtime import Runtime

    repository = find_repository(directory, settings)
    ledger, settings = (
        open_bound_ledger(repository, settings),
        settings_in_project(directory, settings),
    )
    parts = WorldParts(
        settings=settings,
        repository=repository,
        ledger=ledger,
        monitor=monitor or SilentMonitor(),
        is_driven=is_driven,
    )
    owner = f"{settings.user}@{os.uname().nodename}, process {os.getpid()}"

    @cache
    def runtime(sandbox: str) -> Runtime:
        return Runtime(world=replace(alter(make_world(parts, sandbox)), tell=tell), owner=owner)

    world = runtime(SANDBOX).world
    return OpenProject(
        preflight=make_preflight(repository, settings),
        records=make_records(repository, ledger),
        care=ledger.care,
        dispatcher=LocalDispatcher(world.wakes, world.clock, poll=world.timing.poll),
        runtimes=runtime,
        desk=NoticeDesk(world, owner),
        retry_logs=RetryLogKeeper(schemas=answer_outline, tell=tell),
        user=settings.user,
        via="cli",
        folders=partial(open_session_folders, directory, settings),
        inventory=partial(_open_inventory, repository, settings),
        tell=tell,
    )


def open_classifier() -> "Classifier":
    """Open what knows how agents' commands tell how they ended."""
    from supervisor_ai.workers.agents import DialectClassifier

    return DialectClassifier()


def open_context_preview(directory: Path, settings: HostSettings) -> "ContextPreview":
    """Open what packs what a worker would be shown."""
    from supervisor_ai.control.queries.contexts import ContextPreview

    repository = find_repository(directory, settings)
    return ContextPreview(
        preflight=make_preflight(repository, settings),
        packer=make_packer(repository, settings),
        knowledge=make_library(repository, settings),
    )


def open_knowledge(directory: Path, settings: HostSettings) -> "KnowledgeOffice":
    """Open the knowledge stores of a checkout and of its user."""
    from supervisor_ai.control.dashboard.knowledge import KnowledgeOffice
    from supervisor_ai.documents.knowledge.guide import MarkdownGuide
    from supervisor_ai.documents.knowledge.store_text import MarkdownStore
    from supervisor_ai.domain.knowledge.documents import STORE
    from supervisor_ai.domain.knowledge.selection import StoreName
    from supervisor_ai.workspaces.knowledge.commits import CommitKnowledge
    from supervisor_ai.workspaces.knowledge.folder import CheckoutGuides, DirectoryKnowledge

    repository = find_repository(directory, settings)
    own = settings.user_directory.resolve()
    checkout = DirectoryKnowledge(repository.checkout, STORE)
    commits, library = CommitKnowledge(repository.git), make_library(repository, settings)
    records = open_records(directory, settings)
    return KnowledgeOffice(
        stores={
            StoreName.PROJECT: checkout,
            StoreName.USER: DirectoryKnowledge(own, KNOWLEDGE),
        },
        places={StoreName.PROJECT: STORE, StoreName.USER: str(own / KNOWLEDGE)},
        text=MarkdownStore(make_knowledge_reader()),
        uses=lambda: () if records is None else records.knowledge.knowledge_uses(),
        committed=lambda: commits.read(repository.resolve(None).sha),
        search=lambda words, most: library.search_folder(checkout, words, most=most),
        guides=CheckoutGuides(repository.checkout),
        guide_text=MarkdownGuide(),
    )


def _open_inventory(repository: "GitRepository", settings: HostSettings) -> "Inventory":
    from supervisor_ai.workspaces.inventory import GitInventory

    return GitInventory(repository, project_state(settings, repository))


def open_workspaces(directory: Path, settings: HostSettings) -> "WorkspaceRecords":
    """Open what is left of workspaces."""
    from supervisor_ai.control.queries.workspaces import WorkspaceRecords
    from supervisor_ai.engine.host import SystemClock
    from supervisor_ai.workspaces.workspaces import GitWorkspaces

    repository = find_repository(directory, settings)
    state = project_state(settings, repository)
    return WorkspaceRecords(
        inventory=_open_inventory(repository, settings),
        workspaces=GitWorkspaces(repository, state),
        records=open_records(directory, settings),
        clock=SystemClock(),
    )


def open_session_folders(directory: Path, settings: HostSettings) -> "SessionFolders":
    """Open the folders of a project's sessions."""
    from supervisor_ai.workspaces.sessions.folders import DiskSessionFolders

    return DiskSessionFolders(find_repository(directory, settings))


def open_linked_checkouts(directory: Path, settings: HostSettings) -> "LinkedCheckouts":
    """Open what makes checkouts for the members of a team."""
    from supervisor_ai.workspaces.repositories.linked_checkouts import LinkedCheckouts

    return LinkedCheckouts(checkout=find_repository(directory, settings).checkout)


def open_pipelines() -> "Pipelines":
    """Open the pipelines that sessions can begin with."""
    from supervisor_ai.definitions.pipelines.files import FilePipelines

    return FilePipelines()


def open_merges(directory: Path, settings: HostSettings) -> "AbstractContextManager[GitMerges]":
    """Open a place where merges can be tried."""
    from supervisor_ai.workspaces.commits.merges import try_merges

    repository = find_repository(directory, settings)
    return try_merges(repository, project_state(settings, repository))


def open_new_project(directory: Path, settings: HostSettings) -> "NewProject":
    """Open what a project's first definitions are made of."""
    from supervisor_ai.control.commands.project_init import NewProject
    from supervisor_ai.definitions.detection.config_text import drafts
    from supervisor_ai.definitions.detection.survey import survey_project
    from supervisor_ai.tools.programs import find_program

    repository = find_repository(directory, settings)

    top, path = repository.checkout, settings.environment.get("PATH")
    has_program = partial(find_program, path=path)

    def survey() -> "ProjectSurvey":
        cautions, ignored = repository.head_cautions(), repository.ignored_files()
        return survey_project(top, repository.files(), has_program, cautions, ignored)

    return NewProject(
        top=top,
        survey=survey,
        drafts=drafts,
        has_program=has_program,
        is_ignored=repository.is_ignored,
        is_committed=repository.is_committed,
    )


def open_pack_place(directory: Path, settings: HostSettings, *, is_user: bool) -> "PackPlace":
    """Open the user's or the project's place for packs; what a shop fetches goes when it closes."""
    from supervisor_ai.control.commands.packs import PackPlace
    from supervisor_ai.definitions.packs.preferences import open_shop
    from supervisor_ai.definitions.sources.files import PROJECT_DIRECTORY
    from supervisor_ai.workspaces.repositories.git import run_for_packs

    own = settings.user_directory
    place = own if is_user else find_repository(directory, settings).checkout / PROJECT_DIRECTORY
    git = partial(run_for_packs, settings.environment)
    return PackPlace(directory=place, open=partial(open_shop, place, git, own=own))


def open_agent_installer(directory: Path, settings: HostSettings) -> "AgentInstaller":
    """Open what tells the user's own agents about us."""
    from supervisor_ai.workers.installation.installer import FileAgentInstaller, UserSurroundings
    from supervisor_ai.workers.installation.receipts import Receipts

    around = UserSurroundings(
        home=Path.home(),
        environment=settings.environment,
        project=lambda: find_repository(directory, settings).checkout,
        program=_own_command(settings),
    )
    return FileAgentInstaller(around, Receipts(settings.user_directory))


def _own_command(settings: HostSettings) -> tuple[str, ...]:
    """Say how another program starts us: by name where that is found, by our path otherwise."""
    from supervisor_ai.tools.programs import find_program

    if find_program("supervisor", settings.environment.get("PATH")):
        return ("supervisor",)
    called = Path(sys.argv[0]).absolute()
    if called.name == "supervisor" and called.is_file():
        return (str(called),)
    return (sys.executable, "-m", "supervisor_ai")


def commit_demo(directory: Path) -> None:
    """Make a repository of the demo's files."""
    from supervisor_ai.workspaces.repositories.git import commit_new_repository

    commit_new_repository(
        directory, author="Supervisor demo", message="A small package of averages"
    )


def remove_demo(directory: Path, settings: HostSettings) -> None:
    """Remove a demo's project with its state; raises where somebody still drives a run of it."""
    from supervisor_ai.workspaces.files.removal import remove

    if (directory / ".git").is_dir():
        records = open_records(directory, settings)
        rows, _ = ((), 0) if records is None else records.queries.runs(limit=1_000)
        for row in rows:
            owner = None if records is None else records.queries.owner(row.id)
            if owner is not None and owner.is_alive:
                raise Conflict(f"Somebody still drives run {row.id!r}.")
        remove(project_state(settings, find_repository(directory, settings)))
    remove(directory)


def answer_outline(kind: "AnswerWord") -> str:
    """Write down for people the form that a kind of answer has to have."""
    from supervisor_ai.definitions.worker_answers.forms import short_form

    return short_form(kind)


def answer_schema(kind: "AnswerWord") -> str:
    """Write down the form that a kind of answer has to have."""
    from supervisor_ai.definitions.worker_answers.reader import schema_text

    return schema_text(kind)


def open_lab() -> "Lab":
    """Open what plays the part of a model."""
    from supervisor_ai.definitions.sources.lab_scripts import read_lab_script
    from supervisor_ai.lab.service import ScriptedLab

    return ScriptedLab(read=read_lab_script)


def open_machine(directory: Path, settings: HostSettings) -> "HostMachine":
    """Open what the machine has to offer."""
    from supervisor_ai.control.commands.doctor import HostMachine
    from supervisor_ai.control.settings import BACKENDS
    from supervisor_ai.sandboxes.toolchains.installed_copies import visible_copies
    from supervisor_ai.sandboxes.toolchains.toolchain import find_toolchain
    from supervisor_ai.workers.registry import locate_program
    from supervisor_ai.workspaces.repositories.git import ask_as_user

    settings = settings_in_project(directory, settings)
    records = partial(open_records, directory, settings)
    return HostMachine(
        git_version=lambda: ask_as_user(Path("/"), "--version").text,
        sandboxes=lambda name: make_sandbox(settings, name),
        backends=BACKENDS,
        state=lambda: settings.state,
        tools=lambda: find_toolchain(settings.environment, Path.home()).roots,
        find_agent=lambda cli: locate_program(cli, settings.environment.get("PATH")),
        preflight=lambda: open_preflight(directory, settings),
        count_events=lambda: it.log.head().seq if (it := records()) else 0,
        logins=open_logins(settings),
        copies=partial(visible_copies, settings.environment),
        channels=open_channels(settings),
        records=records,
    )
