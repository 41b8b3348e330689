"""A feature from its file to its branch, with the installed command and real git."""

import json
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.command import User, until
from tests.e2e.feature_shop import CONFIG, PLAN, feature, shop, statuses
from tests.support.processes import Owned

__all__ = ["shop"]


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
    bad = PLAN.replace("[core.items]", "[core.itemz, prices]").replace("src/prices.py", "src/*")
    shop.write({"bad.yaml": bad})
    said = feature(shop, "load", "bad.yaml", "--json")
    assert said.code == 2
    assert "bad.yaml:13: " in said.error["message"]
    assert "'core.itemz'; did you mean 'core.items'?" in said.error["message"]
    assert "neither waits for the other" in said.error["message"]
    assert not (shop.repository / ".supervisor/features").exists()


MERGIRAF: Final = """\
#!/bin/sh
# As a merge driver of git: merge --git BASE OURS THEIRS -p PATH
[ "$1 $2 $6 $7" = "merge --git -p src/shared.txt" ] || exit 2
cat "$5" >> "$4"
"""


def test_a_tool_that_the_user_has_merges_what_git_cannot(shop: User, tmp_path: Path) -> None:
    tool = tmp_path / "tools" / "bin" / "mergiraf"
    tool.parent.mkdir(parents=True)
    tool.write_text(MERGIRAF)
    tool.chmod(0o755)
    deeds = {"prices": ["conflict"], "items": ["conflict"], "page": ["well"]}
    shop.commit({"tools/deeds.json": json.dumps(deeds)})
    assert feature(shop, "load", "plan.yaml").code == 0
    path = f"{tool.parent}:{shop.environment['PATH']}"
    done = shop.call("feature", "run", "P1", "--yes", "--json", "--max-parallel", "2", PATH=path)
    assert done.code == 0, done.err
    shared = shop.git("show", f"{done.run['branch']}:src/shared.txt").splitlines()
    assert sorted(it.split()[0] for it in shared) == ["items", "prices"]
    assert "by mergiraf in src/shared.txt" in shop.call("events", done.run["id"]).out
    shown = feature(shop, "status", "P1").out
    assert "P1-PH1-C1 has written undeclared files: src/shared.txt" in shown


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
    shown = feature(shop, "show", "P1", "--json").json["feature"]["phases"][0]
    assert shown["interfaces"][0]["status"] == "locked"
    assert shown["interfaces"][0]["validated"][0]["verdict"] == "passed"
    assert shown["components"][0]["interfaces"] == shown["interfaces"][0]["validated"]
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
    with closing(sqlite3.connect(shop.repository / ".supervisor/state.db")) as ledger:
        rows = ledger.execute("SELECT id, phase_id FROM components ORDER BY id").fetchall()
        assert rows == [("P1-PH1-C1", "P1-PH1"), ("P1-PH1-C2", "P1-PH1"), ("P1-PH2-C1", "P1-PH2")]
        assert ledger.execute(
            "SELECT component_id, depends_on_id FROM dependencies"
        ).fetchall() == [("P1-PH2-C1", "P1-PH1-C1")]


def test_a_phase_is_shown_before_it_is_taken_back_and_is_built_again(shop: User) -> None:
    shop.commit({"tools/deeds.json": json.dumps({"page": ["fail", "well"]})})
    assert feature(shop, "load", "plan.yaml").code == 0
    first = feature(shop, "run", "P1", "--yes", "--json")
    assert first.code == 5, first.err
    branch = first.run["branch"]
    before = shop.git("rev-parse", branch)
    shown = feature(shop, "rollback", "P1", "core", "--dry-run")
    assert shown.code == 0
    assert shown.out.count("revert  ") == 2
    assert feature(shop, "rollback", "P1", "core", "--json").error["kind"] == "invalid"
    assert feature(shop, "rollback", "P1", "corr", "--json").error["hint"]
    told = feature(shop, "rollback", "P1", "P1-PH1", "--yes", "--json").json["undo"]
    assert told["applied"] is True
    commits = shop.git("rev-list", "--max-count=2", branch).split()
    assert [it["commit"] for it in told["reverts"]] == commits, "the newest first"
    assert feature(shop, "run", "P1", "--yes", "--json").code == 5
    files = shop.git("ls-tree", "-r", "--name-only", branch, "--", "src", "interfaces").split()
    assert files == ["interfaces/Item.pyi", "src/README"]
    assert shop.git("merge-base", before, branch) == before
    assert "Revert items (P1-PH1-C1)" in shop.git("log", "--format=%s", branch)
    assert set(statuses(feature(shop, "status", "P1", "--json")).values()) == {"pending"}
    assert feature(shop, "restart", "P1", "core", "--yes", "--json").error["kind"] == "conflict"
    assert feature(shop, "resume", "P1").code == 0
    assert feature(shop, "run", "P1", "--yes", "--json").code == 5
    assert shop.git("show", f"{branch}:src/items.py") == "items cannot write interfaces"


GATE: Final = """\
name: phase_gate
description: Look at a phase
initial_step: supervise
steps:
  supervise:
    type: checkpoint
    options:
      checks: [{contains_heading: {path: record/task.md, heading: Poems}, id: poems}]
    terminal: true
"""


def test_a_phase_waits_for_the_checkpoint_of_the_one_before(shop: User) -> None:
    plan = PLAN.replace("    - id: core\n", "    - id: core\n      checkpoint: phase_gate\n")
    shop.commit({".supervisor/workflows/phase_gate.yaml": GATE, "plan.yaml": plan})
    assert feature(shop, "load", "plan.yaml").code == 0
    asked = feature(shop, "run", "P1", "--yes", "--json")
    assert asked.code == 5, asked.err
    found = feature(shop, "status", "P1", "--json")
    assert statuses(found)["checkpoint"] == "review"
    assert statuses(found)["page"] == "pending"
    gate = found.json["feature"]["phases"][0]["components"][-1]
    assert (gate["id"], gate["files"]) == ("P1-PH1-C3", [])
    assert "ReportWritten" in shop.types(gate["run"])
    assert shop.call("approve", gate["run"], "--note", "Poems come later.").code == 0
    done = feature(shop, "run", "P1", "--yes", "--json")
    assert done.code == 0, done.err
    assert len(shop.git("rev-list", f"main..{done.run['branch']}").split()) == 4


def test_interfaces_that_are_red_are_edited_or_tried_again(shop: User, tmp_path: Path) -> None:
    config = CONFIG.replace("broken src", "broken src interfaces")
    plan = PLAN.replace("class Item: ...", "class Item: broken")
    shop.commit(
        {".supervisor/config.yaml": config, "plan.yaml": plan, "interfaces/README": "All.\n"}
    )
    assert feature(shop, "load", "plan.yaml").code == 0
    assert feature(shop, "run", "P1", "--yes", "--json").code == 5
    stopped = feature(shop, "status", "P1", "--json").json["feature"]
    assert stopped["status"] == "failed"
    assert "could not be locked" in stopped["problem"]
    assert "could not be locked" in stopped["phases"][0]["components"][0]["why"]
    assert feature(shop, "skip", "P1", "interfaces", "--json").error["kind"] == "not_found"
    assert feature(shop, "retry", "P1", "interfaces").code == 0
    assert feature(shop, "run", "P1", "--yes", "--json").code == 5
    editor = tmp_path / "editor.py"
    editor.write_text(EDITOR)
    edited = shop.call("feature", "edit", "P1", "--json", EDITOR=f"python3 {editor}")
    assert edited.code == 0, edited.err
    done = feature(shop, "run", "P1", "--yes", "--json")
    assert done.code == 0, done.err
    assert shop.git("show", f"{done.run['branch']}:interfaces/Item.pyi") == "class Item: whole"


EDITOR: Final = """\
import sys
from pathlib import Path

file = Path(sys.argv[1])
file.write_text(file.read_text().replace("broken", "whole"))
"""


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


CAREFUL: Final = """\
name: careful
description: Implement, ask a person and commit
initial_step: implement
steps:
  implement: {role: implementer, next: approve}
  approve: {type: human_gate, next: commit}
  commit: {type: commit, terminal: true}
"""
GREEDY: Final = """\
feature:
  id: P1
  title: A greedy worker
  phases:
    - id: core
      components:
        - {id: items, files: [src/items.py], workflow: careful}
        - {id: prices, files: [src/prices.py]}
        - {id: page, files: [src/shared.txt]}
"""


def test_what_a_component_at_work_has_changed_without_a_claim_is_waited_for(shop: User) -> None:
    shop.commit(
        {
            ".supervisor/workflows/careful.yaml": CAREFUL,
            "greedy.yaml": GREEDY,
            "tools/deeds.json": json.dumps({"items": ["conflict"]}),
        }
    )
    assert feature(shop, "load", "greedy.yaml").code == 0
    built = feature(shop, "run", "P1", "--yes", "--json", "--max-parallel", "2")
    assert built.code == 5
    stands = feature(shop, "status", "P1", "--json")
    assert statuses(stands) == {"items": "review", "prices": "completed", "page": "pending"}
    items, _, page = stands.json["feature"]["phases"][0]["components"]
    assert page["why"] == (
        f"waits for src/shared.txt, which {items['id']} has changed without saying so"
    )
    assert items["why"] == f"run {items['run']} waits for a person"
    assert f"Run {built.run['id']} needs you; branch" in feature(shop, "status", "P1").out
    assert shop.call("approve", items["run"]).code == 0
    assert feature(shop, "run", "P1", "--yes", "--json").code == 0
    assert set(statuses(feature(shop, "status", "P1", "--json")).values()) == {"completed"}


def test_a_phase_of_a_feature_that_is_built_is_taken_back_by_a_run_that_goes_on(shop: User) -> None:
    assert feature(shop, "load", "plan.yaml").code == 0
    first = feature(shop, "run", "P1", "--yes", "--json")
    assert first.code == 0, first.err
    branch, before = first.run["branch"], shop.git("rev-parse", first.run["branch"])
    shown = feature(shop, "rollback", "P1", "face", "--dry-run", "--json").json["undo"]
    assert (shown["run"], shown["reopens"]) == (first.run["id"], first.run["id"])
    assert [it["component"] for it in shown["reverts"]] == ["P1-PH2-C1"]
    told = feature(shop, "rollback", "P1", "face", "--yes", "--json").json["undo"]
    assert told["reopens"] == first.run["id"] != told["run"]
    assert feature(shop, "run", "P1", "--yes", "--json").code == 5, "it is paused"
    stands = feature(shop, "status", "P1", "--json")
    assert stands.json["feature"]["run"] == told["run"]
    assert statuses(stands) == {"items": "completed", "prices": "completed", "page": "pending"}
    assert shop.git("merge-base", before, branch) == before, "history is added to"
    assert "src/page.py" not in shop.git("ls-tree", "-r", "--name-only", branch)
    assert feature(shop, "resume", "P1").code == 0
    done = feature(shop, "run", "P1", "--yes", "--json")
    assert done.code == 0, done.err
    assert done.run["branch"] == branch
    assert shop.git("rev-list", "--count", f"{before}..{branch}") == "2", "a revert, a component"
    assert shop.git("diff", before, branch) == ""


def test_a_branch_that_is_not_where_its_run_left_it_is_not_gone_on_with(shop: User) -> None:
    assert feature(shop, "load", "plan.yaml").code == 0
    branch = feature(shop, "run", "P1", "--yes", "--json").run["branch"]
    left = shop.git("rev-parse", branch)
    shop.git("branch", "--delete", "--force", branch)
    refused = feature(shop, "restart", "P1", "core", "--dry-run", "--json")
    assert (refused.code, refused.error["kind"]) == (4, "conflict")
    assert "is gone" in refused.error["message"]
    shop.git("branch", branch, left)
    assert feature(shop, "restart", "P1", "core", "--dry-run").code == 0


def test_a_feature_that_was_cancelled_goes_on_where_it_was(shop: User) -> None:
    shop.commit({"tools/deeds.json": json.dumps({"page": ["fail", "well"]})})
    assert feature(shop, "load", "plan.yaml").code == 0
    first = feature(shop, "run", "P1", "--yes", "--json")
    assert first.code == 5
    assert feature(shop, "cancel", "P1").code == 0
    assert feature(shop, "restart", "P1", "face", "--yes").code == 0
    again = feature(shop, "run", "P1", "--yes", "--json")
    assert again.run["id"] != first.run["id"]
    assert again.run["branch"] == first.run["branch"]
    stands = statuses(feature(shop, "status", "P1", "--json"))
    assert (stands["items"], stands["prices"]) == ("completed", "completed")


def test_a_role_that_nobody_knows_is_named_when_the_plan_is_loaded(shop: User) -> None:
    packages = "projects: [{name: types, path: ./types, roles: [type_architect, implementer]}]\n"
    plan = PLAN.replace("id: face\n", "id: face\n      project: types\n")
    shop.commit({".supervisor/config.yaml": CONFIG + packages, "typed.yaml": plan})
    said = feature(shop, "load", "typed.yaml")
    assert said.code == 0
    wanted = "The role 'type_architect' of component P1-PH2-C1 is not known"
    assert said.err.count("is not known") == said.err.count(wanted) == 1
