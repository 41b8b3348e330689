"""The approval policy of config files: read whole, every mistake told, never loosened unseen."""

from datetime import timedelta

import pytest
from tests.unit.definitions.layered import Layers

from supervisor_ai.domain.run.approvals.policy import (
    ApprovalAction,
    ConditionMatch,
    OwnFact,
    RiskLevel,
)

POLICY = """
approval_gates:
  low_risk:
    conditions: [file_count < 3, no_security_sensitive_files, test_coverage > 80]
    action: auto_approve
  medium_risk:
    conditions: [file_count < 10, no_breaking_changes]
    action: notify_and_timeout
    timeout_minutes: 45
    notification: tui
  high_risk:
    conditions: [changes_auth_code, file_count > 20]
    action: require_approval
"""


def test_a_policy_is_read_as_it_is_written(layers: Layers) -> None:
    policy = layers.load(POLICY).definition.approvals
    assert policy is not None
    high, medium, low = policy.levels
    assert (high.level, high.action, high.match) == (
        RiskLevel.HIGH,
        ApprovalAction.REQUIRE_APPROVAL,
        ConditionMatch.ANY,
    )
    assert (medium.timeout, medium.channels) == (timedelta(minutes=45), ("tui",))
    assert medium.match is ConditionMatch.ALL
    assert [it.words for it in low.conditions] == [
        "file_count < 3",
        "no changes_security_sensitive_files",
        "test_coverage > 80",
    ]


def test_without_one_there_is_none(layers: Layers) -> None:
    assert layers.load("").definition.approvals is None


def test_facts_of_ones_own(layers: Layers) -> None:
    text = (
        "approval_facts:\n  touches_api: {paths: ['api/**']}\n  lint_complains: {gate: lint}\n"
        "approval_gates:\n  high_risk: {conditions: [touches_api, lint_complains],"
        " action: require_approval}\n"
    )
    policy = layers.load(text).definition.approvals
    assert policy is not None
    assert policy.facts == {
        "touches_api": OwnFact(paths=("api/**",)),
        "lint_complains": OwnFact(gate="lint", verdicts=("failed", "warned", "not_run")),
    }


@pytest.mark.parametrize(
    ("level", "told"),
    [
        ("{conditions: [file_cuont < 3], action: auto_approve}", "did you mean 'file_count'?"),
        ("{conditions: [], action: auto_approve}", "conditions"),
        ("{conditions: [file_count < 3], action: perhaps}", "action"),
        (
            "{conditions: [file_count < 3], action: auto_approve, timeout_minutes: 5}",
            "goes with 'notify_and_timeout'",
        ),
        (
            "{conditions: [file_count < 3], action: require_approval, min_approvers: 2}",
            "goes with 'require_multi_approval'",
        ),
        (
            "{conditions: [file_count < 3], action: require_multi_approval, min_approvers: 1}",
            "at least 2",
        ),
        ("{conditions: [file_count < 3], action: auto_approve, approvers: [x]}", "asks nobody"),
        ("{conditions: [file_count < 3], action: auto_approve, when: now}", "when"),
    ],
)
def test_mistakes_are_told_with_their_place(layers: Layers, level: str, told: str) -> None:
    found = layers.mistakes(f"approval_gates:\n  low_risk: {level}\n")
    assert told in found
    assert ".supervisor/config.yaml:" in found


def test_all_mistakes_at_once(layers: Layers) -> None:
    found = layers.mistakes(
        "approval_facts:\n  file_count: {paths: [a]}\n  own: {}\n"
        "approval_gates:\n  low_risk: {conditions: [nope], action: auto_approve}\n"
        "  high_risk: {conditions: [nada < 2], action: require_approval}\n"
    )
    for told in ("'nope'", "'nada'", "fact that there is already", "either 'paths' or 'gate'"):
        assert told in found


STRICT = """
approval_gates:
  high_risk: {conditions: [changes_auth_code], action: require_approval}
  low_risk: {conditions: [file_count < 3], action: auto_approve}
"""


@pytest.mark.parametrize(
    ("project", "is_looser"),
    [
        (STRICT, False),
        (STRICT.replace("[changes_auth_code]", "[changes_auth_code, changes_ci]"), False),
        (STRICT.replace("[file_count < 3]", "[file_count < 3, changes_tests]"), False),
        (STRICT.replace("auto_approve", "notify_and_timeout"), False),
        (STRICT.replace("require_approval", "auto_approve"), True),
        (STRICT.replace("[changes_auth_code]", "[changes_ci]"), True),
        (STRICT.replace("file_count < 3", "file_count < 30"), True),
        (
            "approval_gates:\n  low_risk: {conditions: [file_count < 3], action: auto_approve}\n",
            True,
        ),
        (f"{STRICT}  medium_risk: {{conditions: [file_count < 9], action: auto_approve}}\n", True),
    ],
)
def test_a_looser_policy_of_a_project_is_a_power(
    layers: Layers, project: str, *, is_looser: bool
) -> None:
    layers.user(STRICT)
    powers = [it for it in layers.load(project).powers if it.key == "approval_gates"]
    assert bool(powers) is is_looser


FACTUAL = """
approval_facts:
  touches_prices: {paths: ['prices/**']}
approval_gates:
  high_risk: {conditions: [touches_prices], action: require_approval}
"""


def test_a_fact_that_a_project_makes_otherwise_is_a_power(layers: Layers) -> None:
    layers.user(FACTUAL)
    [power] = [
        it
        for it in layers.load("approval_facts: {touches_prices: {paths: [nothing]}}\n").powers
        if it.key == "approval_facts"
    ]
    assert power.value == '"may ask for less than your own policy at approval_facts"'
    more = layers.load("approval_facts: {touches_more: {paths: [more]}}\n")
    assert [it for it in more.powers if it.key.startswith("approval")] == []


def test_a_project_cannot_take_the_users_policy_away_unseen(layers: Layers) -> None:
    layers.user(FACTUAL)
    found = layers.mistakes("approval_gates: {}\n")
    assert "approval_gates: names no level of risk" in found
    nothing = layers.load("approval_gates: null\n").definition.approvals
    assert nothing is not None
    assert nothing.level(RiskLevel.HIGH) is not None


@pytest.mark.parametrize(
    "name",
    [
        "approval_policy.yml",
        "Approval_Policy.yaml",
        "approval-policy.yaml",
        "approval_policies.yaml",
    ],
)
def test_a_policy_that_nobody_reads_is_a_mistake(layers: Layers, name: str) -> None:
    found = layers.mistakes("", {f".supervisor/{name}": STRICT})
    assert f".supervisor/{name}:1: is read by nobody" in found
    assert "approval_policy.yaml" in found


def test_a_folder_is_no_policy_and_notes_beside_one_are_all_right(layers: Layers) -> None:
    folder = ".supervisor/approval_policy.yaml/mine.yaml"
    assert "is read by nobody" in layers.mistakes("", {folder: STRICT})
    kept = {
        ".supervisor/approval_policy.yaml": STRICT,
        ".supervisor/approval_policy.md": "Why it is so.\n",
        ".supervisor/approval_policy.yaml.bak": STRICT,
    }
    assert layers.load("", kept).definition.approvals is not None


def test_without_a_policy_of_the_user_none_is_looser(layers: Layers) -> None:
    assert [it for it in layers.load(STRICT).powers if it.key.startswith("approval")] == []


@pytest.mark.parametrize(
    ("people", "told"),
    [
        ("", "names the group 'security_team', which nobody belongs to"),
        ("people: {security_team: [ann]}\n", "needs 2 people to agree, and its groups have 1"),
    ],
)
def test_a_group_that_could_never_agree_is_a_mistake(
    layers: Layers, people: str, told: str
) -> None:
    layers.user(people)
    found = layers.mistakes(
        "approval_gates:\n  critical:\n    conditions: [changes_encryption]\n"
        "    action: require_multi_approval\n    approvers: [security_team]\n"
    )
    assert told in found


def test_a_channel_that_nobody_configured_is_a_mistake(layers: Layers) -> None:
    found = layers.mistakes(POLICY.replace("notification: tui", "notification: slakc"))
    assert "approval_gates.medium_risk.notification: unknown channel 'slakc'" in found


def test_people_of_several_groups_count_once(layers: Layers) -> None:
    layers.user("people: {a: [ann, bob], b: [ann]}\n")
    text = (
        "approval_gates:\n  critical:\n    conditions: [changes_encryption]\n"
        "    action: require_multi_approval\n    min_approvers: {}\n    approvers: [a, b]\n"
    )
    assert layers.load(text.format(2)).definition.approvals is not None
    assert "have 2 in all" in layers.mistakes(text.format(3))
