#!/usr/bin/env python3
"""A program that is started and speaks like Qwen Code: it asks its model, and does what it says.

Runs inside the sandbox, on whatever Python is there.
"""

import json
import os
import re
import sys
import urllib.request
from pathlib import Path


def asked(prompt: str) -> str:
    """Ask the model that it was started with."""
    model = sys.argv[sys.argv.index("-m") + 1]
    body = {"model": model, "messages": [{"role": "user", "content": prompt}]}
    request = urllib.request.Request(  # noqa: S310 - the broker's own address
        os.environ["OPENAI_BASE_URL"] + "/chat/completions",
        data=json.dumps(body).encode(),
        headers={"authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"},
    )
    with urllib.request.urlopen(request) as reply:  # noqa: S310
        return str(json.load(reply)["choices"][0]["message"]["content"])


def tell(**record: object) -> None:
    """Print a record of the stream."""
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Do what the model says, and answer."""
    said = json.loads(asked(sys.stdin.read()))
    for name in said["files_created"]:
        assert re.fullmatch(r"app/\w+\.txt", name)
        Path("app").mkdir(exist_ok=True)
        Path(name).write_text("built\n")
    text = "```json\n" + json.dumps({**said, "nonce": os.environ["SUPERVISOR_NONCE"]}) + "\n```"
    tell(type="system", subtype="init", session_id="s", model="stub", tools=["edit"])
    tell(type="assistant", message={"id": "m", "content": [{"type": "text", "text": text}]})
    tell(type="result", subtype="success", is_error=False, result=text, num_turns=1)


if __name__ == "__main__":
    main()
