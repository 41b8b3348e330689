"""Packs from elsewhere, as a person meets them."""

from pathlib import Path

import pytest
from tests.e2e.command import User
from tests.e2e.terminal import Terminal
from tests.unit.definitions.packs.scene import POWERFUL, lie_in, pack, publish, write


@pytest.fixture
def market(tmp_path: Path) -> Path:
    """Publish two packs in a bare repository."""
    needy = pack("desk", "1.1.0", role=POWERFUL, needs={"risk": "^1"})
    files = lie_in("packs/desk", needy) | lie_in("packs/risk", pack("risk", "1.0.0"))
    publish(tmp_path / "market", files)
    return tmp_path / "market.git"


def test_a_pack_is_installed_trusted_and_used(user: User, market: Path) -> None:
    user.environment["SUPERVISOR_TRUST"] = "0"
    user.call("trust", "--show", "--json")
    said = user.call("role", "install", "desk@^1", "--from", str(market), "--yes", "--json").json
    assert said["applied"] is True
    assert [(it["name"], it["after"]) for it in said["changes"]] == [
        ("desk", "1.1.0"),
        ("risk", "1.0.0"),
    ]
    config = (user.repository / ".supervisor/config.yaml").read_text()
    user.commit({".supervisor/config.yaml": f"{config}packs: [desk]\n"})
    asked = user.call("trust", "--show", "--json").json["trust"]
    keys = {power["key"] for power in asked["powers"] if "packs/desk" in power["file"]}
    assert keys == {"allowed_tools", "egress", "mcp_servers.quotes", "gates[0].command"}
    assert asked["is_trusted"] is False
    refused = user.run("--workflow", "quick")
    assert (refused.code, refused.error["kind"]) == (7, "denied")
    names = [role["name"] for role in user.call("role", "list", "--json").json["roles"]]
    assert {"desk_role", "risk_role"} <= set(names)


def test_a_changed_pack_is_not_read(user: User, market: Path) -> None:
    assert user.call("role", "install", "risk", "--from", str(market), "--yes").code == 0
    file = ".supervisor/packs/risk/roles/risk_role.yaml"
    user.commit({file: "extends: implementer\ndescription: Evil\n"})
    said = user.call("workflow", "validate", "--json")
    assert (said.code, said.error["kind"]) == (2, "invalid")
    assert f"{file}:1: was changed since the pack was installed" in said.error["message"]


def test_what_a_pack_may_do_is_shown_before_a_person_accepts_it(user: User, market: Path) -> None:
    terminal = Terminal(user, "role", "install", "desk", "--from", str(market))
    terminal.wait_for("Accept? [y/N]")
    for told in ("exchange.example:443", "run_command", '"quotes"', "-m", "Reject orders"):
        assert told in terminal.seen
    terminal.type("n\n")
    assert terminal.wait() == 7
    assert not (user.repository / ".supervisor/packs").exists()


def test_a_pipe_cannot_agree(user: User, market: Path) -> None:
    said = user.call("role", "install", "desk", "--from", str(market), "--json")
    assert (said.code, said.error["kind"]) == (7, "denied")
    dry = user.call("role", "install", "desk", "--from", str(market), "--dry-run", "--json").json
    assert (dry["applied"], dry["dry_run"]) == (False, True)
    assert not (user.repository / ".supervisor/packs").exists()


def test_packs_of_the_user_are_searched_updated_and_removed(
    user: User, market: Path, tmp_path: Path
) -> None:
    own = user.home / "config"
    write(own, {"packs.yaml": f"sources: [{market}]\n"})
    found = user.call("role", "search", "made for tests", "--json").json["packs"]
    assert [(it["name"], it["version"]) for it in found] == [("desk", "1.1.0"), ("risk", "1.0.0")]
    assert "risk" in user.call("role", "search", "risk").out
    assert user.call("role", "install", "risk", "--user", "--yes").code == 0
    assert (own / "packs/risk/pack.yaml").exists()
    publish(tmp_path / "market", lie_in("packs/risk", pack("risk", "1.4.0")))
    updated = user.call("role", "update", "--user", "--yes", "--json").json
    assert [it["after"] for it in updated["changes"]] == ["1.4.0"]
    assert user.call("role", "update", "--user", "--yes", "--json").json["applied"] is False
    assert "1.4.0 -> gone" in user.call("role", "remove", "risk", "--user", "--yes").out
    assert not (own / "packs/risk").exists()


@pytest.mark.parametrize("name", ["@", "desk@", "@^1"])
def test_a_pack_must_be_named(name: str, user: User) -> None:
    assert user.call("role", "install", name, "--yes").code == 2
