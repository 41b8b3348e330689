"""A slice is added without touching a file of the kernel: it is driven, recovered and shown."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.engine.toy_adapters import BAKER
from tests.integration.engine.toy_slice import (
    SLICE,
    Baked,
    BakeLost,
    BakerDriver,
    BakeStarted,
    Oven,
    Recipe,
)
from tests.support.kernel import Kernel, flow, stop

from supervisor_ai.control.queries.events import known_types, read_events
from supervisor_ai.control.records import Records
from supervisor_ai.control.run_views import show_run
from supervisor_ai.control.sentences import describe, mark_of
from supervisor_ai.control.slice_names import SliceName, registered
from supervisor_ai.control.slices import all_slices, find_slice, load_slice, openers
from supervisor_ai.domain.errors import InternalError, InvalidInput
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.definition import StepKind, StepWord
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.performer import SHARED_PERFORMERS, LatePerformers
from supervisor_ai.engine.world import World
from supervisor_ai.store.documents import ArtifactDocuments
from supervisor_ai.store.ledger import SqliteLedger, open_ledger


@pytest.fixture(autouse=True)
def _baker() -> Iterator[None]:
    with registered(BAKER):
        yield


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Kernel]:
    opened = Kernel(tmp_path / "ledger")
    yield opened
    opened.close()


def baking(world: World, oven: Oven) -> World:
    performers = LatePerformers(SHARED_PERFORMERS, oven.performers)
    return replace(world, drivers=openers(), performers=performers)


def bake(kernel: Kernel, world: World, *, loaves: int = 2) -> RunId:
    run = kernel.submit(Recipe(flour="rye", loaves=loaves), driver=BakerDriver.name)
    kernel.drive(run, world=world)
    return run


def look(kernel: Kernel, tmp_path: Path) -> tuple[SqliteLedger, Records]:
    """Open the ledger again, as another command would."""
    world, fakes = kernel.world, kernel.fakes
    ledger = open_ledger(
        tmp_path / "ledger", clock=world.clock, processes=world.processes, anchor=world.anchor
    )
    records = Records(
        ledger=tmp_path / "ledger",
        queries=ledger.queries,
        log=ledger.events,
        artifacts=fakes.artifacts,
        documents=ArtifactDocuments(fakes.artifacts),
    )
    return ledger, records


def test_a_run_of_it_is_driven_and_shown(kernel: Kernel, tmp_path: Path) -> None:
    run = bake(kernel, baking(kernel.world, Oven()))
    ledger, records = look(kernel, tmp_path)
    told = [envelope.event for envelope in read_events(records, run)]
    assert show_run(records, run).status is RunStatus.COMPLETED
    assert [describe(event) for event in told].count("a golden loaf comes out") == 2
    assert "a loaf of rye goes in" in [describe(event) for event in told]
    assert {mark_of(event) for event in told} >= {"baked"}
    assert ledger.connection.query("SELECT * FROM loaves ORDER BY visit") == [
        (run, 1, "golden"),
        (run, 2, "golden"),
    ]
    ledger.close()


def test_its_table_is_verified_and_made_again(kernel: Kernel, tmp_path: Path) -> None:
    run = bake(kernel, baking(kernel.world, Oven()), loaves=1)
    ledger, _ = look(kernel, tmp_path)
    assert ledger.care.verify().faults == ()
    with ledger.connection.transaction() as sql:
        sql.execute("DELETE FROM loaves")
    assert any("loaves" in fault.message for fault in ledger.care.verify().faults)
    ledger.care.rebuild()
    assert ledger.connection.query("SELECT * FROM loaves") == [(run, 1, "golden")]
    assert ledger.care.verify().faults == ()
    ledger.close()


def test_a_table_that_is_not_as_the_slice_makes_it_is_a_fault(
    kernel: Kernel, tmp_path: Path
) -> None:
    bake(kernel, baking(kernel.world, Oven()), loaves=1)
    ledger, _ = look(kernel, tmp_path)
    with ledger.connection.transaction() as sql:
        sql.execute("ALTER TABLE loaves ADD COLUMN price TEXT")
        sql.execute("CREATE TABLE cakes (run TEXT)")
    said = [fault.message for fault in ledger.care.verify().faults]
    assert any("'loaves' does not belong" in message for message in said)
    assert any("'cakes' does not belong" in message for message in said)
    ledger.close()


def test_what_a_crash_left_open_is_lost_and_done_again(kernel: Kernel, tmp_path: Path) -> None:
    oven = Oven()
    oven.fails_at = 2
    with pytest.raises(KeyboardInterrupt):
        bake(kernel, baking(kernel.world, oven))
    kernel.kill(1)
    ledger, records = look(kernel, tmp_path)
    (row,), _ = records.queries.runs(limit=9)
    oven.fails_at = None
    kernel.drive(row.id, world=baking(kernel.process(), oven))
    told = [describe(envelope.event) for envelope in read_events(records, row.id)]
    assert told.count("nobody knows where the loaf is") == 1
    assert show_run(records, row.id).status is RunStatus.COMPLETED
    assert ledger.connection.query("SELECT visit, crust FROM loaves ORDER BY rowid") == [
        (1, "golden"),
        (2, None),
        (2, "golden"),
    ]
    ledger.close()


def test_its_step_of_a_workflow_is_lost_and_done_again(kernel: Kernel) -> None:
    oven = Oven()
    oven.fails_at = 1
    step = replace(stop("oven", StepWord("bake")), description="rye")
    run = kernel.submit(flow(step, stop("ask", StepKind.HUMAN)))
    with pytest.raises(KeyboardInterrupt):
        kernel.drive(run, world=baking(kernel.world, oven))
    kernel.kill(1)
    oven.fails_at = None
    kernel.drive(run, world=baking(kernel.process(), oven))
    assert [it.flour for it in kernel.events(run, BakeStarted)] == ["rye", "rye"]
    assert len(kernel.events(run, BakeLost)) == len(kernel.events(run, Baked)) == 1
    assert kernel.status(run) is RunStatus.WAITING


def test_its_events_are_known_by_name() -> None:
    assert known_types(["Baked"]) == {"Baked"}
    with pytest.raises(InvalidInput, match="no type of events 'Bakd'"):
        known_types(["Bakd"])


def test_performers_are_made_when_they_are_asked_for() -> None:
    late = LatePerformers(SHARED_PERFORMERS, Oven().performers)
    assert len(late) == len(SHARED_PERFORMERS) + 1
    assert set(SHARED_PERFORMERS) < set(late)


def test_it_is_known_only_while_it_is_registered() -> None:
    assert find_slice(BakerDriver.name) is SLICE
    assert SLICE in tuple(all_slices())
    assert find_slice("nobody") is None
    with pytest.raises(InternalError, match=r"errors has no slice"):
        load_slice(SliceName("odd", "supervisor_ai.domain.errors"))
