"""The checkpoint slice: everything that others need of the driver, registered."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from supervisor_ai.control.commands.run_migration import only_cli
from supervisor_ai.control.ports.definitions import Catalog, Loaded
from supervisor_ai.control.slices import Slice, SliceReference
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.drivers.checkpoint.commands.wishes import WantedSupervisor
from supervisor_ai.drivers.checkpoint.decisions.definition import (
    ResidentDefinition,
    expect_resident,
    permit_of,
)
from supervisor_ai.drivers.checkpoint.driver import CheckpointDriver
from supervisor_ai.drivers.checkpoint.events import CHECKPOINT_EVENTS
from supervisor_ai.drivers.checkpoint.kinds import JUDGE
from supervisor_ai.drivers.checkpoint.queries import about
from supervisor_ai.drivers.checkpoint.queries.sentences import CHECKPOINT_SENTENCES
from supervisor_ai.engine.playback import opener

if TYPE_CHECKING:
    from supervisor_ai.engine.world import Performers


def _today(catalog: Catalog, pinned: Definition, commit: CommitSha, cli: str | None) -> Loaded:
    """Load what a supervisor of the same session would pin today."""
    home = expect_resident(pinned).residence
    wanted = WantedSupervisor(
        session=home.session,
        recovery=home.recovery,
        cli=cli or only_cli(pinned),
        is_alone=JUDGE not in pinned.roles,
    )
    return catalog.resolve_for(CheckpointDriver.name, commit, wanted)


def _performers(ports: Mapping[str, object]) -> "Performers":
    from supervisor_ai.drivers.checkpoint.performers.table import make_performers

    return make_performers(ports)


def _reference() -> SliceReference:
    from supervisor_ai.drivers.checkpoint.queries.reference import REFERENCE

    return REFERENCE


SLICE: Final = Slice(
    driver=opener(CheckpointDriver()),
    definition=ResidentDefinition,
    events=CHECKPOINT_EVENTS,
    performers=_performers,
    sentences=CHECKPOINT_SENTENCES,
    permit=lambda pinned: permit_of(expect_resident(pinned).residence.session),
    today=_today,
    about_run=about.about_run,
    preview=about.preview,
    reference=_reference,
)
