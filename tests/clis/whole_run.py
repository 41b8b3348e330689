"""Whole runs with real CLIs, as a user starts them, and what the model says to them."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from tests.clis.stage import KEYS, PATH, Model, Stage
from tests.clis.vocabulary import Turn
from tests.e2e.command import QUICK, Json, User, make_user

IMPLEMENTED: Final = {
    "status": "SUCCESS",
    "summary": "Wrote it.",
    "files_created": ["made.txt"],
    "files_modified": [],
    "tests_written": [],
}
OWN_REPEATS: Final = {"claude": 1, "codex": 0, "gemini": 1}
"""How often a CLI that met a limit which ends soon asks again by itself."""


def fenced(answer: Mapping[str, object]) -> Turn:
    signed = {"nonce": "{{nonce}}", **answer}
    return {"text": f"Here it is.\n```json\n{json.dumps(signed)}\n```"}


def work(stage: Stage) -> list[Turn]:
    """Write the file and say so."""
    return [stage.words.create("made.txt", "made by a tool"), fenced(IMPLEMENTED)]


def make_project(place: Path, config: Mapping[str, object]) -> User:
    """Make a user whose project has the workflow `quick`: implement and commit."""
    user = make_user(place / "user", place / "state")
    user.commit(
        {
            # JSON is YAML.
            ".supervisor/config.yaml": json.dumps(config),
            ".supervisor/workflows/quick.yaml": QUICK,
            "README.md": "A project.\n",
        }
    )
    return user


@contextmanager
def killed(owner: subprocess.Popen[str]) -> Iterator[None]:
    """Kill a supervisor in the middle, when all is seen that there was to see."""
    with owner:
        try:
            yield
        finally:
            owner.kill()


def facts(user: User, run: str) -> dict[str, list[Json]]:
    """Sort the facts of a run by their kinds."""
    found: dict[str, list[Json]] = {}
    for event in user.events(run):
        found.setdefault(event["type"], []).append(event)
    return found


def configure(user: User, labs: Mapping[Stage, Model]) -> None:
    """Send each CLI to an upstream of its own, as the user's own config can."""
    clis = {stage.adapter: _cli(stage, lab) for stage, lab in labs.items()}
    (user.home / "config").mkdir(exist_ok=True)
    (user.home / "config" / "config.yaml").write_text(json.dumps({"clis": clis}))
    user.environment.update({"PATH": PATH, **KEYS})


def _cli(stage: Stage, lab: Model) -> dict[str, object]:
    own = stage.profile.broker
    assert own is not None
    broker = {
        "upstream": lab.url + urlsplit(own.upstream).path,
        "paths": list(own.paths),
        "base_url": own.base_url,
        "header": own.header,
        "placeholder": own.placeholder,
    }
    command = [stage.adapter, *(("-m", stage.words.model) if stage.words.model else ())]
    return {"adapter": stage.adapter, "command": command, "broker": broker}
