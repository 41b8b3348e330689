"""`knowledge`: which roles are told of the store, and how much."""

import pytest
from tests.unit.definitions.roles.scene import Scene

from supervisor_ai.domain.knowledge.selection import KnowledgePlan


@pytest.mark.parametrize(
    ("said", "plan"),
    [
        ("true", KnowledgePlan()),
        ("false", None),
        ("{use: false, budget: 900}", None),
        ("{budget: 900}", KnowledgePlan(budget=900)),
        ("{areas: [design, api, design]}", KnowledgePlan(areas=("design", "api"))),
    ],
)
def test_a_role_says_what_it_wants_to_know(
    scene: Scene, said: str, plan: KnowledgePlan | None
) -> None:
    scene.write({"roles/it.yaml": f"extends: investigator\nknowledge: {said}\n"})
    assert scene.role("it").knowledge == plan


def test_a_role_may_take_back_what_its_parent_wants(scene: Scene) -> None:
    scene.write({"roles/it.yaml": "extends: planner\nknowledge: false\n"})
    assert scene.role("it").knowledge is None


@pytest.mark.parametrize(
    ("role", "is_told"),
    [("planner", True), ("tech_lead", True), ("implementer", True), ("reviewer", True)],
)
def test_roles_of_the_package_ask_for_it(scene: Scene, role: str, *, is_told: bool) -> None:
    assert (scene.role(role).knowledge is not None) is is_told
