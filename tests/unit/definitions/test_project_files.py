"""The files of `.supervisor/`: which are read, what they may say together, and which are not."""

from collections.abc import Mapping
from datetime import timedelta

import pytest
from tests.unit.definitions.layered import Layers

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.approvals.policy import RiskLevel

LIMITS = ".supervisor/limits.yaml"
RETRIES = ".supervisor/retry_policies.yaml"
ROLES = ".supervisor/roles.yaml"
OWN = ".supervisor/workflow.yaml"
ONE_STEP = (
    "workflow:\n  steps:\n    work: {role: implementer, next: commit}\n    commit: {type: commit}\n"
)


def test_limits_have_a_file_of_their_own(layers: Layers) -> None:
    text = "limits: {step_timeout_seconds: 300, step_max_retries: 2, workflow_max_steps: 7}\n"
    limits = layers.load(files={LIMITS: text}).definition.limits
    assert limits.step_timeout == timedelta(minutes=5)
    assert (limits.step_max_retries, limits.workflow_max_steps) == (2, 7)


def test_the_limits_name_the_policy_that_holds_by_default(layers: Layers) -> None:
    delays = "retry_base_delay_seconds: 5, retry_max_delay_seconds: 60"
    text = f"limits: {{{delays}, retry_exponential_base: 3}}\n"
    policy = layers.load(files={LIMITS: text}).definition.retries["default"]
    assert policy.initial_delay == timedelta(seconds=5)
    assert policy.max_delay == timedelta(seconds=60)
    assert policy.multiplier == 3


def test_continuity_stands_among_the_limits(layers: Layers) -> None:
    text = "continuity: {continuation_roles: [implementer], max_continuation_turns: 2}\n"
    roles = layers.load(files={LIMITS: text}).definition.roles
    assert {name: it.continuations for name, it in roles.items()} == {
        "planner": 0,
        "implementer": 2,
        "reviewer": 0,
    }


def test_contexts_have_a_usual_and_a_largest_budget(layers: Layers) -> None:
    role = ".supervisor/roles/reviewer.yaml"
    small = "extends: planner\nanswer: review\ncontext: {strategy: reviewer_diff}\n"
    files = {LIMITS: "limits: {max_token_budget: 9000}\n", role: small}
    roles = layers.load(files=files).definition.roles.values()
    assert {it.context.token_budget for it in roles if it.context} == {9000}


def test_a_context_without_a_budget_has_the_usual_one(layers: Layers) -> None:
    own = ".supervisor/roles/plain.yaml"
    bare = (
        "description: x\nanswer: review\nwrites: false\ncli: claude\ntemplate: review_strict.j2\n"
    )
    flow = ".supervisor/workflows/flow.yaml"
    files = {
        own: f"{bare}context: {{include: [README.md]}}\n",
        flow: "steps:\n  look: {role: plain}\n",
        LIMITS: "limits: {default_token_budget: 12345}\n",
    }
    context = layers.load(files=files, workflow="flow").definition.roles["plain"].context
    assert context is not None
    assert context.token_budget == 12345


def test_a_project_makes_the_largest_budget_only_smaller(layers: Layers) -> None:
    layers.user("limits: {max_token_budget: 5000}\n")
    for most, left in ((4000, 4000), (90000, 5000)):
        files = {LIMITS: f"limits: {{max_token_budget: {most}}}\n"}
        planner = layers.load(files=files).definition.roles["planner"].context
        assert planner is not None
        assert planner.token_budget == left


def test_retry_policies_have_a_file_of_their_own(layers: Layers) -> None:
    text = (
        "policies:\n  slow: {max_attempts: 2, initial_delay_seconds: 9}\n"
        "steps:\n  plan: {retry_policy: slow}\n"
    )
    definition = layers.load(files={RETRIES: text}).definition
    assert definition.retries["slow"].initial_delay == timedelta(seconds=9)
    policies = {name: step.retry_policy for name, step in definition.workflow.steps.items()}
    assert policies[StepName("plan")] == "slow"
    assert policies[StepName("implement")] is None


def test_what_a_step_says_itself_counts_more(layers: Layers) -> None:
    config = "workflow: {template: standard, overrides: {plan: {retry_policy: exact}}}\n"
    files = {RETRIES: "steps: {plan: {retry_policy: aggressive}}\n"}
    steps = layers.load(config, files).definition.workflow.steps
    assert steps[StepName("plan")].retry_policy == "exact"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("steps: {plan: {retry_policy: slwo}}\n", "steps.plan.retry_policy: unknown retry policy"),
        ("steps: {plann: {retry_policy: exact}}\n", "unknown step 'plann'; did you mean 'plan'?"),
        ("policy: {}\n", ".supervisor/retry_policies.yaml:1: policy: unknown key"),
    ],
)
def test_a_mistake_in_a_file_has_its_place(layers: Layers, text: str, problem: str) -> None:
    found = layers.mistakes(files={RETRIES: text})
    assert ".supervisor/retry_policies.yaml:1" in found
    assert problem in found


def test_roles_stand_under_one_key(layers: Layers) -> None:
    text = (
        "roles:\n"
        "  planner: {description: Plans twice, context: {token_budget: 4000}}\n"
        "  designer: {description: Draws, cli: claude, template: ui_design.j2}\n"
    )
    flow = ".supervisor/workflows/flow.yaml"
    steps = "steps:\n  plan: {role: planner, next: draw}\n  draw: {role: designer}\n"
    roles = layers.load(files={ROLES: text, flow: steps}, workflow="flow").definition.roles
    planner = roles["planner"]
    assert (planner.description, planner.answer) == ("Plans twice", "plan")
    assert planner.context is not None
    assert planner.context.token_budget == 4000
    assert (roles["designer"].answer, roles["designer"].writes) == ("implementation", True)


def test_a_mistake_in_a_role_of_many_has_its_line(layers: Layers) -> None:
    text = "roles:\n  planner:\n    description: x\n    templates: y.j2\n"
    assert layers.mistakes(files={ROLES: text}).endswith(
        "  .supervisor/roles.yaml:4: roles.planner.templates: unknown key; did you mean 'template'?"
    )


def test_a_role_stands_in_one_place(layers: Layers) -> None:
    files = {
        ROLES: "roles: {planner: {description: x}}\n",
        ".supervisor/roles/planner.yaml": "description: y\n",
    }
    problem = "stands in .supervisor/roles/planner.yaml as well; keep one"
    assert f".supervisor/roles.yaml:1: roles.planner: {problem}" in layers.mistakes(files=files)


def test_a_workflow_of_its_own_is_the_default(layers: Layers) -> None:
    loaded = layers.load(files={OWN: ONE_STEP}, workflow="")
    assert (loaded.definition.workflow.name, loaded.cautions) == ("project", ())


def test_a_config_that_names_another_workflow_is_heard(layers: Layers) -> None:
    loaded = layers.load("workflow: standard\n", {OWN: ONE_STEP}, workflow="")
    assert loaded.definition.workflow.name == "standard"
    assert loaded.cautions == (
        ".supervisor/workflow.yaml:1: workflow: does not run by default: "
        ".supervisor/config.yaml:2: workflow names another one",
    )
    named = layers.load("workflow: project\n", {OWN: ONE_STEP}, workflow="")
    assert named.cautions == ()


def test_a_workflow_of_its_own_takes_no_other_ones_name(layers: Layers) -> None:
    files = {
        OWN: ONE_STEP.replace("workflow:\n", "workflow:\n  name: flow\n"),
        ".supervisor/workflows/flow.yaml": "steps:\n  work: {role: implementer}\n",
    }
    problem = "is 'flow', and so is that of .supervisor/workflows/flow.yaml; rename one"
    assert problem in layers.mistakes(files=files)


@pytest.mark.parametrize(
    ("path", "text", "workflow"),
    [
        ("workflow_templates/flow.yaml", "steps:\n  work: {role: implementer}\n", "flow"),
        (
            "context_strategies/planner_docset.yaml",
            "sources: [$PLAN]\ntoken_budget: 700\n",
            "standard",
        ),
        ("templates/planning.j2", 'mine\n{% include "_output_schema.j2" %}\n', "standard"),
    ],
)
def test_a_directory_has_another_name(layers: Layers, path: str, text: str, workflow: str) -> None:
    loaded = layers.load(files={f".supervisor/{path}": text}, workflow=workflow)
    usual = layers.load(workflow="standard")
    assert loaded.definition != usual.definition
    assert loaded.cautions == ()


def test_a_file_stands_under_one_name_of_its_directory(layers: Layers) -> None:
    text = "steps:\n  work: {role: implementer}\n"
    files = {f".supervisor/{name}/flow.yaml": text for name in ("workflows", "workflow_templates")}
    problem = "stands in .supervisor/workflows/flow.yaml as well; keep one of the two"
    assert f".supervisor/workflow_templates/flow.yaml:1: {problem}" in layers.mistakes(files=files)


@pytest.mark.parametrize(
    ("config", "files", "place", "other"),
    [
        (
            "limits: {step_max_retries: 1}\n",
            {LIMITS: "limits: {step_max_retries: 2}\n"},
            ".supervisor/limits.yaml:1: limits.step_max_retries",
            ".supervisor/config.yaml:2: limits.step_max_retries",
        ),
        (
            "limits: {retry_base_delay: 5s}\nretry_policies: {default: {initial_delay: 1s}}\n",
            {},
            ".supervisor/config.yaml:3: retry_policies.default.initial_delay",
            ".supervisor/config.yaml:2: limits.retry_base_delay",
        ),
        (
            "steps: {plan: {retry_policy: exact}}\n",
            {RETRIES: "steps: {plan: {retry_policy: default}}\n"},
            ".supervisor/retry_policies.yaml:1: steps.plan.retry_policy",
            ".supervisor/config.yaml:2: steps.plan.retry_policy",
        ),
    ],
)
def test_two_files_do_not_contradict_each_other(
    layers: Layers, config: str, files: Mapping[str, str], place: str, other: str
) -> None:
    problem = f"{place}: says something else than {other}; keep one of them"
    assert problem in layers.mistakes(config, files)


@pytest.mark.parametrize(
    ("config", "files"),
    [
        ("", {RETRIES: "policies: {default: {initial_delay: 1s}}\n"}),
        ("retry_policies: {default: {initial_delay: 1s}}\n", {}),
    ],
)
def test_the_more_particular_of_two_files_counts(
    config: str, files: Mapping[str, str], layers: Layers
) -> None:
    limits = {LIMITS: "limits: {retry_base_delay_seconds: 5}\n"}
    loaded = layers.load(config, {**limits, **files})
    assert loaded.definition.retries["default"].initial_delay == timedelta(seconds=1)
    [note] = [it for it in loaded.notes if "does not count" in it]
    assert ".supervisor/limits.yaml:1: limits.retry_base_delay" in note


def test_two_files_may_say_the_same(layers: Layers) -> None:
    said = "limits: {step_max_retries: 2}\n"
    assert layers.load(said, {LIMITS: said}).definition.limits.step_max_retries == 2


@pytest.mark.parametrize(
    ("path", "text", "key"),
    [
        (LIMITS, "limits: {attempt_tokens: 5}\n", "limits.attempt_tokens"),
        (LIMITS, "limits: {retry_base_delay: 1s}\n", "limits.retry_base_delay"),
        (RETRIES, "policies: {default: {max_attempts: 9}}\n", "policies.default"),
        (ROLES, "roles: {planner: {egress: ['evil.example:443']}}\n", "roles.planner.egress"),
        (
            ROLES,
            "roles: {planner: {allowed_tools: [run_command]}}\n",
            "roles.planner.allowed_tools",
        ),
        (OWN, "workflow:\n  steps:\n    work: {command: [evil]}\n", "workflow.steps.work.command"),
        (
            ".supervisor/workflow_templates/flow.yaml",
            "steps:\n  work: {command: [evil]}\n",
            "steps.work.command",
        ),
    ],
)
def test_no_file_is_a_way_around_trust(layers: Layers, path: str, text: str, key: str) -> None:
    powers = layers.load(files={path: text}).powers
    assert (path, key) in {(power.file, power.key) for power in powers}


def test_an_approval_policy_is_read_from_its_own_file(layers: Layers) -> None:
    policy = "approval_gates: {low_risk: {conditions: [file_count < 3], action: auto_approve}}\n"
    loaded = layers.load(files={".supervisor/approval_policy.yaml": policy})
    assert loaded.cautions == ()
    assert loaded.definition.approvals is not None
    assert [level.level for level in loaded.definition.approvals.levels] == [RiskLevel.LOW]


def test_an_approval_policy_is_yaml(layers: Layers) -> None:
    found = layers.mistakes(files={".supervisor/approval_policy.yaml": "a: [\n"})
    assert ".supervisor/approval_policy.yaml:1: is not valid YAML" in found


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("limit.yaml", "did you mean limits.yaml?"),
        ("config.yml", "did you mean config.yaml?"),
        ("role/planner.yaml", "did you mean roles/?"),
        ("roles/deep/planner.yaml", "roles/ holds files that end with .yaml, no folders"),
        ("prompts/planning.txt", "prompts/ holds files that end with .j2, no folders"),
        (
            "remote.yaml",
            "what is read: config.yaml, approval_policy.yaml, limits.yaml, retry_policies.yaml",
        ),
    ],
)
def test_a_file_that_nobody_reads_is_named(layers: Layers, path: str, text: str) -> None:
    [caution] = layers.load(files={f".supervisor/{path}": "x\n"}).cautions
    assert caution.startswith(f".supervisor/{path}:1: is read by nobody; ")
    assert text in caution


def test_what_others_read_is_not_named(layers: Layers) -> None:
    config = "clis: {mine: {adapter: command, command: [python3, .supervisor/agent.py]}}\n"
    files = {".supervisor/agent.py": "", ".supervisor/README.md": "", ".supervisor/.gitignore": ""}
    files |= {".supervisor/features/P1.yaml": "feature: {}\n"}
    assert layers.load(config, files).cautions == ()


def test_a_users_typo_is_named_too(layers: Layers) -> None:
    (layers.directory / "limit.yaml").write_text("limits: {}\n")
    (layers.directory / "theme.yaml").write_text("of: another program\n")
    [caution] = layers.load().cautions
    assert caution.endswith("limit.yaml:1: is read by nobody; did you mean limits.yaml?")
