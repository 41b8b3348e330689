"""A project in memory with kanbans: commits as mappings, a ledger, and a person in a directory."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final, cast

from tests.support.fake_logins import FakeLogins
from tests.unit.control.run_rows import FakeQueries, run_row

from supervisor_ai.control.ports.definitions import Loaded, TrustCheck
from supervisor_ai.control.ports.queries import RunRow
from supervisor_ai.control.preflight import Preflight
from supervisor_ai.control.records import Records
from supervisor_ai.control.settings import Policy
from supervisor_ai.documents.kanban_reader import MarkdownKanbanReader
from supervisor_ai.domain.envelope import Actor, ActorKind, Event, NewEvent
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import CommitSha, RunId, StepName, TreeSha, run_stream
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerWord
from supervisor_ai.domain.run.definition import Cli, Role, Step, StepKind, Workflow
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.run.values import Base
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace, KanbanPolicy
from supervisor_ai.drivers.kanban.commands.start import Office
from supervisor_ai.drivers.kanban.definition import KanbanDefinition
from supervisor_ai.drivers.kanban.driver import KanbanDriver
from supervisor_ai.drivers.kanban.kinds import OF_AGENT, OF_MANAGER, READ_FILES
from supervisor_ai.drivers.kanban.places import permit_of
from supervisor_ai.drivers.kanban.ports import WantedKanban
from supervisor_ai.drivers.kanban.settings import KanbanSettings
from supervisor_ai.engine.playback import Player
from supervisor_ai.engine.ports.ledger import Batch, StreamAppend
from supervisor_ai.testing.ids import FakeIds
from supervisor_ai.testing.ledger_harness import birth
from supervisor_ai.testing.world import NoSecrets, fake_world

if TYPE_CHECKING:
    from supervisor_ai.control.ledger_binding import LedgerBinding
    from supervisor_ai.control.ports.definitions import Catalog, TrustStore
    from supervisor_ai.control.ports.trackers import Trackers
    from supervisor_ai.control.project import OpenProject
    from supervisor_ai.engine.ports.workspaces import Repository

FILE: Final = "tasks/0-kanban-login.md"
FIRST: Final = "tasks/1-form.md"
SECOND: Final = "tasks/2-check.md"
PLACE: Final = KanbanPlace(file=FILE)
MAIN: Final = CommitSha("a" * 40)
MANAGER: Final = StepName("manager")
IMPLEMENTOR: Final = StepName("implementor")
KANBAN: Final = StepName("kanban")
ADA: Final = Actor(kind=ActorKind.USER, id="ada", via="cli", verified=True)


def kanban_text(current: str | None = FIRST, *tasks: str, phase: str = "execute") -> str:
    listed = "".join(f"  - {task}\n" for task in tasks or (FIRST, SECOND))
    header = f"type: kanban\ntitle: Login page\nphase: {phase}\ncurrent: {current or 'null'}\n"
    return f"---\n{header}tasks:\n{listed}---\n\n## Request\n\nAdd a login page.\n"


def task_text(header: str = "state: todo\nrole: Implementor\n", more: str = "") -> str:
    return f"---\ntype: implement\n{header}---\n\n# Task: The form\n\n## Description\n\nIt.\n{more}"


FILES: Final = {FILE: kanban_text(), FIRST: task_text(), SECOND: task_text("state: done\n")}
LOG_ENTRY: Final = (
    "\n## Work Log\n\n### [2030-01-01T00:00:00Z] Done\n\n**Facts:** So.\n\n**Analysis:** Hence.\n\n"
    "**Conclusion:** blocked\n"
)
ITEMS: Final = """
## Work Items

<!-- start workitems -->
work_items:
  - description: Whole
    files: [a.py]
    related_domains: [web]
    expertise_required: [x]
  - description: ""
    files: []
    related_domains: []
    expertise_required: []
<!-- end workitems -->
"""


def role(name: str, kind: AnswerWord, cli: str = "agent") -> Role:
    return Role(name=name, description="", answer=kind, writes=True, cli=cli, template="")


def kanban_definition(policy: KanbanPolicy) -> KanbanDefinition:
    steps = {KANBAN: Step(name=KANBAN, kind=READ_FILES)}
    for name in (IMPLEMENTOR, MANAGER):
        steps[name] = Step(name=name, kind=StepKind.ROLE, role=name)
    return KanbanDefinition(
        workflow=Workflow(name="kanban", description="", initial_step=KANBAN, steps=steps),
        roles={
            "implementor": role("implementor", OF_AGENT),
            "manager": role("manager", OF_MANAGER, "builtin"),
        },
        clis={
            "agent": Cli(name="agent", adapter="command", command=("agent",)),
            "builtin": Cli(name="builtin", adapter="mechanical_manager", command=()),
        },
        gates={},
        kanban=policy,
    )


@dataclass
class FakeRepository:
    """Commits and branches that a test wrote down."""

    commits: dict[str, Mapping[str, str]] = field(default_factory=lambda: {MAIN: FILES})
    branches: dict[str, str] = field(default_factory=lambda: {"main": MAIN})

    def branch(self, name: str, files: Mapping[str, str]) -> None:
        commit = f"{len(self.commits):040d}"
        self.commits[commit] = files
        self.branches[name] = commit

    def resolve(self, ref: str | None) -> Base:
        name = ref or "main"
        if name not in self.branches:
            raise NotFound(f"No commit is called {name!r}.")
        return Base(ref=name, sha=CommitSha(self.branches[name]), tree=TreeSha("t" * 40))

    def list(self, commit: CommitSha, directory: str) -> tuple[str, ...]:
        return tuple(path for path in self.commits[commit] if path.startswith(f"{directory}/"))

    def read(self, commit: CommitSha, path: str) -> str | None:
        text = self.commits[commit].get(path)
        if text == "\0":
            raise InvalidInput("It is not UTF-8 text.")
        return text

    def branch_tip(self, branch: str) -> CommitSha | None:
        tip = self.branches.get(branch)
        return None if tip is None else CommitSha(tip)

    def cautions(self, commit: CommitSha) -> tuple[str, ...]:
        del commit
        return ()

    def is_dirty(self) -> bool:
        return False

    def has_commit(self, sha: CommitSha) -> bool:
        return sha in self.commits


@dataclass
class FakeCatalog:
    """Remembers what it was asked for."""

    asked: list[KanbanPolicy] = field(default_factory=list)
    chosen: list[tuple[str | None, str | None]] = field(default_factory=list)

    def resolve_for(self, driver: str, commit: CommitSha, wanted: WantedKanban) -> Loaded:
        del driver, commit
        self.asked.append(KanbanPolicy(place=wanted.place, instruction=wanted.instruction))
        self.chosen.append((wanted.cli, wanted.manager))
        return Loaded(definition=kanban_definition(self.asked[-1]), powers=())

    def section(self, commit: CommitSha, key: str) -> KanbanSettings:
        del commit, key
        return KanbanSettings(max_iterations=9)


class Everything:
    """A user who has agreed to everything."""

    def check(self, *asked: object) -> TrustCheck:
        del asked
        return TrustCheck(is_trusted=True, added=(), removed=())


class KanbanScene:
    """As much of a project as the verbs of a kanban need."""

    def __init__(self, checkout: Path) -> None:
        self.world = fake_world()
        self.repository = FakeRepository()
        self.catalog = FakeCatalog()
        self.queries = FakeQueries()
        self.actor = ADA
        self.records = Records(
            ledger=Path("state.db"),
            queries=self.queries,
            log=self.world.log,
            artifacts=self.world.artifacts,
            documents=self.world.documents,
        )
        self.preflight = Preflight(
            repository=cast("Repository", self.repository),
            catalog=cast("Catalog", self.catalog),
            trust=cast("TrustStore", Everything()),
            binding=cast("LedgerBinding", None),
            policy=Policy(),
            make_logins=FakeLogins,
            make_redactor=NoSecrets,
            ids=FakeIds(),
            checkout=checkout,
            trackers=cast("Trackers", None),
        )
        self.office = Office(
            preflight=self.preflight,
            reader=MarkdownKanbanReader(),
            records=self.records,
            start=checkout,
        )
        self.versions: dict[RunId, int] = {}

    @property
    def project(self) -> "OpenProject":
        return cast("OpenProject", self)

    @property
    def player(self) -> Player:
        world = self.world
        return Player(log=world.log, documents=world.documents, drivers=world.drivers)

    def birth(self, run: RunId) -> e.RunSubmitted:
        [first] = self.world.log.read(run_stream(run), upto=1)
        assert isinstance(first.event, e.RunSubmitted)
        return first.event

    def runtimes(self, sandbox: str) -> object:
        del sandbox
        return SimpleNamespace(world=self.world)

    def add(self, run: RunId, *events: Event) -> None:
        new = tuple(NewEvent(event=event, actor=ADA) for event in events)
        version = self.versions.get(run, 0)
        append = StreamAppend(stream=run_stream(run), expected=version, events=new)
        self.world.log.append(Batch(appends=(append,)))
        self.versions[run] = version + len(events)

    def submit(
        self,
        name: str,
        policy: KanbanPolicy | None = None,
        *,
        status: RunStatus = RunStatus.COMPLETED,
        commit: str | None = None,
    ) -> RunRow:
        """Let a run be there; the newest comes first."""
        policy = policy or KanbanPolicy(place=PLACE)
        run, pinned = RunId(name), kanban_definition(policy)
        born = replace(
            birth(),
            task=self.world.artifacts.put("Login page"),
            driver=KanbanDriver.name,
            definition=self.world.documents.save(pinned),
            branch=f"ai/{name}",
            base=self.repository.resolve(None),
            root=run,
        )
        self.add(
            run,
            born,
            e.PermitGranted(permit=permit_of(policy.place)),
        )
        row = replace(
            run_row(name, born.task),
            driver=KanbanDriver.name,
            status=status,
            base=born.base,
            commit=None if commit is None else CommitSha(commit),
        )
        self.queries.rows.insert(0, row)
        return row
