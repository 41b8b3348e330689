import pytest
from tests.unit.drivers.feature.plans import cid, component, feature

from supervisor_ai.drivers.feature.plan.model import (
    ComponentStatus,
    FeatureStatus,
    PhaseStatus,
)
from supervisor_ai.drivers.feature.plan.rollup import (
    FeatureProgress,
    feature_status,
    phase_status,
    progress_of,
)

S = ComponentStatus
PLAN = feature([component(1, 1), component(1, 2)], [component(2, 1)])


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (S.COMPLETED, S.COMPLETED, PhaseStatus.COMPLETED),
        (S.COMPLETED, S.SKIPPED, PhaseStatus.COMPLETED),
        (S.COMPLETED, S.FAILED, PhaseStatus.FAILED),
        (S.IMPLEMENTING, S.FAILED, PhaseStatus.FAILED),
        (S.PENDING, S.CANCELLED, PhaseStatus.FAILED),
        (S.IMPLEMENTING, S.PENDING, PhaseStatus.IN_PROGRESS),
        (S.TESTING, S.COMPLETED, PhaseStatus.IN_PROGRESS),
        (S.REVIEW, S.PENDING, PhaseStatus.IN_PROGRESS),
        (S.COMPLETED, S.PENDING, PhaseStatus.PENDING),
        (S.PENDING, S.PENDING, PhaseStatus.PENDING),
    ],
)
def test_components_roll_up_to_their_phase(
    one: ComponentStatus, other: ComponentStatus, expected: PhaseStatus
) -> None:
    assert phase_status(PLAN.phases[0], {cid(1, 1): one, cid(1, 2): other}) is expected


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ((S.PENDING, S.PENDING, S.PENDING), FeatureStatus.IN_PROGRESS),
        ((S.COMPLETED, S.IMPLEMENTING, S.PENDING), FeatureStatus.IN_PROGRESS),
        ((S.COMPLETED, S.REVIEW, S.PENDING), FeatureStatus.REVIEW),
        ((S.IMPLEMENTING, S.REVIEW, S.PENDING), FeatureStatus.IN_PROGRESS),
        ((S.COMPLETED, S.FAILED, S.PENDING), FeatureStatus.FAILED),
        ((S.COMPLETED, S.SKIPPED, S.COMPLETED), FeatureStatus.REVIEW),
    ],
)
def test_phases_roll_up_to_the_feature(
    statuses: tuple[ComponentStatus, ...], expected: FeatureStatus
) -> None:
    found = dict(zip((cid(1, 1), cid(1, 2), cid(2, 1)), statuses, strict=True))
    assert feature_status(PLAN, found, is_begun=True, is_over=False) is expected


def test_a_feature_is_planned_before_it_begins_and_completed_when_it_is_over() -> None:
    done = {it.id: S.COMPLETED for it in PLAN.components}
    assert feature_status(PLAN, {}, is_begun=False, is_over=False) is FeatureStatus.PLANNING
    assert feature_status(PLAN, done, is_begun=True, is_over=True) is FeatureStatus.COMPLETED


def test_progress_counts_what_is_done_or_skipped() -> None:
    found = {cid(1, 1): S.COMPLETED, cid(1, 2): S.SKIPPED, cid(2, 1): S.TESTING}
    assert progress_of(PLAN, found) == FeatureProgress(completed=2, total=3, percent=66)
    assert progress_of(feature(), {}) == FeatureProgress(completed=0, total=0, percent=100)
