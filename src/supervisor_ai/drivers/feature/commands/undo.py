"""Taking a phase back: what would be reverted is shown before anything is said."""

from msgspec import Struct

from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.errors import Conflict, NotFound
from supervisor_ai.domain.ids import CommitSha, RunId
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.commands.successor import require_reopenable, submit_successor
from supervisor_ai.drivers.feature.commands.wishes import built, send_wish
from supervisor_ai.drivers.feature.parts import PartStage
from supervisor_ai.drivers.feature.plan.dependents import find_phase, undone_with
from supervisor_ai.drivers.feature.plan.model import ComponentStatus, Feature, PhaseId
from supervisor_ai.drivers.feature.plan.rollup import status_of
from supervisor_ai.drivers.feature.runs import FeatureRun, state_of
from supervisor_ai.drivers.feature.state import FeatureState, FeatureWish
from supervisor_ai.tools.text import nearest


class RevertView(Struct, frozen=True, kw_only=True):
    """A component whose commit is taken back."""

    component: str
    title: str
    commit: CommitSha


class UndoView(Struct, frozen=True, kw_only=True):
    """What taking a phase back comes to."""

    run: RunId
    phase: str
    applied: bool
    reverts: tuple[RevertView, ...]
    """In the order in which they are made."""
    stops: tuple[RunId, ...]
    """The runs of components that are stopped."""
    pending: tuple[str, ...]
    """The components that can be built again then."""
    reopens: RunId | None = None
    """The run that has ended, where another one goes on with its branch."""


class PlannedUndo(Struct, frozen=True, kw_only=True):
    """What a person has asked for, and what would come of it."""

    found: FeatureRun
    wish: FeatureWish
    phase: PhaseId
    view: UndoView

    async def send(self, project: OpenProject) -> UndoView:
        """Tell the run, which takes the phase back as soon as somebody drives it."""
        run = self.found.row.id
        if self.view.reopens is not None:
            run = await submit_successor(project, self.found)
        send_wish(project, run, f"{self.wish.value} {self.phase}")
        return replace(self.view, run=run, applied=True)


def plan_undo(project: OpenProject, feature: str, wish: FeatureWish, name: str) -> PlannedUndo:
    """Find out what taking a phase back comes to; raises where there is nothing to take back."""
    found = built(project, feature)
    if not found.is_unfinished:
        require_reopenable(project, found)
    plan, state = found.definition.feature, state_of(project.records, found)
    phase = _known_phase(plan, name)
    if state.undoing is not None and found.is_unfinished:
        raise Conflict(
            f"The phase {state.undoing.phase} is being taken back now.",
            hint=f"Go on: supervisor feature run {feature}",
        )
    view = _view(found, state, phase)
    if not view.pending:
        raise Conflict(f"Nothing of the phase {phase} was built yet.")
    return PlannedUndo(found=found, wish=wish, phase=phase, view=view)


def _known_phase(feature: Feature, name: str) -> PhaseId:
    found = find_phase(feature, name)
    if found is None:
        near = nearest(name, [word for it in feature.phases for word in (it.id, it.name)])
        raise NotFound(
            f"The feature {feature.id!r} has no phase {name!r}.",
            hint=f"Did you mean {near!r}?" if near else None,
        )
    return found


def _view(found: FeatureRun, state: FeatureState, phase: PhaseId) -> UndoView:
    feature = found.definition.feature
    gone = undone_with(feature, phase)
    titles = feature.titles()
    parts = {it: state.part(it) for it in gone}
    return UndoView(
        run=found.row.id,
        phase=phase,
        applied=False,
        reopens=None if found.is_unfinished else found.row.id,
        reverts=tuple(
            RevertView(component=name, title=titles.get(name, ""), commit=commit)
            for name, commit in reversed(state.landings.items())
            if name in gone
        ),
        stops=tuple(
            sorted(
                part.child
                for part in parts.values()
                if part.child is not None and part.stage is PartStage.BUILD and found.is_unfinished
            )
        ),
        pending=tuple(
            it.id
            for it in feature.components
            if it.id in gone and status_of(state.statuses, it.id) is not ComponentStatus.PENDING
        ),
    )
