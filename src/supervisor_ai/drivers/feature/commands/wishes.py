"""Telling a feature that is being built what a person wants: pause, resume, retry, skip."""

from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.errors import Conflict, NotFound
from supervisor_ai.domain.ids import LetterKey, RunId
from supervisor_ai.domain.run.inbox_commands import InboxCommand, Signal
from supervisor_ai.drivers.feature.commands.start import known_component
from supervisor_ai.drivers.feature.plan.model import ComponentId, ComponentStatus, Feature
from supervisor_ai.drivers.feature.runs import FeatureRun, newest_of, state_of
from supervisor_ai.drivers.feature.state import LOCKING, FeatureState, FeatureWish, is_made
from supervisor_ai.engine.ports.ledger import Wake
from supervisor_ai.tools.text import nearest

_ALLOWED = {
    FeatureWish.RETRY: frozenset({ComponentStatus.FAILED, ComponentStatus.SKIPPED}),
    FeatureWish.SKIP: frozenset({ComponentStatus.FAILED, ComponentStatus.PENDING}),
}


def built(project: OpenProject, feature: str) -> FeatureRun:
    """Find the run that built a feature last; raises NotFound where none did."""
    run = newest_of(project.records, feature)
    if run is None:
        raise NotFound(
            f"No run has built the feature {feature!r}.",
            hint=f"Start one: supervisor feature run {feature}",
        )
    return run


def unfinished(project: OpenProject, feature: str) -> FeatureRun:
    """Find the run that builds a feature; raises NotFound or Conflict where none does."""
    run = built(project, feature)
    if not run.is_unfinished:
        raise Conflict(
            f"Run {run.row.id!r} of the feature {feature!r} is {run.row.status.value} already.",
            hint=f"Build it anew: supervisor feature run {feature}",
        )
    return run


def tell(
    project: OpenProject, feature: str, wish: FeatureWish, component: str | None = None
) -> tuple[FeatureRun, str]:
    """Put a wish into the inbox of the run that builds a feature; return both."""
    run = unfinished(project, feature)
    state = state_of(project.records, run)
    words = wish.value
    if component is not None:
        words = f"{wish.value} {_allowed(run.definition.feature, state, wish, component)}"
    send_wish(project, run.row.id, words)
    return run, words


def send_wish(project: OpenProject, run: RunId, words: str) -> None:
    """Put words into the inbox of a run, and wake it."""
    head = project.world.log.head().seq
    letter = InboxCommand(
        key=LetterKey(f"{words}:{run}:{head}"),
        run=run,
        command=Signal(signal=words),
        actor=project.actor,
        sent_at=project.world.clock.now(),
    )
    project.world.inbox.put(letter)
    project.world.wakes.submit(Wake(run=run, number=head))


def _allowed(feature: Feature, state: FeatureState, wish: FeatureWish, name: str) -> ComponentId:
    made = ComponentId(name) if is_made(ComponentId(name)) and name in state.parts else None
    found = made or known_component(feature, name)
    if found is None or (found == LOCKING and wish is not FeatureWish.RETRY):
        near = nearest(name, [*feature.short_names(), *feature.short_names().values()])
        raise NotFound(
            f"The feature {feature.id!r} has no component {name!r}.",
            hint=f"Did you mean {near!r}?" if near else None,
        )
    status = state.part(found).status
    allowed = _ALLOWED[wish]
    if status not in allowed:
        words = " or ".join(sorted(it.value for it in allowed))
        raise Conflict(
            f"The component {found} is {status.value}; {wish.value} is for one that is {words}."
        )
    return found
