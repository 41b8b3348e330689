#!/usr/bin/env python3
"""A program that is called and speaks like Claude Code, and doubles the price of the small shop.

Runs inside the sandbox, on whatever Python is there.
"""

import json
import os
import sys
from pathlib import Path

ANSWERS = {
    "planner": {"status": "COMPLETE", "summary": "Double the price.", "phases": []},
    "implementer": {
        "status": "SUCCESS",
        "summary": "Added a function for discounts.",
        "files_created": [],
        "files_modified": ["src/shop/__init__.py", "tests/test_price.py"],
        "tests_written": ["tests/test_price.py::Price::test_discount"],
    },
    "reviewer": {"status": "APPROVED", "summary": "Good.", "issues": []},
}
PRODUCT = "\n\ndef discount(n):\n    return price(n) - 1\n"
TEST = "\n    def test_discount(self):\n        self.assertEqual(shop.discount(2), 5)\n"


def tell(**record: object) -> None:
    """Print a record of the stream."""
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Do the work of the role, and answer."""
    sys.stdin.read()
    role = os.environ["SUPERVISOR_ROLE"]
    if role == "implementer":
        for name, text in (("src/shop/__init__.py", PRODUCT), ("tests/test_price.py", TEST)):
            with Path(name).open("a") as file:
                file.write(text)
    answer = {"nonce": os.environ["SUPERVISOR_NONCE"], **ANSWERS[role]}
    text = f"```json\n{json.dumps(answer)}\n```"
    tell(type="system", subtype="init", session_id="s", model="stub", tools=["Edit", "Write"])
    tell(type="assistant", message={"id": "m", "content": [{"type": "text", "text": text}]})
    tell(type="result", subtype="success", is_error=False, result=text, num_turns=1)


if __name__ == "__main__":
    main()
