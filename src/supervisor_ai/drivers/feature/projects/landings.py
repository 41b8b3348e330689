"""Landing in several repositories, all or none: a table, a fold and what is done next."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import CommitSha, RunId
from supervisor_ai.domain.structs import replace


class RepositoryMove(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a branch of one repository is to move."""

    project: str
    """The project, or nothing: the feature's own repository."""
    repository: str
    branch: str
    old: CommitSha
    new: CommitSha
    part: CommitSha | None = None
    """What the feature alone made of the branch, where the new commit merges it with more."""

    @property
    def own(self) -> CommitSha:
        """Return the commit from which another landing of the feature goes on."""
        return self.part or self.new


class LandingStatus(StrEnum):
    """Where a landing stands."""

    NONE = "none"
    MOVING = "moving"
    TURNING = "turning"
    """A branch could not move, and those that have are taken back."""
    LANDED = "landed"
    UNDONE = "undone"
    SPLIT = "split"
    """Somebody built on a branch that had moved, before another one could: people decide."""


class LandingFact(Event, frozen=True, kw_only=True):
    """Something that happened to the landing of a run."""


class LandingPrepared(LandingFact, frozen=True, kw_only=True):
    """All commits are made and kept; the branches are about to move."""

    run: RunId
    moves: tuple[RepositoryMove, ...]


class LandingMoved(LandingFact, frozen=True, kw_only=True):
    """The branch of a repository has moved."""

    project: str


class LandingTurned(LandingFact, frozen=True, kw_only=True):
    """A branch stands elsewhere by now; those that have moved are about to go back."""

    project: str
    reason: str


class LandingRestored(LandingFact, frozen=True, kw_only=True):
    """The branch of a repository stands where it stood."""

    project: str


class LandingKept(LandingFact, frozen=True, kw_only=True):
    """Somebody has built on a branch that had moved: it cannot go back."""

    project: str


class LandingCompleted(LandingFact, frozen=True, kw_only=True):
    """All branches have moved."""


class LandingUndone(LandingFact, frozen=True, kw_only=True):
    """No branch has moved, or all have gone back."""


class LandingSplit(LandingFact, frozen=True, kw_only=True):
    """Some branches have moved and some not, and nobody but people can tell what is to be done."""


LANDING_FLOW: Final[Mapping[tuple[LandingStatus, type[LandingFact]], LandingStatus]] = {
    (LandingStatus.NONE, LandingPrepared): LandingStatus.MOVING,
    (LandingStatus.UNDONE, LandingPrepared): LandingStatus.MOVING,
    (LandingStatus.SPLIT, LandingPrepared): LandingStatus.MOVING,
    (LandingStatus.MOVING, LandingMoved): LandingStatus.MOVING,
    (LandingStatus.MOVING, LandingTurned): LandingStatus.TURNING,
    (LandingStatus.MOVING, LandingCompleted): LandingStatus.LANDED,
    (LandingStatus.TURNING, LandingRestored): LandingStatus.TURNING,
    (LandingStatus.TURNING, LandingKept): LandingStatus.TURNING,
    (LandingStatus.TURNING, LandingUndone): LandingStatus.UNDONE,
    (LandingStatus.TURNING, LandingSplit): LandingStatus.SPLIT,
}
OPEN: Final = frozenset({LandingStatus.MOVING, LandingStatus.TURNING})
"""A landing that stands here has to be finished or undone."""


class LandingState(Struct, frozen=True, kw_only=True):
    """How far a landing is."""

    status: LandingStatus = LandingStatus.NONE
    moves: tuple[RepositoryMove, ...] = ()
    moved: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    reason: str = ""
    """Why it turned back."""
    landed: tuple[RepositoryMove, ...] = ()
    """The moves of all landings of the run that were not taken back, the oldest first."""


def evolve(state: LandingState, event: Event) -> LandingState:
    """Fold one recorded fact into the state."""
    if not isinstance(event, LandingFact):
        return state
    status = LANDING_FLOW.get((state.status, type(event)))
    if status is None:
        raise InternalError(f"A landing that is {state.status} cannot be {type(event).__name__}.")
    match event:
        case LandingPrepared(moves=moves):
            return LandingState(status=status, moves=moves, landed=state.landed)
        case LandingMoved(project=project):
            return replace(state, status=status, moved=(*state.moved, project))
        case LandingTurned(reason=reason):
            return replace(state, status=status, reason=reason)
        case LandingRestored(project=project):
            return replace(state, status=status, restored=(*state.restored, project))
        case LandingKept(project=project):
            return replace(state, status=status, kept=(*state.kept, project))
        case LandingCompleted():
            return replace(state, status=status, landed=(*state.landed, *state.moves))
        case LandingSplit():
            kept = (it for it in state.moves if it.project in state.kept)
            return replace(state, status=status, landed=(*state.landed, *kept))
        case _:
            return replace(state, status=status)


def next_move(state: LandingState) -> RepositoryMove | None:
    """Say which branch is looked at next; None: all have been."""
    if state.status is LandingStatus.MOVING:
        return next((it for it in state.moves if it.project not in state.moved), None)
    seen = {*state.restored, *state.kept}
    return next((it for it in reversed(state.moves) if it.project not in seen), None)


def ending(state: LandingState) -> LandingFact:
    """Say how a landing ends of which all branches have been looked at."""
    if state.status is LandingStatus.MOVING:
        return LandingCompleted()
    return LandingSplit() if state.kept else LandingUndone()


LANDING_EVENTS: Final[tuple[type[LandingFact], ...]] = (
    LandingPrepared,
    LandingMoved,
    LandingTurned,
    LandingRestored,
    LandingKept,
    LandingCompleted,
    LandingUndone,
    LandingSplit,
)
