"""Landing a feature in all of its repositories, or in none of them."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from supervisor_ai.control.phrases import one_line, short
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.errors import Conflict, Denied, InternalError
from supervisor_ai.domain.ids import CommitSha, RunId
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.run.values import Base
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.definition import landing_verb
from supervisor_ai.drivers.feature.projects.landings import (
    OPEN,
    LandingFact,
    LandingKept,
    LandingMoved,
    LandingPrepared,
    LandingRestored,
    LandingState,
    LandingStatus,
    LandingTurned,
    RepositoryMove,
    ending,
    next_move,
)
from supervisor_ai.drivers.feature.projects.ports import LandingRequest, MoveStand, ProjectLandings
from supervisor_ai.drivers.feature.projects.stream import LandingView
from supervisor_ai.drivers.feature.projects.values import ProjectOrigin
from supervisor_ai.drivers.feature.runs import FeatureRun
from supervisor_ai.drivers.feature.state import FeatureState

_TITLE = 120
_THERE = frozenset({MoveStand.AFTER, MoveStand.BUILT_ON})


class FeatureLanding(MutationView, frozen=True, kw_only=True):
    """What a landing changed, or would change, repository by repository."""

    run: RunId
    status: LandingStatus
    moves: tuple[RepositoryMove, ...]


def request_of(
    run: FeatureRun,
    state: FeatureState,
    repository: str,
    earlier: Mapping[str, CommitSha] = {},
) -> LandingRequest:
    """Say what is to land where; raises Conflict or Denied where it must not.

    `earlier` has what runs landed before with whose branch this one goes on, by project.
    """
    definition, row = run.definition, run.row
    base, commit = row.base, state.landed or state.left
    if landing_verb(definition) is None:
        raise Conflict(
            f"The feature {definition.feature.id!r} is in one repository.",
            hint=f"Merge it as any run: supervisor merge {row.id}",
        )
    if row.status is not RunStatus.COMPLETED or commit is None or base is None:
        raise Conflict(
            f"Run {row.id!r} cannot land: it is {row.status.value}.",
            hint=_hint(definition.feature.id, state),
        )
    began = (_home(base, repository), *state.origins)
    origins = tuple(replace(it, sha=earlier.get(it.project, it.sha)) for it in began)
    for it in origins:
        if definition.git.protects(it.branch):
            raise Denied(
                f"Branch {it.branch!r} of {it.repository!r} is protected here"
                " (git.protected_branches). Nothing was touched."
            )
    return LandingRequest(
        run=row.id,
        title=one_line(definition.feature.title)[:_TITLE],
        base=base.sha,
        commit=commit,
        origins=origins,
        is_exact=definition.approvals is not None,
        is_signed=definition.git.sign_commits,
    )


def _hint(feature: str, state: FeatureState) -> str:
    if not state.is_paused:
        return f"Let it come to its end first: supervisor feature run {feature}"
    return (
        f"Build what is pending (supervisor feature resume {feature}), or do without it"
        f" (supervisor feature skip {feature} COMPONENT), and let it come to its end."
    )


def _home(base: Base, repository: str) -> ProjectOrigin:
    return ProjectOrigin(project="", place="", repository=repository, branch=base.ref, sha=base.sha)


class Lander(Struct, frozen=True, kw_only=True):
    """Takes a landing to its end: all branches have moved, or none."""

    view: LandingView
    landings: ProjectLandings
    actor: Actor

    def land(self, make_request: Callable[[], LandingRequest]) -> LandingState:
        """Finish what is under way, or prepare a landing and carry it out."""
        with self.landings.alone():
            return self._land(make_request)

    def _land(self, make_request: Callable[[], LandingRequest]) -> LandingState:
        state = self.view.refresh()
        if state.status is LandingStatus.LANDED:
            return state
        if state.status not in OPEN:
            request = make_request()
            moves = self.landings.prepare(request)
            if not moves:
                return state
            prepared = LandingPrepared(run=request.run, moves=moves)
            self._add(prepared, lambda it: it.status not in OPEN)
        return self._finish()

    def _finish(self) -> LandingState:
        while (state := self.view.refresh()).status in OPEN:
            move = next_move(state)
            fact = ending(state) if move is None else self._look(state, move)
            self._add(fact, lambda it, seen=state: it == seen)  # type: ignore[misc]
        return state

    def _add(self, fact: LandingFact, is_asked: Callable[[LandingState], bool]) -> None:
        """Record a fact, unless another process was faster."""
        self.view.add(lambda state: [fact] if is_asked(state) else [], self.actor)

    def _look(self, state: LandingState, move: RepositoryMove) -> LandingFact:
        """Do what is next about one repository, wherever its branch stands by now."""
        stand = self.landings.stand(move)
        if state.status is LandingStatus.TURNING:
            return self._take_back(move, stand)
        if stand in _THERE:
            return LandingMoved(project=move.project)
        if stand is MoveStand.ELSEWHERE:
            reason = f"The branch {move.branch!r} moved in the meantime."
            return LandingTurned(project=move.project, reason=reason)
        try:
            self.landings.move(move)
        except Conflict as error:
            return LandingTurned(project=move.project, reason=error.message)
        return LandingMoved(project=move.project)

    def _take_back(self, move: RepositoryMove, stand: MoveStand) -> LandingFact:
        if stand is MoveStand.BUILT_ON:
            return LandingKept(project=move.project)
        if stand is MoveStand.AFTER:
            try:
                self.landings.restore(move)
            except Conflict as error:
                raise Conflict(
                    f"The feature could not be taken out of {move.repository!r} again:"
                    f" {error.message}",
                    hint="Commit or stash your changes there and call the same command again.",
                ) from error
        return LandingRestored(project=move.project)


def landed_view(run: RunId, state: LandingState, *, dry_run: bool = False) -> FeatureLanding:
    """Say what came of a landing."""
    words = _WORDS.get(state.status)
    if words is None:
        raise InternalError(f"A landing cannot end as {state.status.value!r}.")
    told = "; ".join(
        f"{it.project or 'this repository'}: {it.branch} at {short(it.new)}" for it in state.moves
    )
    detail = f"{words} {state.reason}".strip()
    return FeatureLanding(
        target=run,
        applied=state.status is LandingStatus.LANDED and not dry_run,
        dry_run=dry_run,
        detail=f"{detail} ({told})" if told else detail,
        run=run,
        status=state.status,
        moves=state.moves,
    )


_WORDS = {
    LandingStatus.NONE: "All repositories have everything already.",
    LandingStatus.MOVING: "Would land in all repositories.",
    LandingStatus.LANDED: "Landed in all repositories.",
    LandingStatus.UNDONE: "Landed in no repository.",
    LandingStatus.SPLIT: "Landed in some repositories only, on which somebody built meanwhile.",
}
