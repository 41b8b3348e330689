"""A feature over a monorepo's package and another repository, landed in both or in none."""

import json
from pathlib import Path

import pytest
from tests.e2e.command import User
from tests.e2e.two_repositories import Shop
from tests.support.processes import PATIENCE


@pytest.fixture
def shop(newcomer: User) -> Shop:
    return Shop(newcomer)


def _agreed(path: Path) -> str:
    return path.read_text().strip()


def test_a_feature_is_built_over_two_repositories_and_lands_in_both(shop: Shop) -> None:
    before = shop.tips()
    shop.built()
    assert shop.tips() == before, "nothing of the user's moves while it is built"
    runs = shop.user.call("status", "--json").json["runs"]
    own = next(it["id"] for it in runs if it["driver"] == "feature")
    merged = shop.user.call("merge", own, "--json")
    assert merged.code == 4
    assert "feature land P1" in merged.error["hint"]
    tried = shop.feature("land", "P1", "--dry-run", "--json").json
    assert (tried["dry_run"], tried["applied"], len(tried["moves"])) == (True, False, 2)
    assert shop.tips() == before
    for process in [shop.user.start("feature", "land", "P1", "--json") for _ in range(3)]:
        with process:
            out, _ = process.communicate(timeout=PATIENCE)
        assert (process.returncode, json.loads(out)["status"]) == (0, "landed")
    wrote = "prices cannot write interfaces"
    assert _agreed(shop.types / "dist/prices.d.ts") == wrote
    home = shop.user.repository
    assert _agreed(home / "packages/web/vendor/shared-types/dist/prices.d.ts") == wrote
    assert _agreed(home / "packages/web/page.py") == "page cannot write interfaces"
    assert not (home / "projects").exists(), "the other repository's files are not in this one"
    for git, old in ((shop.user.git, before[0]), (shop.git, before[1])):
        assert git("rev-list", "--count", f"{old}..main") == "1"
        assert git("status", "--porcelain", "--untracked-files=no") == ""
        assert f"Supervisor-Run: {own}" in git("log", "-1", "--format=%B", "main")
    after = shop.tips()
    assert shop.feature("land", "P1", "--json").json["status"] == "landed"
    assert shop.tips() == after, "it lands once"
    types = [it["type"] for it in _events(shop, f"landing:{own}")]
    assert types == ["LandingPrepared", "LandingMoved", "LandingMoved", "LandingCompleted"]


def _events(shop: Shop, stream: str) -> list[dict[str, str]]:
    import sqlite3

    with sqlite3.connect(shop.user.repository / ".supervisor/state.db") as ledger:
        rows = ledger.execute("SELECT type FROM events WHERE stream = ? ORDER BY seq", [stream])
        return [{"type": row[0]} for row in rows]


def test_what_is_in_the_way_in_one_repository_lets_it_land_in_none(shop: Shop) -> None:
    shop.built()
    before = shop.tips()
    (shop.types / "dist").mkdir()
    (shop.types / "dist/prices.d.ts").write_text("mine\n")
    said = shop.feature("land", "P1", "--json")
    assert said.code == 4
    assert "Files that no commit holds are in the way" in said.error["message"]
    assert shop.tips() == before
    shop.git("add", "--all")
    shop.git("commit", "--quiet", "--message", "mine")
    said = shop.feature("land", "P1", "--json")
    assert "changed the same places: dist/prices.d.ts" in said.error["message"]
    assert shop.tips()[0] == before[0]


def test_another_repository_needs_trust(shop: Shop) -> None:
    shop.user.environment.pop("SUPERVISOR_TRUST", None)
    asked = shop.user.call("trust", "--show", "--json")
    keys = {it["key"]: it["value"] for it in asked.json["trust"]["powers"]}
    assert keys["projects[0].path"] == '"../types"'
    assert "projects[1].path" not in keys, "a package of the repository is nothing else"
    assert shop.feature("load", "plan.yaml").code == 0
    said = shop.feature("run", "P1", "--yes", "--json")
    assert said.code == 7
    assert "../types" in said.error["message"]


def _rolled_back(shop: Shop) -> str:
    """Take back what has landed and do without it; return the run that did."""
    shown = shop.feature("rollback", "P1", "all", "--dry-run", "--json").json["undo"]
    assert [it["component"] for it in shown["reverts"]] == [
        "P1-PH1-C1",
        "publish.shared-types",
        "P1-PH1-C2",
    ], "the newest first"
    told = shop.feature("rollback", "P1", "all", "--yes", "--json")
    assert told.code == 0, told.err
    assert shop.feature("run", "P1", "--yes", "--json").code == 5
    refused = shop.feature("land", "P1", "--json")
    assert refused.code == 4
    assert "feature skip P1 COMPONENT" in refused.error["hint"]
    for name in ("publish.shared-types", "all.page", "all.prices"):
        assert shop.feature("skip", "P1", name, "--json").code == 0
    assert shop.feature("resume", "P1", "--json").code == 0
    done = shop.feature("run", "P1", "--yes", "--json")
    assert done.code == 0, done.err
    return str(told.json["undo"]["run"])


def test_a_phase_is_taken_back_in_all_repositories_in_which_it_has_landed(shop: Shop) -> None:
    trees = _trees(shop)
    shop.built()
    assert shop.feature("land", "P1", "--json").json["status"] == "landed"
    landed = shop.tips()
    (shop.types / "MORE").write_text("Somebody went on.\n")
    shop.git("add", "--all")
    shop.git("commit", "--quiet", "--message", "more")
    run = _rolled_back(shop)
    assert shop.tips()[0] == landed[0], "the repositories move when it lands, all or none"
    tried = shop.feature("land", "P1", "--dry-run", "--json").json
    assert (tried["applied"], len(tried["moves"])) == (False, 2)
    done = shop.feature("land", "P1", "--json")
    assert done.json["status"] == "landed", done.out
    assert _trees(shop)[0] == trees[0]
    assert shop.git("ls-tree", "--name-only", "main").split() == ["MORE", "README"]
    for git, old in ((shop.user.git, landed[0]), (shop.git, landed[1])):
        assert git("merge-base", old, "main") == old, "history is added to, never rewritten"
        assert git("status", "--porcelain", "--untracked-files=no") == ""
        assert f"Supervisor-Run: {run}" in git("log", "-1", "--format=%B", "main")
    after = shop.tips()
    assert shop.feature("land", "P1", "--json").json["status"] == "landed"
    assert shop.tips() == after, "it lands once"


def _trees(shop: Shop) -> tuple[str, str]:
    return shop.user.git("rev-parse", "main^{tree}"), shop.git("rev-parse", "main^{tree}")
