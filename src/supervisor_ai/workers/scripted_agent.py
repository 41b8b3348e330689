"""The program that a scripted worker starts: plays one reply of a script in its workspace.

Runs alone inside the sandbox, so it imports nothing but the standard library. The first line of
its standard input is the script, the rest is the prompt.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path, PurePosixPath
from typing import Any, Final, NoReturn

Reply = dict[str, Any]
BAD_SCRIPT: Final = 2
NO_REPLY: Final = 3
NONCE: Final = "{{nonce}}"
"""What stands for the nonce of the attempt in a text."""

_CONDITIONS: Final = ("step", "role", "visit", "attempt")
_TYPES: Final[dict[str, type | tuple[type, ...]]] = {
    **dict.fromkeys(("step", "role", "raw", "stderr"), str),
    **dict.fromkeys(("visit", "attempt", "exit", "output_bytes"), int),
    **dict.fromkeys(("say", "delete"), list),
    **dict.fromkeys(("write", "append"), dict),
    **dict.fromkeys(("hang", "daemon"), bool),
    "pause": (int, float),
    "answer": object,
}


def main() -> int:
    """Play the first reply that fits this attempt."""
    script = sys.stdin.buffer.readline()
    sys.stdin.buffer.read()
    reply = find_reply(read_script(script), dict(os.environ))
    if reply is None:
        place = "/".join(os.environ[f"SUPERVISOR_{name}"] for name in ("STEP", "VISIT", "ATTEMPT"))
        sys.stderr.write(f"The script has no reply for step/visit/attempt {place}.\n")
        return NO_REPLY
    change_files(reply)
    talk(reply)
    return int(reply.get("exit", 0))


def read_script(text: bytes) -> list[Reply]:
    """Return the replies of a script, or end with everything that is wrong with it."""
    try:
        script = json.loads(text)
    except ValueError as error:
        _refuse([f"The script is not JSON: {error}."])
    if not isinstance(script, dict) or not isinstance(script.get("replies"), list):
        _refuse(["The script needs a list of replies."])
    replies: list[Reply] = script["replies"]
    problems = [
        f"Reply {number} of the script: {problem}."
        for number, reply in enumerate(replies, 1)
        for problem in find_problems(reply)
    ]
    if problems:
        _refuse(problems)
    return replies


def find_problems(reply: object) -> list[str]:
    """Say what is wrong with a reply."""
    if not isinstance(reply, dict):
        return ["it is not a mapping"]
    unknown = [f"{key!r} is not known" for key in reply if key not in _TYPES]
    wrong = [
        f"{key!r} cannot be {value!r}"
        for key, value in reply.items()
        if key in _TYPES and not isinstance(value, _TYPES[key])
    ]
    paths = [*_items(reply, "write"), *_items(reply, "append"), *_items(reply, "delete")]
    outside = [f"{path!r} is not inside the workspace" for path in paths if not _is_inside(path)]
    return unknown + wrong + outside


def find_reply(replies: list[Reply], environment: dict[str, str]) -> Reply | None:
    """Return the first reply whose conditions all hold."""
    for reply in replies:
        conditions = [name for name in _CONDITIONS if name in reply]
        if all(environment[f"SUPERVISOR_{n.upper()}"] == str(reply[n]) for n in conditions):
            return reply
    return None


def change_files(reply: Reply) -> None:
    """Write, extend and remove files of the workspace."""
    for mode, deed in (("w", "write"), ("a", "append")):
        for name, text in reply.get(deed, {}).items():
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open(mode, encoding="utf-8", newline="") as file:
                file.write(str(text))
    for name in reply.get("delete", []):
        Path(name).unlink()


def talk(reply: Reply) -> None:
    """Print what the reply says, as an agent would: piece by piece, the answer last."""
    for line in reply.get("say", []):
        _print(f"{line}\n")
        time.sleep(float(reply.get("pause", 0)))
    sys.stderr.write(reply.get("stderr", ""))
    _print("x" * reply.get("output_bytes", 0))
    if reply.get("daemon"):
        subprocess.Popen(["sleep", "1000"], start_new_session=True)  # noqa: S607 - the sandbox's own
    while reply.get("hang"):
        time.sleep(1)
    if "raw" in reply:
        _print(reply["raw"].replace(NONCE, os.environ["SUPERVISOR_NONCE"]))
    elif "answer" in reply:
        _print(f"```json\n{json.dumps(_signed(reply['answer']), indent=2)}\n```\n")


def _signed(answer: object) -> object:
    """Add the nonce, unless the script has one of its own."""
    nonce = os.environ["SUPERVISOR_NONCE"]
    return {"nonce": nonce, **answer} if isinstance(answer, dict) else answer


def _items(reply: Reply, key: str) -> list[object]:
    found = reply.get(key, [])
    return list(found) if isinstance(found, (dict, list)) else []


def _is_inside(name: object) -> bool:
    path = PurePosixPath(str(name))
    return isinstance(name, str) and not path.is_absolute() and ".." not in path.parts


def _refuse(problems: list[str]) -> NoReturn:
    sys.stderr.write("\n".join([*problems, ""]))
    sys.exit(BAD_SCRIPT)


def _print(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
