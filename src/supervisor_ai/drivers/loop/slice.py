"""The loop slice: everything that others need of the driver, registered."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from supervisor_ai.control.commands.run_migration import only_cli
from supervisor_ai.control.ports.definitions import Catalog, Loaded
from supervisor_ai.control.ports.knowledge import QA_FAILED, TASK_DROPPED, TASK_PASSED
from supervisor_ai.control.run_views import RunView
from supervisor_ai.control.slices import AboutRun, Rows, Slice, SliceReference, Standpoint
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.drivers.loop.commands.wishes import WantedLoop
from supervisor_ai.drivers.loop.definition import LoopDefinition, expect_loop
from supervisor_ai.drivers.loop.driver import LoopDriver
from supervisor_ai.drivers.loop.events import LOOP_EVENTS, TaskMarked
from supervisor_ai.drivers.loop.sentences import LOOP_SENTENCES
from supervisor_ai.drivers.quality.standing_facts import STANDING_STREAM
from supervisor_ai.drivers.quality.tables import RULES as QUALITY_RULES
from supervisor_ai.drivers.quality.tables import TABLES as QUALITY_TABLES
from supervisor_ai.drivers.quality.thread_desk import THREAD_STREAM
from supervisor_ai.engine.playback import opener

if TYPE_CHECKING:
    from supervisor_ai.engine.world import Performers


def _today(catalog: Catalog, pinned: Definition, commit: CommitSha, cli: str | None) -> Loaded:
    """Load what the same loop would pin today."""
    rules = expect_loop(pinned).rules
    wanted = WantedLoop(
        cli=cli or only_cli(pinned),
        max_tasks=rules.max_tasks,
        is_alone=not rules.supervisors,
    )
    return catalog.resolve_for(LoopDriver.name, commit, wanted)


def _performers(ports: Mapping[str, object]) -> "Performers":
    from supervisor_ai.drivers.loop.performers.table import make_performers

    return make_performers(ports)


def _about_run(at: Standpoint, run: RunView) -> AboutRun | None:
    from supervisor_ai.drivers.loop.queries.about import about_run

    return about_run(at, run)


def _preview(definition: Definition) -> Rows:
    from supervisor_ai.drivers.loop.queries.about import preview

    return preview(definition)


def _reference() -> SliceReference:
    from supervisor_ai.drivers.loop.queries.reference import REFERENCE

    return REFERENCE


SLICE: Final = Slice(
    driver=opener(LoopDriver()),
    definition=LoopDefinition,
    events=LOOP_EVENTS,
    streams=(THREAD_STREAM, STANDING_STREAM),
    performers=_performers,
    sentences=LOOP_SENTENCES,
    rules={
        TaskMarked: (
            f"{QA_FAILED} AND :qa_failures > 0",
            f"{TASK_PASSED} AND :outcome = 'done'",
            TASK_DROPPED,
        ),
        **QUALITY_RULES,
    },
    tables=QUALITY_TABLES,
    today=_today,
    about_run=_about_run,
    preview=_preview,
    reference=_reference,
)
