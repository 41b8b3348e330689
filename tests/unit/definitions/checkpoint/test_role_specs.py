"""The file of a supervisor: every mistake at once, each with its line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.definitions.checkpoint.role_specs import (
    MOST_CHARACTERS,
    builtin_role_spec,
    load_role_spec,
    read_role_spec,
)
from supervisor_ai.definitions.sources.mistakes import FileMistakes
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.drivers.checkpoint.checks.catalogue import ASK, CATALOGUE, EVERY
from supervisor_ai.drivers.checkpoint.checks.model import CheckGroup, CheckSpec
from supervisor_ai.drivers.checkpoint.spec import RoleSpec

HEAD = "---\nrole: supervisor\nprefix: CHECKPOINT\n---\n"
EXTENDING = HEAD.replace("---\n", "---\nextends: builtin\n", 1)


def problems(text: str) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        load_role_spec("role.md", text)
    return [line.strip() for line in caught.value.message.split("\n")[1:]]


def checks(text: str, head: str = HEAD) -> tuple[CheckSpec, ...]:
    spec = load_role_spec("role.md", f"{head}## CHECKPOINT-004: Mine\n{text}\n")
    return spec.checkpoints["CHECKPOINT-004"].checks


def test_the_builtin_file_has_the_checks_of_the_catalogue() -> None:
    spec = builtin_role_spec()
    assert set(spec.checkpoints) == {f"CHECKPOINT-00{n}" for n in (1, 2, 3)}
    for rule, found in CATALOGUE.items():
        for task, checkpoint in spec.checkpoints.items():
            assert (rule in {it.id for it in checkpoint.checks}) is (task in found.checkpoints)
        assert (rule in {it.id for it in spec.every}) is (EVERY in found.checkpoints)
    blocking = {it.id for them in spec.checkpoints.values() for it in them.checks if it.is_blocking}
    assert blocking == {
        *("goals_mapped", "decisions_agree", "must_haves_planned"),
        *("plan_graph", "artifacts_exist"),
    }


def test_the_front_matter_names_the_types_of_messages() -> None:
    assert builtin_role_spec().message_types.success == "supervision_report"
    head = HEAD.replace("prefix", "message_types: {error: trouble}\ninner_loop: false\nprefix")
    spec = load_role_spec("role.md", f"{head}## CHECKPOINT-001\n- terminology\n")
    assert (spec.message_types.error, spec.message_types.alert) == ("trouble", "consistency_alert")
    assert spec.checkpoints["CHECKPOINT-001"].title == "CHECKPOINT-001"


def test_own_checks_have_parameters_titles_and_groups() -> None:
    found = checks(
        "Some words.\n\n"
        "- artifact_exists: spec/brief.md\n"
        "- artifact_exists: {path: spec/plan.md}\n  id: plan_there\n  title: The plan is there\n"
        "  group: execution health\n  blocking: true\n"
        "- contains_heading: {path: a.md, heading: Rollback}\n\n"
        "More words.\n\n"
        "- self_scores: 5\n"
        "- recent_activity:\n    minutes: 30\n"
        "- ask: Is every payment\n    logged?\n  id: payments\n"
    )
    assert [(it.id, it.rule, it.params) for it in found] == [
        ("artifact_exists", "artifact_exists", {"path": "spec/brief.md"}),
        ("plan_there", "artifact_exists", {"path": "spec/plan.md"}),
        ("contains_heading", "contains_heading", {"path": "a.md", "heading": "Rollback"}),
        ("self_scores", "self_scores", {"drop": 5}),
        ("recent_activity", "recent_activity", {"minutes": 30}),
        ("payments", ASK, {}),
    ]
    assert (found[1].title, found[1].group) == ("The plan is there", CheckGroup.HEALTH)
    assert [it.is_blocking for it in found] == [False, True, False, False, False, False]
    assert found[5].question == found[5].title == "Is every payment logged?"
    assert found[0].group is CheckGroup.PROCESS


def test_what_is_for_people_is_no_check() -> None:
    text = (
        f"{HEAD}# Title\n- a list\n## Notes\n- another list\n## CHECKPOINT-001: One\n```\n"
        "## CHECKPOINT-002: fenced\n- nonsense\n```\n- terminology\n### Details\nwords\n"
        "# End\n- a list\n"
    )
    spec = load_role_spec("role.md", text)
    assert set(spec.checkpoints) == {"CHECKPOINT-001"}
    assert [it.id for it in spec.checkpoints["CHECKPOINT-001"].checks] == ["terminology"]


def test_a_file_may_extend_the_builtin_one() -> None:
    text = (
        f"{EXTENDING}## CHECKPOINT-001\n- artifact_exists: a.md\n"
        "## CHECKPOINT-009: New\n- plan_graph\n## Every Checkpoint\n- ask: Fine?\n  id: fine\n"
    )
    spec = load_role_spec("role.md", text)
    assert [it.id for it in spec.checkpoints["CHECKPOINT-001"].checks][-2:] == [
        *("artifacts_exist", "artifact_exists")
    ]
    assert spec.checkpoints["CHECKPOINT-001"].title == "The brief against the requirements"
    assert [it.id for it in spec.checks_of("CHECKPOINT-009") or ()] == [
        *("plan_graph", "role_errors", "recent_activity", "duplicate_spawns", "fine")
    ]


def test_lines_may_end_as_on_windows() -> None:
    text = f"\ufeff{HEAD}## CHECKPOINT-001: One\n- terminology\n".replace("\n", "\r\n")
    assert isinstance(load_role_spec("role.md", text), RoleSpec)


def test_every_mistake_is_told_at_once_with_its_line() -> None:
    text = (
        "---\nrole: watcher\nprefx: CHECKPOINT\nmessage_types: {success: 'a b'}\n---\n"
        "## CHECKPOINT-004: Mine\n- goals_map\n- artifact_exists\n- artifact_exists: ../x\n"
        "- contains_heading: {path: a.md}\n- ask: Is it?\n- ask\n- self_scores: x\n"
        "- goals_mapped: 3\n- 7\n## Checkpoint-4\n"
    )
    assert problems(text) == [
        "role.md:2: role: must be 'supervisor', found 'watcher'",
        "role.md:3: prefx: unknown key; did you mean 'prefix'?",
        "role.md:4: message_types.success: must be a word such as supervision_report, found 'a b'",
        "role.md:7: unknown check 'goals_map'; did you mean 'goals_mapped'?",
        "role.md:8: `artifact_exists` needs `path`",
        "role.md:9: `path` must be a path inside the session, found '../x'",
        "role.md:10: `contains_heading` needs `heading`",
        "role.md:11: `id` must be a word that names the check, found nothing",
        "role.md:12: `ask` needs a question: `- ask: Is it safe?`",
        "role.md:13: `drop` must be a whole number from 1 to 100000, found 'x'",
        "role.md:14: `goals_mapped` takes nothing, found 3",
        "role.md:15: must name one check, found 7",
        "role.md:16: a checkpoint is called CHECKPOINT-001 to -999, found 'Checkpoint-4'",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "role.md:1: has no front matter"),
        ("---\nrole: supervisor\n", "role.md:1: has no front matter"),
        (HEAD, "role.md:4: has no section `## CHECKPOINT-NNN: title`"),
        ("x" * (MOST_CHARACTERS + 1), "role.md:1: has 262145 characters"),
        ("---\na: [\n---\n", "is not valid YAML"),
        ("---\n- a\n---\n", "must be a mapping, found a list"),
        (
            f"{HEAD}## CHECKPOINT-001: a\nwords\n",
            "role.md:5: the section 'CHECKPOINT-001: a' lists",
        ),
        (f"{HEAD}## CHECKPOINT-001\n- a: [\n", "role.md:6:"),
        (f"{HEAD}## CHECKPOINT-001\n- &a x\n", "has an anchor"),
        (
            f"{HEAD}## CHECKPOINT-001\n- terminology\n## CHECKPOINT-001: b\n- plan_graph\n",
            "role.md:7: the section 'CHECKPOINT-001: b' is there twice",
        ),
        (
            f"{HEAD}## Every checkpoint\n- plan_graph\n## Every checkpoint\n- role_errors\n",
            "role.md:7: the section 'Every checkpoint' is there twice",
        ),
        (
            f"{HEAD}## CHECKPOINT-001\n- terminology\n- terminology\n",
            "role.md:7: the check 'terminology' is there twice",
        ),
        (
            f"{EXTENDING}## CHECKPOINT-001\n- goals_mapped\n",
            "role.md:7: the check 'goals_mapped' is there twice",
        ),
        (
            f"{EXTENDING}## CHECKPOINT-001\n- role_errors\n",
            "CHECKPOINT-001 and every checkpoint both have a check 'role_errors'",
        ),
        (
            f"{HEAD}## CHECKPOINT-001\n- a: 1\n  b: 2\n",
            "role.md:6: must name one check, found a, b",
        ),
        (f"{HEAD}## CHECKPOINT-001\n- terminology:\n  group: Odd\n", "`group` must be one of"),
        (f"{HEAD}## CHECKPOINT-001\n- terminology:\n  group: [a]\n", "`group` must be one of"),
        (f"{HEAD}## CHECKPOINT-001\n- terminology:\n  blocking: 1\n", "must be true or false"),
        (f"{HEAD}## CHECKPOINT-001\n- terminology:\n  id: 'a b'\n", "`id` must be a word"),
        (f"{HEAD}## CHECKPOINT-001\n- terminology:\n  title: 5\n", "`title` must be a text"),
        (f"{HEAD}## CHECKPOINT-001\n- self_scores: {{dropp: 5}}\n", "did you mean 'drop'?"),
        (f"{HEAD}## CHECKPOINT-001\n- self_scores: {{drop: true}}\n", "a whole number"),
        (f"{HEAD}## CHECKPOINT-001\n- contains_heading: a.md\n", "takes a mapping with path, head"),
        (f"{HEAD}## CHECKPOINT-001\n- artifact_exists: /etc/passwd\n", "inside the session"),
        (f"{HEAD}## CHECKPOINT-001\n- artifact_exists: a//b\n", "inside the session"),
        (f'{HEAD}## CHECKPOINT-001\n- artifact_exists: "a\\e[2J"\n', "`path` must be a text"),
        (f"{HEAD}## CHECKPOINT-001\n- ask: 5\n  id: x\n", "`ask` must be a text"),
        (
            f"{HEAD}## CHECKPOINT-001\n" + "- x\n" * 101,
            "role.md:106: the section has more than 100",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line(text: str, problem: str) -> None:
    assert any(problem in line for line in problems(text)), problems(text)


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    for body in (text, f"{HEAD}{text}", f"{HEAD}## CHECKPOINT-001\n- {text}\n"):
        mistakes = FileMistakes()
        found = read_role_spec("role.md", body, mistakes)
        assert found is not None or mistakes
