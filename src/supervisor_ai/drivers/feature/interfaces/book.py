"""Which interfaces are being unlocked, open, or locked again with another definition."""

from collections.abc import Collection
from enum import StrEnum
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.values import ReasonWord
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.interfaces import events as i
from supervisor_ai.drivers.feature.kinds import FEATURE, INTERFACES

UNLOCK: Final = "unlock"
LOCK: Final = "lock"
QUESTION: Final = ReasonWord("interface")
"""Why a person is asked: somebody wants to change what all have agreed on."""


class UnlockStage(StrEnum):
    """How far an interface is on its way to be open."""

    WANTED = "wanted"
    ASKED = "asked"
    """A person has to agree."""
    AGREED = "agreed"
    OPEN = "open"
    """It may be locked again with another definition; what depends on it waits."""


class Unlock(Struct, frozen=True, kw_only=True):
    """An interface that somebody wants to change."""

    stage: UnlockStage
    why: ArtifactHash
    """What people are asked, and what those are told who build again."""
    number: int
    """Which of all unlocks of the run this is, from 1."""


class InterfaceBook(Struct, frozen=True, kw_only=True):
    """What became of interfaces since they were locked first."""

    unlocks: dict[str, Unlock] = field(default_factory=dict)
    count: int = 0
    """How many unlocks there were."""
    drafts: dict[str, ArtifactHash] = field(default_factory=dict)
    """Definitions that are to be written, validated and put on the branch."""
    writing: tuple[str, ...] = ()
    """Those of them that are on their way."""
    redefined: dict[str, ArtifactHash] = field(default_factory=dict)
    """The definitions that hold in place of the plan's."""
    relocks: tuple[str, ...] = ()
    """The interfaces that somebody wants to have locked again."""

    def at(self, stage: UnlockStage) -> tuple[str, ...]:
        """Name the interfaces at a stage."""
        return tuple(name for name, it in self.unlocks.items() if it.stage is stage)

    @property
    def definitions(self) -> dict[str, ArtifactHash]:
        """Return what is to be written in place of the plan's definitions."""
        return {**self.redefined, **{it: self.drafts[it] for it in self.writing}}


def evolve_book(book: InterfaceBook, event: Event, known: Collection[str]) -> InterfaceBook:
    """Fold one recorded fact into what is known of the interfaces."""
    match event:
        case e.SignalReceived(signal=signal):
            return _told(book, signal, known)
        case e.ApprovalRequested(reason=reason, slot=slot) if reason == QUESTION:
            return _moved(book, slot, UnlockStage.ASKED)
        case e.ApprovalGiven(step=step, slot=slot) if step == FEATURE and book.at(
            UnlockStage.ASKED
        ):
            return _moved(book, slot, UnlockStage.AGREED)
        case e.ApprovalRefused(step=step, slot=slot) if step == FEATURE:
            kept = {name: it for name, it in book.unlocks.items() if not _is_asked(it, slot)}
            return replace(book, unlocks=kept)
        case i.InterfaceUnlocked(number=number):
            return _moved(book, number, UnlockStage.OPEN)
        case i.InterfaceLocked(name=name):
            left = tuple(it for it in book.relocks if it != name)
            unlocks = {other: it for other, it in book.unlocks.items() if other != name}
            return replace(book, unlocks=unlocks, relocks=left)
        case e.StepEntered(step=step) if step == INTERFACES:
            return replace(book, writing=tuple(book.drafts))
        case e.StepPassed(step=step) if step == INTERFACES:
            return replace(_written(book), redefined=book.definitions)
        case e.StepFailed(step=step) if step == INTERFACES:
            left = tuple(it for it in book.relocks if it not in book.writing)
            return replace(_written(book), relocks=left)
        case _:
            return book


def _told(book: InterfaceBook, signal: str, known: Collection[str]) -> InterfaceBook:
    """Hear that an interface is to be unlocked, or locked again as it is or otherwise."""
    word, _, rest = signal.partition(" ")
    name, _, artifact = rest.partition(" ")
    unlock = book.unlocks.get(name)
    if word == UNLOCK and unlock is None and name in known and artifact:
        number = book.count + 1
        fresh = Unlock(stage=UnlockStage.WANTED, why=ArtifactHash(artifact), number=number)
        return replace(book, unlocks={**book.unlocks, name: fresh}, count=number)
    is_open = unlock is not None and unlock.stage is UnlockStage.OPEN
    if word != LOCK or not is_open or name in book.writing:
        return book
    drafts = {other: it for other, it in book.drafts.items() if other != name}
    if artifact:
        drafts[name] = ArtifactHash(artifact)
    return replace(book, drafts=drafts, relocks=tuple(dict.fromkeys((*book.relocks, name))))


def _is_asked(unlock: Unlock, number: int) -> bool:
    return unlock.number == number and unlock.stage is UnlockStage.ASKED


def _moved(book: InterfaceBook, number: int, stage: UnlockStage) -> InterfaceBook:
    unlocks = {
        name: replace(it, stage=stage) if it.number == number else it
        for name, it in book.unlocks.items()
    }
    return replace(book, unlocks=unlocks)


def _written(book: InterfaceBook) -> InterfaceBook:
    drafts = {name: it for name, it in book.drafts.items() if name not in book.writing}
    return replace(book, drafts=drafts, writing=())
