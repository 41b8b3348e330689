"""What a sandbox lacks is told from what a project has yet to write."""

import pytest
from tests.unit.gates.memory_commits import BASE, MemoryCommits

from supervisor_ai.engine.ports.gates import Lack, LackKind, Missing
from supervisor_ai.gates.surroundings import find_lacks

PYPROJECT = """\
[project]
name = "shop"
dependencies = ["PyYAML>=6", "ruamel.yaml", "Pillow; python_version > '3'"]
[project.optional-dependencies]
test = ["pytest-mock"]
"""
FILES = {
    "pyproject.toml": PYPROJECT,
    "src/shop/__init__.py": "",
    "src/shop/cart.py": "",
    "lib/tools.py": "",
    "web/package.json": '{"dependencies": {"@scope/left": "1", "express": "4"}}',
    "requirements/dev.txt": "hypothesis==6\n",
    "go.mod": "module a.example/shop\nrequire github.com/pkg/errors v0.9.1\n",
    "README.md": "uses flask",
}


def lacks(name: str, *, is_module: bool = True) -> tuple[Lack, ...]:
    return find_lacks(MemoryCommits(base=FILES), BASE, (Missing(name, is_module),))


@pytest.mark.parametrize(
    ("name", "place"), [("shop", "src"), ("shop.cart", "src"), ("tools", "lib")]
)
def test_a_module_of_the_project_is_somewhere_else(name: str, place: str) -> None:
    assert lacks(name) == (Lack(name=name, kind=LackKind.OWN, place=place),)


@pytest.mark.parametrize(
    "name",
    [
        *("yaml", "ruamel.yaml", "PIL", "PIL.Image", "pytest_mock", "hypothesis"),
        *("express", "@scope/left", "github.com/pkg/errors"),
    ],
)
def test_a_dependency_is_not_installed(name: str) -> None:
    assert lacks(name) == (Lack(name=name, kind=LackKind.DECLARED),)


@pytest.mark.parametrize("name", ["shop.payment", "wishlist", "flask", "./cart", "crate::cart"])
def test_what_nobody_knows_may_be_what_the_task_asks_for(name: str) -> None:
    assert lacks(name) == ()


def test_a_name_that_is_no_module_is_the_projects_own_matter() -> None:
    assert lacks("shop", is_module=False) == ()
