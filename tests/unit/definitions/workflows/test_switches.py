"""What the settings and the hooks of a workflow do to its steps."""

import pytest
from tests.unit.definitions.workflows.flows import GATES, Flows

from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.run.gates import GateKind

FILE = ".supervisor/workflows/flow.yaml"
BASE = ["plan", "implement", "test", "review"]


def child(settings: str, parent: str = "standard", more: str = "") -> str:
    return f"extends: {parent}\nsettings: {{{settings}}}\n{more}"


def test_a_security_review_is_added(flows: Flows) -> None:
    flow = flows.load(flow=child("security_review: true"))
    assert flow.path == [*BASE, "security_review", "commit"]
    assert flow.step("security_review").role == "security_auditor"
    assert flow.arrows("security_review") == ("commit", None, "implement")


def test_a_security_review_is_taken_out(flows: Flows) -> None:
    flow = flows.load(flow=child("security_review: false", "enterprise"))
    assert flow.arrows("integration_tests_coverage")[0] == "code_review"
    assert flows.load(flow=child("security_review: false")).path == [*BASE, "commit"]


def test_what_a_file_disables_no_setting_brings_back(flows: Flows) -> None:
    flow = flows.load(flow="extends: enterprise\ndisable: [security_review]\n")
    assert "security_review" not in flow.path


def test_a_person_is_asked_before_the_commit(flows: Flows) -> None:
    assert flows.load(flow=child("human_approval: true")).step("commit").human_approval
    said = child("human_approval: true", more="steps: {commit: {human_approval: false}}\n")
    assert not flows.load(flow=said).step("commit").human_approval


def test_nobody_is_asked(flows: Flows) -> None:
    flow = flows.load(flow=child("human_approval: false", "security_critical"))
    steps = flow.loaded.definition.workflow.steps.values()
    assert not any(step.human_approval for step in steps)


def test_one_reviewer_instead_of_several(flows: Flows) -> None:
    flow = flows.load(flow=child("parallel_reviews: false", "enterprise"))
    [line] = [flow.step("code_review").crew]
    assert line == ("reviewer_gemini",)


def test_tests_are_required(flows: Flows) -> None:
    said = child("require_tests: true", "mvp", "hooks: {pre_commit: []}\n")
    assert flows.mistakes(flow=said) == [
        f"{FILE}:2: settings.require_tests: is true, but no gate stands between the last step "
        "that writes and the commit"
    ]
    assert flows.load(flow=child("require_tests: true")).path == [*BASE, "commit"]


def test_two_reviewers_are_required(flows: Flows) -> None:
    [line] = flows.mistakes(flow=child("dual_review: true"))
    assert line.startswith(f"{FILE}:2: settings.dual_review: is true, but no step behind")
    roles = "steps: {review: {roles: [reviewer, reviewer_codex]}}\n"
    assert flows.load(flow=child("dual_review: true", more=roles)).path == [*BASE, "commit"]
    any_one = "steps: {review: {roles: [reviewer, reviewer_codex], aggregate: any}}\n"
    assert flows.mistakes(flow=child("dual_review: true", more=any_one))


def test_a_pull_request_is_opened_behind_the_commit(flows: Flows) -> None:
    flow = flows.load(flow=child("auto_pr: true"))
    assert flow.path[-2:] == ["commit", "create_pr"]
    assert flow.step("create_pr").kind == StepKind.PULL_REQUEST


def test_the_changelog_is_asked_of_those_who_write(flows: Flows) -> None:
    flow = flows.load(flow=child("require_changelog: true"))
    assert "changelog" in flow.step("implement").instructions
    assert flow.step("review").instructions == ""


def test_the_changelog_is_looked_at_before_the_commit(flows: Flows) -> None:
    flow = flows.load(flow=child("require_changelog: true"))
    assert flow.path == [*BASE, "changelog", "commit"]
    assert flow.arrows("changelog") == ("commit", "implement", None)
    assert flow.gate("changelog").kind == GateKind.CHANGELOG
    assert "changelog" in flows.load("open_source").path


@pytest.mark.parametrize(
    "more",
    [
        "steps: {test: {gate: changelog}}\n",
        "steps: {test: {gates: [test, changelog], gate: null}}\n",
    ],
)
def test_the_changelog_is_not_looked_at_twice(flows: Flows, more: str) -> None:
    flow = flows.load(flow=child("require_changelog: true", more=more))
    assert "changelog" not in flow.path


def test_a_changelog_gate_that_is_off_stays_off(flows: Flows) -> None:
    flows.config = f"{GATES}  changelog: {{enabled: false}}\n"
    assert "changelog" not in flows.load(flow=child("require_changelog: true")).path


def test_the_audit_trail_is_always_kept(flows: Flows) -> None:
    on, off = (flows.load(flow=child(f"audit_trail: {word}")) for word in ("true", "false"))
    assert on.loaded.definition == off.loaded.definition


def test_hooks_stand_before_the_commit_in_their_order(flows: Flows) -> None:
    flows.config = f"{GATES}  lint: {{command: [make, lint]}}\n  type_check: {{command: [tc]}}\n"
    flow = flows.load("standard")
    assert flow.path == [*BASE, "lint", "type_check", "commit"]
    assert flow.arrows("lint") == ("type_check", "implement", None)
    assert flow.gate("type_check").command == ("tc",)
    assert not flow.loaded.notes


def test_a_hook_of_ours_that_is_not_configured_is_left_out_with_a_note(flows: Flows) -> None:
    flow = flows.load("standard")
    assert flow.path == [*BASE, "commit"]
    assert [note.split(": ")[2] for note in flow.loaded.notes] == [
        "no gate 'lint' is configured, so it is left out; write into the config",
        "no gate 'type_check' is configured, so it is left out; write into the config",
    ]


def test_a_hook_of_yours_must_be_configured(flows: Flows) -> None:
    said = "extends: standard\nhooks: {pre_commit: [spelling]}\n"
    assert flows.mistakes(flow=said) == [
        f"{FILE}:2: hooks.pre_commit: no gate 'spelling' is configured; write into the config: "
        'gates: {spelling: {command: "make spelling"}}'
    ]


def test_a_hook_goes_back_where_the_gate_before_it_does(flows: Flows) -> None:
    flows.config = f"{GATES}  lint: {{command: [make, lint]}}\n"
    assert flows.load("with_test_engineer").arrows("lint") == ("commit", "implement", None)


def test_hooks_need_a_commit(flows: Flows) -> None:
    said = "steps: {look: {role: reviewer}}\nhooks: {pre_commit: [ci]}\n"
    assert flows.mistakes(flow=said) == [
        f"{FILE}:2: hooks.pre_commit: has no meaning: no step commits"
    ]


def test_settings_without_a_commit_change_nothing(flows: Flows) -> None:
    switches = "{security_review: true, human_approval: true, auto_pr: true}"
    flow = flows.load(flow=f"steps: {{look: {{role: reviewer}}}}\nsettings: {switches}\n")
    assert flow.path == ["look"]
