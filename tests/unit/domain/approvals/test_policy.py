"""The approval policy: which level a change has, and what that demands."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.run.approvals.conditions import RiskCondition, read_condition
from supervisor_ai.domain.run.approvals.facts import FLAGS, Fact
from supervisor_ai.domain.run.approvals.policy import (
    REQUIRING,
    ApprovalAction,
    ApprovalLevel,
    ApprovalPolicy,
    Assessment,
    ConditionMatch,
    RiskLevel,
    assess,
)
from supervisor_ai.domain.structs import replace

ANY, ALL = ConditionMatch.ANY, ConditionMatch.ALL
SMALL: dict[str, float | bool | None] = {
    **dict.fromkeys(FLAGS, False),
    "file_count": 1,
    "test_coverage": 95.0,
}


def level(
    name: RiskLevel, action: ApprovalAction, match: ConditionMatch, *texts: str
) -> ApprovalLevel:
    read = [read_condition(text) for text in texts]
    conditions = tuple(it for it in read if isinstance(it, RiskCondition))
    assert len(conditions) == len(texts)
    return ApprovalLevel(level=name, conditions=conditions, action=action, match=match)


LOW = level(
    RiskLevel.LOW,
    ApprovalAction.AUTO_APPROVE,
    ALL,
    "file_count < 3",
    "no_security_sensitive_files",
    "test_coverage > 80",
)
MEDIUM = replace(
    level(
        RiskLevel.MEDIUM,
        ApprovalAction.NOTIFY_AND_TIMEOUT,
        ALL,
        "file_count < 10",
        "no_breaking_changes",
    ),
    timeout=timedelta(minutes=30),
    channels=("slack",),
)
HIGH = replace(
    level(
        RiskLevel.HIGH,
        ApprovalAction.REQUIRE_APPROVAL,
        ANY,
        "changes_auth_code",
        "changes_payment_code",
        "breaking_api_changes",
        "file_count > 20",
    ),
    approvers=("tech_lead", "security_team"),
)
CRITICAL = replace(
    level(
        RiskLevel.CRITICAL,
        ApprovalAction.REQUIRE_MULTI_APPROVAL,
        ANY,
        "changes_encryption",
        "changes_key_management",
        "production_config_changes",
    ),
    approvers=("security_team", "devops_team", "tech_lead"),
    needs=2,
)
SEED = ApprovalPolicy(levels=(LOW, MEDIUM, HIGH, CRITICAL))


def of(policy: ApprovalPolicy, **facts: float | bool | None) -> Assessment:
    known = {**SMALL, **facts}
    return assess(policy, [Fact(name=name, value=value) for name, value in known.items()])


@pytest.mark.parametrize(
    ("facts", "found"),
    [
        ({}, RiskLevel.LOW),
        ({"file_count": 2}, RiskLevel.LOW),
        ({"file_count": 3}, RiskLevel.MEDIUM),
        ({"test_coverage": 80.0}, RiskLevel.MEDIUM),
        ({"test_coverage": None}, RiskLevel.MEDIUM),
        ({"changes_security_sensitive_files": True}, RiskLevel.MEDIUM),
        ({"file_count": 10}, RiskLevel.UNKNOWN),
        ({"file_count": 21}, RiskLevel.HIGH),
        ({"changes_auth_code": True}, RiskLevel.HIGH),
        ({"changes_payment_code": True}, RiskLevel.HIGH),
        ({"breaking_api_changes": True}, RiskLevel.HIGH),
        ({"breaking_api_changes": None}, RiskLevel.HIGH),
        ({"changes_encryption": True}, RiskLevel.CRITICAL),
        ({"changes_key_management": True}, RiskLevel.CRITICAL),
        ({"production_config_changes": True}, RiskLevel.CRITICAL),
        ({"changes_encryption": True, "changes_auth_code": True}, RiskLevel.CRITICAL),
        ({"changes_key_management": None}, RiskLevel.CRITICAL),
    ],
)
def test_the_policy_of_the_seed(facts: dict[str, float | bool | None], found: RiskLevel) -> None:
    assert of(SEED, **facts).level is found


def test_what_a_level_demands_is_told_with_why() -> None:
    found = of(SEED, changes_encryption=True, production_config_changes=None)
    assert found.action is ApprovalAction.REQUIRE_MULTI_APPROVAL
    assert (found.needs, found.approvers) == (2, ("security_team", "devops_team", "tech_lead"))
    assert found.because == ("changes_encryption", "production_config_changes (not known)")


def test_where_nothing_fits_a_person_decides() -> None:
    found = of(ApprovalPolicy(levels=(LOW,)), file_count=5)
    assert (found.level, found.action) == (RiskLevel.UNKNOWN, ApprovalAction.REQUIRE_APPROVAL)


@pytest.mark.parametrize("value", [True, None])
def test_settings_of_supervisor_are_never_below_high(*, value: bool | None) -> None:
    found = of(SEED, changes_supervisor_settings=value)
    assert (found.level, found.action) == (RiskLevel.HIGH, ApprovalAction.REQUIRE_APPROVAL)
    assert found.approvers == HIGH.approvers
    alone = of(ApprovalPolicy(levels=(LOW,)), changes_supervisor_settings=value)
    assert (alone.level, alone.action) == (RiskLevel.HIGH, ApprovalAction.REQUIRE_APPROVAL)
    weak = replace(HIGH, action=ApprovalAction.AUTO_APPROVE)
    weakened = of(ApprovalPolicy(levels=(weak,)), changes_supervisor_settings=value)
    assert weakened.action is ApprovalAction.REQUIRE_APPROVAL


def test_all_conditions_of_a_level_can_be_asked_for() -> None:
    both = level(
        RiskLevel.HIGH,
        ApprovalAction.REQUIRE_APPROVAL,
        ALL,
        "changes_auth_code",
        "file_count > 5",
    )
    policy = ApprovalPolicy(levels=(both, MEDIUM))
    assert of(policy, changes_auth_code=True).level is RiskLevel.MEDIUM
    assert of(policy, changes_auth_code=True, file_count=6).level is RiskLevel.HIGH


VALUES = st.one_of(st.booleans(), st.none())


@given(st.fixed_dictionaries(dict.fromkeys(sorted(FLAGS), VALUES)), st.integers(0, 40))
def test_what_is_known_or_feared_to_be_risky_needs_people(
    flags: dict[str, bool | None], files: int
) -> None:
    found = of(SEED, **flags, file_count=files)
    risky = [HIGH, CRITICAL]
    known = {**SMALL, **flags, "file_count": files}
    is_risky = any(it.holds(known) is not False for at in risky for it in at.conditions)
    is_own = flags["changes_supervisor_settings"] is not False
    assert not (is_risky or is_own) or found.action in REQUIRING
