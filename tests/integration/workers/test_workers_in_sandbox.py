"""Real agents in the real sandbox: what they see, what they print, what they leave behind."""

import asyncio
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.known_tools import known_tools
from tests.support.plain_machine import plain_environment

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, StepName
from supervisor_ai.domain.run.definition import Cli, SandboxPolicy
from supervisor_ai.domain.run.values import EgressRefusal
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Channel, Mount, Sandbox, SandboxEnd
from supervisor_ai.engine.ports.workers import Worker, WorkerReport, WorkerRequest
from supervisor_ai.engine.ports.workspaces import Workspace
from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox
from supervisor_ai.sandboxes.unsandboxed import UnsandboxedSandbox
from supervisor_ai.workers.command import command_worker
from supervisor_ai.workers.scripted import scripted_worker

AGENT = """\
import json, os, pathlib, sys
prompt = sys.stdin.read()
seen = {name: value for name, value in os.environ.items() if name.startswith("SUPERVISOR_")}
pathlib.Path("made.txt").write_text(prompt)
try:
    pathlib.Path(__file__).write_text("")
except OSError as error:
    print(type(error).__name__, file=sys.stderr)
print(json.dumps({"cwd": os.getcwd(), "seen": seen, "arguments": sys.argv[1:]}))
"""


@dataclass
class Scene:
    """A workspace and an export of the base commit, in a directory of their own."""

    ground: Path
    sandbox: Sandbox
    heard: list[tuple[Channel, bytes]] = field(default_factory=list)
    refused: list[EgressRefusal] = field(default_factory=list)

    @property
    def tree(self) -> Path:
        return self.ground / "tree"

    @property
    def program(self) -> Path:
        return self.ground / "program"

    def request(self, cli: Cli) -> WorkerRequest:
        workspace = Workspace(
            run=RunId("r1"),
            key=EffectKey("k"),
            path=self.tree,
            start=CommitSha("c"),
            mounts=(Mount(source=self.tree, target=self.tree, is_writable=True),),
        )
        return WorkerRequest(
            run=RunId("r1"),
            step=StepName("implement"),
            visit=1,
            slot=0,
            attempt=2,
            role="implementer",
            cli=cli,
            prompt="Do it. ✓",
            nonce="kvmq-tzrb-xwph",
            workspace=workspace,
            program=self.program,
            label="r1/implement/1/0/worker/2",
            fence=0,
            timeout=timedelta(seconds=60),
            output_bytes=1_000_000,
            sandbox=SandboxPolicy(),
            egress=(),
            on_refusal=self.refused.append,
        )

    def run(self, worker: Worker, request: WorkerRequest) -> WorkerReport:
        return asyncio.run(worker.run(request, lambda *piece: self.heard.append(piece)))

    def command(self, *command: str) -> WorkerReport:
        cli = Cli(name="mine", adapter="command", command=command)
        return self.run(command_worker(self.sandbox, {}), self.request(cli))

    def script(self, reply: dict[str, object], **changes: object) -> WorkerReport:
        script = json.dumps({"replies": [reply]})
        request = self.request(Cli(name="demo", adapter="scripted", script=script))
        return self.run(scripted_worker(self.sandbox, {}), replace(request, **changes))  # type: ignore[arg-type]


Sandboxes = dict[str, Callable[[Path], Sandbox]]
SANDBOXES: Sandboxes = {
    "bubblewrap": lambda state: BubblewrapSandbox(
        state=known_tools(state), environment=plain_environment()
    ),
    "none": lambda state: UnsandboxedSandbox(state=state, environment=os.environ),
}


def set_up(ground: Path, sandbox: str) -> Scene:
    scene = Scene(ground, SANDBOXES[sandbox](ground / "state"))
    scene.tree.mkdir()
    (scene.program / "tools").mkdir(parents=True)
    (scene.program / "tools" / "agent.py").write_text(AGENT)
    return scene


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return set_up(tmp_path, "bubblewrap")


def test_a_command_gets_the_prompt_the_attempt_and_a_program_it_cannot_change(scene: Scene) -> None:
    (scene.tree / "tools").mkdir()
    (scene.tree / "tools" / "agent.py").write_text("raise SystemExit('the planted one')")

    report = scene.command("python3", "tools/agent.py", "--fast")

    assert (report.result.end, report.result.exit_code) == (SandboxEnd.EXITED, 0), scene.heard
    told = json.loads(report.output)
    assert told["cwd"] == str(scene.tree)
    assert told["arguments"] == ["--fast"]
    assert told["seen"] == {
        "SUPERVISOR_RUN": "r1",
        "SUPERVISOR_STEP": "implement",
        "SUPERVISOR_ROLE": "implementer",
        "SUPERVISOR_VISIT": "1",
        "SUPERVISOR_SLOT": "0",
        "SUPERVISOR_ATTEMPT": "2",
        "SUPERVISOR_NONCE": "kvmq-tzrb-xwph",
    }
    assert (scene.tree / "made.txt").read_text() == "Do it. ✓"
    assert (scene.program / "tools" / "agent.py").read_text() == AGENT
    assert b"Error" in b"".join(text for at, text in scene.heard if at is Channel.STDERR)


def test_a_command_that_does_not_exist_is_missing(scene: Scene) -> None:
    assert scene.command("no-such-agent").result.end is SandboxEnd.COMMAND_MISSING


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_script_is_played_by_a_process(tmp_path: Path, sandbox: str) -> None:
    scene = set_up(tmp_path, sandbox)

    report = scene.script(
        {
            "step": "implement",
            "attempt": 2,
            "say": ["Reading.", "Writing."],
            "write": {"src/new.py": "x = 1\n"},
            "answer": {"status": "SUCCESS"},
        }
    )

    assert report.result.exit_code == 0, scene.heard
    said, _, answer = report.output.removesuffix("\n```\n").partition("```json\n")
    assert said == "Reading.\nWriting.\n"
    assert json.loads(answer) == {"nonce": "kvmq-tzrb-xwph", "status": "SUCCESS"}
    assert (scene.tree / "src" / "new.py").read_text() == "x = 1\n"


def test_a_script_may_be_larger_than_an_argument(scene: Scene) -> None:
    text = "x" * 300_000

    report = scene.script({"write": {"large.txt": text}, "answer": {}})

    assert report.result.exit_code == 0, scene.heard
    assert (scene.tree / "large.txt").read_text() == text


def test_lines_are_heard_while_the_agent_still_runs(scene: Scene) -> None:
    async def listen() -> bool:
        request = scene.request(
            Cli(
                name="demo",
                adapter="scripted",
                script=json.dumps({"replies": [{"say": ["Working."], "hang": True}]}),
            )
        )
        first = asyncio.Event()
        worker = scripted_worker(scene.sandbox, {})
        running = asyncio.create_task(worker.run(request, lambda *_piece: first.set()))
        async with asyncio.timeout(30):
            await first.wait()
        was_running = not running.done()
        running.cancel()
        await asyncio.wait([running])
        return was_running

    assert asyncio.run(listen())


def test_an_agent_that_hangs_is_stopped(scene: Scene) -> None:
    report = scene.script({"say": ["Hm."], "hang": True}, timeout=timedelta(seconds=1))

    assert report.result.end is SandboxEnd.TIMED_OUT
    assert report.output in {"", "Hm.\n"}


def test_an_agent_that_prints_too_much_is_stopped(scene: Scene) -> None:
    report = scene.script({"output_bytes": 3_000_000})

    assert report.result.end is SandboxEnd.OUTPUT_CAPPED
    assert len(report.output) <= 1_000_000


def test_an_agent_leaves_no_process_behind(scene: Scene) -> None:
    report = scene.script({"daemon": True, "answer": {}})

    assert report.result.exit_code == 0, scene.heard
    assert asyncio.run(scene.sandbox.reap("r1/", before=1)) == 0


def test_a_script_without_a_reply_says_so(scene: Scene) -> None:
    report = scene.script({"step": "plan"})

    assert report.result.exit_code == 3
    assert scene.heard == [
        (Channel.STDERR, b"The script has no reply for step/visit/attempt implement/1/2.\n")
    ]
