"""Workspaces of packages: what is found at the top reaches all members."""

import json
from pathlib import Path

from tests.unit.definitions.detection.layouts import layout, survey

from supervisor_ai.control.ports.project_survey import DetectedGate


def gate_of(root: Path, files: dict[str, str]) -> DetectedGate:
    return next(gate for gate in survey(root, files).gates if gate.name == "test")


def member(name: str) -> dict[str, str]:
    return {f"packages/{name}/package.json": json.dumps({"scripts": {"test": "node --test"}})}


def workspace(count: int, **more: object) -> dict[str, str]:
    files = {"package.json": json.dumps({"workspaces": ["packages/*"], **more})}
    for at in range(count):
        files |= member(f"p{at}")
    return files


def test_no_member_is_left_out_where_there_are_many(tmp_path: Path) -> None:
    gate = gate_of(tmp_path, workspace(40))
    assert gate.command == ("npm", "--workspaces", "--if-present", "run", "test")


def test_what_the_top_says_itself_comes_first(tmp_path: Path) -> None:
    gate = gate_of(tmp_path, workspace(2, scripts={"test": "node run.js"}))
    assert gate.command == ("npm", "run", "test")
    others = [" ".join(other.command) for other in gate.others]
    assert others == [
        "npm --workspaces --if-present run test",
        "sh -c env -C packages/p0 npm run test && env -C packages/p1 npm run test",
    ]


def test_a_tool_at_the_top_does_not_hide_the_members(tmp_path: Path) -> None:
    gate = gate_of(tmp_path, workspace(2, devDependencies={"vitest": "3"}))
    assert gate.command[0] == "npm"
    assert "vitest" in gate.others[0].command


def test_a_packager_that_cannot_skip_members_runs_them_one_by_one(tmp_path: Path) -> None:
    gate = gate_of(tmp_path, {**workspace(2), "yarn.lock": ""})
    assert gate.command[2] == "env -C packages/p0 yarn run test && env -C packages/p1 yarn run test"


def test_members_of_uv_are_installed_and_import_each_other(tmp_path: Path) -> None:
    found = survey(tmp_path, layout("uv-workspace"))
    (test,) = found.gates
    paths = test.environment["PYTHONPATH"].split(":")
    assert {"{workspace}/packages/cart/src", "{workspace}/packages/price/src"} <= set(paths)
    assert [other.command[2].count("pytest") for other in test.others] == [2]
    assert found.ways[-1].setup == ("uv", "sync", "--all-packages", "--all-extras", "--frozen")


def test_a_single_project_of_uv_is_installed_alone(tmp_path: Path) -> None:
    ways = survey(tmp_path, layout("python-uv")).ways
    assert ways[-1].setup == ("uv", "sync", "--all-extras", "--frozen")
