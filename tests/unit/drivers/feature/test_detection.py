"""Which components need which, as their imports say."""

import pytest
from tests.unit.drivers.feature.plans import cid, component, feature

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.plan.detection import (
    FoundImport,
    claimed_files,
    detect,
    module_of,
    quoted,
    statement,
)

ONE, TWO, THREE = cid(1, 1), cid(1, 2), cid(1, 3)
PLAN = feature(
    [
        component(1, 1, files=["models/user.py"]),
        component(1, 2, files=["services/"], needs=[ONE]),
        component(1, 3, files=["api/*.py"], needs=[TWO]),
    ]
)


def test_files_belong_to_who_claims_them_also_before_they_are_there() -> None:
    found = claimed_files(PLAN, ["services/a.py", "api/auth.py", "README"])
    assert found == {"models/user.py": ONE, "services/a.py": TWO, "api/auth.py": THREE}


def test_edges_are_told_once_and_held_against_the_plan() -> None:
    owners = {"models/user.py": ONE, "services/a.py": TWO, "services/b.py": TWO, "api/x.py": THREE}
    imports = {
        "services/a.py": [FoundImport(name="api.x", files=("api/x.py",))],
        "services/b.py": [
            FoundImport(name="api.x y", files=("api/x.py", "services/a.py", "tests/t.py")),
            FoundImport(name="redis"),
            FoundImport(name="redis"),
            FoundImport(name="json", is_external=True),
        ],
        "api/x.py": [FoundImport(name="models.user User", files=("models/user.py",))],
        "tests/t.py": [FoundImport(name="anything")],
    }
    found = detect(PLAN, owners, imports)
    assert [(it.component, it.needs, it.is_planned) for it in found.edges] == [
        (TWO, THREE, False),
        (THREE, ONE, True),
    ]
    assert found.edges[1].statement == "from models.user import User"
    assert [it.component for it in found.unplanned] == [TWO]
    assert [(it.component, it.name) for it in found.unconfirmed] == [(TWO, "redis")]


def test_what_two_ways_lead_to_is_planned_once() -> None:
    both = component(1, 3, files=["api/*.py"], needs=[ONE, TWO])
    plan = feature([*PLAN.phases[0].components[:2], both])
    imports = {"api/x.py": [FoundImport(name="models.user", files=("models/user.py",))]}
    found = detect(plan, {"models/user.py": ONE, "api/x.py": THREE}, imports)
    assert [(it.component, it.needs, it.is_planned) for it in found.edges] == [(THREE, ONE, True)]


@pytest.mark.parametrize(
    ("name", "files", "needs"),
    [
        ("@/models/user", (), [ONE]),
        ("~/models/user", (), [ONE]),
        ("@/services/a", (), [TWO]),
        ("@/nothing", (), []),
        ("models/user", (), []),
        ("@/models/user", ("services/elsewhere.ts",), []),
    ],
)
def test_an_import_from_the_top_of_a_project_leads_to_a_component_in_any_language(
    name: str, files: tuple[str, ...], needs: list[str]
) -> None:
    owners = {"models/user.py": ONE, "src/services/a.ts": TWO, "api/Login.tsx": THREE}
    found = detect(PLAN, owners, {"api/Login.tsx": [FoundImport(name=name, files=files)]})
    assert [it.needs for it in found.edges] == needs
    assert bool(found.unconfirmed) is not bool(needs or files)


@pytest.mark.parametrize(
    ("file", "name", "told"),
    [
        ("a.py", "redis", "import redis"),
        ("a.pyi", ".x y z", "from .x import y, z"),
        ("a.ts", "@/api/auth", "import '@/api/auth'"),
        ("a.go", "example.com/x", 'import "example.com/x"'),
        ("a.rs", "crate::x", "use crate::x"),
        ("A.java", "com.a.B", "import com.a.B"),
    ],
)
def test_an_import_is_written_as_its_language_does(file: str, name: str, told: str) -> None:
    assert statement(file, name) == told


def test_an_import_of_typescript_is_quoted_as_it_stands() -> None:
    text = "import { Form } from './form'\nimport {\n  login,\n} from '@/api/auth';\nlet x = 1\n"
    assert quoted(text, "@/api/auth") == "import { login, } from '@/api/auth'"
    assert quoted(text, "./form") == "import { Form } from './form'"
    assert quoted("const { a } = require('redis')\n", "redis") == "const { a } = require('redis')"
    assert quoted(text, "redis") is None
    assert module_of("import '@/api/auth'") == "@/api/auth"
    assert module_of('import "fmt"') is None


def test_what_a_person_called_a_package_is_not_asked_again() -> None:
    owners, imports = {"a.py": ONE}, {"a.py": [FoundImport(name="redis Redis")]}
    assert len(detect(PLAN, owners, imports).unconfirmed) == 1
    assert detect(replace(PLAN, external=("redis",)), owners, imports).unconfirmed == ()
