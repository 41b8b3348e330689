"""Whatever roles, models and processes of a loop do, it ends, and its records and books hold."""

import random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.integration.loop.cast import ACTS
from tests.integration.loop.wild_checks import check_all
from tests.integration.loop.wild_loops import BOOKS, DRIVER, Fate, played
from tests.support.example_counts import examples, worlds
from tests.support.memory_knowledge import PlainBooks

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.knowledge.documents import KnowledgeArea
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop.driver import LoopDriver
from supervisor_ai.drivers.loop.events import TaskMarked
from supervisor_ai.drivers.loop.state import LoopState
from supervisor_ai.drivers.quality.ports import KnowledgeBooks, SettledKnowledge, WrittenKnowledge
from supervisor_ai.drivers.quality.supervisors import STORE

PHASES = (Phase.explicit, Phase.generate)
"""A failing example is told as it was found: making it smaller takes minutes."""
FATES = st.builds(
    Fate,
    numbers=st.lists(st.one_of(st.just(0), st.integers(0, 24)), max_size=60),
    deaths=st.lists(st.integers(1, 150), max_size=3),
    lacking=st.frozensets(st.integers(0, 2), max_size=1),
    pauses=st.booleans(),
    is_leaky=st.booleans(),
)
ENOUGH = 40
"""Within so many fates a planted mistake is found."""


def drawn(seed: int) -> Fate:
    chance = random.Random(seed)  # noqa: S311 - it decides nothing but a test
    return Fate(
        numbers=[chance.choice((0, chance.randrange(25))) for _ in range(60)],
        deaths=[chance.randrange(1, 150) for _ in range(chance.randrange(3))],
        pauses=chance.random() < 0.5,
        is_leaky=True,
    )


@settings(max_examples=examples(8), phases=PHASES)
@given(FATES)
def test_any_answers_lead_to_an_end(fate: Fate) -> None:
    check_all(played(fate), fate)


@pytest.mark.long
def test_many_answers_lead_to_an_end() -> None:
    for seed in range(worlds(600)):
        fate = drawn(seed)
        fate = replace(fate, is_leaky=bool(seed % 2), lacking=frozenset({seed % 6} & {0, 1, 2}))
        check_all(played(fate), fate)


def test_with_good_answers_the_remit_is_complete() -> None:
    fate = Fate(pauses=True)
    scene = played(fate)
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
    check_all(scene, fate)
    assert set(ACTS) | {"design_supervisor"} == set(scene.asked)


def found(books: KnowledgeBooks = BOOKS, driver: LoopDriver = DRIVER) -> str:
    """Say how a planted mistake shows; nothing: it does not."""
    for seed in range(ENOUGH):
        fate = drawn(seed)
        try:
            check_all(played(fate, books, driver), fate)
        except AssertionError as error:
            return str(error)
    return ""


class CarelessBooks(PlainBooks):
    """Puts what anybody writes into the folder of another."""

    def settle(self, written: WrittenKnowledge) -> SettledKnowledge:  # type: ignore[explicit-override]
        other = "conventions" if "design" in written.owns else "design"
        draft = {f"{STORE}/{other}/m.md": b"# M\n\n## Rules\n\n1. Say it.\n"}
        after = {**written.after, **draft}
        return BOOKS.settle(replace(written, owns=tuple(KnowledgeArea), after=after))


class ForgetfulDriver(LoopDriver):
    """Forgets the oldest directive whenever a task is over, and says so nowhere."""

    def evolve(self, state: LoopState, event: Event) -> LoopState:  # type: ignore[explicit-override]
        after = super().evolve(state, event)
        if not isinstance(event, TaskMarked):
            return after
        left = after.book.pending_directives[1:]
        return replace(after, book=replace(after.book, pending_directives=left))


class TrustingDriver(LoopDriver):
    """Takes the promise of a task for the task."""

    def evolve(self, state: LoopState, event: Event) -> LoopState:  # type: ignore[explicit-override]
        after = super().evolve(state, event)
        book = after.book
        return replace(after, book=replace(book, pending_directives=book.waiting_directives))


class DeafDriver(LoopDriver):
    """Takes up what a supervisor wrote, and nothing of what it wants."""

    def evolve(self, state: LoopState, event: Event) -> LoopState:  # type: ignore[explicit-override]
        after = super().evolve(state, event)
        if after.findings is None:
            return after
        return replace(after, findings=replace(after.findings, directives=()))


class SilentDriver(LoopDriver):
    """Plans on where somebody has asked first."""

    def evolve(self, state: LoopState, event: Event) -> LoopState:  # type: ignore[explicit-override]
        after = super().evolve(state, event)
        if not after.book.research.questions:
            return after
        return replace(after, book=replace(after.book, research=after.book.research.told(None)))


@pytest.mark.parametrize(
    ("driver", "told"),
    [
        (ForgetfulDriver(), "a directive vanished"),
        (TrustingDriver(), "a directive vanished"),
        (DeafDriver(), "a directive was never taken up"),
        (SilentDriver(), "a question was never answered"),
    ],
)
def test_what_a_driver_loses_would_be_found(driver: LoopDriver, told: str) -> None:
    assert told in found(driver=driver)


def test_documents_without_a_form_would_be_found() -> None:
    assert "the store is not valid" in found(PlainBooks())


def test_a_write_elsewhere_that_comes_through_would_be_found() -> None:
    assert " is by " in found(CarelessBooks())
