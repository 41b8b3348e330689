"""Packs of roles, and what they need of each other."""
# ruff: noqa: E501 - mistakes are told in one line each

import pytest
import yaml
from inline_snapshot import snapshot
from tests.unit.definitions.project_files import COMMIT
from tests.unit.definitions.roles.scene import Scene

from supervisor_ai.definitions.roles.packs import builtin_packs
from supervisor_ai.definitions.roles.versions import fits, range_text, version_text
from supervisor_ai.definitions.sources.files import BUILTIN_DIRECTORY

PACK = "name: NAME\nversion: 1.2.0\nroles: [ROLE]\n"


def pack(name: str, role: str, more: str = "", at: str = "packs") -> dict[str, str]:
    return {
        f"{at}/{name}/pack.yaml": PACK.replace("NAME", name).replace("ROLE", role) + more,
        f"{at}/{name}/roles/{role}.yaml": f"extends: reviewer\ndescription: From {name}\n",
    }


def names(scene: Scene) -> set[str]:
    return {role.name for role in scene.catalog.roles(COMMIT)}


def test_a_pack_has_no_roles_until_it_is_switched_on(scene: Scene) -> None:
    assert "ui_designer" not in names(scene)
    scene.write({"config.yaml": "packs: [web]\n"})
    assert {"ui_designer", "component_builder", "state_architect"} < names(scene)
    summary = scene.catalog.role(COMMIT, "ui_designer").summary
    assert (summary.origin, summary.pack, summary.extends) == ("built-in", "web", "implementer")


def test_every_pack_of_the_package_is_whole(scene: Scene) -> None:
    scene.write({"config.yaml": f"cli: claude\npacks: [{', '.join(builtin_packs())}]\n"})
    found = {role.name: role for role in scene.catalog.roles(COMMIT)}
    packed = {name: role.pack for name, role in found.items() if role.pack}
    assert set(packed.values()) == {
        *("trading", "web", "data", "backend", "infra"),
        *("security", "cli", "rust", "go", "solidity"),
    }
    assert len(packed) == 22
    assert all(role.extends and role.description for name, role in found.items() if name in packed)
    for name in {pack: name for name, pack in packed.items()}.values():
        role = scene.role(name)
        assert role.context is not None, name
        assert role.egress == (), name


def test_the_table_of_detection_and_the_packs_say_the_same() -> None:
    table = yaml.safe_load((BUILTIN_DIRECTORY / "detection.yaml").read_text())["packs"]
    for name in builtin_packs():
        written = yaml.safe_load((BUILTIN_DIRECTORY / f"packs/{name}/pack.yaml").read_text())
        assert written["when"] == table[name]["when"], name
        assert sorted(written["roles"]) == sorted(table[name]["roles"]), name


def test_packs_of_the_user_and_the_project(scene: Scene) -> None:
    scene.write(pack("mine", "first", at="~/packs")).write(pack("ours", "second"))
    scene.write({"~/config.yaml": "packs: [mine]\n", "config.yaml": "cli: claude\npacks: [ours]\n"})
    assert {"first", "second"} < names(scene)
    assert scene.catalog.role(COMMIT, "second").summary.origin == "project"


def test_a_shelf_s_own_roles_lie_over_its_packs(scene: Scene) -> None:
    scene.write(pack("ours", "second"))
    scene.write(
        {"config.yaml": "cli: claude\npacks: [ours]\n", "roles/second.yaml": "timeout: 1m\n"}
    )
    detail = scene.catalog.role(COMMIT, "second")
    assert detail.role.description == "From ours"
    assert detail.role.timeout is not None


def test_what_a_pack_needs_is_switched_on_too(scene: Scene) -> None:
    scene.write(pack("one", "first", 'dependencies: [{name: two, version: "^1.1"}]\n'))
    scene.write(pack("two", "second")).write({"config.yaml": "packs: [one]\n"})
    assert {"first", "second"} < names(scene)


def test_mistakes_of_packs(scene: Scene) -> None:
    scene.write(pack("one", "first", 'dependencies: [{name: two, version: ">=2"}, {name: gone}]\n'))
    scene.write(pack("two", "second", "dependencies: [{name: one}]\n"))
    scene.write(
        {
            "config.yaml": "packs: [one, wbe, bad]\n",
            "packs/bad/pack.yaml": 'name: evil\nversion: new\nroles: [missing]\ndependencies: [{name: web, version: "about 1"}]\nwhen: [react]\n',
            "packs/bad/roles/other.yaml": "extends: planner\n",
        }
    )
    assert scene.refusal() == snapshot("""\
The definitions have 6 mistakes:
  .supervisor/config.yaml:1: packs[1]: unknown pack 'wbe'; did you mean 'web'?
  .supervisor/packs/bad/pack.yaml:2: version: must be a version such as 1.2.0, found 'new'
  .supervisor/packs/bad/pack.yaml:4: dependencies[0].version: must be a range such as '>=1.0.0, <2', '^1.2' or '~1.2', found 'about 1'
  .supervisor/packs/bad/pack.yaml:5: when[0]: must be a fact such as framework:React, found 'react'
  .supervisor/packs/one/pack.yaml:4: dependencies[0]: needs two >=2, but version 1.2.0 is there
  .supervisor/packs/one/pack.yaml:4: dependencies[1]: unknown pack 'gone' (known: \
backend, cli, data, go, infra, rust, security, solidity, trading, web)\
""")


def test_a_pack_lists_what_it_has(scene: Scene) -> None:
    scene.write({"config.yaml": "cli: claude\npacks: [odd]\n"}).write(pack("odd", "first"))
    scene.write({"packs/odd/pack.yaml": "name: even\nversion: 1.0.0\nroles: [second]\n"})
    assert scene.refusal() == snapshot("""\
The definitions have 3 mistakes:
  .supervisor/packs/odd/pack.yaml:1: name: is 'even', but the directory is called 'odd'
  .supervisor/packs/odd/pack.yaml:3: roles: does not list the role 'first'
  .supervisor/packs/odd/pack.yaml:3: roles[0]: has no file roles/second.yaml in the pack\
""")


def test_a_pack_may_have_strategies(scene: Scene) -> None:
    scene.write({"config.yaml": "cli: claude\npacks: [ours]\n"}).write(pack("ours", "first"))
    small = "sources: [$DIFF]\ntoken_budget: 900\n"
    role = "extends: reviewer\ncontext: {strategy: small}\n"
    scene.write({"packs/ours/strategies/small.yaml": small, "packs/ours/roles/first.yaml": role})
    found = scene.role("first").context
    assert found is not None
    assert [source.kind.value for source in found.sources] == ["diff"]


@pytest.mark.parametrize(
    ("wanted", "version", "is_fitting"),
    [
        (">=1.0.0", "1.0.0", True),
        (">=1.0.0, <2", "1.9.9", True),
        (">=1.0.0, <2", "2.0.0", False),
        ("^1.2", "1.9", True),
        ("^1.2", "1.1.9", False),
        ("^1.2", "2.0", False),
        ("^0.2.1", "0.2.5", True),
        ("^0.2.1", "0.3.0", False),
        ("^0.0", "0.0.0", True),
        ("~1.2.3", "1.2.9", True),
        ("~1.2.3", "1.3.0", False),
        ("1.2", "1.2.0", True),
        ("== 1.2", "1.2.1", False),
        ("<=1", "1.0.1", False),
        (">1", "1.0.1", True),
    ],
)
def test_ranges(wanted: str, version: str, is_fitting: bool) -> None:  # noqa: FBT001 - an expectation
    assert fits(range_text(wanted), version_text(version)) is is_fitting


@pytest.mark.parametrize("wanted", ["", "newest", ">=1,", ">=1 <2", "1.2.3.4", "^", ">= 1,x"])
def test_what_is_no_range(wanted: str) -> None:
    with pytest.raises(ValueError, match="must be a"):
        range_text(wanted)


def test_there_is_an_end_to_packs_that_need_packs(scene: Scene) -> None:
    files = {"config.yaml": "cli: claude\npacks: [p0]\n"}
    for number in range(150):
        needs = f"dependencies: [{{name: p{number + 1}}}]\n"
        role = f"role_{number}"
        text = f"name: p{number}\nversion: 1.0.0\ndescription: d\nroles: [{role}]\n{needs}"
        files[f"packs/p{number}/pack.yaml"] = text
        files[f"packs/p{number}/roles/{role}.yaml"] = "extends: planner\n"
    scene.write(files)
    assert "one pack too many: at most 100" in scene.refusal()


LOCK = """{"packs": {"desk": {"version": "1.0.0", "source": "x", "commit": null, "wanted": ">=0",
"files": {"roles/risk.yaml": "0"}}}, "format": 1}"""


@pytest.mark.parametrize(
    ("role", "told"),
    [
        ("risk", "'risk' is in the installed pack 'desk'; write `packs: [desk]`"),
        ("desk", "'desk' is in the installed pack 'desk'"),
        ("quant_dev", "'quant_dev' is in the pack 'trading'; write `packs: [trading]`"),
    ],
)
def test_a_workflow_hears_which_pack_has_its_role(role: str, told: str, scene: Scene) -> None:
    flow = f"name: flow\nsteps: {{a: {{role: {role}, next: b}}, b: {{type: commit}}}}\n"
    scene.write({"packs.lock": LOCK, "workflows/flow.yaml": flow})
    assert told in scene.refusal()
