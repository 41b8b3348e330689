"""The agent of the kanban tests: does with each task what `deeds.json` beside it says.

Runs inside the sandbox. The deeds map a task to what is done each time that somebody is asked to
do it: entries in the work log count, and attempts. At a task that is not listed, and after the last
deed of one that is, the agent does its work well. Without a task file it is a Manager, and not a
good one.
"""

import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

TOLD = re.compile(r'\{\s*"(?:task_file|kanban_file|instruction)"')
ENTRY = """
### [2030-01-01T00:00:00Z] What {role} did

**Facts:** It was looked at.

**Analysis:** It had to be so.

**Conclusion:** {word}
"""
CLEAR = """\
  - description: Build what {name} found
    files: [app/{name}.txt]
    related_domains: [app]
    expertise_required: [python]
"""
VAGUE = """\
  - description: Make it better
    files: []
    related_domains: []
    expertise_required: []
"""


def main() -> None:
    """Act as the deeds say."""
    prompt = sys.stdin.read()
    found = TOLD.search(prompt)
    assert found, prompt
    told = json.JSONDecoder().raw_decode(prompt[found.start() :])[0]
    if "task_file" not in told:
        say("I would rather not.\n")
        return
    path = Path(told["task_file"])
    name = path.stem.partition("-")[2]
    deeds = json.loads(Path(__file__).with_name("deeds.json").read_text()).get(name, [])
    turn = path.read_text().count("\n### [") + int(os.environ["SUPERVISOR_ATTEMPT"]) - 1
    DEEDS[deeds[turn] if turn < len(deeds) else "well"](path)


def say(text: str) -> None:
    """Print at once."""
    sys.stdout.write(text)
    sys.stdout.flush()


def answer(status: str = "ok") -> None:
    """Print an answer as the contract asks."""
    say("```json\n" + json.dumps({"status": status, "message": "It is so."}) + "\n```\n")


def log(path: Path, word: str = "ok") -> None:
    """Add an entry to the work log, in place."""
    with path.open("a") as file:
        file.write(ENTRY.format(role=os.environ["SUPERVISOR_ROLE"], word=word))


def build(path: Path) -> None:
    """Write the code that a task asks for."""
    if os.environ["SUPERVISOR_ROLE"] == "implementor":
        code = Path("app", path.stem + ".txt")
        code.parent.mkdir(exist_ok=True)
        code.write_text("built\n")


def well(path: Path) -> None:
    """Do the task."""
    build(path)
    log(path)
    answer()


def chat(path: Path) -> None:
    """Do the task, and say more than was asked for."""
    build(path)
    log(path)
    said = {"status": "ok", "message": "It is so.", "summary": "All went well."}
    say("```json\n" + json.dumps(said) + "\n```\n")


def reply(path: Path) -> None:
    """Do the task, and answer what is wanted of the project."""
    log(path)
    replies = [{"directive": 1, "response": "explained", "note": "It says so."}]
    said = {"status": "ok", "message": "It is so.", "directives": replies}
    say("```json\n" + json.dumps(said) + "\n```\n")


def suggest(path: Path) -> None:
    """Do the task, and suggest two others."""
    items = "work_items:\n" + CLEAR.format(name=path.stem) + VAGUE
    block = f"<!-- start workitems -->\n```yaml\n{items}```\n<!-- end workitems -->\n"
    text = path.read_text().replace("## Work Log\n", f"## Work Items\n\n{block}\n## Work Log\n")
    path.write_text(text)
    log(path)
    answer()


def give_up(word: str) -> Callable[[Path], None]:
    """Write half of the code, and say in the log why it cannot be done."""

    def act(path: Path) -> None:
        build(path)
        log(path, word)
        answer(word)

    return act


def crash(path: Path) -> None:
    """Die in the middle of the work."""
    log(path)
    os.kill(os.getpid(), signal.SIGKILL)


def fail_the_gate(path: Path) -> None:
    """Write code that does not pass."""
    build(path)
    Path("app", path.stem + ".txt").write_text("broken\n")
    log(path)
    answer()


def meddle(path: Path) -> None:
    """Try to write into the kanban file, and do the task all the same."""
    for other in sorted(path.parent.glob("*kanban*.md")):
        try:
            other.write_text("Mine.\n")
        except OSError as error:
            sys.stderr.write(f"{error}\n")
    well(path)


def wait(path: Path) -> None:
    """Wait for ever, unless it is done once more after it could not land."""
    if int(os.environ["SUPERVISOR_VISIT"]) > 2:
        well(path)
        return
    say("waiting\n")
    while True:
        time.sleep(0.1)


DEEDS: dict[str, Callable[[Path], None]] = {
    "well": well,
    "chat": chat,
    "reply": reply,
    "suggest": suggest,
    "chatter": lambda _: say("I am done.\n"),
    "no log": lambda _: answer(),
    "error": lambda _: answer("error"),
    "blocked": give_up("blocked"),
    "escalate": give_up("escalate"),
    "crash": crash,
    "fail the gate": fail_the_gate,
    "meddle": meddle,
    "wait": wait,
}

if __name__ == "__main__":
    main()
