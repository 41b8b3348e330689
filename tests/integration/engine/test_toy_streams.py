"""A slice has streams of its own, beside those of its runs, without a word in the kernel."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.engine.toy_adapters import BAKER
from tests.integration.engine.toy_slice import (
    LARDER,
    Larder,
    LoafEaten,
    LoafShelved,
)
from tests.support.kernel import Kernel

from supervisor_ai.control.queries.events import known_types
from supervisor_ai.control.sentences import describe
from supervisor_ai.control.slice_names import registered
from supervisor_ai.control.slices import own_events, stream_kind
from supervisor_ai.domain.envelope import Actor, ActorKind, Event
from supervisor_ai.domain.ids import StreamId
from supervisor_ai.engine.streams.shared_stream import SharedStream
from supervisor_ai.store.documents import ArtifactDocuments
from supervisor_ai.store.ledger import SqliteLedger, open_ledger

KITCHEN = StreamId("larder:kitchen")
COOK = Actor(kind=ActorKind.USER, id="cook", via="test")
RYE = LoafShelved(flour="rye")


@pytest.fixture(autouse=True)
def _baker() -> Iterator[None]:
    with registered(BAKER):
        yield


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Kernel]:
    opened = Kernel(tmp_path / "ledger")
    yield opened
    opened.close()


@pytest.fixture
def ledger(kernel: Kernel, tmp_path: Path) -> Iterator[SqliteLedger]:
    world = kernel.world
    opened = open_ledger(
        tmp_path / "ledger", clock=world.clock, processes=world.processes, anchor=world.anchor
    )
    yield opened
    opened.close()


def larder(kernel: Kernel, ledger: SqliteLedger) -> SharedStream[Larder, Event]:
    documents = ArtifactDocuments(kernel.fakes.artifacts)
    return SharedStream(ledger.events, KITCHEN, LARDER.fold, ledger.cache, documents)


def test_facts_are_added_folded_and_shown(kernel: Kernel, ledger: SqliteLedger) -> None:
    shelf = larder(kernel, ledger)
    shelf.add(lambda _: (RYE, RYE), COOK)
    shelf.add(lambda now: (LoafEaten(),) if now.loaves else (), COOK)
    assert larder(kernel, ledger).refresh() == Larder(loaves=1)
    assert ledger.connection.query("SELECT * FROM larders") == [("kitchen", "rye")] * 2
    assert describe(RYE) == "a loaf of rye is in the larder"
    assert known_types(["LoafEaten"]) == {"LoafEaten"}
    assert {LoafShelved, LoafEaten} <= set(own_events())


def test_its_tables_are_verified_and_made_again(kernel: Kernel, ledger: SqliteLedger) -> None:
    larder(kernel, ledger).add(lambda _: (RYE,), COOK)
    assert ledger.care.verify().faults == ()
    with ledger.connection.transaction() as sql:
        sql.execute("DELETE FROM larders")
    assert any("larders" in fault.message for fault in ledger.care.verify().faults)
    ledger.care.rebuild()
    assert ledger.connection.query("SELECT * FROM larders") == [("kitchen", "rye")]


def test_what_is_kept_folded_is_folded_again(kernel: Kernel, ledger: SqliteLedger) -> None:
    shelf = larder(kernel, ledger)
    shelf.add(lambda _: (RYE,), COOK)
    shelf.keep(every=1)
    [(stream, kept)] = ledger.care.states()
    documents = ArtifactDocuments(kernel.fakes.artifacts)
    assert stream_kind(stream) == LARDER
    assert LARDER.fold.again(ledger.events, stream, documents, upto=kept.version) == kept
    assert larder(kernel, ledger).version == 1


def test_a_stream_of_another_kind_is_not_its_own() -> None:
    assert stream_kind(StreamId("run:1")) is None
    assert stream_kind(StreamId("project")) is None
    assert LARDER.owner_of(StreamId("larder:")) is None
