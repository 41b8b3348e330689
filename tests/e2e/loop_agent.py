"""The agent of the loop tests: plays every role by what the prompt and the files say.

Runs inside the sandbox. A milestone is a number of files below `app/`; `loop.json` beside this file
says how many each has, and which deeds somebody does otherwise than well, by task.
"""

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

NONCE = os.environ["SUPERVISOR_NONCE"]
PLAN = json.loads(Path(__file__).with_name("loop.json").read_text())
COUNTS: list[int] = PLAN["milestones"]
DEEDS: dict[str, list[str]] = PLAN.get("deeds", {})
CONVENTION = """\
# File Conventions

_Last updated by: code_style_supervisor, task_1_
_Status: provisional_

## Rules

1. Write one word per file

## Examples

Good:
  built

## Rationale

Files are compared word by word.
"""


PLANTED = "Planted " + "rule"
TOLD = r"^## (?:PROJECT KNOWLEDGE|DIRECTIVES OF PEOPLE|KNOWLEDGE STORE)\n(.*?)(?=^## [A-Z]{4}|\Z)"


def main() -> None:
    """Play the role."""
    prompt = sys.stdin.read()
    told = re.findall(TOLD, prompt, re.MULTILINE | re.DOTALL)
    if any(PLANTED in it for it in told):
        sys.exit("What another worker has left is told as a rule.")
    ROLES[os.environ["SUPERVISOR_ROLE"]](prompt)


def answer(**said: object) -> None:
    """Print an answer as the contract asks."""
    sys.stdout.write("```json\n" + json.dumps({"nonce": NONCE, **said}) + "\n```\n")


def current(prompt: str) -> int:
    """Return the number of the current milestone; one more than there are: none is left."""
    found = re.search(r"Milestone (\d+) of \d+ \(current\)", prompt)
    return int(found[1]) if found else len(COUNTS) + 1


def parts(milestone: int) -> list[str]:
    """Name the files of a milestone."""
    return [f"app/m{milestone}_{number}.txt" for number in range(1, COUNTS[milestone - 1] + 1)]


def deed(task: str, prompt: str) -> str:
    """Say what is done with a task this time."""
    failed = re.search(r"Attempt (\d+) failed", prompt)
    turn = int(failed[1]) if failed else 0
    listed = DEEDS.get(Path(task).stem, [])
    return listed[turn] if turn < len(listed) else "well"


def directives(prompt: str) -> list[tuple[int, bool]]:
    """Return the directives that are shown, each with whether it is cleanup."""
    found = re.findall(r"^\[(\d+)\] (functional|cleanup), ", prompt, re.MULTILINE)
    return [(int(number), kind == "cleanup") for number, kind in found]


def scope(prompt: str) -> None:
    """Make milestones."""
    del prompt
    made = [{"outcome": f"Part {at + 1} works", "areas": ["app"]} for at in range(len(COUNTS))]
    answer(remit="Build the app.", milestones=made)


def plan(prompt: str) -> None:
    """Plan the first file that is missing."""
    milestone, shown = current(prompt), directives(prompt)
    if milestone > len(COUNTS):
        polish(shown)
        return
    said = [
        {"directive": number, "response": "deferred" if is_cleanup else "explained", "note": "So."}
        for number, is_cleanup in shown
    ]
    missing = [it for it in parts(milestone) if not Path(it).exists()]
    given_up = set(re.findall(r"\((?:aborted|skipped|failed)\): (?:Build|Leave) (\S+)", prompt))
    missing = [it for it in missing if it not in given_up]
    failed = re.findall(r"^task_\d+: Build (\S+)", prompt, re.MULTILINE)
    missing = failed or missing
    if not missing:
        answer(status="milestone_done", task="Every file is there.", directives=said)
        return
    task, later = missing[0], [f"Build {it}" for it in missing[1:5]]
    do = deed(task, prompt)
    action = do if do in {"abort", "skip"} else "implement"
    verb = "Build" if action == "implement" else "Leave"
    answer(
        status=action,
        task=f"{verb} {task}",
        plan=f"Write {task}.",
        files=[task],
        carry_forward=later,
        directives=said,
    )


def polish(shown: list[tuple[int, bool]]) -> None:
    """Do the first cleanup."""
    said = [{"directive": number, "response": "deferred"} for number, _ in shown]
    said[0]["response"] = "addressed"
    first = shown[0][0]
    task = f"Build app/tidy_{first}.txt"
    answer(status="implement", task=task, plan="Tidy.", directives=said, does=[first])


def work(prompt: str) -> None:
    """Write the file."""
    task = re.findall(r"^task_\d+: Build (\S+)", prompt, re.MULTILINE)[-1]
    do = deed(task, prompt)
    if do == "chatter":
        sys.stdout.write("I am done.\n")
        return
    path = Path(task)
    path.parent.mkdir(exist_ok=True)
    text = {"gate": "broken\n", "empty": "", "qa": "sloppy\n"}.get(do, "built\n")
    if do != "missing":
        path.write_text(text)
    if do == "plant":
        for place in ("conventions/planted.md", "directives/planted.md", "conventions/files.md"):
            document = Path("docs/knowledge", place)
            document.parent.mkdir(parents=True, exist_ok=True)
            document.write_text(f"# Planted\n_Status: established_\n## Rules\n{PLANTED}\n")
    status = "BLOCKED" if do == "blocked" else "SUCCESS"
    answer(
        status=status,
        summary=f"Wrote {task}.",
        files_created=[task],
        files_modified=[],
        tests_written=[],
    )


def judge(prompt: str) -> None:
    """Look for sloppy work."""
    if "+sloppy" in prompt:
        answer(status="fail", feedback="It is sloppy.")
    else:
        answer(status="pass", feedback="It is built.")


def assess(prompt: str) -> None:
    """Look whether the milestone is there."""
    milestone = current(prompt)
    given_up = set(re.findall(r"\((?:aborted|skipped|failed)\): (?:Build|Leave) (\S+)", prompt))
    wanted = [it for it in parts(milestone) if it not in given_up]
    is_there = all(Path(it).exists() for it in wanted)
    answer(status="milestone_complete" if is_there else "aligned", summary="I looked.")


def code_style(prompt: str) -> None:
    """Establish a convention, and want something tidied up once."""
    own = Path("docs/knowledge/conventions")
    wanted: list[object] = []
    if "BOOTSTRAP" in prompt:
        own.mkdir(parents=True, exist_ok=True)
        (own / "files.md").write_text(CONVENTION)
    else:
        wanted = [{"type": "cleanup", "description": "Sort the files", "priority": "low"}]
    if "meddle" in DEEDS.get("code_style", []):
        other = Path("docs/knowledge/design/mine.md")
        try:
            other.parent.mkdir(parents=True, exist_ok=True)
            other.write_text("# Mine\n")
        except OSError as error:
            sys.stderr.write(f"{error}\n")
    answer(conventions_updated=[str(own / "files.md")], directives=wanted, summary="I looked.")


def design(prompt: str) -> None:
    """Find nothing."""
    del prompt
    answer(design_updates=[], directives=[], summary="It fits.")


def internalise(prompt: str) -> None:
    """Learn one thing."""
    del prompt
    item = {"category": "lesson", "content": "Files are built one by one", "source_task": "task_1"}
    answer(knowledge_items=[item], summary="One thing.")


ROLES: dict[str, Callable[[str], None]] = {
    "scope_agent": scope,
    "task_planner": plan,
    "loop_implementor": work,
    "loop_qa": judge,
    "assessor": assess,
    "code_style_supervisor": code_style,
    "design_supervisor": design,
    "internaliser": internalise,
}

if __name__ == "__main__":
    main()
