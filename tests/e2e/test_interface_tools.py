"""The real tools validate interfaces in the sandbox: what is right, and what only they find."""

import json
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from tests.clis.stage import CACHE
from tests.e2e.command import Json, User
from tests.e2e.feature_shop import feature, shop
from tests.support.plain_machine import plain_path

__all__ = ["shop"]


class Case(NamedTuple):
    """A tool, an interface that it accepts, and one that a parser accepts and it does not."""

    tool: str
    kind: str
    good: str
    bad: str
    place: str
    """Where it is looked for besides the system."""
    missing: str
    """How one comes by it."""


_SITE: Final = Path(sysconfig.get_path("platlib"))
_OF_MYPY: Final = (
    *("mypy", "mypy_extensions.py", "typing_extensions.py"),
    *("pathspec", "librt", "ast_serialize"),
)
_MYPY: Final = """\
#!/usr/bin/env python3
import sys
sys.path.insert(0, {site!r})
from mypy.__main__ import console_entry
console_entry()
"""
CASES: Final = {
    "tsc": Case(
        *("tsc", "typescript_interface"),
        *("interface Item { price: number; }", "interface Item { price: Money; }"),
        *(str(CACHE / "bin"), "run scripts/install-clis"),
    ),
    "mypy": Case(
        *("mypy", "python_stub"),
        *("class Item: ...", "class Item(Thing): ..."),
        *("", "the python3 of this machine cannot load what .venv has"),
    ),
    "protoc": Case(
        *("protoc", "protobuf"),
        'syntax = "proto3"; message Item { string name = 1; }',
        'syntax = "proto3"; message Item { Price price = 1; }',
        *("", "sudo apt-get install protobuf-compiler"),
    ),
}
_PLAN: Final = """\
feature:
  id: P1
  title: A small shop
  phases:
    - id: core
      interfaces:
        - name: Item
          type: {kind}
          definition: |
            {definition}
      components:
        - {{id: items, files: [src/items.py]}}
"""


def _own_mypy(place: Path) -> Path:
    """Install mypy as a user has it: what is installed beside supervisor is not theirs."""
    site = place / "bin" / "site-packages"
    site.mkdir(parents=True)
    for name in (*_OF_MYPY, *(it.name for it in _SITE.glob("*__mypyc*.so"))):
        if (_SITE / name).is_dir():
            shutil.copytree(_SITE / name, site / name, copy_function=os.link)
        elif (_SITE / name).exists():
            os.link(_SITE / name, site / name)
    program = place / "bin" / "mypy"
    program.write_text(_MYPY.format(site=str(site)))
    program.chmod(0o755)
    return program


def _path(case: Case, place: Path) -> str:
    path = f"{case.place}:{plain_path()}" if case.place else plain_path()
    if case.tool == "mypy":
        program = _own_mypy(place)
        path = f"{program.parent}:{path}"
        words = [str(program), "-c", "x = 1"]
        tried = subprocess.run(words, cwd=place, capture_output=True, check=False)
        if tried.returncode:
            pytest.skip(f"mypy does not work: {tried.stderr.decode()[-300:]}")
    if shutil.which(case.tool, path=path) is None:
        pytest.skip(f"{case.tool} is not installed: {case.missing}")
    return path


def _build(user: User, case: Case, definition: str) -> Json:
    path = _path(case, user.home.parent / "tools")
    # The settings of a project are in the way of a tool that is given files.
    user.commit(
        {
            "plan.yaml": _PLAN.format(kind=case.kind, definition=definition),
            "tsconfig.json": '{"include": ["types"]}\n',
        }
    )
    assert feature(user, "load", "plan.yaml").code == 0
    said = user.call("feature", "run", "P1", "--yes", "--json", PATH=path)
    shown: Json = feature(user, "status", "P1", "--json").json["feature"]
    return {**shown, "code": said.code, "events": user.types(said.run["id"])}


def _looks(shown: Json) -> list[tuple[str, str]]:
    [phase] = shown["phases"]
    return [(it["by"], it["verdict"]) for it in phase["components"][0]["interfaces"]]


@pytest.mark.parametrize(
    "name",
    ["mypy", *(pytest.param(it, marks=pytest.mark.long) for it in CASES if it != "mypy")],
)
def test_a_real_tool_looks_when_interfaces_are_locked_and_with_every_component(
    shop: User, name: str
) -> None:
    case = CASES[name]
    shown = _build(shop, case, case.good)
    assert shown["code"] == 0
    looks = _looks(shown)
    assert looks
    assert set(looks) == {(case.tool, "passed")}


@pytest.mark.long
@pytest.mark.parametrize("name", list(CASES))
def test_what_only_a_real_tool_finds_stops_the_feature_before_anybody_builds(
    shop: User, name: str
) -> None:
    case = CASES[name]
    shown = _build(shop, case, case.bad)
    assert shown["code"] == 5
    assert f"says {case.tool}" in str(shown["problem"])
    assert "ChildStarted" not in str(shown["events"])


@pytest.mark.long
def test_a_component_that_breaks_the_interface_hears_what_tsc_says(shop: User) -> None:
    case = CASES["tsc"]
    wrong, right = (f"export const ITEM: Item = {{ price: {it} }};\n" for it in ('"5"', "5"))
    plan = _PLAN.format(kind=case.kind, definition=case.good)
    shop.commit(
        {
            "plan.yaml": plan.replace("src/items.py", "src/item.ts"),
            "tsconfig.json": '{"include": ["types", "src"]}\n',
            "tools/deeds.json": json.dumps(
                {"items": [{"src/item.ts": it} for it in (wrong, right)]}
            ),
        }
    )
    assert feature(shop, "load", "plan.yaml").code == 0
    path = _path(case, shop.home)
    said = shop.call("feature", "run", "P1", "--yes", "--json", PATH=path)
    assert said.code == 0, said.err
    failed = [it["payload"] for it in shop.events(said.run["id"]) if it["type"] == "StepFailed"]
    assert ["says tsc" in it["reason"] for it in failed] == [True]
    assert shop.git("show", f"{said.run['branch']}:src/item.ts") == right.strip()
