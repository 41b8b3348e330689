"""A GitHub in a directory; installed as `gh`, it can kill whoever calls it.

`forge.json` beside it names the bare repository that is pushed to as `remote`, and as `kill` the
call at which the caller dies: the first words of its arguments, which of these calls it is, and
whether it comes `before` the answer or `after` it. Checks are under way at the first two looks at
a commit; then they fail for the first commit, and pass for the others.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

PLACE = Path(__file__).resolve().parent
URL = "https://github.com/ada/project/pull/7"
GRACE = {"authorAssociation": "MEMBER", "author_association": "MEMBER"}
CHECK = {"name": "unit", "workflowName": "CI", "detailsUrl": f"{URL[:-7]}/actions/runs/1/job/2"}
_UNDER_WAY = 2

Answer = dict[str, object]


class Forge:
    """What is known of the one pull request, kept in files."""

    def __init__(self) -> None:
        self.settings = json.loads((PLACE / "forge.json").read_text())
        self._calls = PLACE / "calls.jsonl"
        lines = self._calls.read_text().splitlines() if self._calls.exists() else []
        self.calls = [json.loads(line) for line in lines]
        self.heads = [it["head"] for it in self.calls if it["argv"][:2] == ["pr", "view"]]

    def note(self, argv: list[str], head: str) -> None:
        with self._calls.open("a") as file:
            file.write(json.dumps({"argv": argv, "head": head}) + "\n")

    def pushed(self) -> list[str]:
        where = ("git", "--git-dir", self.settings["remote"])
        refs = ("for-each-ref", "--format=%(objectname)", "refs/heads/ai/")
        tip = subprocess.run((*where, *refs), check=True, capture_output=True, text=True).stdout
        if not tip.strip():
            return []
        log = (*where, "log", "--format=%H", "--grep=Supervisor-Op", tip.strip())
        return subprocess.run(log, check=True, capture_output=True, text=True).stdout.split()

    @property
    def is_open(self) -> bool:
        return (PLACE / "opened").exists()

    def answer(self, argv: list[str], commits: list[str]) -> str:
        match argv[:2]:
            case ["pr", "list"]:
                return json.dumps([self.listed(commits[0])] if self.is_open else [])
            case ["pr", "create"]:
                with (PLACE / "opened").open("a") as file:
                    file.write("opened\n")
                return URL
            case ["pr", "view"]:
                return json.dumps(self.view(commits))
            case ["api", _]:
                at = {"id": 1001, "path": "done.txt", "line": 1, "body": "Say which visit."}
                return json.dumps([{**at, **GRACE, "user": {"login": "grace"}}])
            case _:
                return "unit\tFAILED test_done.py\n"

    def listed(self, head: str) -> Answer:
        return {"url": URL, "headRefOid": head, "isCrossRepository": False, "number": 7}

    def view(self, commits: list[str]) -> Answer:
        is_first = len(commits) == 1
        is_early = self.heads.count(commits[0]) < _UNDER_WAY
        result = "" if is_early else "FAILURE" if is_first else "SUCCESS"
        status = "IN_PROGRESS" if is_early else "COMPLETED"
        said = {"id": "IC_1", "author": {"login": "grace"}, "body": "And call it by its name."}
        return {
            "state": "OPEN",
            "headRefOid": commits[0],
            "statusCheckRollup": [{**CHECK, "status": status, "conclusion": result}],
            "reviews": [],
            "comments": [{**said, **GRACE, "viewerDidAuthor": False, "isMinimized": False}],
        }

    def kill(self, argv: list[str], when: str) -> None:
        words, number, moment = self.settings.get("kill") or ("", 0, "")
        earlier = [it for it in self.calls if " ".join(it["argv"]).startswith(words)]
        is_it = " ".join(argv).startswith(words) and len(earlier) + 1 == number
        if words and is_it and moment == when and not (PLACE / "killed").exists():
            (PLACE / "killed").touch()
            os.kill(os.getppid(), signal.SIGKILL)


def main() -> None:
    """Answer one call."""
    forge, argv = Forge(), sys.argv[1:]
    sys.stdin.read()
    forge.kill(argv, "before")
    commits = forge.pushed()
    sys.stdout.write(forge.answer(argv, commits) + "\n")
    sys.stdout.flush()
    forge.note(argv, commits[0] if commits else "")
    forge.kill(argv, "after")


if __name__ == "__main__":
    main()
