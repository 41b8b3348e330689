"""A session with a pipeline, its artifacts, and a project whose agent judges checkpoints."""

import json
from pathlib import Path
from typing import Final

from tests.e2e.command import Json, User, until
from tests.support.processes import Owned

FIXTURES: Final = Path(__file__).parents[1] / "fixtures/checkpoint/session"
SESSION: Final = "shop"
FOLDER: Final = Path(".supervisor/sessions") / SESSION
FIRST: Final = ("CHECKPOINT-001", "--scope", "DRAFT-001,DRAFT-002", "--progress", "3/6")
CONFIG: Final = """\
cli: my_agent
clis:
  my_agent: {adapter: command, command: [python3, tools/judge.py]}
limits: {step_max_retries: 0}
"""
STRICT: Final = """\
---
role: supervisor
prefix: CHECKPOINT
---

## CHECKPOINT-001: The brief

- contains_heading: {path: spec/product-brief.md, heading: Poems}
  id: poems
- contains_heading: {path: spec/product-brief.md, heading: Songs}
  id: songs
- artifacts_exist
"""
DRAFTS: Final = {"DRAFT-001": "product-brief.md", "DRAFT-002": "requirements.md"}


def furnish_judged(user: User, spec: str | None = None) -> None:
    """Give the repository an agent that judges, and checks of its own."""
    judge = Path(__file__).with_name("judge_agent.py").read_text(encoding="utf-8")
    files = {".supervisor/config.yaml": CONFIG, "tools/judge.py": judge}
    if spec is not None:
        files[".supervisor/checkpoints/supervisor.md"] = spec
    user.commit(files)


def open_drafted(user: User) -> None:
    """Begin a session, and let its writer do what comes before the first checkpoint."""
    made = user.call(
        *("session", "new", SESSION, "--pipeline", "spec-only"),
        *("--requirement", "A small shop.", "--json"),
    )
    assert made.code == 0, made.out + made.err
    move(user, "RESEARCH-001")
    for task, name in DRAFTS.items():
        place = user.repository / FOLDER / "spec" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text((FIXTURES / name).read_text(encoding="utf-8"), encoding="utf-8")
        data = {"task_id": task, "status": "task_complete", "ref": f"spec/{name}"}
        said = user.call(
            *("msg", "log", f"{task} is done", "--from", "writer", "--type", "state_update"),
            *("--data", json.dumps(data), "--session", SESSION),
        )
        assert said.code == 0, said.err
        move(user, task)


def move(user: User, task: str) -> None:
    """Let a task be done."""
    for status in ("in_progress", "completed"):
        said = user.call("session", "task", "update", SESSION, task, "--status", status)
        assert said.code == 0, said.err


def told(user: User) -> list[Json]:
    """Return what the supervisor has said."""
    said = user.call("msg", "list", "--from", "supervisor", "--session", SESSION, "--json")
    found: list[Json] = said.json["messages"]
    return found


def until_told(user: User, served: Owned, beginning: str) -> None:
    """Wait until the supervisor that somebody serves says something."""

    def is_told() -> bool:
        assert served.poll() is None, served.communicate()
        return any(
            str((it["data"] or {}).get("content", "")).startswith(beginning) for it in told(user)
        )

    until(is_told, f"{beginning!r} from the supervisor")
