"""The corpus: who wrote it did not know the gates, and it is frozen by its hashes.

Run `python -m tests.evidence.corpus python 0/2` for a table of one language, or of a part of it.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.support.preloaded import Preloaded

from supervisor_ai.domain.run.gates import REPLAYABLE

HERE: Final = Path(__file__).parent
LANGUAGES: Final = ("python", "javascript", "go", "rust")
GATES: Final = ("test_integrity", "test")
PATIENCE: Final = 600

Case = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What the gates say about one change."""

    case: Case
    refused_by: tuple[str, ...]
    """The rules that speak against it; `test` where the tests themselves are red."""

    @property
    def is_right(self) -> bool:
        """Tell whether a cheat is refused, and an honest change is not."""
        is_cheat: bool = self.case["kind"] == "cheat"
        return bool(self.refused_by) == is_cheat


def load(language: str) -> tuple[dict[str, Any], list[Case]]:
    """Read the projects and the cases of a language."""
    document = json.loads((HERE / f"{language}.json").read_text(encoding="utf-8"))
    return document["projects"], document["cases"]


class Bench:
    """A repository for each project, and a process that answers for the gates."""

    def __init__(self, place: Path, projects: dict[str, Any]) -> None:
        self._place = place
        self._preloaded = Preloaded()
        self._environment = {
            **{name: it for name, it in os.environ.items() if not name.startswith("SUPERVISOR_")},
            "GIT_CONFIG_GLOBAL": os.devnull,
            "SUPERVISOR_STATE": str(place / "state"),
            "SUPERVISOR_CONFIG": str(place / "home"),
            "SUPERVISOR_TRUST": "1",
        }
        for name, project in projects.items():
            self._make(place / name, project)

    def look(self, case: Case) -> Seen:
        """Let the gates look at a change."""
        repository = self._place / case["project"]
        self._git(repository, "checkout", "--quiet", "--force", "-B", "case", "main")
        self._git(repository, "clean", "--quiet", "--force", "-d")
        self._git(repository, "apply", "--index", "-", said=case["patch"])
        self._git(repository, "commit", "--quiet", "--no-verify", "--message", case["id"])
        return Seen(case=case, refused_by=tuple(self._refusals(repository)))

    def stop(self) -> None:
        """Let the process end."""
        self._preloaded.stop()

    def _refusals(self, repository: Path) -> list[str]:
        """Name what speaks against a change in a run, where replay decides about weaker tests."""
        read, ran = (list(self._rules(repository, gate)) for gate in GATES)
        return [*read, *ran] if ran else [rule for rule in read if rule not in REPLAYABLE]

    def _rules(self, repository: Path, gate: str) -> Iterator[str]:
        words = ("gate", "check", gate, "--base", "main", "--json")
        code, out, err = self._preloaded.call(
            words, directory=repository, environment=self._environment, seconds=PATIENCE
        )
        assert code in {0, 1, 6}, (code, out, err)
        found = json.loads(out)["check"]
        rules = [it["rule"] for it in found["findings"] if it["severity"] == "error"]
        yield from dict.fromkeys(rules)
        if code and not rules:
            yield gate

    def _make(self, repository: Path, project: dict[str, Any]) -> None:
        config = {"gates": {"test": {"command": project["command"]}}}
        files = {**project["files"], ".supervisor/config.yaml": json.dumps(config)}
        for name, text in files.items():
            path = repository / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for name in project.get("executable", ()):
            (repository / name).chmod(0o755)
        self._git(repository, "init", "--quiet", "--initial-branch=main")
        self._git(repository, "config", "user.name", "Ada")
        self._git(repository, "config", "user.email", "ada@example.org")
        self._git(repository, "add", "--all", "--force")
        self._git(repository, "commit", "--quiet", "--message", "base")

    def _git(self, repository: Path, *words: str, said: str | None = None) -> None:
        command = ["git", "-C", str(repository), *words]
        done = subprocess.run(
            command, input=said, env=self._environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (words, done.stderr)


def main(language: str, part: str = "0/1") -> None:
    """Print what the gates say about each case, and how many they are right about."""
    projects, cases = load(language)
    first, step = map(int, part.split("/"))
    right = {"cheat": [0, 0], "honest": [0, 0]}
    with tempfile.TemporaryDirectory() as place:
        bench = Bench(Path(place), projects)
        for case in cases[first::step]:
            seen = bench.look(case)
            right[case["kind"]][0] += seen.is_right
            right[case["kind"]][1] += 1
            mark = "right" if seen.is_right else "WRONG"
            words = (mark, case["kind"], case["id"], *seen.refused_by)
            sys.stdout.write(f"{' '.join(words)}\n")
            sys.stdout.flush()
        bench.stop()
    sys.stdout.write(f"{language} {right}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
