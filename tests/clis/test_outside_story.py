"""The whole story once: a coordinator outside, a block, a person's override, and on it goes."""

import json
import os
import pwd
import re
from pathlib import Path
from typing import Final

import pytest
from tests.clis.outside import AgentDesktop, call
from tests.clis.stage import conversation, require
from tests.clis.vocabulary import Turn
from tests.support.desktop import Json
from tests.support.processes import PATIENCE

from supervisor_ai.lab.server import LabServer

TRANSCRIPT: Final = Path(__file__).parents[2] / "docs/transcripts/a-block-and-an-override.md"
SPEC: Final = """\
---
role: supervisor
prefix: CHECKPOINT
inner_loop: false
---

## CHECKPOINT-001: The brief
- contains_heading: {path: spec/product-brief.md, heading: Vision}
- contains_heading: {path: spec/product-brief.md, heading: Out of Scope}
  id: has_limits
"""
PIPELINE: Final = """\
description: A brief, a look at it, and what follows from it
tasks:
  - {id: DRAFT-001, owner: writer, subject: Write the brief}
  - {id: CHECKPOINT-001, owner: supervisor, subject: Look at the brief, blocked_by: [DRAFT-001]}
  - {id: DRAFT-002, owner: writer, subject: Write the requirements, blocked_by: [CHECKPOINT-001]}
"""
STATE: Final = json.dumps(
    {"status": "task_complete", "task_id": "DRAFT-001", "ref": "spec/product-brief.md"}
)
REASON: Final = "Agreed with the customer: the vision follows."
SERVED: Final = ("checkpoint", "serve", "S1", "--no-judge", "--yes")


class Story:
    """What is typed and said, as a reader sees it."""

    def __init__(self, desk: AgentDesktop, lab: LabServer) -> None:
        self._desk = desk
        self._lab = lab
        self.text = ""

    def type(self, *words: str, code: int = 0) -> str:
        """Let the person type a command."""
        out = self._desk.supervisor(*words, code=code)
        shown = " ".join(f'"{it}"' if " " in it else it for it in words)
        self.text += f"```console\n$ supervisor {shown}\n{out.strip()}\n```\n\n"
        return out

    def tell(self, words: str, *turns: Turn) -> None:
        """Let the person say something to Claude Code, which does what the script says."""
        self._lab.load(conversation(*turns))
        self.text += f"> {words}\n\n"
        for line in self._desk.converse(self._lab, words).splitlines():
            record = json.loads(line)
            for part in record.get("message", {}).get("content", ()):
                self._show(part)

    def _show(self, part: Json) -> None:
        if part["type"] == "tool_use":
            self.text += f"`{part['name']}`\n\n```json\n{_json(part['input'])}\n```\n\n"
        elif part["type"] == "tool_result":
            told = json.loads(part["content"])
            told.get("checkpoint", {}).pop("text", None)
            self.text += f"answers\n\n```json\n{_json(told)}\n```\n\n"
        elif part["type"] == "text":
            self.text += f"**Claude**: {part['text']}\n\n"


def _json(value: object) -> str:
    short = json.dumps(value, ensure_ascii=False)
    return short if len(short) < 110 else json.dumps(value, indent=2, ensure_ascii=False)


def _plain(text: str, desk: AgentDesktop) -> str:
    """Take out what is different each time."""
    text = text.replace(str(desk.project), "/home/ada/shop")
    text = re.sub(r'"ts": "[^"]*"', '"ts": "…"', text)
    text = re.sub(r"tree [0-9a-f]{40}", "tree 7d49dcee358a…", text)
    text = text.replace(f"By: {pwd.getpwuid(os.getuid()).pw_name}", "By: ada")
    return re.sub(r"^r[0-9a-z]{11}:", "rk3f9x2ab0c1:", text, flags=re.MULTILINE)


@pytest.mark.long
def test_a_coordinator_outside_gets_a_block_and_a_person_overrides_it(tmp_path: Path) -> None:
    require("claude")
    desk = AgentDesktop("claude", tmp_path)
    desk.write(".supervisor/checkpoints/supervisor.md", SPEC)
    desk.commit()
    asked = call(
        *("claude", "checkpoint_request"),
        task_id="CHECKPOINT-001",
        scope=["DRAFT-001"],
        pipeline_progress="1/2",
    )
    moved = [move("DRAFT-001", it) for it in ("in_progress", "completed")]
    look = call("claude", "checkpoint_show", task_id="CHECKPOINT-001")
    heard = call("claude", "team_msg", operation="list", last=1, **{"from": "supervisor"})
    begun = move("DRAFT-002", "in_progress")
    with LabServer(conversation({"text": "-"})) as lab:
        story = Story(desk, lab)
        desk.write("brief.yaml", PIPELINE)
        new = ("session", "new", "S1", "--pipeline", "brief.yaml")
        desk.supervisor(*new, "--requirement", "A small shop.")
        brief = ".supervisor/sessions/S1/spec/product-brief.md"
        desk.write(brief, "# A shop\n\nIt sells things.\n")
        written = ("--from", "writer", "--type", "state_update", "--data", STATE)
        desk.supervisor("msg", "log", "The brief is written.", *written, "--session", "S1")
        with desk.start(*SERVED) as resident:
            desk.until(lambda: bool(said(desk)), "the supervisor's first word")
            desk.supervisor("agents", "install", "claude", "--session", "S1", "--yes")
            story.tell("The brief is done.", *moved, asked, {"text": "I have asked."})
            desk.until(lambda: shown(desk)["verdict"] is not None, "the verdict")
            assert shown(desk)["verdict"] == "block"
            story.tell(
                "What does the supervisor say?",
                look,
                {"text": "It blocks: I stop here. Override it, have the brief revised, or abort?"},
            )
            assert shown(desk)["status"] == "in_progress"
            story.type("checkpoint", "override", "S1", "CHECKPOINT-001", "--reason", REASON)
            desk.until(lambda: shown(desk)["decision"] == "override", "the override")
            story.tell("Overridden. Go on.", heard, begun, {"text": "The pipeline goes on."})
            assert shown(desk)["status"] == "completed"
            end = {"to": "supervisor", "type": "shutdown_request", "data": {"request_id": "end-1"}}
            last = call("claude", "team_msg", operation="log", summary="All done.", **end)
            story.tell("That is all for today.", last, {"text": "The supervisor goes home."})
            out, err = resident.communicate(timeout=PATIENCE)
            assert resident.returncode == 0, (out, err)
    assert said(desk)[-1]["summary"] == "[supervisor] Shutting down"
    compare(_plain(story.text, desk), tmp_path / TRANSCRIPT.name)


def compare(found: str, anew: Path) -> None:
    """Hold the page against what happened; what it would be now is written beside."""
    head, mark, _ = TRANSCRIPT.read_text().partition("<!-- transcript -->\n\n")
    anew.write_text(f"{head}{mark}{found}".rstrip() + "\n")
    assert anew.read_text() == TRANSCRIPT.read_text(), f"as it is now: {anew}"


def move(task: str, status: str) -> Turn:
    return call("claude", "task_update", taskId=task, status=status)


def shown(desk: AgentDesktop) -> Json:
    found: Json = desk.ask("checkpoint", "show", "S1", "CHECKPOINT-001")["checkpoint"]
    return found


def said(desk: AgentDesktop) -> list[Json]:
    heard = desk.ask("msg", "list", "--session", "S1", "--from", "supervisor")
    return list(heard["messages"])
