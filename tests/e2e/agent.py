"""The agent of the end-to-end tests: does at each step what `script.json` beside it says.

Runs inside the sandbox. The script maps a step to what each attempt at it does, the last entry
for all further ones; at a step that is not listed the agent does its work well. It is started
thousands of times: what few deeds need, these import, and nobody the readers of JSON, which take as
long to import as the interpreter takes to start.
"""

import os
import sys
import time
from _json import encode_basestring_ascii as quote

MYPY = False
if MYPY:
    from collections.abc import Callable

Answer = dict[str, object]

ANSWERS: dict[str, Answer] = {
    "planner": {"status": "COMPLETE", "summary": "One file."},
    "implementer": {
        "status": "SUCCESS",
        "summary": "Wrote it.",
        "files_created": ["done.txt"],
        "files_modified": [],
        "tests_written": [],
    },
    "reviewer": {"status": "APPROVED", "summary": "Good.", "issues": []},
}


def main() -> None:
    """Act as the script says."""
    prompt = sys.stdin.read()
    role, step = os.environ["SUPERVISOR_ROLE"], os.environ["SUPERVISOR_STEP"]
    counter = int(os.environ["SUPERVISOR_VISIT"]) + int(os.environ["SUPERVISOR_ATTEMPT"]) - 2
    with open(f"{os.path.dirname(__file__)}/script.json") as script:  # noqa: PTH120, PTH123 - as said
        deeds = eval(script.read()).get(step, ["well"])  # noqa: S307 - words that the test wrote
    deed = deeds[min(counter, len(deeds) - 1)]
    if role == "implementer" and deed != "idle":
        with open("done.txt", "a") as file:  # noqa: PTH123 - as said
            file.write(f"{step} {counter} {deed}\n")
    if deed == "echo":
        told = {name: value for name, value in os.environ.items() if "SUPERVISOR" in name}
        say(f"PROMPT<<{prompt}>> {told}\n")
    DEEDS.get(deed, answer)(ANSWERS[role])


def say(text: str) -> None:
    """Print at once."""
    sys.stdout.write(text)
    sys.stdout.flush()


def answer(it: Answer) -> None:
    """Print an answer as the contract asks."""
    signed = {"nonce": os.environ["SUPERVISOR_NONCE"], **it}
    say(f"```json\n{to_json(signed)}\n```\n")


def to_json(it: object) -> str:
    """Write texts, and lists and objects of texts, as JSON."""
    if isinstance(it, dict):
        return "{" + ", ".join(f"{quote(key)}: {to_json(one)}" for key, one in it.items()) + "}"
    if isinstance(it, list):
        return "[" + ", ".join(map(to_json, it)) + "]"
    assert isinstance(it, str)
    return quote(it)


def answer_twice(it: Answer) -> None:
    """Print two answers that differ."""
    answer({**it, "summary": "One."})
    answer({**it, "summary": "Two."})


def answer_after_garbage(it: Answer) -> None:
    """Print bytes that are no text before the answer."""
    sys.stdout.buffer.write(b"\xff\xfe\x80 not text \xc3\x28\n")
    answer(it)


def answer_after_flood(it: Answer) -> None:
    """Print 200 MB before the answer."""
    for _ in range(200):
        say("x" * 1024 * 1024)
    answer(it)


def crash(it: Answer) -> None:
    """End badly."""
    del it
    say("the engine is on fire\n")
    sys.exit(1)


def hang(it: Answer) -> None:
    """Never end."""
    del it
    say("thinking\n")
    while True:
        time.sleep(1)


def be_stubborn(it: Answer) -> None:
    """Never end, whoever asks for it, and start somebody who does not either."""
    import signal
    import subprocess

    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    again = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(1000)"
    nowhere = subprocess.DEVNULL
    stray = [sys.executable, "-c", f"{again}  # {os.environ['SUPERVISOR_RUN']}-is-stubborn"]
    subprocess.Popen(stray, start_new_session=True, stdout=nowhere, stderr=nowhere)
    hang(it)


def leave_litter(it: Answer) -> None:
    """Leave more files that git's own check refuses than it names at once."""
    from pathlib import Path

    for number in range(120):
        Path(f"small{number}").write_text(f"{number}\n")
    for number in range(5):
        Path(f"part{number}").mkdir()
        module = f'[submodule "x{number}"]\n\tpath = x\n\turl = -u./x{number}\n'
        Path(f"part{number}", ".gitmodules").write_text(module)
    answer(it)


def hoard(it: Answer) -> None:
    """Leave more than may be kept."""
    from pathlib import Path

    Path("hoard").write_bytes(os.urandom(8 << 20))
    answer(it)


def name_a_file_like_a_secret(it: Answer) -> None:
    """Put a key into the name of a file."""
    from pathlib import Path

    Path("ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2).write_text("a key\n")
    answer(it)


def leave_daemon(it: Answer) -> None:
    """Leave a process behind that has cut all ties."""
    import subprocess

    sleep = [sys.executable, "-c", "import time; time.sleep(1000)  # stray-of-the-e2e-tests"]
    nowhere = subprocess.DEVNULL
    subprocess.Popen(sleep, start_new_session=True, stdout=nowhere, stderr=nowhere)
    answer(it)


def betray(it: Answer) -> None:
    """Print a key and try to take over the terminal."""
    say("export KEY=sk-ant-api03-" + "A" * 40 + " \x1b[2J\x1b]0;owned\x07 done\n")
    answer(it)


DEEDS: "dict[str, Callable[[Answer], None]]" = {
    "silent": lambda _: say("I am done.\n"),
    "twice": answer_twice,
    "incomplete": lambda _: answer({"summary": "I forgot the status."}),
    "garbage": answer_after_garbage,
    "flood": answer_after_flood,
    "crash": crash,
    "hang": hang,
    "stubborn": be_stubborn,
    "daemon": leave_daemon,
    "litter": leave_litter,
    "hoard": hoard,
    "secret name": name_a_file_like_a_secret,
    "betray": betray,
    "reject": lambda it: answer({**it, "status": "CHANGES_REQUESTED"}),
    "blocked": lambda it: answer({**it, "status": "BLOCKED", "blockers": ["Which port?"]}),
}

if __name__ == "__main__":
    main()
