"""Projects of a feature: where they lie, what waits for them, what a plan says about them."""

import pytest
from tests.unit.drivers.feature.plans import cid, component, feature

from supervisor_ai.definitions.feature.plan_files import YamlPlans
from supervisor_ai.definitions.overlay.project_limits import CONFIG_LIMITS, asked_for
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.plan.flaws import flaws_of
from supervisor_ai.drivers.feature.plan.graph import critical_path, graph_of, project_cycle
from supervisor_ai.drivers.feature.plan.projects import FeatureProject, copies_of, with_needs
from supervisor_ai.drivers.feature.plan.terms import ParallelLimits
from supervisor_ai.drivers.feature.plan.waits import waits_of

TYPES = FeatureProject(name="types", path="../types", publishes=("dist/",))
API = FeatureProject(
    name="api", path="./packages//api", roles=("api_dev", "db"), depends_on=("types",)
)
WEB = FeatureProject(name="web", path="web", depends_on=("types", "api"), receives="vendor")
TOP = FeatureProject(name="top", path=".", publishes=("schema.json",))
ONE, TWO = cid(1, 1), cid(1, 2)
PLAN = """\
feature:
  id: P1
  phases:
    - id: all
      project: web
      components:
        - {id: page, files: [page.py]}
        - {id: serve, project: api, files: [serve.py]}
"""


@pytest.mark.parametrize(
    ("path", "is_outside"),
    [
        ("./packages/web", False),
        ("a..b", False),
        ("../types", True),
        ("a/../../types", True),
        ("/srv/types", True),
        ("~/types", True),
        ("~ada/types", True),
    ],
)
def test_a_path_out_of_the_repository_is_known_and_asked_for(
    path: str, *, is_outside: bool
) -> None:
    assert FeatureProject(name="x", path=path).is_outside is is_outside
    asked = dict(asked_for({"projects": [{"name": "x", "path": path}]}, CONFIG_LIMITS))
    assert asked == ({("projects", 0, "path"): path} if is_outside else {})


def test_files_lie_where_their_project_does() -> None:
    assert API.file("a.py") == "packages/api/a.py"
    assert TYPES.file("a.py") == "projects/types/a.py"
    assert TOP.file("a.py") == "a.py"


def test_dependents_get_what_is_published_and_nobody_else() -> None:
    [api, web] = copies_of((TYPES, API, WEB, TOP), "types")
    assert (api.within, api.files, api.target) == (
        "projects/types",
        ("dist/",),
        "packages/api/published/types",
    )
    assert web.target == "web/vendor/types"
    assert copies_of((API, WEB), "api") == ()
    assert copies_of((TOP,), "top") == ()


def test_a_plan_has_the_projects_of_its_components_and_what_they_depend_on() -> None:
    known = {it.name: it for it in (TYPES, API, WEB, TOP)}
    assert with_needs(["web"], known) == (TYPES, API, WEB)
    assert with_needs(["strange"], known) == ()


def test_a_circle_of_projects_is_found() -> None:
    assert project_cycle((TYPES, API, WEB)) == ()
    assert set(project_cycle((replace(TYPES, depends_on=("api",)), API))) == {"types", "api"}


def test_a_plan_says_to_which_project_a_component_belongs() -> None:
    found = YamlPlans().read("plan.yaml", PLAN, (TYPES, API, WEB))
    page, serve = found.components
    assert (page.project, page.files, page.role) == ("web", ("web/page.py",), None)
    assert (serve.project, serve.role) == ("api", "api_dev"), "the first of its roles"
    assert [it.name for it in found.projects] == ["types", "api", "web"]


def test_projects_and_roles_that_nobody_knows_are_told_with_their_line() -> None:
    bad = PLAN.replace("project: api", "project: apii")
    with pytest.raises(InvalidInput) as caught:
        YamlPlans().read("plan.yaml", bad, (TYPES, API, WEB))
    assert "plan.yaml:8" in caught.value.message
    assert "unknown project 'apii'; did you mean 'api'?" in caught.value.message
    bad = PLAN.replace("project: api", "project: api, role: painter")
    with pytest.raises(InvalidInput) as caught:
        YamlPlans().read("plan.yaml", bad, (TYPES, API, WEB))
    assert "'painter' is no role of the project 'api', which has api_dev, db" in (
        caught.value.message
    )


def test_who_depends_on_a_project_waits_for_all_of_it_and_for_what_it_publishes() -> None:
    parts = [replace(component(1, 1), project="web"), replace(component(1, 2), project="types")]
    plan = replace(feature(parts), projects=(TYPES, API, WEB))
    graph = graph_of(plan)
    assert "publish.types" in graph.needs[ONE]
    assert graph.needs["publish.types"] == ("project types",)
    assert "publish.types" not in graph.gates
    assert critical_path(graph, {ONE: 1.0, TWO: 1.0}) == (TWO, ONE)
    whys = waits_of(plan, {}, ParallelLimits(), touched={})
    assert whys[ONE].startswith("waits for publish.types (pending)")


def test_a_circle_through_a_project_is_told_with_its_path() -> None:
    parts = [
        replace(component(1, 1), project="web"),
        replace(component(1, 2, needs=[ONE]), project="types"),
    ]
    [flaw] = flaws_of(replace(feature(parts), projects=(TYPES, API, WEB)))
    assert "dependency cycle" in flaw.problem
    assert "project types" in flaw.problem


def test_a_cycle_that_nobody_wrote_into_the_plan_is_told_and_nothing_else() -> None:
    parts = [
        replace(component(1, 1, files=["same"]), project="types"),
        replace(component(1, 2, files=["same"]), project="api"),
    ]
    around = (replace(TYPES, depends_on=("api",)), replace(API, depends_on=("types",)))
    [flaw] = flaws_of(replace(feature(parts), projects=around))
    assert "is part of a dependency cycle" in flaw.problem
