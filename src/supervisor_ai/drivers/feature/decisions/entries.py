"""How a part of a feature is entered, and what every decision about it needs."""

from typing import TypeVar

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.effects import Effect
from supervisor_ai.domain.run.run import Decision
from supervisor_ai.domain.run.values import Feedback, FeedbackKind
from supervisor_ai.drivers.feature.parts import Part
from supervisor_ai.drivers.feature.plan.model import ComponentId
from supervisor_ai.drivers.feature.state import FeatureState, step_of

T = TypeVar("T")


def enter_part(state: FeatureState, name: ComponentId) -> Decision:
    """Begin a component, or what is made beside them."""
    return Decision(events=(entry_of(state, name, state.part(name)),))


def entry_of(state: FeatureState, name: ComponentId, part: Part) -> e.StepEntered:
    """Begin a component, with what was said about it before."""
    told = (Feedback(kind=FeedbackKind.GATE, source=name, artifact=it) for it in part.feedback)
    return e.StepEntered(
        step=step_of(name),
        visit=part.visit + 1,
        start=state.tip.commit,
        feedback=tuple(told),
    )


def perform(*effects: Effect) -> Decision:
    """Decide for effects alone."""
    return Decision(effects=effects)


def known_value(value: T | None) -> T:
    """Return what has to be there at a stage."""
    if value is None:
        raise InternalError("A component is at a stage that it cannot have come to.")
    return value
