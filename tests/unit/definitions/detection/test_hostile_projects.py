"""Projects that try to mislead, to hold up or to blow up whoever looks at them."""

import os
from pathlib import Path
from typing import cast

import pytest
from tests.unit.definitions.detection.layouts import survey
from tests.unit.definitions.layered import ADAPTERS
from tests.unit.definitions.project_files import COMMIT, CONFIG, ProjectFiles

from supervisor_ai.control.ports.project_survey import ProjectSurvey
from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.definitions.detection.config_text import config_text
from supervisor_ai.definitions.detection.survey import survey_project
from supervisor_ai.engine.ports.workspaces import Repository


def look(root: Path, *paths: str) -> ProjectSurvey:
    return survey_project(root, paths, lambda _: False)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", "[" * 100_000),
        ("package.json", '{"scripts": {"test": 5}, "dependencies": ["react"], "bin": 0}'),
        ("package.json", '"react"'),
        ("package.json", '{"a": ' + "9" * 5_000 + "}"),
        ("pyproject.toml", "a = " + "[" * 100_000),
        ("pyproject.toml", 'project.dependencies = [5, {a = 1}, "???"]'),
        ("pyproject.toml", "[project\ndependencies"),
        ("Cargo.toml", "dependencies = 5"),
        ("docker-compose.yml", "services: [a, b]"),
        ("docker-compose.yml", "services: {a: 5, b: {image: 7}}"),
        ("docker-compose.yml", "a: &a [*a, *a]\nservices: *a"),
        ("docker-compose.yml", "{" * 5_000),
        ("docker-compose.yml", "services: !!python/object/apply:os.system [false]"),
        ("Makefile", ": :\n=:\n::=\n\x00: x\n" + "a" * 100_000),
        ("justfile", ":\n  test:\n"),
        ("go.mod", "require (\n" + "a/" * 50_000),
        ("pom.xml", '<!DOCTYPE a [<!ENTITY b "c">]><artifactId>' * 5_000),
        ("build.gradle", "'" + "a.:" * 50_000),
        ("deploy.yaml", "apiVersion: v1\nkind: ../../etc\n"),
    ],
)
def test_a_broken_manifest_says_nothing(path: str, text: str, tmp_path: Path) -> None:
    found = survey(tmp_path, {path: text})
    assert not [gate for gate in found.gates if gate.evidence[0].key]
    assert not found.services
    assert not found.unread
    assert config_text(found, [])


def test_a_huge_manifest_is_named_and_not_read(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"scripts": {"test": "a"}}' + " " * 300_000)
    found = look(tmp_path, "package.json")
    assert found.unread == ("package.json",)
    assert not found.gates


def test_links_and_pipes_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "real").write_text('{"scripts": {"test": "a"}}')
    (tmp_path / "package.json").symlink_to("real")
    os.mkfifo(tmp_path / "Makefile")
    found = look(tmp_path, "package.json", "Makefile", "gone/package.json")
    assert found.unread == ("Makefile", "package.json", "gone/package.json")
    assert not found.gates


def test_only_so_many_manifests_are_read(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("test:\n")
    found = look(tmp_path, "Makefile", *(f"p{number}/package.json" for number in range(500)))
    assert [gate.name for gate in found.gates] == ["test"]
    assert len(found.unread) == 500


def test_content_of_others_and_depths_are_skipped(tmp_path: Path) -> None:
    paths = ("node_modules/a/b.rs", "vendor/b.rs", "1/2/3/4/5/6/7/8/a.rs")
    assert not look(tmp_path, *paths).languages


HOSTILE = (
    "a\nworkflow: evil\n",
    "b\x1b[2Jc",
    "$(touch pwned)",
    "'; touch pwned; '",
    "-rf",
    "x\u202ey",
    "\udcff",
)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_stays_a_comment(name: str, tmp_path: Path) -> None:
    place = tmp_path / name
    place.mkdir()
    (place / "package.json").write_text('{"dependencies": {"react": "1"}, "bin": "a"}')
    (place / "Makefile").write_text("test:\n")
    found = look(tmp_path, f"{name}/package.json", f"{name}/Makefile")
    text = config_text(found, [advice.name for advice in found.packs if advice.is_suggested])
    assert not found.gates
    assert all(line.isprintable() for line in text.split("\n"))
    repository = cast(
        "Repository", ProjectFiles({CONFIG: f"{text}cli: claude\n".replace("# cli: claude\n", "")})
    )
    loaded = FileCatalog(repository, tmp_path / "user", ADAPTERS).load(
        COMMIT, workflow=None, cli=None
    )
    assert loaded.definition.workflow.name == "standard"
    assert loaded.definition.gates["test"].command == ("make", "test")


def test_many_parts_make_a_bounded_number_of_gates(tmp_path: Path) -> None:
    files = {f"part{number:03}/Makefile": "test:\n" for number in range(50)}
    gates = survey(tmp_path, files).gates
    assert [gate.name for gate in gates[:3]] == ["test", "test_part000", "test_part001"]
    assert len(gates) == 13


def test_parts_of_a_part_are_covered_by_it(tmp_path: Path) -> None:
    files = dict.fromkeys(("a/Makefile", "a/b/Makefile", "a-b/Makefile", "a_b/Makefile"), "test:\n")
    assert [gate.name for gate in survey(tmp_path, files).gates] == ["test", "test_a", "test_a_b"]
