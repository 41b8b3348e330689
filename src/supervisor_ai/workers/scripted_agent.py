"""The program that a scripted worker starts: plays one reply of a script in its workspace.

Runs alone inside the sandbox, so it imports nothing but the standard library.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path, PurePosixPath
from typing import Any

Reply = dict[str, Any]
NO_REPLY = 3


def main() -> int:
    """Play the first reply that fits this attempt."""
    sys.stdin.buffer.read()
    reply = find_reply(json.loads(sys.argv[1]), dict(os.environ))
    if reply is None:
        place = "/".join(os.environ[f"SUPERVISOR_{name}"] for name in ("STEP", "VISIT", "ATTEMPT"))
        sys.stderr.write(f"The script has no reply for step/visit/attempt {place}.\n")
        return NO_REPLY
    change_files(reply)
    talk(reply)
    return int(reply.get("exit", 0))


def find_reply(script: Reply, environment: dict[str, str]) -> Reply | None:
    """Return the first reply whose conditions all hold."""
    for reply in script["replies"]:
        conditions = [name for name in ("step", "role", "visit", "attempt") if name in reply]
        if all(environment[f"SUPERVISOR_{n.upper()}"] == str(reply[n]) for n in conditions):
            found: Reply = reply
            return found
    return None


def change_files(reply: Reply) -> None:
    """Write, extend and remove files of the workspace."""
    for name, text in reply.get("write", {}).items():
        path = _inside(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name, text in reply.get("append", {}).items():
        with _inside(name).open("a") as file:
            file.write(text)
    for name in reply.get("delete", []):
        _inside(name).unlink()


def talk(reply: Reply) -> None:
    """Print what the reply says, as an agent would: piece by piece, the answer last."""
    for line in reply.get("say", []):
        _print(f"{line}\n")
        time.sleep(float(reply.get("pause", 0)))
    sys.stderr.write(str(reply.get("stderr", "")))
    _print("x" * int(reply.get("output_bytes", 0)))
    if reply.get("daemon"):
        subprocess.Popen(["sleep", "1000"], start_new_session=True)  # noqa: S607 - the sandbox's own
    while reply.get("hang"):
        time.sleep(1)
    if "raw" in reply:
        _print(str(reply["raw"]))
    elif "answer" in reply:
        _print(f"```json\n{json.dumps(reply['answer'], indent=2)}\n```\n")


def _print(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _inside(name: str) -> Path:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        sys.exit(f"The script names {name!r}, which is not inside the workspace.")
    return Path(path)


if __name__ == "__main__":
    sys.exit(main())
