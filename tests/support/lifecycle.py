"""The ten tasks and three checkpoints of a full lifecycle, done by members through their tools."""

import http.client
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final
from urllib.parse import urlsplit

from tests.support.desktop import Desktop, Json
from tests.support.processes import PATIENCE

from supervisor_ai.bootstrap.projects import open_project, read_settings
from supervisor_ai.control.sessions.desk import open_desk
from supervisor_ai.control.sessions.members import Members
from supervisor_ai.domain.ids import SessionId
from supervisor_ai.domain.session.members import MemberRole

FIXTURES: Final = Path(__file__).parents[1] / "fixtures/checkpoint/session"
SESSION: Final = "S1"
OWNERS: Final = {
    "RESEARCH-001": "analyst",
    "DRAFT-001": "writer",
    "DRAFT-002": "writer",
    "DRAFT-003": "writer",
    "DRAFT-004": "writer",
    "QUALITY-001": "reviewer",
    "PLAN-001": "planner",
    "IMPL-001": "executor",
    "TEST-001": "tester",
    "REVIEW-001": "reviewer",
}
ARTIFACTS: Final = {
    "RESEARCH-001": "spec/discovery-context.md",
    "DRAFT-001": "spec/product-brief.md",
    "DRAFT-002": "spec/requirements.md",
    "DRAFT-003": "spec/architecture.md",
    "DRAFT-004": "spec/stories.md",
    "QUALITY-001": "spec/readiness-report.md",
    "PLAN-001": "plan/plan.md",
    "IMPL-001": "artifacts/IMPL-001.md",
    "TEST-001": "artifacts/TEST-001.md",
    "REVIEW-001": "artifacts/REVIEW-001.md",
}
PIPELINE: Final = (
    *("RESEARCH-001", "DRAFT-001", "DRAFT-002", "CHECKPOINT-001"),
    *("DRAFT-003", "DRAFT-004", "CHECKPOINT-002", "QUALITY-001"),
    *("PLAN-001", "CHECKPOINT-003", "IMPL-001", "TEST-001", "REVIEW-001"),
)
SCOPES: Final = {
    "CHECKPOINT-001": ["DRAFT-001", "DRAFT-002"],
    "CHECKPOINT-002": ["DRAFT-003", "DRAFT-004"],
    "CHECKPOINT-003": ["PLAN-001"],
}
Worker = Callable[[str], None]
"""Does one task, from its claim to its completion."""


class HttpMember:
    """A member that has a token and nothing else."""

    def __init__(self, address: str, token: str) -> None:
        self._address = urlsplit(address)
        self._token = token

    def call(self, tool: str, **arguments: object) -> Json:
        """Call a tool; return what it gives, an error too."""
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
        body = json.dumps({**asked, "params": {"name": tool, "arguments": arguments}})
        link = http.client.HTTPConnection(str(self._address.netloc), timeout=PATIENCE)
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        try:
            link.request("POST", self._address.path, body, headers)
            answer = json.loads(link.getresponse().read())
        finally:
            link.close()
        told: Json = answer["result"]["structuredContent"]
        return told


class Lifecycle:
    """A session, its resident supervisor, and whoever takes part."""

    def __init__(self, desk: Desktop, address: str) -> None:
        self._desk = desk
        self._address = address
        self.coordinator = self.member("coordinator", "coordinator")
        self.verdicts: dict[str, str] = {}

    @property
    def folder(self) -> Path:
        return self._desk.project / ".supervisor/sessions" / SESSION

    def member(self, name: str, role: str) -> HttpMember:
        """Let somebody take part."""
        project = open_project(self._desk.project, read_settings(self._desk.environment))
        members = Members(open_desk(project), SessionId(SESSION), project.actor)
        return HttpMember(self._address, members.add(name, MemberRole(role)))

    def write(self, task: str) -> None:
        """Write what comes of a task."""
        place = self.folder / ARTIFACTS[task]
        place.parent.mkdir(parents=True, exist_ok=True)
        known = FIXTURES / place.name
        place.write_text(known.read_text() if known.exists() else f"# {task}\n\nDone.\n")

    def scripted(self, name: str) -> Worker:
        """Make a worker that does what a script says."""
        member = self.member(name, "worker")

        def work(task: str) -> None:
            for tool, arguments in deeds(task):
                answer = member.call(tool, **arguments)
                assert "error" not in answer, (name, tool, arguments, answer)

        return work

    def play(self, workers: Mapping[str, Worker]) -> None:
        """Go through the pipeline, as a coordinator does; end with the supervisor's farewell."""
        done = 0
        for step in PIPELINE:
            if step in SCOPES:
                self.check(step, done)
            else:
                self.write(step)
                workers[OWNERS[step]](step)
                done += 1
        farewell = {"to": "supervisor", "type": "shutdown_request", "summary": "The end."}
        data = {"request_id": "end-1"}
        self.coordinator.call("team_msg", operation="log", data=data, **farewell)

    def check(self, task: str, done: int) -> Json:
        """Ask for a checkpoint and wait for its verdict."""
        asked = self.coordinator.call(
            "checkpoint_request",
            task_id=task,
            scope=SCOPES[task],
            pipeline_progress=f"{done}/{len(OWNERS)}",
        )
        assert "error" not in asked, asked
        found: Json = {}

        def has_verdict() -> bool:
            found.update(self.coordinator.call("checkpoint_show", task_id=task)["checkpoint"])
            return bool(found["status"] == "completed" or found["verdict"] == "block")

        self._desk.until(has_verdict, f"the verdict of {task}")
        self.verdicts[task] = found["verdict"]
        return found


def deeds(task: str) -> list[tuple[str, Json]]:
    """Say which tools a worker calls for a task, in their order."""
    state = {"status": "task_complete", "task_id": task, "ref": ARTIFACTS[task]}
    said = {"type": "state_update", "summary": f"{task} is done.", "data": state}
    return [
        ("task_update", {"taskId": task, "status": "in_progress"}),
        ("team_msg", {"operation": "log", **said}),
        ("task_update", {"taskId": task, "status": "completed"}),
    ]


@contextmanager
def lifecycle(desk: Desktop) -> Iterator[Lifecycle]:
    """Open a session, its supervisor and the tools of its members; all end in the end."""
    desk.supervisor(
        *("session", "new", SESSION, "--pipeline", "full-lifecycle"),
        *("--requirement", "A small shop."),
    )
    with (
        desk.start("mcp", "--session", SESSION, "--http", "--json") as server,
        desk.start("checkpoint", "serve", SESSION, "--no-judge", "--yes") as resident,
    ):
        assert server.stdout is not None
        try:
            address = _first_object(server.stdout)["address"]
            yield Lifecycle(desk, address)
            out, err = resident.communicate(timeout=PATIENCE)
            assert resident.returncode == 0, (out, err)
        finally:
            server.terminate()
            server.communicate(timeout=PATIENCE)
            resident.terminate()


def _first_object(stream: IO[str]) -> Json:
    """Read what a command prints before it stays."""
    text = ""
    while not text.endswith("}\n"):
        line = stream.readline()
        assert line, text
        text += line
    told: Json = json.loads(text)
    return told


def require_whole(desk: Desktop, session: Lifecycle) -> None:
    """Look whether all was done, each checkpoint told once, and the supervisor has said goodbye."""
    assert session.verdicts == dict.fromkeys(SCOPES, "pass")
    shown = desk.ask("session", "show", SESSION)["session"]
    assert {it["id"]: it["status"] for it in shown["tasks"]} == dict.fromkeys(
        (*OWNERS, *SCOPES), "completed"
    )
    said = desk.ask("msg", "list", "--session", SESSION, "--from", "supervisor")["messages"]
    assert [it["summary"] for it in said if it["type"] != "state_update"] == [
        "[supervisor] Ready, awaiting checkpoints",
        *(f"[supervisor] {task}: pass" for task in SCOPES),
        "[supervisor] Shutting down",
    ]
    reports = sorted(it.name for it in (session.folder / "artifacts").glob("CHECKPOINT-*"))
    assert reports == [f"{task}-report.md" for task in SCOPES]
    logged = desk.ask("msg", "list", "--session", SESSION, "--type", "state_update")["messages"]
    done = [it["data"]["task_id"] for it in logged if it["from"] != "supervisor"]
    assert done == list(OWNERS)
