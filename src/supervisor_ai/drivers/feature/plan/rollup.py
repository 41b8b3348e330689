"""How a feature stands, rolled up: from its components to its phases to the whole."""

from collections.abc import Collection, Mapping

from msgspec import Struct

from supervisor_ai.drivers.feature.plan.model import (
    AT_WORK,
    DONE,
    FAILED,
    ComponentId,
    ComponentStatus,
    Feature,
    FeaturePhase,
    FeatureStatus,
    PhaseStatus,
)

Statuses = Mapping[ComponentId, ComponentStatus]
"""Where each component stands; one that is missing is pending."""


class FeatureProgress(Struct, frozen=True, kw_only=True):
    """How much of a feature is done."""

    completed: int
    """Components that are completed, or skipped."""
    total: int
    percent: int


def status_of(statuses: Statuses, component: ComponentId) -> ComponentStatus:
    """Tell where a component stands."""
    return statuses.get(component, ComponentStatus.PENDING)


def phase_status(phase: FeaturePhase, statuses: Statuses) -> PhaseStatus:
    """Roll the components of a phase up; a skipped one counts as completed."""
    found = [status_of(statuses, it.id) for it in phase.components]
    if all(it in DONE for it in found):
        return PhaseStatus.COMPLETED
    if any(it in FAILED for it in found):
        return PhaseStatus.FAILED
    return PhaseStatus.IN_PROGRESS if any(it in AT_WORK for it in found) else PhaseStatus.PENDING


def feature_status(
    feature: Feature, statuses: Statuses, *, is_begun: bool, is_over: bool
) -> FeatureStatus:
    """Roll the phases up; before it begins it is planned, and before it is over it is reviewed."""
    if not is_begun:
        return FeatureStatus.PLANNING
    phases = {phase_status(phase, statuses) for phase in feature.phases}
    if phases <= {PhaseStatus.COMPLETED}:
        return FeatureStatus.COMPLETED if is_over else FeatureStatus.REVIEW
    if PhaseStatus.FAILED in phases:
        return FeatureStatus.FAILED
    return FeatureStatus.REVIEW if _all_wait(statuses.values()) else FeatureStatus.IN_PROGRESS


def _all_wait(statuses: Collection[ComponentStatus]) -> bool:
    """Tell whether whatever is at work waits for a person."""
    return {it for it in statuses if it in AT_WORK} == {ComponentStatus.REVIEW}


def progress_of(feature: Feature, statuses: Statuses) -> FeatureProgress:
    """Count what is done."""
    components = feature.components
    done = sum(status_of(statuses, it.id) in DONE for it in components)
    percent = 100 * done // len(components) if components else 100
    return FeatureProgress(completed=done, total=len(components), percent=percent)
