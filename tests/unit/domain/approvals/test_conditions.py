"""Conditions of an approval policy: one form, a closed list of facts, never code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.run.approvals.conditions import (
    BadCondition,
    ConditionSign,
    RiskCondition,
    read_condition,
)
from supervisor_ai.domain.run.approvals.facts import FLAGS, NUMBERS

SEED = (
    "file_count < 3",
    "no_security_sensitive_files",
    "test_coverage > 80",
    "file_count < 10",
    "no_breaking_changes",
    "changes_auth_code",
    "changes_payment_code",
    "breaking_api_changes",
    "file_count > 20",
    "changes_encryption",
    "changes_key_management",
    "production_config_changes",
)


def read(text: str, *own: str) -> RiskCondition:
    found = read_condition(text, frozenset(own))
    assert isinstance(found, RiskCondition), found
    return found


def problem(text: str, *own: str) -> str:
    found = read_condition(text, frozenset(own))
    assert isinstance(found, BadCondition), found
    return found.problem


@pytest.mark.parametrize("text", SEED)
def test_every_condition_of_the_seed_is_read(text: str) -> None:
    assert read(text).fact in NUMBERS | FLAGS


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [
        ("file_count < 3", 2, True),
        ("file_count < 3", 3, False),
        ("file_count <= 3", 3, True),
        ("file_count > 20", 21, True),
        ("file_count >= 20", 20, True),
        ("file_count == 1", 1, True),
        ("file_count != 1", 1, False),
        ("test_coverage > 80", 80.5, True),
        ("test_coverage > 80.5", 80.5, False),
        ("changes_auth_code", True, True),
        ("changes_auth_code", False, False),
        ("no_changes_auth_code", False, True),
        ("no_breaking_changes", True, False),
        ("no_security_sensitive_files", False, True),
        ("file_count < 3", None, None),
        ("changes_auth_code", None, None),
        ("no_breaking_changes", None, None),
    ],
)
def test_a_condition_holds_or_not_or_nobody_knows(
    text: str, *, value: float | bool | None, holds: bool | None
) -> None:
    condition = read(text)
    assert condition.holds({condition.fact: value}) is holds


def test_what_nobody_measured_is_unknown() -> None:
    assert read("test_coverage > 80").holds({}) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("file_count", "needs a comparison"),
        ("file_cuont < 3", "did you mean 'file_count'?"),
        ("changes_auth", "did you mean 'changes_auth_code'?"),
        ("xyzzy", "known: "),
        ("changes_auth_code == 1", "true or false and no number"),
        ("file_count ~ 3", "compares with '~'"),
        ("file_count < many", "which is no number"),
        ("file_count < -1", "which is no number"),
        ("file_count < 1e9", "which is no number"),
        ("file_count < 99999999999", "which is no number"),
        ("file_count < 3 or True", "neither a fact nor a comparison"),
        ("__import__('os').system('id')", "which nobody knows"),
        ("", "neither a fact nor a comparison"),
        ("file_count < ٣", "which is no number"),
    ],
)
def test_anything_else_is_a_mistake(text: str, told: str) -> None:
    assert told in problem(text)


def test_facts_of_ones_own_are_flags() -> None:
    assert read("touches_api", "touches_api").value is True
    assert read("no_touches_api", "touches_api").value is False
    assert "true or false" in problem("touches_api < 3", "touches_api")


def test_conditions_say_themselves() -> None:
    assert read("file_count < 3").words == "file_count < 3"
    assert read("no_breaking_changes").words == "no breaking_api_changes"
    assert read("changes_auth_code").words == "changes_auth_code"


@given(st.text(max_size=60))
def test_no_text_does_more_than_to_be_read_or_refused(text: str) -> None:
    assert isinstance(read_condition(text), RiskCondition | BadCondition)


@given(
    st.sampled_from(sorted(NUMBERS)),
    st.sampled_from(ConditionSign),
    st.integers(min_value=0, max_value=10**8),
)
def test_what_is_said_can_be_read_again(fact: str, comparison: ConditionSign, value: int) -> None:
    condition = RiskCondition(fact=fact, comparison=comparison, value=float(value))
    assert read(f"{fact} {comparison.value} {value}") == condition
