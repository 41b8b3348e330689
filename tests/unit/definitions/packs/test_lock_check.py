"""A pack that is not as it was installed is not read."""

import json

import pytest
from tests.unit.definitions.packs.scene import Scene, pack, write

from supervisor_ai.definitions.packs.lock import check_lock
from supervisor_ai.definitions.sources.files import DirectorySource, Origin
from supervisor_ai.definitions.sources.mistakes import FileMistakes
from supervisor_ai.domain.errors import InvalidInput


def problems(scene: Scene) -> str:
    mistakes = FileMistakes()
    check_lock(DirectorySource(Origin.PROJECT, scene.place), mistakes)
    return mistakes.error().message.replace(f"{scene.place}/", "") if mistakes else ""


@pytest.fixture
def installed(scene: Scene) -> Scene:
    scene.install("desk", write(scene.directory / "desk", pack("desk")))
    return scene


def test_what_was_installed_is_fine(installed: Scene) -> None:
    assert problems(installed) == ""
    write(installed.place / "packs/mine", pack("mine"))
    assert problems(installed) == ""


def test_no_lock_is_no_mistake(scene: Scene) -> None:
    assert problems(scene) == ""


def test_every_difference_is_named(installed: Scene) -> None:
    place = installed.place / "packs/desk"
    (place / "pack.yaml").write_text("name: desk\nversion: 2.0.0\nroles: [desk_role]\n")
    (place / "roles/desk_role.yaml").unlink()
    write(place, {"roles/other.yaml": "extends: planner\n", "prompts/a.j2": "a"})
    found = problems(installed).splitlines()
    assert found[0] == "The definitions have 4 mistakes:"
    assert [line.strip().partition(":1: ")[::2] for line in found[1:]] == [
        (
            "packs/desk/pack.yaml",
            "was changed since the pack was installed; packs.lock has another hash",
        ),
        ("packs/desk/prompts/a.j2", "does not belong to the pack as packs.lock knows it"),
        ("packs/desk/roles/desk_role.yaml", "is missing, but packs.lock knows it"),
        ("packs/desk/roles/other.yaml", "does not belong to the pack as packs.lock knows it"),
    ]


def test_a_broken_lock_is_a_mistake(installed: Scene) -> None:
    write(installed.place, {"packs.lock": "{"})
    assert "is no lock of packs" in problems(installed)


@pytest.mark.parametrize("name", ["../../victim", "/etc", "a/b", "..", ""])
def test_a_lock_cannot_name_what_lies_elsewhere(installed: Scene, name: str) -> None:
    lock = json.loads((installed.place / "packs.lock").read_text())
    lock["packs"][name] = {**lock["packs"]["desk"], "files": {}, "is_dependency": True}
    write(installed.place, {"packs.lock": json.dumps(lock)})
    assert "is no lock of packs" in problems(installed)
    with pytest.raises(InvalidInput, match="is no lock of packs"):
        installed.shop().plan_remove("desk")


@pytest.mark.parametrize("path", ["../pack.yaml", "/etc/passwd", ""])
def test_a_lock_cannot_name_files_that_lie_elsewhere(installed: Scene, path: str) -> None:
    lock = json.loads((installed.place / "packs.lock").read_text())
    lock["packs"]["desk"]["files"][path] = "0" * 64
    write(installed.place, {"packs.lock": json.dumps(lock)})
    assert "is no name of a file in a pack" in problems(installed)
