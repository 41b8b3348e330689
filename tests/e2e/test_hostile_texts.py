"""Whatever a repository or a worker wrote, every verb that reads it ends with a sentence.

The memory of the command itself is measured; what reads code for the gates is a child of it.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

SUPERVISOR: Final = Path(sys.executable).with_name("supervisor")
MOST_MEMORY: Final = 450 * 1024
"""In KiB; without hostile files the verbs below take up to 120 MiB."""
BUG: Final = 70

TOML: Final = {
    "dotted key": ".".join("a" * 20_000) + " = 1\n",
    "dotted table": "[" + ".".join("a" * 20_000) + "]\n",
    "deep arrays": "a = " + "[" * 50_000,
    "huge number": "a = " + "1" * 200_000,
    "many tables": "".join(f"[t{n}.a]\n" for n in range(12_000)),
}
JSON: Final = {
    "deep": "[" * 200_000,
    "deep objects": '{"a":' * 100_000,
    "equal keys": "{" + '"a":1,' * 60_000 + '"a":1}',
    "huge number": '{"a": ' + "1" * 200_000 + "}",
    "lone surrogate": '{"scripts": {"test": "\\ud800"}}',
}
YAML: Final = {
    "deep": "[" * 100_000,
    "laughs": "a: &a [x,x]\n" + "".join(f"b{n}: &b{n} [*a,*a]\n" for n in range(500)),
    "equal keys": "a: 1\n" * 50_000,
    "huge scalar": "a: " + "x" * 400_000,
    "huge number": "a: " + "1" * 100_000,
    "no text": "a: \x00\x01\n",
}
CODE: Final = {
    "deep": "x = " + "(" * 50_000,
    "long sum": "x = " + "1+" * 100_000 + "1\n",
    "many tests": "".join(f"def test_{n}():\n    assert f({n}) == {n}\n" for n in range(6_000)),
    "one line": "x = '" + "a" * 900_000 + "'\n",
    "no text": "x = '\x00'\n",
    "markers": "password = '" * 30_000,
}


MEASURING: Final = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(f"\\n{code} {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss}", end="")
"""
"""Starts the command and measures it: what we started ourselves would count as large as we are."""


@dataclass(frozen=True, slots=True)
class Said:
    """What the command said, and what it took."""

    code: int
    text: str
    memory: int


class Shell:
    """A user in a project that somebody else wrote."""

    def __init__(self, home: Path) -> None:
        self.root = home / "project"
        self.root.mkdir(parents=True)
        self.environment = {
            "HOME": str(home),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "SUPERVISOR_TRUST": "1",
        }
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *words], cwd=self.root, env=self.environment, check=True)

    def commit(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        self.git("add", "-A", "-f")
        self.git("commit", "-q", "-m", "c")

    def run(self, *words: str) -> Said:
        ended = subprocess.run(
            [sys.executable, "-S", "-c", MEASURING, SUPERVISOR, *words],
            cwd=self.root,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=True,
        )
        text, _, measured = ended.stdout.decode(errors="replace").rpartition("\n")
        code, memory = map(int, measured.split())
        return Said(code, text, memory)


def check(said: Said) -> None:
    assert said.code != BUG, said.text[-2000:]
    assert said.code >= 0
    assert "Traceback" not in said.text
    assert said.text.strip()
    assert said.memory < MOST_MEMORY


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def project() -> dict[str, str]:
    """Write every hostile text under every name that something reads."""
    files = {"README.md": "x\n"}
    for number, text in enumerate(TOML.values()):
        files |= {f"t{number}/{name}": text for name in ("pyproject.toml", "Cargo.toml")}
    for number, text in enumerate(JSON.values()):
        files |= {f"j{number}/{name}": text for name in ("package.json", "tsconfig.json")}
    for number, text in enumerate(YAML.values()):
        files[f"y{number}/compose.yaml"] = text
    for number, text in enumerate(CODE.values()):
        files |= {f"c{number}/test_a{suffix}": text for suffix in (".py", ".ts", ".go")}
        files[f"c{number}/Makefile"] = text
    return files


def test_init_reads_every_manifest(shell: Shell) -> None:
    shell.commit(project())
    check(shell.run("init", "--dry-run"))


def test_one_dotted_key_costs_next_to_nothing(shell: Shell) -> None:
    shell.commit({"pyproject.toml": TOML["dotted key"]})
    check(shell.run("init", "--dry-run"))


@pytest.mark.parametrize("gate", ["auto_run_files", "test_integrity"])
def test_a_gate_that_could_not_look_is_not_green(shell: Shell, gate: str) -> None:
    shell.commit(dict.fromkeys(project(), ""))
    shell.commit(project())
    said = shell.run("gate", "check", gate, "--base", "HEAD~1")
    check(said)
    assert said.code != 0
    assert "pyproject.toml" in said.text


def test_contexts_are_packed(shell: Shell) -> None:
    shell.commit(project())
    check(shell.run("context", "show", "implementer"))


@pytest.mark.parametrize("kind", YAML)
def test_definitions_and_roles_are_read(shell: Shell, kind: str) -> None:
    shell.commit(
        {
            ".supervisor/workflows/own.yaml": YAML[kind],
            ".supervisor/roles/own.yaml": YAML[kind],
            "agent.md": f"---\n{YAML[kind]}\n---\nDo it.\n",
        }
    )
    check(shell.run("workflow", "validate"))
    check(shell.run("role", "import", "agent.md", "--dry-run"))


@pytest.mark.parametrize("kind", YAML)
def test_a_kanban_is_checked(shell: Shell, kind: str) -> None:
    shell.commit({"plans/kanban.md": f"---\n{YAML[kind]}\n---\n```yaml\n{YAML[kind]}\n```\n"})
    check(shell.run("kanban", "check", "plans/kanban.md"))


@pytest.mark.parametrize("kind", JSON)
def test_what_a_worker_printed_is_classified(shell: Shell, kind: str) -> None:
    answer = f"{JSON[kind]}\n```json\n{JSON[kind]}\n```\n"
    shell.commit({"out.jsonl": answer})
    check(
        shell.run("worker", "classify", "--cli", "claude", "--exit", "1", "--stdout", "out.jsonl")
    )
