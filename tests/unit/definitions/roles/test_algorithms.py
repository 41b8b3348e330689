"""Strategies that say in steps what a context is made of."""

import pytest
from tests.unit.definitions.project_files import COMMIT
from tests.unit.definitions.roles.scene import Scene

from supervisor_ai.domain.run.context_plan import ContextPlan

STEPS = """\
inputs: [target_file, git_diff, plan]
algorithm:
  1_resolve_imports:
    command: "python -m supervisor.tools.import_resolver ${target_file}"
    output: import_list
  2_pack_context:
    repomix:
      include: ["${target_file}", "${import_list}", "docs/**", "${plan}"]
      exclude: ["docs/old/**"]
      style: xml
  3_add_diff:
    if: git_diff
    command: "git diff --cached"
    prepend: true
token_budget: 9000
"""
ORDER = "priority_order: [system_prompt, task_description, target_file, related, imports]\n"


def plan(scene: Scene, text: str) -> ContextPlan:
    scene.write({"strategies/own.yaml": text, "roles/it.yaml": ROLE})
    found = scene.role("it").context
    assert found is not None
    return found


ROLE = (
    "description: x\nanswer: review\nwrites: false\ncli: claude\ntemplate: review_strict.j2\n"
    "context: {strategy: own}\n"
)


def kinds(found: ContextPlan) -> list[str]:
    return [source.kind.value for source in found.sources]


def test_steps_become_sources(scene: Scene) -> None:
    found = plan(scene, STEPS)
    assert kinds(found) == ["diff", "target", "imports", "files", "plan"]
    assert (found.token_budget, found.packer) == (9000, "repomix")
    assert found.exclude == ("docs/old/**",)
    assert found.sources[3].patterns == ("docs/**",)


def test_what_is_named_first_is_most_important(scene: Scene) -> None:
    assert kinds(plan(scene, STEPS + ORDER)) == ["target", "files", "imports", "diff", "plan"]


def test_the_numbers_of_the_steps_are_their_order(scene: Scene) -> None:
    text = STEPS.replace("1_resolve", "8_resolve").replace("2_pack", "9_pack").replace("3_", "1_")
    assert kinds(plan(scene, text.replace("    prepend: true\n", ""))) == [
        *("diff", "target", "imports", "files", "plan"),
    ]


def test_the_file_may_name_its_packer(scene: Scene) -> None:
    assert plan(scene, f"{STEPS}packer: native\n").packer == "native"


def test_a_program_that_packs_needs_trust(scene: Scene) -> None:
    scene.write({"strategies/own.yaml": STEPS})
    [power] = scene.catalog.powers(COMMIT)
    assert (power.file, power.key, power.value) == (
        ".supervisor/strategies/own.yaml",
        "algorithm",
        '"repomix"',
    )


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("target_file, git_diff, plan", "git_diff, plan", "algorithm.1_resolve_imports: unknown"),
        ("target_file, git_diff, plan", "target_file, plan", "3_add_diff.if must name the input"),
        ("[target_file,", "[target_fil,", "unknown input 'target_fil'; did you mean 'target_file'"),
        ("git diff --cached", "rm -rf /", "no command is run for a context; known are"),
        ("import_resolver ${target_file}", "import_resolver /etc", "no command is run"),
        ("${import_list}", "${imports}", "2_pack_context: unknown input 'imports'; did you mean"),
        ("style: xml", "style: plain", "must be 'xml', found 'plain'"),
        ("    output: import_list\n", "    repomix: {include: [x]}\n", "needs either a `command`"),
        ("token_budget", "priority_order: [interfaces]\ntoken_budget", "which no step takes"),
        ("token_budget", "priority_order: [speed]\ntoken_budget", "unknown part of a context"),
        ("token_budget", "sources: [$PLAN]\ntoken_budget", "needs either `sources` or"),
    ],
)
def test_what_cannot_be_meant_is_refused(scene: Scene, old: str, new: str, problem: str) -> None:
    assert old in STEPS
    scene.write({"strategies/own.yaml": STEPS.replace(old, new)})
    refusal = scene.refusal()
    assert ".supervisor/strategies/own.yaml:" in refusal
    assert problem in refusal


def test_sources_need_no_inputs(scene: Scene) -> None:
    scene.write({"strategies/own.yaml": "inputs: [plan]\nsources: [$PLAN]\ntoken_budget: 900\n"})
    assert "has `sources`, which need no `inputs`" in scene.refusal()


def test_steps_without_numbers_come_as_they_are_written(scene: Scene) -> None:
    text = (
        "inputs: [plan, rules]\nalgorithm:\n"
        "  b: {repomix: {include: ['${rules}']}}\n"
        "  a: {repomix: {include: ['${plan}']}}\n"
        "token_budget: 900\n"
    )
    assert kinds(plan(scene, text)) == ["rules", "plan"]
