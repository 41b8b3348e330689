"""The kanban slice: everything that others need of the driver, registered."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from supervisor_ai.control.commands.run_migration import only_cli
from supervisor_ai.control.ports.definitions import Catalog, Loaded
from supervisor_ai.control.run_views import RunView
from supervisor_ai.control.slices import Slice, SliceReference, TaskDesk, TaskList
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.drivers.kanban.definition import KanbanDefinition, expect_kanban
from supervisor_ai.drivers.kanban.driver import KanbanDriver
from supervisor_ai.drivers.kanban.events import KANBAN_EVENTS
from supervisor_ai.drivers.kanban.places import permit_of
from supervisor_ai.drivers.kanban.ports import WantedKanban
from supervisor_ai.drivers.kanban.queries import about
from supervisor_ai.drivers.kanban.sentences import KANBAN_SENTENCES
from supervisor_ai.drivers.kanban.settings import MECHANICAL, ManagerKind
from supervisor_ai.engine.playback import opener

if TYPE_CHECKING:
    from supervisor_ai.engine.world import Performers


def _today(catalog: Catalog, pinned: Definition, commit: CommitSha, cli: str | None) -> Loaded:
    """Load what a run on the same kanban would pin today."""
    policy = expect_kanban(pinned).kanban
    is_mechanical = any(it.adapter == MECHANICAL for it in pinned.clis.values())
    wanted = WantedKanban(
        place=policy.place,
        instruction=policy.instruction,
        cli=cli or only_cli(pinned, besides=MECHANICAL),
        manager=ManagerKind.BUILTIN if is_mechanical else ManagerKind.MODEL,
    )
    return catalog.resolve_for(KanbanDriver.name, commit, wanted)


def _performers(ports: Mapping[str, object]) -> "Performers":
    from supervisor_ai.drivers.kanban.performer import make_performers

    return make_performers(ports)


def _task_list(desk: TaskDesk, run: RunView, ports: Mapping[str, object]) -> TaskList | None:
    from supervisor_ai.drivers.kanban.queries.tasks import task_list

    return task_list(desk, run, ports)


def _reference() -> SliceReference:
    from supervisor_ai.drivers.kanban.queries.reference import REFERENCE

    return REFERENCE


SLICE: Final = Slice(
    driver=opener(KanbanDriver()),
    definition=KanbanDefinition,
    events=KANBAN_EVENTS,
    performers=_performers,
    sentences=KANBAN_SENTENCES,
    permit=lambda pinned: permit_of(expect_kanban(pinned).kanban.place),
    today=_today,
    question_help=about.question_help,
    about_run=about.about_run,
    task_list=_task_list,
    preview=about.preview,
    attempt_words=about.attempt_words,
    reference=_reference,
)
