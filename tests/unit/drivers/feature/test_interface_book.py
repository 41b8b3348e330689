"""What is known of interfaces that somebody wants to change, fact by fact."""

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, StepName, TreeSha
from supervisor_ai.domain.run import events as e
from supervisor_ai.drivers.feature.interfaces import events as i
from supervisor_ai.drivers.feature.interfaces.book import (
    QUESTION,
    InterfaceBook,
    UnlockStage,
    evolve_book,
)
from supervisor_ai.drivers.feature.kinds import FEATURE, INTERFACES

KNOWN = ("A", "B")
TREE, COMMIT = TreeSha("t"), CommitSha("c")


def told(words: str) -> e.SignalReceived:
    return e.SignalReceived(signal=words)


def asked(number: int) -> e.ApprovalRequested:
    return e.ApprovalRequested(
        step=FEATURE,
        visit=1,
        slot=number,
        reason=QUESTION,
        tree=TREE,
        commit=COMMIT,
        question=None,
    )


def given(number: int) -> e.ApprovalGiven:
    return e.ApprovalGiven(step=FEATURE, visit=1, slot=number, tree=TREE, note=None)


def opened(number: int, name: str) -> i.InterfaceUnlocked:
    why = ArtifactHash("why")
    return i.InterfaceUnlocked(step=FEATURE, visit=1, name=name, number=number, why=why)


def fold(*events: e.RunEvent) -> InterfaceBook:
    book = InterfaceBook()
    for event in events:
        book = evolve_book(book, event, KNOWN)
    return book


def way(number: int, name: str) -> tuple[e.RunEvent, ...]:
    return told(f"unlock {name} why"), asked(number), given(number), opened(number, name)


def test_an_interface_goes_from_a_wish_over_a_question_to_being_open() -> None:
    events = way(1, "A")
    stages = [fold(*events[: at + 1]).unlocks["A"].stage for at in range(4)]
    assert stages == [
        UnlockStage.WANTED,
        UnlockStage.ASKED,
        UnlockStage.AGREED,
        UnlockStage.OPEN,
    ]


def test_a_no_is_about_the_one_that_was_asked() -> None:
    refused = e.ApprovalRefused(step=FEATURE, visit=1, slot=1, tree=TREE, note=ArtifactHash("no"))
    book = fold(told("unlock A why"), told("unlock B why"), asked(1), refused)
    assert list(book.unlocks) == ["B"]
    assert book.count == 2


def test_what_is_written_is_what_was_there_when_the_writing_began() -> None:
    entered = e.StepEntered(step=INTERFACES, visit=2, start=COMMIT)
    begun = (*way(1, "A"), *way(2, "B"), told("lock A one"), entered)
    book = fold(*begun, told("lock A late"), told("lock B two"))
    assert book.writing == ("A",)
    assert book.definitions == {"A": "one"}
    done = fold(*begun, told("lock B two"), e.StepPassed(step=INTERFACES, visit=2), entered)
    assert done.redefined == {"A": "one"}
    assert done.writing == ("B",)
    locked = i.InterfaceLocked(step=FEATURE, visit=1, name="A", commit=COMMIT)
    rest = evolve_book(done, locked, KNOWN)
    assert (list(rest.unlocks), rest.relocks) == (["B"], ("B",))


def test_what_could_not_be_written_is_forgotten_and_stays_open() -> None:
    entered = e.StepEntered(step=INTERFACES, visit=2, start=COMMIT)
    failed = e.StepFailed(step=INTERFACES, visit=2, reason="red")
    book = fold(*way(1, "A"), told("lock A one"), entered, failed)
    assert (book.drafts, book.relocks, book.redefined) == ({}, (), {})
    assert book.at(UnlockStage.OPEN) == ("A",)


def test_a_later_word_counts_in_place_of_an_earlier_one() -> None:
    book = fold(*way(1, "A"), told("lock A one"), told("lock A"))
    assert (book.drafts, book.relocks) == ({}, ("A",))


def test_other_facts_change_nothing() -> None:
    other = StepName("P1-PH1-C1")
    book = fold(*way(1, "A"))
    for event in (
        told("pause"),
        told("unlock A again"),
        told("unlock C why"),
        told("unlock B"),
        told("lock B x"),
        e.StepEntered(step=other, visit=1, start=COMMIT),
        e.StepPassed(step=other, visit=1),
        e.StepFailed(step=other, visit=1, reason=""),
    ):
        assert evolve_book(book, event, KNOWN) is book
