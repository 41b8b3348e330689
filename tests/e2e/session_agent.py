"""The agent of a session: plans, writes a discount, and answers what people say about its lines.

Runs inside the sandbox.
"""

import json
import os
import re
import sys
from pathlib import Path

SHOP = Path("src/shop/__init__.py")
ROUGH = "\n\ndef discount(price):\n    return price * 0.9\n"
EXACT = "\n\ndef discount(price):\n    return round(price * 0.9, 2)\n"


def main() -> None:
    """Do what the role asks."""
    prompt = sys.stdin.read()
    answer = {"planner": plan, "implementer": implement, "reviewer": review}
    said = answer[os.environ["SUPERVISOR_ROLE"]](prompt)
    signed = {"nonce": os.environ["SUPERVISOR_NONCE"], **said}
    sys.stdout.write(f"```json\n{json.dumps(signed)}\n```\n")


def plan(prompt: str) -> dict[str, object]:
    """Plan one file."""
    del prompt
    return {"status": "COMPLETE", "summary": "One function.", "file_targets": [str(SHOP)]}


def implement(prompt: str) -> dict[str, object]:
    """Write the function, better where a person has asked for it."""
    comments = re.findall(r"^## Comment (\d+) ", prompt, re.MULTILINE)
    text = SHOP.read_text().replace(ROUGH, "").replace(EXACT, "")
    SHOP.write_text(text + (EXACT if comments else ROUGH))
    answers = [{"comment": int(number), "reply": "It is rounded now."} for number in comments]
    return {
        "status": "SUCCESS",
        "summary": "Wrote the discount.",
        "files_created": [],
        "files_modified": [str(SHOP)],
        "tests_written": [],
        **({"answers": answers} if answers else {}),
    }


def review(prompt: str) -> dict[str, object]:
    """Be content."""
    del prompt
    return {"status": "APPROVED", "summary": "As planned.", "issues": []}


if __name__ == "__main__":
    main()
