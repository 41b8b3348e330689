"""The agent of the tests about supervisors of workflows and kanbans, in one file without imports.

Runs inside the sandbox. The planner answers every directive that it is shown; the supervisors write
in their folders, and one of them wants something.
"""

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

NONCE = os.environ["SUPERVISOR_NONCE"]
STORE = Path("docs/knowledge")
DOCUMENT = "# {title}\n\n## Rules\n\n1. {rule}\n"


def answer(**said: object) -> None:
    """Print an answer as the contract asks."""
    sys.stdout.write("```json\n" + json.dumps({"nonce": NONCE, **said}) + "\n```\n")


def plan(prompt: str) -> None:
    """Plan the task, and answer what supervisors want."""
    shown = re.findall(r"\[(\d+)\] (?:functional|cleanup), ", prompt)
    said = [{"directive": int(it), "response": "addressed", "note": "In passing."} for it in shown]
    answer(status="COMPLETE", summary=f"Told of {len(said)} directives.", directives=said)


def build(prompt: str) -> None:
    """Add a line to the code."""
    del prompt
    code = Path("app.txt")
    code.write_text(code.read_text() + f"{NONCE}\n")
    answer(status="SUCCESS", files_created=[], files_modified=["app.txt"], tests_written=[])


def style(prompt: str) -> None:
    """Lay the ground once, then want something."""
    wanted = []
    if "BOOTSTRAP" in prompt:
        (STORE / "conventions").mkdir(parents=True, exist_ok=True)
        text = DOCUMENT.format(title="Lines", rule="One nonce for each line")
        (STORE / "conventions/lines.md").write_text(text)
    else:
        wanted = [{"type": "functional", "description": "Number the lines", "rationale": "So."}]
    answer(conventions_updated=["conventions/lines.md"], directives=wanted, summary="I looked.")


def api_docs(prompt: str) -> None:
    """Write in a folder of one's own, and try to write in another's."""
    del prompt
    (STORE / "api").mkdir(parents=True, exist_ok=True)
    (STORE / "api/lines.md").write_text(DOCUMENT.format(title="API", rule="Lines are stable"))
    try:
        (STORE / "design").mkdir(parents=True, exist_ok=True)
        (STORE / "design/mine.md").write_text(DOCUMENT.format(title="Mine", rule="Mine"))
    except OSError as error:
        sys.stderr.write(f"{error}\n")
    answer(design_updates=["api/lines.md"], directives=[], summary="The API is described.")


ROLES: dict[str, Callable[[str], None]] = {
    "planner": plan,
    "implementer": build,
    "code_style_supervisor": style,
    "api_docs": api_docs,
}

if __name__ == "__main__":
    ROLES[os.environ["SUPERVISOR_ROLE"]](sys.stdin.read())
