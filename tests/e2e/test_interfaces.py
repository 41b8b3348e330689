"""Interfaces of a feature from the command line: shown, unlocked, changed and locked again."""

import json

import pytest
from tests.e2e.command import User
from tests.e2e.feature_shop import CONFIG, PLAN, feature, shop, statuses

__all__ = ["shop"]


def status_of(user: User) -> str:
    shown = user.call("interface", "show", "P1", "Item", "--json").json["interfaces"][0]
    return str(shown["interface"]["status"])


def test_an_interface_is_unlocked_with_an_approval_changed_and_locked_again(shop: User) -> None:
    build_all_but_the_last(shop)
    run = unlock_with_an_approval(shop)
    stands = feature(shop, "status", "P1", "--json")
    assert statuses(stands) == {"items": "pending", "prices": "pending", "page": "failed"}
    whys = [it["why"] for it in stands.json["feature"]["phases"][0]["components"]]
    assert whys == ["waits for the interface Item, which is unlocked"] * 2

    shop.write({"item.pyi": "class Item\n"})
    wrong = shop.call("interface", "lock", "P1", "Item", "--file", "item.pyi", "--json")
    assert (wrong.code, wrong.error["kind"]) == (2, "invalid")
    shop.write({"item.pyi": "class Item:\n    price: int\n"})
    locked = shop.call("interface", "lock", "P1", "Item", "--file", "item.pyi")
    assert locked.code == 0, locked.err
    assert feature(shop, "skip", "P1", "face.page").code == 0
    done = feature(shop, "run", "P1", "--yes", "--json")
    assert done.code == 0, done.err
    branch = done.run["branch"]
    assert shop.git("show", f"{branch}:interfaces/Item.pyi") == "class Item:\n    price: int"
    assert status_of(shop) == "locked"
    types = shop.types(run)
    assert types.count("InterfacesValidated") >= 4, "twice locked, and with each component"
    assert types.count("ComponentReopened") == 2


def build_all_but_the_last(shop: User) -> None:
    shop.commit({"tools/deeds.json": json.dumps({"page": ["fail"]})})
    assert feature(shop, "load", "plan.yaml").code == 0
    assert status_of(shop) == "planned"
    assert shop.call("interface", "unlock", "P1", "Item", "--reason", "x").code == 3
    assert feature(shop, "run", "P1", "--yes").code == 5
    said = shop.call("interface", "show", "P1", "Item")
    assert "Item (python_stub)  locked, passed by" in said.out
    assert "used by   core.items, core.prices, face.page" in said.out
    assert "class Item: ..." in said.out
    assert shop.call("interface", "lock", "P1", "Item", "--json").error["kind"] == "conflict"


def unlock_with_an_approval(shop: User) -> str:
    unlock = ("interface", "unlock", "P1", "Item", "--reason", "a price is missing", "--json")
    asked = shop.call(*unlock)
    assert asked.code == 5, asked.out
    assert asked.json["applied"] is False
    assert status_of(shop) == "unlocking"
    assert shop.call(*unlock).code == 5
    run = asked.json["target"]
    waiting = shop.call("approvals", "--json").json["approvals"]
    assert [it["run"] for it in waiting] == [run]
    assert "a price is missing" in shop.call("status", run).out
    assert shop.call("approve", run).code == 0
    assert feature(shop, "run", "P1", "--yes").code == 5
    assert status_of(shop) == "unlocked"
    assert shop.call(*unlock).code == 0
    return str(run)


def test_dependencies_are_found_in_the_code_and_taken_into_the_plan(shop: User) -> None:
    shop.commit(
        {
            "src/prices.py": "from src.items import Item\nimport unheard_of\n",
            "src/page.py": "from src.prices import Price\n",
        }
    )
    assert feature(shop, "load", "plan.yaml").code == 0
    told = shop.call("analyze-deps", "P1")
    assert told.code == 0, told.err
    assert 'prices → items (from: "from src.items import Item")  [not in the plan]' in told.out
    assert 'prices → unheard_of (from: "import unheard_of")' in told.out
    assert "analyze-deps P1 --yes" in told.err
    kept = shop.repository / ".supervisor/features/P1.yaml"
    assert "depends_on: [items]" not in kept.read_text()
    said = shop.call("analyze-deps", "P1", "--yes", "--json").json
    assert said["added"] == [["P1-PH2-C1", "P1-PH1-C2"], ["P1-PH1-C2", "P1-PH1-C1"]]
    assert "{id: prices, files: [src/prices.py], depends_on: [items]}" in kept.read_text()
    assert "depends_on: [core.items, core.prices]" in kept.read_text()
    again = shop.call("analyze-deps", "P1", "--yes", "--json").json
    assert again["added"] == []


def test_a_worker_leaves_a_note_for_another_component(shop: User) -> None:
    deeds = {"notes": {"items": [{"to": "face.page", "text": "NOTE: sort by price"}]}}
    shop.commit({"tools/deeds.json": json.dumps(deeds)})
    assert feature(shop, "load", "plan.yaml").code == 0
    done = feature(shop, "run", "P1", "--yes", "--json")
    assert done.code == 0, done.err
    branch = done.run["branch"]
    page = shop.git("show", f"{branch}:src/page.py")
    assert "The worker of core.items wrote:\n> NOTE: sort by price" in page
    assert "told" not in shop.git("show", f"{branch}:src/prices.py")


SETUP = """\
import os
from pathlib import Path

tool = Path("node_modules/.bin/tsc")
tool.parent.mkdir(parents=True)
tool.write_text("#!/bin/sh\\necho $@ >&2\\n! grep --recursive --quiet again src\\n")
os.chmod(tool, 0o755)
"""


@pytest.mark.long
def test_the_tool_of_the_set_up_looks_at_a_whole_project_in_the_sandbox(shop: User) -> None:
    typed = PLAN.replace("type: python_stub", "type: typescript_interface").replace(
        "class Item: ...", "interface Item { price: number; }"
    )
    config = f"{CONFIG}workspace: {{setup: [python3, tools/setup.py]}}\n"
    shop.commit(
        {
            ".supervisor/config.yaml": config,
            "tools/setup.py": SETUP,
            ".gitignore": "node_modules\n",
            "tsconfig.json": "{}",
            "plan.yaml": typed,
        }
    )
    assert feature(shop, "load", "plan.yaml").code == 0
    done = feature(shop, "run", "P1", "--yes", "--json")
    assert done.code == 0, done.err
    shown = feature(shop, "show", "P1", "--json").json["feature"]["phases"][0]
    whole = {"by": "tsc", "verdict": "passed", "scope": "project"}
    assert shown["interfaces"][0]["validated"] == [{**whole, "scope": "interfaces"}, whole]
    assert shown["components"][0]["interfaces"] == shown["interfaces"][0]["validated"]
