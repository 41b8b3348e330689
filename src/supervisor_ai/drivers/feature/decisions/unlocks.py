"""What happens to an interface that somebody wants to change: asked, opened, locked again."""

from collections.abc import Iterator
from typing import Final

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.effects import RequestApproval
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.drivers.feature.interfaces import events as i
from supervisor_ai.drivers.feature.interfaces.book import QUESTION, Unlock, UnlockStage
from supervisor_ai.drivers.feature.kinds import FEATURE
from supervisor_ai.drivers.feature.parts import PartStage
from supervisor_ai.drivers.feature.plan.interfaces import users_of
from supervisor_ai.drivers.feature.plan.model import AT_WORK, ComponentId, ComponentStatus
from supervisor_ai.drivers.feature.state import LOCKING, FeatureState, step_of

_UNDER_WAY: Final = frozenset({PartStage.NONE, PartStage.BUILD, PartStage.DONE, PartStage.UNDO})
"""What has not begun, what another run is at, and what is on the branch a moment later."""


def decide_interfaces(run: Run, state: FeatureState) -> Decision | None:
    """Say the first thing that is to be done about interfaces that are not simply locked."""
    if not state.book.unlocks:
        return None
    rules = (_open, _reopen, _ask, _lock_again)
    return next((it for rule in rules if (it := rule(run, state)) is not None), None)


def held_components(state: FeatureState) -> dict[ComponentId, str]:
    """Name the components that wait for an interface that is open, each with its name."""
    feature = state.definition.feature
    return {
        component: name
        for name in state.book.at(UnlockStage.OPEN)
        for component in users_of(feature, name)
    }


def _open(run: Run, state: FeatureState) -> Decision | None:
    del run
    for name in state.book.at(UnlockStage.AGREED):
        unlock = state.book.unlocks[name]
        opened = i.InterfaceUnlocked(
            step=FEATURE, visit=1, name=name, number=unlock.number, why=unlock.why
        )
        return Decision(events=(opened,))
    return None


def _reopen(run: Run, state: FeatureState) -> Decision | None:
    """Let whatever was built with an interface that is open begin again, once it rests."""
    busy = {it.step for it in run.open.values() if isinstance(it, e.Intent)}
    for component, name in held_components(state).items():
        if step_of(component) not in busy:
            facts = tuple(_reopening(state, component, state.book.unlocks[name]))
            if facts:
                return Decision(events=facts)
    return None


def _reopening(
    state: FeatureState, component: ComponentId, unlock: Unlock
) -> Iterator[e.StepFailed | i.ComponentReopened]:
    part = state.part(component)
    is_stopped = part.status in AT_WORK and part.stage not in _UNDER_WAY
    if is_stopped:
        reason = "An interface that it depends on was unlocked meanwhile."
        yield e.StepFailed(step=step_of(component), visit=part.visit, reason=reason)
    if is_stopped or part.status is ComponentStatus.COMPLETED:
        yield i.ComponentReopened(step=FEATURE, visit=1, component=component, why=unlock.why)


def _ask(run: Run, state: FeatureState) -> Decision | None:
    """Ask a person about one interface at a time."""
    if run.approval is not None:
        return None
    for name in state.book.at(UnlockStage.WANTED):
        unlock = state.book.unlocks[name]
        question = RequestApproval(
            step=FEATURE,
            visit=1,
            slot=unlock.number,
            reason=QUESTION,
            tree=state.tip.tree,
            commit=state.tip.commit,
            question=unlock.why,
        )
        return Decision(effects=(question,))
    return None


def _lock_again(run: Run, state: FeatureState) -> Decision | None:
    """Lock what is as it shall be; another definition goes through the queue first."""
    del run
    book, part = state.book, state.part(LOCKING)
    ready = [it for it in book.relocks if it not in book.drafts]
    if ready:
        locked = i.InterfaceLocked(step=FEATURE, visit=1, name=ready[0], commit=state.tip.commit)
        return Decision(events=(locked,))
    if not book.relocks or part.status in AT_WORK or state.is_paused:
        return None
    entered = e.StepEntered(step=step_of(LOCKING), visit=part.visit + 1, start=state.tip.commit)
    return Decision(events=(entered,))
