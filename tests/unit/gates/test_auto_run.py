"""What runs by itself on a machine, and what only looks like it."""

import json
from importlib.resources import files

import pytest
import yaml
from tests.unit.gates.memory_commits import BASE, HEAD, MemoryCommits

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.change.auto_run import examine_auto_run, parse, table

CASE = ChangeCase(base=BASE, head=HEAD)


def findings(before: dict[str, str | bytes], after: dict[str, str | bytes]) -> tuple[Finding, ...]:
    return examine_auto_run(CASE, MemoryCommits(base=before, head=after)).findings


def package(**keys: object) -> str:
    return json.dumps({"name": "x", **keys})


@pytest.mark.parametrize(
    "path",
    [
        ".envrc",
        "sub/dir/.envrc",
        ".ENVRC",
        "odd\nname/.envrc",
        ".vscode/tasks.json",
        ".VSCode/Settings.json",
        "x/.vscode/launch.json",
        ".vscode",
        "team.code-workspace",
        ".idea/workspace.xml",
        ".zed/tasks.json",
        ".exrc",
        ".nvim.lua",
        ".devcontainer/devcontainer.json",
        ".gitattributes",
        "docs/.gitattributes",
        ".gitmodules",
        ".gitconfig",
        "fixtures/HEAD",
        ".husky/pre-commit",
        ".githooks/pre-push",
        "hooks/pre-commit",
        ".pre-commit-config.yaml",
        "lefthook.yml",
        "lefthook-local.yml",
        ".npmrc",
        ".yarnrc.yml",
        ".pnpmfile.cjs",
        "binding.gyp",
        "setup.py",
        "build.rs",
        "crates/a/build.rs",
        "evil.pth",
        "src/sitecustomize.py",
        ".cargo/config.toml",
        ".github/workflows/ci.yml",
        ".gitlab-ci.yml",
        "Jenkinsfile",
        ".circleci/config.yml",
        ".tool-versions",
        "mise.toml",
        ".claude/settings.json",
        "CLAUDE.md",
        "AGENTS.md",
        ".mcp.json",
        ".cursor/mcp.json",
        ".gemini/settings.json",
        ".codex/config.toml",
        ".opencode/agent.md",
        ".opencode.json",
        "opencode.json",
        ".qwen/settings.json",
        ".aider.conf.yml",
        ".continue/config.json",
        ".github/copilot-instructions.md",
        ".supervisor/config.yaml",
        "docs/knowledge/conventions/x.md",
        "Docs/Knowledge/directives/y.md",
        "docs/knowledge",
    ],
)
def test_a_file_that_runs_by_itself_is_found(path: str) -> None:
    (added,) = findings({}, {path: "new"})
    (edited,) = findings({path: "old"}, {path: "new"})
    (removed,) = findings({path: "old"}, {})
    assert (added.rule, edited.rule) == ("auto_run_file", "auto_run_file")
    assert "is new: " in added.message
    assert "was edited: " in edited.message
    assert (removed.severity, edited.severity) == (Severity.NOTE, Severity.ERROR)


def examples() -> list[str]:
    """Write one path for every pattern of the table."""
    text = (files("supervisor_ai.gates") / "builtin/auto_run.yaml").read_text("utf-8")
    entries = yaml.safe_load(text)
    patterns = [path for entry in entries if not entry.get("keys") for path in entry["paths"]]
    return [pattern.replace("/**", "/a").replace("*", "a") for pattern in patterns]


@pytest.mark.parametrize("path", examples())
def test_every_entry_of_the_table_is_found_at_any_depth(path: str) -> None:
    others: dict[str, str | bytes] = {".envrc": "use flake"}
    for place in (path, f"a/b/{path}"):
        found = findings(others, {**others, place: "new"})
        assert {finding.rule for finding in found} == {"auto_run_file"}


@pytest.mark.parametrize(
    "path",
    [
        "CMakePresets.json",
        ".hg/hgrc",
        ".envrc.local",
        "app.sublime-project",
        ".replit",
        "Directory.Build.props",
        "src/Directory.Build.targets",
        ".eslintrc.js",
        "node_modules/.bin/tsc",
        "docker-compose.override.yml",
        ".bsp/sbt.json",
        ".pylintrc",
    ],
)
def test_editors_shells_and_build_tools_run_it(path: str) -> None:
    (found,) = findings({}, {path: "new"})
    assert found.rule == "auto_run_file"


@pytest.mark.parametrize("path", ["flake.nix", "shell.nix", "devbox.json", "sub/devenv.nix"])
def test_what_direnv_enters_counts_where_there_is_direnv(path: str) -> None:
    assert findings({}, {path: "new"}) == ()
    assert [at.file for at in findings({".envrc": "x"}, {".envrc": "x", path: "new"})] == [path]
    assert len(findings({}, {".envrc": "x", path: "new"})) == 2


def test_a_composer_script_runs_on_install() -> None:
    old, new = ({"name": "a"}, {"name": "a", "scripts": {"post-install-cmd": "sh x"}})
    assert findings({"composer.json": json.dumps(old)}, {"composer.json": json.dumps(new)})
    assert not findings({"composer.json": json.dumps(old)}, {"composer.json": '{"name": "b"}'})


@pytest.mark.parametrize(
    "path",
    [
        "src/a.py",
        "README.md",
        "Makefile",
        "Dockerfile",
        "Gemfile",
        "flake.nix",
        "src/hooks/use_cart.ts",
        "hooks/pre.py.txt/readme",
        ".gitignore",
        ".editorconfig",
        "docs/envrc.md",
        "my.envrc.md",
        "src/ahead",
        "tests/test_setup.py",
        "build.rs.md",
        "src/mcp.py",
        ".env.example",
    ],
)
def test_other_files_are_left_alone(path: str) -> None:
    assert findings({}, {path: "new"}) == ()


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("package.json", package(version="1"), package(version="2", scripts={"test": "x"})),
        (
            "package.json",
            package(scripts={"prepare": "a"}),
            package(scripts={"prepare": "a", "b": "c"}),
        ),
        ("package.json", package(scripts=[]), package(scripts="x")),
        ("package.json", package(), package(bin={"x": "./x.js"}, workspaces=["p"])),
        ("pyproject.toml", "[project]\nname='a'\n", "[project]\nname='b'\n[tool.ruff]\nx=1\n"),
        (
            "pyproject.toml",
            "[build-system]\nrequires=['h']\n",
            "[project]\nname='x'\n[build-system]\nrequires = [ 'h' ]\n",
        ),
        (
            "Cargo.toml",
            "[package]\nversion='1'\n",
            "[package]\nversion='2'\n[dependencies]\na='1'\n",
        ),
    ],
)
def test_manifests_change_freely_where_nothing_runs(path: str, before: str, after: str) -> None:
    assert findings({path: before}, {path: after}) == ()
    assert findings({f"sub/{path}": before}, {f"sub/{path}": after}) == ()


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("package.json", package(), package(scripts={"postinstall": "node evil.js"})),
        ("package.json", package(scripts={"prepare": "a"}), package(scripts={"prepare": "b"})),
        ("package.json", package(scripts={"prepare": "a"}), package()),
        ("package.json", package(), package(**{"simple-git-hooks": {"pre-commit": "x"}})),
        ("package.json", package(), "{ not json"),
        ("package.json", package(), b"\xff\xfe\x00"),
        ("package.json", package(), "[" * 100_000),
        ("package.json", package(), package(filler="x" * 2_000_000)),
        ("pyproject.toml", "", "[build-system]\nbuild-backend='evil'\nbackend-path=['.']\n"),
        ("pyproject.toml", "[a]\n", "[tool.hatch.build.targets.wheel.hooks.custom]\n"),
        ("pyproject.toml", "[a]\n", "[broken"),
        ("Cargo.toml", "[package]\n", "[package]\nbuild='evil.rs'\n"),
    ],
)
def test_manifests_that_start_something_are_found(
    path: str, before: str, after: str | bytes
) -> None:
    (finding,) = findings({path: before}, {path: after})
    assert finding.rule == "auto_run_file"
    assert finding.file == path


def test_a_new_manifest_is_judged_by_what_it_starts() -> None:
    assert findings({}, {"package.json": package(scripts={"test": "x"})}) == ()
    assert len(findings({}, {"package.json": package(scripts={"install": "x"})})) == 1
    assert findings({"package.json": package()}, {}) == ()


def test_a_file_that_becomes_a_link_is_found_whatever_it_holds() -> None:
    commits = MemoryCommits(base={"package.json": "a"}, head={"package.json": "a"})
    commits.retyped.add("package.json")
    (finding,) = examine_auto_run(CASE, commits).findings
    assert "another kind of file" in finding.message


def test_findings_are_bounded_and_printable() -> None:
    many: dict[str, str | bytes] = {f"\x1b[2J\udcff{number}/.envrc": "x" for number in range(300)}
    found = findings({".vscode/gone": "x"}, many)
    assert len(found) == 100
    assert all("\x1b" not in finding.message and finding.message.encode() for finding in found)
    assert all(finding.severity is Severity.ERROR for finding in found)


def test_what_was_looked_at_is_said() -> None:
    found = examine_auto_run(CASE, MemoryCommits(base={}, head={"a": "x"}))
    assert found.summary == "Looked at 1 changed file for what runs by itself."


@pytest.mark.parametrize(
    "text",
    [
        "a: b",
        "- x",
        "- {paths: [a], reason: b, other: c}",
        "- {reason: b}",
        "- {paths: [a]}",
        "- {paths: [a], reason: b, format: ini}",
    ],
)
def test_a_broken_table_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse(text)


def test_every_reason_is_words() -> None:
    assert all(
        len(entry.reason.split()) > 4 and not entry.reason.endswith(".") for entry in table()
    )
