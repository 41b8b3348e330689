"""Which files make up a role, and how they are merged."""
# ruff: noqa: E501 - mistakes are told in one line each

from datetime import timedelta
from typing import cast

from inline_snapshot import snapshot
from tests.unit.definitions.project_files import COMMIT, ProjectFiles
from tests.unit.definitions.roles.scene import Scene

from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.engine.ports.workspaces import Repository

TRADER = """\
extends: implementer
description: "Trading logic with strict risk adherence"
flags: ["-p", "--output-format", "json"]

system_prompt_additions: |
  You are a quantitative developer.
  NEVER remove stop-loss checks.

context:
  always_include:
    - "config/risk_limits.py"
    - "libs/risk/**"
  exclude:
    - "**/backtest/**"

allowed_tools:
  - read_file
  - edit_file
  - run_backtest_simulation

gates:
  - name: risk_check
    command: "python -m risk.validate"
    on_fail: block
"""


def test_the_example_of_a_trader_is_understood(scene: Scene) -> None:
    scene.write({"roles/trader.yaml": TRADER})
    trader, parent = scene.role("trader"), scene.role("implementer")
    assert trader.description == "Trading logic with strict risk adherence"
    assert (trader.answer, trader.writes, trader.template) == (
        parent.answer,
        parent.writes,
        parent.template,
    )
    assert trader.system_prompt == (
        "You are a quantitative developer.\nNEVER remove stop-loss checks."
    )
    assert trader.instructions == parent.instructions
    assert trader.allowed_tools == ("read_file", "edit_file", "run_backtest_simulation")
    assert trader.context is not None
    assert trader.context.exclude == ("**/backtest/**",)


def test_scalars_override_lists_append_mappings_merge_prompts_concatenate(scene: Scene) -> None:
    scene.write(
        {
            "roles/old.yaml": """\
extends: planner
system_prompt: One.
instructions: Begin.
timeout: 5m
egress: ["a.example.com:443", "b.example.com:443"]
strengths: [x]
hides: [secret/]
config: {coverage: 50, test_types: [unit]}
context: {token_budget: 1000, include: [a/**]}
mcp_servers: {kept: {command: [kept]}, both: {command: [old], env: {A: b}}}
""",
            "roles/new.yaml": """\
extends: old
system_prompt: Two.
system_prompt_additions: Three.
instructions: End.
timeout: 7m
max_retries: 0
egress: ["b.example.com:443", "c.example.com:443"]
hides: [other/]
config: {tdd: true, test_types: [unit, e2e]}
context: {include: [b/**]}
mcp_servers: {both: {command: [new]}}
""",
        }
    )
    new = scene.role("new")
    assert new.system_prompt == "One.\n\nTwo.\n\nThree."
    assert new.instructions.splitlines()[-6:] == [
        "Begin.",
        "",
        "End.",
        "Write each test before the code that makes it pass, and see it fail first.",
        "Cover at least 50 % of what you write with tests.",
        "Kinds of tests that are wanted: unit, e2e.",
    ]
    assert (new.timeout, new.max_retries) == (timedelta(minutes=7), 0)
    assert new.egress == ("a.example.com:443", "b.example.com:443", "c.example.com:443")
    assert new.hides == ("secret/", "other/")
    assert {server.name: (server.command, server.environment) for server in new.mcp_servers} == {
        "kept": (("kept",), {}),
        "both": (("new",), {}),
    }
    assert new.context is not None
    assert new.context.token_budget == 1000
    assert new.context.sources[-1].patterns == ("a/**", "b/**")


def test_a_gate_of_the_same_name_is_replaced(scene: Scene) -> None:
    gates = "extends: PARENT\ngates: [{name: a, command: x}, {name: NAME, command: y}]\n"
    scene.write(
        {
            "roles/old.yaml": gates.replace("PARENT", "reviewer").replace("NAME", "b"),
            "roles/new.yaml": "extends: old\ngates: [{name: a, command: z, on_fail: warn}]\n",
        }
    )
    assert scene.said("new")["gates[0]"] == (
        '{"name": "a", "command": "z", "on_fail": "warn"}',
        ".supervisor/roles/new.yaml:2",
    )
    assert "gates[2]" not in scene.said("new")


def test_a_file_without_extends_is_laid_over_the_role_of_its_name(scene: Scene) -> None:
    scene.write(
        {
            "~/roles/reviewer.yaml": "system_prompt: Be strict.\ntimeout: 3m\n",
            "roles/reviewer.yaml": "system_prompt: Be kind.\n",
        }
    )
    reviewer = scene.role("reviewer")
    assert reviewer.system_prompt == "Be strict.\n\nBe kind."
    assert reviewer.timeout == timedelta(minutes=3)
    assert reviewer.description == "Strict code review"


def test_a_file_may_extend_its_own_name(scene: Scene) -> None:
    scene.write({"roles/reviewer.yaml": "extends: reviewer\nsystem_prompt: Be kind.\n"})
    assert scene.role("reviewer").description == "Strict code review"


def test_a_file_that_extends_another_role_asks_the_levels_below_nothing(scene: Scene) -> None:
    scene.write(
        {
            "~/roles/documenter.yaml": "system_prompt: Be strict.\n",
            "roles/documenter.yaml": "extends: implementer_fast\n",
        }
    )
    documenter = scene.role("documenter")
    assert documenter.description == "Quick isolated implementations"
    assert documenter.system_prompt == ""


def test_a_role_of_the_package_keeps_its_kind_of_answer(scene: Scene) -> None:
    scene.write({"roles/reviewer.yaml": "answer: implementation\nwrites: true\n"})
    scene.write({"roles/documenter.yaml": "extends: planner\n"})
    assert scene.refusal() == snapshot("""\
The definitions have 2 mistakes:
  .supervisor/roles/documenter.yaml:1: extends: gives the answer 'plan' to a role whose answer is 'implementation'; give it another name
  .supervisor/roles/reviewer.yaml:1: answer: gives the answer 'implementation' to a role whose answer is 'review'; give it another name\
""")


def test_a_parent_is_what_all_levels_say_of_it(scene: Scene) -> None:
    scene.write(
        {
            "~/roles/strict.yaml": "extends: reviewer\n",
            "roles/reviewer.yaml": "timeout: 9m\n",
        }
    )
    assert scene.role("strict").timeout == timedelta(minutes=9)


def test_a_role_can_stand_for_itself(scene: Scene) -> None:
    text = "description: d\nanswer: plan\nwrites: false\ncli: claude\ntemplate: planning.j2\n"
    scene.write({"roles/own.yaml": text})
    assert scene.role("own").context is None
    scene.write({"roles/own.yaml": "description: d\ncli: claude\n"})
    assert scene.refusal() == snapshot("""\
The definitions have 3 mistakes:
  .supervisor/roles/own.yaml:1: answer: is missing; write it, or extend a role that has it
  .supervisor/roles/own.yaml:1: template: is missing; write it, or extend a role that has it
  .supervisor/roles/own.yaml:1: writes: is missing; write it, or extend a role that has it\
""")


def test_circles_and_unknown_parents_are_named(scene: Scene) -> None:
    scene.write(
        {
            "roles/a.yaml": "description: x\nextends: b\n",
            "roles/b.yaml": "extends: c\n",
            "roles/c.yaml": "extends: a\n",
            "roles/d.yaml": "extends: reviw\n",
            "roles/e.yaml": "extends: e\n",
            "roles/f.yaml": "extends: go_dev\n",
            "roles/g.yaml": "extends: f\n",
        }
    )
    assert scene.refusal() == snapshot("""\
The definitions have 6 mistakes:
  .supervisor/roles/a.yaml:2: extends: goes round in a circle: a -> b -> c -> a
  .supervisor/roles/b.yaml:1: extends: goes round in a circle: b -> c -> a -> b
  .supervisor/roles/c.yaml:1: extends: goes round in a circle: c -> a -> b -> c
  .supervisor/roles/d.yaml:1: extends: unknown role 'reviw'; did you mean 'reviewer'?
  .supervisor/roles/e.yaml:1: extends: is the role itself, and no level below has a role 'e'
  .supervisor/roles/f.yaml:1: extends: the role 'go_dev' is in the pack 'go'; write `packs: [go]` in the config\
""")


def test_every_mistake_of_every_file_is_told_at_once(scene: Scene) -> None:
    scene.write(
        {
            "~/roles/one.yaml": "extends: planner\ncolour: red\ntimeout: soon\n",
            "roles/two.yaml": """\
extends: reviewer
name: three
flags: [-p, --model, --danger]
template: ../secret.j2
context:
  strategy: reviewer_dif
  include: [$TARGETS, $IMPLEMENTATION_INTERNALS, git log]
  exclude: [$TARGET]
  token_budget: 3
gates: [{name: g, on_fail: explode}]
egress: [nonsense]
""",
            "roles/three.yaml": "extends: planner\ntemplate: plan.j2\ncli: claud\n",
            "roles/empty.yaml": "",
            "roles/short.yml": "extends: planner\n",
        }
    )
    assert scene.refusal() == snapshot("""\
The definitions have 17 mistakes:
  .supervisor/roles/empty.yaml:1: must be a mapping, found nothing
  .supervisor/roles/short.yml:1: is not read; rename it to short.yaml
  .supervisor/roles/three.yaml:2: template: unknown template 'plan.j2'; did you mean 'planning.j2'?
  .supervisor/roles/three.yaml:3: cli: unknown CLI 'claud'; did you mean 'claude'?
  .supervisor/roles/two.yaml:2: name: is 'three', but the file is called 'two'
  .supervisor/roles/two.yaml:3: flags: '--model' is not passed on; name the model after a colon: `cli: claude:opus`
  .supervisor/roles/two.yaml:4: template: must be the name of a template such as implement.j2, found '../secret.j2'
  .supervisor/roles/two.yaml:6: context.strategy: unknown strategy 'reviewer_dif'; did you mean 'reviewer_diff'?
  .supervisor/roles/two.yaml:7: context.include[0]: unknown variable '$TARGETS'; did you mean '$TARGET'?
  .supervisor/roles/two.yaml:7: context.include[1]: $IMPLEMENTATION_INTERNALS can only be left out: write it into `exclude` or `hides`
  .supervisor/roles/two.yaml:7: context.include[2]: no command is run; of git there is 'git diff --cached', found 'git log'
  .supervisor/roles/two.yaml:8: context.exclude[0]: unknown variable '$TARGET' (known: $IMPLEMENTATION_INTERNALS)
  .supervisor/roles/two.yaml:9: context.token_budget: must be at least 500, found 3
  .supervisor/roles/two.yaml:10: gates[0].on_fail: must be 'block', 'retry' or 'warn', found 'explode'
  .supervisor/roles/two.yaml:11: egress[0]: must be a host and a port such as example.com:443, found 'nonsense'
  ~/roles/one.yaml:2: colour: unknown key (known: system_prompt, mcp_servers, max_turns, optional, may_change, knowledge, name, extends, description, answer, writes, cli, flags, template, system_prompt_additions, instructions, context, allowed_tools, gates, config, strengths, timeout, max_retries, egress, hides, fallback)
  ~/roles/one.yaml:3: timeout: must be a duration such as 250ms, 30s, 45m, 2h or 14d, found 'soon'\
""")


def test_prompts_fit_every_cli_also_together(scene: Scene) -> None:
    half = "a" * 11_000
    scene.write(
        {
            "roles/one.yaml": f"extends: planner\nsystem_prompt: {half}\n",
            "roles/two.yaml": f"extends: one\nsystem_prompt: b{half}\n",
        }
    )
    assert "two.yaml:2: system_prompt: has 22003 characters; at most 20000" in scene.refusal()


def test_the_agent_of_a_role_file_counts_more_than_the_usual_one(scene: Scene) -> None:
    scene.write({"roles/reviewer.yaml": "cli: gemini\nfallback: [codex]\n"})
    definition = scene.definition()
    assert {name: role.cli for name, role in definition.roles.items()} == {
        "planner": "claude",
        "implementer": "claude",
        "reviewer": "gemini",
    }
    assert definition.roles["reviewer"].fallback == ("codex",)
    assert set(definition.clis) == {"claude", "gemini", "codex"}


def test_the_config_has_the_last_word(scene: Scene) -> None:
    scene.write(
        {
            "roles/reviewer.yaml": 'egress: ["a.example.com:443"]\nsystem_prompt: One.\ntimeout: 2m\n',
            "config.yaml": "cli: claude\nroles:\n  reviewer: {egress: [], system_prompt: Two., timeout: 4m}\n",
        }
    )
    reviewer = scene.role("reviewer")
    assert (reviewer.egress, reviewer.system_prompt) == ((), "Two.")
    said = scene.said("reviewer")
    assert said["timeout"] == ("4m", ".supervisor/config.yaml:3")
    assert said["system_prompt"] == ("Two.", ".supervisor/config.yaml:3")
    assert said["egress"] == ("[]", ".supervisor/config.yaml:3")
    assert said["description"] == ("Strict code review", "builtin/roles/reviewer.yaml:1")


def test_every_value_says_where_it_stands(scene: Scene) -> None:
    scene.write({"roles/trader.yaml": TRADER})
    said = scene.said("trader")
    assert said["template"] == ("implement.j2", "builtin/roles/implementer.yaml:4")
    assert said["context.always_include[1]"] == ("libs/risk/**", ".supervisor/roles/trader.yaml:12")
    assert said["context.strategy"][1].startswith("builtin/roles/implementer.yaml:")
    assert said["system_prompt[0]"][1] == ".supervisor/roles/trader.yaml:5"


def test_a_mistake_in_a_parent_is_told_once(scene: Scene) -> None:
    scene.write(
        {
            "roles/broken.yaml": "description: d\nanswer: poem\nwrites: false\ncli: claude\ntemplate: planning.j2\n",
            "roles/child.yaml": "extends: broken\n",
            "roles/no_yaml.yaml": "{",
        }
    )
    assert scene.refusal() == snapshot("""\
The definitions have 2 mistakes:
  .supervisor/roles/broken.yaml:2: answer: must be 'plan', 'implementation', 'review', 'agent', 'manager', 'judgement', 'scope', 'next_task', 'work', 'qa', 'assessment', 'research', 'work_summary', 'style_findings', 'design_findings', 'knowledge_items', 'feature_phases' or 'feature_components', found 'poem'
  .supervisor/roles/no_yaml.yaml:1: is not valid YAML: did not find expected node content\
""")


def test_a_role_is_shown_also_where_its_agent_cannot_be_had(scene: Scene) -> None:
    scene.write({"config.yaml": "workflow: standard\n"})
    repository = cast("Repository", ProjectFiles(scene.files))
    catalog = FileCatalog(repository, scene.directory, frozenset({"command"}))
    assert catalog.role(COMMIT, "reviewer_gemini").role.cli == "gemini"


def test_a_long_line_of_parents_is_no_trouble(scene: Scene) -> None:
    line = {f"roles/r{number}.yaml": f"extends: r{number - 1}\n" for number in range(1, 120)}
    scene.write({"roles/r0.yaml": "extends: planner\n", **line})
    assert "is one of more than 20 roles that extend each other" in scene.refusal()
    scene.files.clear()
    scene.write({"roles/r0.yaml": "extends: planner\n", **dict(list(line.items())[:18])})
    assert scene.role("r18").answer == "plan"
