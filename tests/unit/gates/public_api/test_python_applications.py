"""Code of Python that nobody can install has no users to break, but for what it lists itself."""

import pytest
from tests.unit.gates.public_api.seen_breaks import Files, seen, told

INIT, CART = "shop/__init__.py", "shop/cart.py"
BEFORE: Files = {INIT: "", CART: "def total(a): ...\n", "app.py": "def main(): ...\n"}
AFTER: Files = {INIT: "", CART: "", "app.py": ""}
GONE = ["removed app.main: the function is gone", "removed shop.cart.total: the function is gone"]


def among(*others: tuple[str, str]) -> list[str]:
    """Compare the shop among files that stay as they are."""
    kept = dict(others)
    return told({**kept, **BEFORE}, {**kept, **AFTER})


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("README.md", "Run it with python app.py"),
        ("requirements.txt", "django\n"),
        ("manage.py", "import os\n"),
        ("pyproject.toml", "[tool.ruff]\nline-length = 100\n"),
        ("pyproject.toml", ""),
        ("setup.cfg", "[flake8]\nmax-line-length = 100\n"),
        ("pyproject.toml", "[tool.poetry]\nname = 'shop'\npackage-mode = false\n"),
        ("pyproject.toml", "[project]\nname = 'shop'\n[tool.uv]\npackage = false\n"),
        ("pyproject.toml", "[project]\nname = 'shop'\n[tool.pdm]\ndistribution = false\n"),
        ("pyproject.toml", "[project]\nclassifiers = ['Private :: Do Not Upload']\n"),
    ],
)
def test_an_application_breaks_nobody(file: str, text: str) -> None:
    assert among((file, text)) == []


def test_a_project_that_uv_locks_and_nothing_builds_is_an_application() -> None:
    project, lock = ("pyproject.toml", "[project]\nname = 'shop'\n"), ("uv.lock", "version = 1\n")
    assert among(project, lock) == []
    assert among(project) == GONE
    build = "[build-system]\nrequires = ['hatchling']\n"
    assert among(("pyproject.toml", f"{project[1]}{build}"), lock) == GONE


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pyproject.toml", "[project]\nname = 'shop'\n"),
        ("pyproject.toml", "[build-system]\nrequires = []\n"),
        ("pyproject.toml", "[tool.poetry]\nname = 'shop'\n"),
        ("pyproject.toml", "[tool.flit.metadata]\nmodule = 'shop'\n"),
        ("pyproject.toml", "[project\nname ="),
        ("pyproject.toml", "project = 1\n[tool]\npoetry = 2\n[build-system]\n"),
        ("setup.py", "from setuptools import setup\nsetup()\n"),
        ("setup.cfg", "[metadata]\nname = shop\n"),
        ("BUILD.bazel", "py_library(name = 'shop')\n"),
        ("meta.yaml", "package: {name: shop}\n"),
    ],
)
def test_what_may_be_installed_is_an_api(file: str, text: str) -> None:
    assert among((file, text)) == GONE


def test_what_cannot_be_read_may_be_installed() -> None:
    large = {"pyproject.toml": b"#" * (5 << 20)}
    found = seen({**large, **BEFORE}, {**large, **AFTER})
    assert [it.symbol for it in found.breaks] == ["app.main", "shop.cart.total"]
    broken = {"pyproject.toml": b"\xff\xfe"}
    assert seen({**broken, **BEFORE}, {**broken, **AFTER}).breaks == found.breaks


def test_what_an_application_lists_is_meant_for_others() -> None:
    listed = "__all__ = ['total']\ndef total(a): ...\ndef other(): ...\n"
    before = {INIT: "", CART: listed}
    assert told(before, {**before, CART: ""}) == ["removed shop.cart.total: the function is gone"]
    assert told(before, {INIT: ""}) == ["removed shop.cart: the module is gone"]
    kept = "__all__ = ['total']\ndef total(a): ...\n"
    assert told(before, {**before, CART: kept}) == []
    assert told(before, {**before, CART: "def total(a): ...\n"}) == []


def test_the_nearest_manifest_counts() -> None:
    library = "packages/cart"
    files = {f"{library}/cart/__init__.py": "def total(a): ...\n", **BEFORE}
    manifest = {f"{library}/pyproject.toml": "[project]\nname = 'cart'\n"}
    gone = {**manifest, f"{library}/cart/__init__.py": "", **AFTER}
    assert told({**manifest, **files}, gone) == ["removed cart.total: the function is gone"]
    private = {f"{library}/pyproject.toml": "[tool.poetry]\npackage-mode = false\n"}
    whole = {"setup.py": "", **private}
    assert told({**whole, **files}, {**gone, **whole}) == GONE


def test_what_was_no_api_before_is_none_because_it_can_be_installed_now() -> None:
    manifest = {"pyproject.toml": "[project]\nname = 'shop'\n"}
    assert told(BEFORE, {**manifest, **AFTER}) == []
    assert told({**manifest, **BEFORE}, AFTER) == GONE
