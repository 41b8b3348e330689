"""A feature from its file to its branch, with the installed command and real git."""

import json
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.command import Said, User, until
from tests.support.processes import Owned

AGENT: Final = Path(__file__).with_name("feature_agent.py")
CONFIG: Final = """\
cli: my_agent
workflow: small
clis:
  my_agent: {adapter: command, command: [python3, tools/agent.py]}
gates:
  test: {command: [sh, -c, "! grep --recursive --quiet broken src"]}
baseline: note
limits: {step_max_retries: 0}
"""
SMALL: Final = """\
name: small
description: Implement, test and commit
initial_step: implement
steps:
  implement:
    role: implementer
    next: test
  test:
    type: orchestrator_gate
    gate: test
    next: commit
    on_fail: implement
  commit:
    type: commit
    terminal: true
"""
PLAN: Final = """\
feature:
  id: P1
  title: A small shop
  phases:
    - id: core
      interfaces:
        - {name: Item, type: python_stub, definition: "class Item: ..."}
      components:
        - {id: items, files: [src/items.py, src/list.py]}
        - {id: prices, files: [src/prices.py]}
    - id: face
      components:
        - {id: page, files: [src/page.py], depends_on: [core.items]}
"""


@pytest.fixture
def shop(newcomer: User) -> User:
    newcomer.commit(
        {
            ".supervisor/config.yaml": CONFIG,
            ".supervisor/workflows/small.yaml": SMALL,
            "tools/agent.py": AGENT.read_text(),
            "tools/deeds.json": "{}",
            "src/README": "A shop.\n",
            "plan.yaml": PLAN,
        }
    )
    return newcomer


def feature(user: User, *words: str) -> Said:
    return user.call("feature", *words)


def statuses(said: Said) -> dict[str, str]:
    phases = said.json["feature"]["phases"]
    return {it["name"]: it["status"] for phase in phases for it in phase["components"]}


def test_a_feature_is_loaded_and_shown_before_anybody_builds_it(shop: User) -> None:
    loaded = feature(shop, "load", "plan.yaml", "--json")
    assert loaded.code == 0
    found = loaded.json["feature"]
    assert (found["id"], found["status"], found["progress"]["total"]) == ("P1", "planning", 3)
    part = found["phases"][1]["components"][0]
    assert part["id"] == "P1-PH2-C1"
    assert part["depends_on"] == ["P1-PH1-C1"]
    assert part["run"] is None
    assert "P1-PH1-C1 (pending)" in part["why"]
    assert (shop.repository / ".supervisor/features/P1.yaml").read_text() == PLAN
    assert feature(shop, "list", "--json").json["features"][0]["id"] == "P1"
    assert "flowchart" in feature(shop, "show", "P1", "--format", "mermaid").out
    assert feature(shop, "show", "P2", "--json").error["kind"] == "not_found"
    assert feature(shop, "pause", "P1").code == 3


def test_a_bad_plan_is_refused_with_every_mistake_and_kept_nowhere(shop: User) -> None:
    bad = PLAN.replace("[core.items]", "[core.itms, prices]").replace("src/prices.py", "src/*")
    shop.write({"bad.yaml": bad})
    said = feature(shop, "load", "bad.yaml", "--json")
    assert said.code == 2
    assert "bad.yaml:13: " in said.error["message"]
    assert "'core.itms'; did you mean 'core.items'?" in said.error["message"]
    assert "neither waits for the other" in said.error["message"]
    assert not (shop.repository / ".supervisor/features").exists()


def test_a_feature_is_built_merged_and_green_over_a_conflict_and_without_what_fails(
    shop: User,
) -> None:
    deeds = {"prices": ["conflict", "well"], "items": ["conflict"], "page": ["fail"]}
    shop.commit({"tools/deeds.json": json.dumps(deeds)})
    assert feature(shop, "load", "plan.yaml").code == 0
    first = feature(shop, "run", "P1", "--yes", "--json", "--max-parallel", "2")
    assert first.code == 5, first.err
    stopped = feature(shop, "status", "P1", "--json")
    assert statuses(stopped) == {"items": "completed", "prices": "completed", "page": "failed"}
    assert stopped.json["feature"]["status"] == "failed"
    assert stopped.json["feature"]["seconds_left"] >= 0
    assert stopped.json["feature"]["usage"]["tokens_in"] == 0
    assert "is waiting; branch" in feature(shop, "status", "P1").out
    assert feature(shop, "retry", "P1", "items", "--json").error["kind"] == "conflict"
    assert feature(shop, "skip", "P1", "face.page").code == 0
    done = feature(shop, "run", "P1", "--yes", "--json")
    assert done.code == 0, done.err
    assert done.json["feature"]["progress"] == {"completed": 3, "total": 3, "percent": 100}
    branch = done.run["branch"]
    commits = shop.git("rev-list", "--reverse", f"main..{branch}").split()
    assert len(commits) == 3, "the interfaces and two components"
    assert shop.git("show", f"{commits[0]}:interfaces/Item.pyi") == "class Item: ..."
    assert shop.git("show", f"{branch}:src/items.py") == "items cannot write interfaces"
    for commit in commits:
        assert "broken" not in shop.git("grep", "--fixed-strings", "-h", "", commit, "--", "src")
    trailers = shop.git("log", "--format=%(trailers:key=Supervisor-Op,valueonly)", branch).split()
    assert len(trailers) == len(set(trailers)) == 3
    assert shop.git("status", "--porcelain", "--", "src", "tools") == ""


@pytest.mark.long
def test_a_feature_that_is_killed_again_and_again_loses_and_doubles_nothing(shop: User) -> None:
    deeds = {"prices": ["conflict", "well"], "items": ["conflict"]}
    shop.commit({"tools/deeds.json": json.dumps(deeds)})
    assert feature(shop, "load", "plan.yaml").code == 0
    words = ("feature", "run", "P1", "--yes", "--json", "--max-parallel", "2")
    for kind in ("AssignmentWritten", "IntegrationLanded", "MergeStarted", "MergePrepared"):
        with shop.start(*words) as process:
            until(partial(_has, shop, kind, process), kind)
            process.kill()
            process.communicate()
    done = shop.call(*words)
    assert done.code == 0, done.err
    branch = done.run["branch"]
    commits = shop.git("rev-list", f"main..{branch}").split()
    trailers = shop.git("log", "--format=%(trailers:key=Supervisor-Op,valueonly)", branch).split()
    assert len(commits) == len(trailers) == len(set(trailers)) == 4
    assert shop.git("show", f"{branch}:src/page.py") == "page cannot write interfaces"


def _has(user: User, kind: str, process: Owned) -> bool:
    """Tell whether the feature's run has such a fact, or is over."""
    if process.poll() is not None:
        return True
    runs = user.call("status", "--json").json["runs"]
    own = [it["id"] for it in runs if it["driver"] == "feature"]
    return bool(own) and kind in user.types(own[0])
