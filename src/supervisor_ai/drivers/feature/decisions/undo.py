"""A phase is taken back: what is at work is stopped, then merges are reverted, the newest first."""

from collections.abc import Iterator
from typing import Final

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.effects import CancelRun
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.drivers.feature import events as f
from supervisor_ai.drivers.feature.effects import PrepareRevert
from supervisor_ai.drivers.feature.kinds import FEATURE
from supervisor_ai.drivers.feature.parts import Part, PartStage
from supervisor_ai.drivers.feature.plan.model import AT_WORK, ComponentId
from supervisor_ai.drivers.feature.state import FeatureState, Undoing, step_of

_STOPS: Final = frozenset(
    {
        *(PartStage.ASSIGN, PartStage.START, PartStage.QUEUE),
        *(PartStage.SEARCH, PartStage.BACK, PartStage.STOP),
    }
)
"""Where a component can be stopped at once; a merge that is tested is let land, and reverted."""
_REASON: Final = "The phase is taken back."


def undo_phase(run: Run, state: FeatureState) -> Decision | None:
    """Say what is next while a phase is taken back; None: what is under way goes on."""
    undoing = state.undoing
    if undoing is None:
        return None
    busy = {it.step for it in run.open.values() if isinstance(it, e.Intent)}
    stopping = next(_stops(state, undoing, busy), None)
    if stopping is not None:
        return stopping
    if any(state.part(it).status in AT_WORK for it in undoing.components) or _is_merging(state):
        return None
    landed = [it for it in state.landings if it in undoing.components]
    if landed:
        part = state.part(landed[-1])
        entered = e.StepEntered(
            step=step_of(landed[-1]), visit=part.visit + 1, start=state.tip.commit
        )
        return Decision(events=(entered,))
    undone = f.PhaseUndone(
        step=FEATURE, visit=1, phase=undoing.phase, components=tuple(sorted(undoing.components))
    )
    return Decision(events=(undone,))


def _stops(state: FeatureState, undoing: Undoing, busy: set[StepName]) -> Iterator[Decision]:
    """Stop what builds on a phase that goes."""
    for name in sorted(undoing.components):
        part = state.part(name)
        if part.is_undone or step_of(name) in busy:
            continue
        if part.stage in _STOPS:
            stopped = e.StepFailed(step=step_of(name), visit=part.visit, reason=_REASON)
            yield Decision(events=(stopped,))
        elif part.child is not None and _is_running(part, undoing):
            yield Decision(effects=(CancelRun(child=part.child),))


def _is_running(part: Part, undoing: Undoing) -> bool:
    return part.stage is PartStage.BUILD and part.child not in undoing.stopped


def _is_merging(state: FeatureState) -> bool:
    """Tell whether somebody else is about to move the branch."""
    moving = {PartStage.GATES, PartStage.LAND, PartStage.DONE}
    return any(part.stage in moving for part in state.parts.values())


def prepare_revert(run: Run, state: FeatureState, name: ComponentId) -> Decision:
    """Take back what a component has put on the branch, where nobody sees it yet."""
    del run
    part = state.part(name)
    title = state.definition.feature.titles().get(name)
    effect = PrepareRevert(
        step=step_of(name),
        visit=part.visit,
        title=str(name) if title is None else f"{title} ({name})",
        commit=state.landings[name],
        onto=state.tip.commit,
        tree=state.tip.tree,
    )
    return Decision(effects=(effect,))
