"""Packs that are one role, and packs that somebody publishes under their own name."""

import pytest
from tests.unit.definitions.packs.scene import Scene, pack, write
from tests.unit.definitions.project_files import COMMIT
from tests.unit.definitions.roles.scene import Scene as Roles

from supervisor_ai.definitions.packs.installer import REGISTRY
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.structs import replace

SINGLE = """\
name: risk-manager
version: 1.2.0
author: trading-community
description: "Risk validation for trading systems"
extends: reviewer
system_prompt_additions: |
  Reject orders without a limit.
egress: ["exchange.example:443"]
"""


def test_a_pack_may_be_one_role(scene: Scene) -> None:
    source = write(scene.directory / "risk-manager", {"pack.yaml": SINGLE})
    plan = scene.shop().plan_install("risk-manager", "^1", str(source))
    file = ".supervisor/packs/risk-manager/pack.yaml"
    assert [(it.file, it.key) for it in plan.powers] == [(file, "egress")]
    assert [(it.role, it.extends) for it in plan.prompts] == [("risk-manager", "reviewer")]


def test_its_role_has_its_name_and_its_version(scene: Scene) -> None:
    write(scene.place, {"packs/risk-manager/pack.yaml": SINGLE})
    roles = Roles(scene.directory)
    roles.write({"packs/risk-manager/pack.yaml": SINGLE, "config.yaml": "packs: [risk-manager]\n"})
    role = roles.role("risk-manager")
    assert (role.answer, role.system_prompt) == ("review", "Reject orders without a limit.")
    [told] = [it for it in roles.catalog.roles(COMMIT) if it.name == "risk-manager"]
    assert (told.origin, told.pack, told.version) == ("project", "risk-manager", "1.2.0")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name: it\nversion: 1.0.0\n", "needs `roles`, or what makes it a role itself"),
        ("name: it\nversion: 1.0.0\nroles: [x]\nextends: y\n", "has `roles`, so 'extends' belongs"),
        ("name: it\nversion: 1.0.0\nextends: reviewer\ntimeout: soon\n", "must be a duration"),
        ("name: it\nversion: 1.0.0\nextends: reviewer\ncolour: red\n", "colour: unknown key"),
    ],
)
def test_a_pack_is_one_thing(scene: Scene, text: str, problem: str) -> None:
    source = write(scene.directory / "it", {"pack.yaml": text})
    with pytest.raises(InvalidInput, match=problem):
        scene.shop().plan_install("it", ">=0", str(source))


def test_a_role_has_no_other_roles_beside_it(scene: Scene) -> None:
    files = {**pack("risk-manager"), "pack.yaml": SINGLE}
    source = write(scene.directory / "risk-manager", files)
    with pytest.raises(InvalidInput, match="is a role itself, so the pack has no other one"):
        scene.shop().plan_install("risk-manager", ">=0", str(source))


def test_a_gate_is_named_once_here_too(scene: Scene) -> None:
    text = f"{SINGLE}gates: [{{name: a, command: x}}, {{name: a, command: y}}]\n"
    source = write(scene.directory / "risk-manager", {"pack.yaml": text})
    with pytest.raises(InvalidInput, match="names the gate 'a' twice"):
        scene.shop().plan_install("risk-manager", ">=0", str(source))


def test_an_owner_publishes_in_the_registry(scene: Scene) -> None:
    assert scene.shop().source_of("ada", "desk") == f"{REGISTRY}/ada/desk"


@pytest.mark.parametrize(("owner", "name"), [("..", "x"), ("a", "-x"), ("a/b", "c"), ("a b", "c")])
def test_an_owner_is_no_path(scene: Scene, owner: str, name: str) -> None:
    with pytest.raises(InvalidInput, match="names no pack"):
        scene.shop().source_of(owner, name)


def test_nobody_else_offers_what_an_owner_publishes(scene: Scene) -> None:
    """A source of the user's has what the pack needs, and never the pack itself."""
    needy = f"{SINGLE}dependencies: [{{name: base, version: '>=1'}}]\n"
    write(scene.directory / "registry/ada/risk-manager", {"pack.yaml": needy})
    files = {
        "risk-manager/pack.yaml": SINGLE.replace("1.2.0", "9.0.0"),
        "base/pack.yaml": "name: base\nversion: 1.0.0\nextends: reviewer\n",
    }
    known = write(scene.directory / "known", files)
    shop = replace(scene.shop(str(known)), registry=str(scene.directory / "registry"))
    plan = shop.plan_published("ada", "risk-manager", ">=0")
    assert [(it.name, it.after) for it in plan.changes] == [
        ("base", "1.0.0"),
        ("risk-manager", "1.2.0"),
    ]
