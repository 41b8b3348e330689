"""What a component depends on is added to the text of a plan, and nothing else changes."""

import pytest

from supervisor_ai.definitions.feature.plan_edits import add_external, add_need

PLAN = """\
# mine
feature:
  id: P
  phases:
    - id: a
      components:
{}
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "        - id: x\n          depends_on: []  # why\n",
            "        - id: x\n          depends_on: [new]  # why\n",
        ),
        ("        - {id: x, depends_on: [y]}\n", "        - {id: x, depends_on: [y, new]}\n"),
        ("        - {id: x, files: [f]}\n", "        - {id: x, files: [f], depends_on: [new]}\n"),
        (
            "        - id: x\n          depends_on:\n            - y\n",
            "        - id: x\n          depends_on:\n            - new\n            - y\n",
        ),
        (
            "        - files: [f]\n          id: x\n",
            "        - files: [f]\n          id: x\n          depends_on: [new]\n",
        ),
    ],
)
def test_one_more_is_added_however_the_list_is_written(before: str, after: str) -> None:
    found = add_need(PLAN.format(before), "a", "x", "new")
    assert found == PLAN.format(after)


@pytest.mark.parametrize("text", ["[", "feature: {phases: [{id: a, components: x}]}", "a: b"])
def test_what_is_not_there_is_not_changed(text: str) -> None:
    assert add_need(text, "a", "x", "new") is None
    assert add_need(PLAN.format("        - id: y\n"), "a", "x", "new") is None


@pytest.mark.parametrize(
    ("plan", "changed"),
    [
        (
            "feature:\n  id: P1\n  title: x\n",
            'feature:\n  id: P1\n  external: ["@/a"]\n  title: x\n',
        ),
        ("feature:\n  external: [b]\n  id: P1\n", 'feature:\n  external: [b, "@/a"]\n  id: P1\n'),
        ("feature:\n  external: []\n  id: P1\n", 'feature:\n  external: ["@/a"]\n  id: P1\n'),
        ("feature:\n  external:\n    - b\n  id: P1\n", None),
        ("feature: {id: P1}\n", None),
        ('feature:\n  "id": P1\n', None),
        ("phase_output:\n  components: []\n", None),
    ],
)
def test_packages_are_remembered(plan: str, changed: str | None) -> None:
    assert add_external(plan, ["@/a"]) == changed
