"""What roles are shown."""
# ruff: noqa: E501 - mistakes are told in one line each

import pytest
from inline_snapshot import snapshot
from tests.unit.definitions.roles.scene import Scene

from supervisor_ai.domain.run.context_plan import ContextPlan, Detail, Source, SourceKind


def plan(scene: Scene, context: str, parent: str = "implementer") -> ContextPlan:
    scene.write({"roles/it.yaml": f"extends: {parent}\ncontext: {context}\n"})
    found = scene.role("it").context
    assert found is not None
    return found


def kinds(found: ContextPlan) -> list[str]:
    return [source.kind.value for source in found.sources]


@pytest.mark.parametrize(
    ("role", "strategy", "budget"),
    [
        ("planner", "planner_docset", 30_000),
        ("tech_lead", "planner_docset", 30_000),
        ("implementer", "implementer_targeted", 25_000),
        ("implementer_fast", "", 15_000),
        ("reviewer", "reviewer_diff", 15_000),
        ("reviewer_gemini", "reviewer_diff", 15_000),
        ("reviewer_codex", "", 15_000),
        ("test_engineer", "test_blind", 20_000),
        ("security_auditor", "security_audit", 25_000),
        ("security_auditor_external", "security_audit", 25_000),
        ("investigator", "investigator_wide", 80_000),
        ("documenter", "implementer_targeted", 25_000),
    ],
)
def test_every_role_of_the_package_has_its_context(
    scene: Scene, role: str, strategy: str, budget: int
) -> None:
    found = scene.role(role).context
    assert found is not None
    assert (found.strategy, found.token_budget, found.packer) == (strategy, budget, "native")
    assert found.sources[0].kind is SourceKind.RULES


def test_a_test_engineer_sees_no_insides(scene: Scene) -> None:
    role = scene.role("test_engineer")
    assert role.context is not None
    shown = {source.kind for source in role.context.sources}
    assert {SourceKind.INTERFACES, SourceKind.PUBLIC_API} < shown
    assert shown.isdisjoint(
        {SourceKind.TARGET, SourceKind.IMPORTS, SourceKind.DIFF, SourceKind.CHANGED}
    )
    assert {"_[!_]*.py", "internal/"} < set(role.hides)
    assert set(role.hides) == set(role.context.exclude)
    api = next(it for it in role.context.sources if it.kind is SourceKind.PUBLIC_API)
    assert api.detail is Detail.OUTLINE


def test_leaving_out_insides_cannot_be_undone_by_a_child(scene: Scene) -> None:
    found = plan(scene, "{include: [$TARGET, src/x.py], git_diff: true}", "test_engineer")
    assert SourceKind.TARGET not in {source.kind for source in found.sources}
    assert SourceKind.DIFF not in {source.kind for source in found.sources}
    assert found.sources[-1] == Source(kind=SourceKind.FILES, patterns=("src/x.py",))


def test_what_must_be_there_comes_after_the_work_itself(scene: Scene) -> None:
    found = plan(scene, "{always_include: [risk.py], include: [docs/**]}")
    assert kinds(found) == [
        *("rules", "target", "files", "imports", "diff", "plan", "knowledge", "tree", "files")
    ]
    assert found.sources[2] == Source(kind=SourceKind.FILES, patterns=("risk.py",), share=0.5)
    assert found.sources[-1].patterns == ("docs/**",)


def test_the_spelling_of_commands_is_understood_and_none_is_run(scene: Scene) -> None:
    scene.write(
        {
            "roles/it.yaml": "{description: d, answer: review, writes: false, cli: c, template: review_strict.j2, context: "
            '{include: ["git diff --cached", "docs/STANDARDS/**", $DIFF]}}\n',
            "config.yaml": "cli: claude\nclis: {c: {adapter: command, command: [c]}}\n",
        }
    )
    found = scene.role("it").context
    assert found == ContextPlan(
        strategy="",
        sources=(
            Source(kind=SourceKind.DIFF),
            Source(kind=SourceKind.FILES, patterns=("docs/STANDARDS/**",)),
        ),
        token_budget=25_000,
    )


def test_the_diff_can_be_asked_for_and_left_out(scene: Scene) -> None:
    assert kinds(plan(scene, "{git_diff: true}", "planner"))[0] == "diff"
    assert "diff" not in kinds(plan(scene, "{git_diff: false}", "reviewer"))


def test_a_project_has_strategies_of_its_own(scene: Scene) -> None:
    scene.write(
        {
            "strategies/small.yaml": """\
name: small
description: Little
sources:
  - $TARGET
  - {from: [a/**, b/**], detail: outline, share: 0.25}
  - {from: $TARGET_IMPORTS, depth: 2}
exclude: [c/**]
token_budget: 4000
packer: repomix
"""
        }
    )
    assert plan(scene, "{strategy: small, exclude: [d/**]}", "planner") == ContextPlan(
        strategy="small",
        sources=(
            Source(kind=SourceKind.TARGET),
            Source(
                kind=SourceKind.FILES,
                patterns=("a/**", "b/**"),
                detail=Detail.OUTLINE,
                share=0.25,
            ),
            Source(kind=SourceKind.IMPORTS, depth=2),
        ),
        token_budget=30_000,
        exclude=("c/**", "d/**"),
        packer="repomix",
    )


def test_a_strategy_of_the_same_name_is_replaced_as_a_whole(scene: Scene) -> None:
    scene.write({"strategies/reviewer_diff.yaml": "sources: [$DIFF]\ntoken_budget: 9000\n"})
    found = scene.role("reviewer").context
    assert found is not None
    assert kinds(found) == ["diff"]


def test_mistakes_of_strategies(scene: Scene) -> None:
    scene.write(
        {
            "strategies/a.yaml": "name: b\nsources: [$TARGETX, {from: [], detail: none}, {form: x}]\n",
            "strategies/d.yaml": "name: b\nsources: [$DIFF]\ntoken_budget: 900\n",
            "strategies/c.yaml": "algorithm: {1_resolve: {command: make}}\ntoken_budget: 1000\nsources: []\n",
            "roles/it.yaml": "extends: planner\ncontext: {strategy: c}\n",
        }
    )
    assert scene.refusal() == snapshot("""\
The definitions have 8 mistakes:
  .supervisor/strategies/a.yaml:1: token_budget: is missing
  .supervisor/strategies/a.yaml:2: sources[0].from[0]: unknown variable '$TARGETX'; did you mean '$TARGET'?
  .supervisor/strategies/a.yaml:2: sources[1].detail: must be 'full', 'outline' or 'name', found 'none'
  .supervisor/strategies/a.yaml:2: sources[1].from: must have at least 1 entry, found 0
  .supervisor/strategies/a.yaml:2: sources[2].form: unknown key; did you mean 'from'?
  .supervisor/strategies/c.yaml:1: algorithm.1_resolve.command: no command is run for a context; known are 'git diff --cached' and 'python -m supervisor.tools.import_resolver ${target_file}'
  .supervisor/strategies/c.yaml:3: sources: must have at least 1 entry, found 0
  .supervisor/strategies/d.yaml:1: name: is 'b', but the file is called 'd'\
""")
