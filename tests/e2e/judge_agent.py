"""An agent that judges checkpoints: whatever is asked holds, by the first line that it is shown."""

import json
import os
import re
import sys

ASKED = re.compile(r"^- ([a-z][a-z0-9_]*): ", re.MULTILINE)
SHOWN = re.compile(r"^(\S+\.md):([0-9]+): (.+)$", re.MULTILINE)


def main() -> None:
    """Answer every check."""
    prompt = sys.stdin.read()
    found = SHOWN.search(prompt)
    cited = [{"file": found[1], "line": int(found[2]), "quote": found[3]}] if found else []
    checks = [
        {"check": check, "verdict": "pass", "evidence": cited} for check in ASKED.findall(prompt)
    ]
    answer = {"nonce": os.environ["SUPERVISOR_NONCE"], "status": "JUDGED", "checks": checks}
    sys.stdout.write(f"```json\n{json.dumps(answer)}\n```\n")


if __name__ == "__main__":
    main()
