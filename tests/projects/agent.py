"""An agent that adds one comment to the product, and has nothing else to say."""

import json
import os
from pathlib import Path

HERE = Path(__file__).parent

ANSWERS: dict[str, dict[str, object]] = {
    "planner": {"status": "COMPLETE", "summary": "One comment."},
    "implementer": {
        "status": "SUCCESS",
        "summary": "Added a comment.",
        "files_created": [],
        "files_modified": [],
        "tests_written": [],
    },
    "reviewer": {"status": "APPROVED", "summary": "Good.", "issues": []},
}


def main() -> None:
    """Do what the role asks for and answer as the contract says."""
    role = os.environ["SUPERVISOR_ROLE"]
    answer = dict(ANSWERS[role])
    if role == "implementer":
        deed = json.loads((HERE / "deed.json").read_text())
        text = Path(deed["file"]).read_text()
        Path(deed["file"]).write_text(text.removesuffix(deed["text"]) + deed["text"])
        answer["files_modified"] = [deed["file"]]
    signed = {"nonce": os.environ["SUPERVISOR_NONCE"], **answer}
    print(f"```json\n{json.dumps(signed)}\n```")  # noqa: T201 - an agent answers so


if __name__ == "__main__":
    main()
